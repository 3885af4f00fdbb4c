//! Declarators: what surrounds a name in a declaration.

use super::{Parsed, Parser};
use crate::ast::{DeclPart, Declarator, Param, Qualifiers, TypeName, TypeSpec};
use crate::token::{Keyword, Punct, Tok};

impl Parser<'_> {
    /// A declarator; the name may be left out only if `abstract_ok`.
    pub(super) fn declarator(&mut self, abstract_ok: bool) -> Parsed<Declarator> {
        self.enter()?;
        let loc = self.loc();
        let mut pointers = Vec::new();
        while self.at(Punct::Star) || self.at(Punct::Caret) {
            let is_block = self.at(Punct::Caret);
            self.advance();
            let mut quals = Qualifiers::default();
            loop {
                if self.qualifier(&mut quals)? {
                    continue;
                }
                if self.at_keyword(Keyword::Attribute) {
                    for attr in self.attributes()? {
                        let message = "this attribute is ignored on a pointer";
                        self.diags.warning(attr.name.loc, message);
                    }
                    continue;
                }
                break;
            }
            // A block variable is const whatever it says.
            pointers.push(match is_block {
                true => DeclPart::Block,
                false => DeclPart::Pointer(quals),
            });
            if pointers.len() > super::DEPTH as usize {
                return self.fail(self.loc(), "this declarator has too many pointers");
            }
        }
        let mut attrs = self.attributes()?;
        let mut declarator = if self.at(Punct::LParen) && self.opens_nested(abstract_ok) {
            self.advance();
            let inner = self.declarator(abstract_ok)?;
            self.expect(Punct::RParen, "after this declarator")?;
            inner
        } else {
            let name = self.optional_name();
            if name.is_none() && !abstract_ok {
                return self.expected("a name");
            }
            Declarator {
                loc: name.map_or(loc, |n| n.loc),
                name,
                parts: Vec::new(),
                attrs: Vec::new(),
            }
        };
        loop {
            if self.eat(Punct::LBracket) {
                // `static` and qualifiers inside a parameter's brackets say nothing here.
                let mut quals = Qualifiers::default();
                while self.eat_keyword(Keyword::Static) || self.qualifier(&mut quals)? {}
                let size = self.unless_at(Punct::RBracket, Self::assignment)?;
                let height = size.as_ref().map_or(0, |size| size.height);
                self.type_height = self.type_height.max(height);
                self.expect(Punct::RBracket, "after this array size")?;
                declarator.parts.push(DeclPart::Array(size.map(Box::new)));
            } else if self.eat(Punct::LParen) {
                let (params, variadic) = self.params()?;
                let function = DeclPart::Function { params, variadic };
                declarator.parts.push(function);
            } else {
                break;
            }
            if declarator.parts.len() > super::DEPTH as usize {
                return self.fail(self.loc(), "this declarator is too complex");
            }
        }
        pointers.reverse();
        declarator.parts.extend(pointers);
        attrs.extend(self.attributes()?);
        declarator.attrs.extend(attrs);
        self.leave();
        Ok(declarator)
    }

    /// Whether `(` opens a nested declarator rather than a parameter list.
    fn opens_nested(&self, abstract_ok: bool) -> bool {
        if !abstract_ok {
            return true;
        }
        match self.peek_at(1) {
            Tok::Punct(Punct::Star | Punct::LParen | Punct::LBracket | Punct::Caret) => true,
            Tok::Ident(symbol) => !self.is_type_name(*symbol),
            Tok::Keyword(Keyword::Attribute) => true,
            _ => false,
        }
    }

    /// The rest of `(…)` after a function's name.
    pub(super) fn params(&mut self) -> Parsed<(Vec<Param>, bool)> {
        let mut params: Vec<Param> = Vec::new();
        if self.eat(Punct::RParen) {
            return Ok((params, false));
        }
        loop {
            if self.eat(Punct::Ellipsis) {
                self.expect(Punct::RParen, "after `...`")?;
                return Ok((params, true));
            }
            let specs = self.specs()?;
            let declarator = self.declarator(true)?;
            params.push(Param { specs, declarator });
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.expect(Punct::RParen, "after the parameters")?;
        if let [only] = params.as_slice()
            && only.declarator.parts.is_empty()
            && only.declarator.name.is_none()
            && matches!(only.specs.ty, TypeSpec::Void)
        {
            params.clear();
        }
        Ok((params, false))
    }

    /// A type as a cast or `sizeof` has it.
    pub(super) fn type_name(&mut self) -> Parsed<TypeName> {
        let specs = Box::new(self.specs()?);
        let declarator = self.declarator(true)?;
        if let Some(name) = declarator.name {
            return self.fail(name.loc, "a type without a name is expected here");
        }
        Ok(TypeName { specs, declarator })
    }
}
