//! Declarations: specifiers, structs, enums, attributes, initialisers, function definitions.

use super::{Parsed, Parser};
use crate::ast::{
    Attr, AttrArg, DeclPart, Declaration, Declarator, Designator, EnumSpec, Expr, FieldDeclarator,
    FieldGroup, FunctionDef, Init, InitDeclarator, InitItem, Item, Name, Qualifiers, RecordSpec,
    Specs, Storage, TypeSpec,
};
use crate::source::Loc;
use crate::token::{Begins, Keyword, Literal, Punct, Tok};
use crate::types::{Scalar, Space};

/// The scalar-type keywords seen so far in a list of specifiers.
#[derive(Default)]
struct Words {
    base: Option<Keyword>,
    signed: Option<bool>,
    short: bool,
    long: u8,
}

impl Words {
    fn any(&self) -> bool {
        self.base.is_some() || self.signed.is_some() || self.short || self.long > 0
    }

    /// The type they name together (C99 6.7.2p2), or None if they do not go together.
    fn basic(&self) -> Option<TypeSpec> {
        let unsigned = self.signed == Some(false);
        let pick = |signed, un| if unsigned { un } else { signed };
        let plain = self.signed.is_none() && !self.short && self.long == 0;
        Some(TypeSpec::Scalar(match (self.base, self.short, self.long) {
            (Some(Keyword::Void), ..) if plain => return Some(TypeSpec::Void),
            (Some(Keyword::Bool), ..) if plain => Scalar::Bool,
            (Some(Keyword::Float), ..) if plain => Scalar::Float,
            (Some(Keyword::Double), ..) if plain => Scalar::Double,
            (Some(Keyword::Half), ..) if plain => Scalar::Half,
            (Some(Keyword::Char), false, 0) => pick(Scalar::Char, Scalar::UChar),
            (None | Some(Keyword::Int), false, 0) => pick(Scalar::Int, Scalar::UInt),
            (None | Some(Keyword::Int), true, 0) => pick(Scalar::Short, Scalar::UShort),
            (None | Some(Keyword::Int), false, 1 | 2) => pick(Scalar::Long, Scalar::ULong),
            _ => return None,
        }))
    }
}

impl Parser<'_> {
    /// A declaration or a function definition at program scope.
    pub(super) fn item(&mut self) -> Parsed<Option<Item>> {
        if self.eat(Punct::Semi) {
            return Ok(None);
        }
        let specs = self.specs()?;
        let first = self.first_declarator(&specs)?;
        match first {
            Some(declarator)
                if self.at(Punct::LBrace)
                    && matches!(declarator.parts.first(), Some(DeclPart::Function { .. })) =>
            {
                Ok(Some(Item::Function(Box::new(
                    self.function(specs, declarator)?,
                ))))
            }
            first => Ok(Some(Item::Declaration(
                self.declaration_rest(specs, first)?,
            ))),
        }
    }

    /// The body of a function.
    fn function(&mut self, specs: Specs, declarator: Declarator) -> Parsed<FunctionDef> {
        self.scopes.open();
        if let Some(DeclPart::Function { params, .. }) = declarator.parts.first() {
            for param in params {
                self.declare(param.declarator.name, false);
            }
        }
        self.advance();
        let body = self.block_rest();
        self.scopes.close();
        Ok(FunctionDef {
            specs,
            declarator,
            body: body?,
            end: self.previous_loc(),
        })
    }

    /// A declaration in a block.
    pub(super) fn declaration(&mut self) -> Parsed<Declaration> {
        let specs = self.specs()?;
        let first = self.first_declarator(&specs)?;
        self.declaration_rest(specs, first)
    }

    /// The first declarator of a declaration; None, and past the `;`, if there is none.
    fn first_declarator(&mut self, specs: &Specs) -> Parsed<Option<Declarator>> {
        if self.eat(Punct::Semi) {
            return Ok(None);
        }
        let first = self.declarator(false)?;
        self.declare(first.name, specs.storage == Some(Storage::Typedef));
        Ok(Some(first))
    }

    fn declaration_rest(&mut self, specs: Specs, first: Option<Declarator>) -> Parsed<Declaration> {
        let is_type = specs.storage == Some(Storage::Typedef);
        let mut declarators = Vec::new();
        let mut next = first;
        while let Some(declarator) = next.take() {
            let init = self.after(Punct::Assign, Self::initializer)?;
            declarators.push(InitDeclarator { declarator, init });
            if self.eat(Punct::Comma) {
                let declarator = self.declarator(false)?;
                self.declare(declarator.name, is_type);
                next = Some(declarator);
            } else {
                self.expect(Punct::Semi, "after this declaration")?;
            }
        }
        Ok(Declaration { specs, declarators })
    }

    /// Whether a declaration starts here.
    pub(super) fn starts_declaration(&self) -> bool {
        match self.peek() {
            Tok::Ident(symbol) => {
                self.is_type_name(*symbol) && *self.peek_at(1) != Tok::Punct(Punct::Colon)
            }
            Tok::Keyword(keyword) => keyword.begins() != Begins::Neither,
            Tok::Punct(_) | Tok::Number(_) | Tok::Char(_) | Tok::Str(_) | Tok::End => false,
        }
    }

    /// Whether a type name starts `ahead` tokens on.
    pub(super) fn starts_type(&self, ahead: usize) -> bool {
        match self.peek_at(ahead) {
            Tok::Ident(symbol) => self.is_type_name(*symbol),
            Tok::Keyword(keyword) => keyword.begins() == Begins::Type,
            Tok::Punct(_) | Tok::Number(_) | Tok::Char(_) | Tok::Str(_) | Tok::End => false,
        }
    }

    /// The address space that a keyword names.
    pub(super) fn space_word(keyword: Keyword) -> Option<Space> {
        match keyword {
            Keyword::Global => Some(Space::Global),
            Keyword::Local => Some(Space::Local),
            Keyword::Constant => Some(Space::Constant),
            Keyword::Private => Some(Space::Private),
            Keyword::Generic => Some(Space::Generic),
            _ => None,
        }
    }

    /// Adds a qualifier to `quals` if one is next.
    pub(super) fn qualifier(&mut self, quals: &mut Qualifiers) -> Parsed<bool> {
        let Tok::Keyword(keyword) = *self.peek() else {
            return Ok(false);
        };
        match keyword {
            Keyword::Const => quals.constant = true,
            Keyword::Volatile => quals.volatile = true,
            Keyword::Restrict => quals.restrict = true,
            _ => match Self::space_word(keyword) {
                Some(space) => {
                    if quals.space.is_some_and(|old| old != space) {
                        return self.fail(self.loc(), "a type has only one address space");
                    }
                    quals.space = Some(space);
                }
                None => return Ok(false),
            },
        }
        self.advance();
        Ok(true)
    }

    /// Declaration specifiers.
    pub(super) fn specs(&mut self) -> Parsed<Specs> {
        let loc = self.loc();
        let mut words = Words::default();
        let mut ty: Option<TypeSpec> = None;
        let mut specs = Specs {
            storage: None,
            inline: false,
            kernel: false,
            access: None,
            pipe: false,
            quals: Qualifiers::default(),
            ty: TypeSpec::Void,
            attrs: Vec::new(),
            loc,
        };
        loop {
            if self.qualifier(&mut specs.quals)? {
                continue;
            }
            let here = self.loc();
            let keyword = match *self.peek() {
                Tok::Ident(symbol) if ty.is_none() && !words.any() && self.is_type_name(symbol) => {
                    self.advance();
                    ty = Some(TypeSpec::Named(Name { symbol, loc: here }));
                    continue;
                }
                Tok::Keyword(keyword) => keyword,
                _ => break,
            };
            match keyword {
                Keyword::Typedef => self.storage(&mut specs, Storage::Typedef)?,
                Keyword::Extern => self.storage(&mut specs, Storage::Extern)?,
                Keyword::Static => self.storage(&mut specs, Storage::Static)?,
                Keyword::Auto => self.storage(&mut specs, Storage::Auto)?,
                Keyword::Register => self.storage(&mut specs, Storage::Register)?,
                Keyword::Inline => specs.inline = true,
                Keyword::Kernel => specs.kernel = true,
                Keyword::ReadOnly => specs.access = Some("read_only"),
                Keyword::WriteOnly => specs.access = Some("write_only"),
                Keyword::ReadWrite => specs.access = Some("read_write"),
                Keyword::Pipe => specs.pipe = true,
                Keyword::Attribute => {
                    specs.attrs.extend(self.attributes()?);
                    continue;
                }
                Keyword::Signed | Keyword::Unsigned => {
                    let signed = keyword == Keyword::Signed;
                    if words.signed.is_some_and(|old| old != signed) {
                        return self.fail(here, "a type is signed or unsigned, not both");
                    }
                    words.signed = Some(signed);
                }
                Keyword::Short => words.short = true,
                Keyword::Long => words.long += 1,
                Keyword::Void
                | Keyword::Bool
                | Keyword::Char
                | Keyword::Int
                | Keyword::Float
                | Keyword::Double
                | Keyword::Half => {
                    if words.base.is_some() || ty.is_some() {
                        return self.fail(here, "two types in one declaration");
                    }
                    words.base = Some(keyword);
                }
                Keyword::Struct | Keyword::Union | Keyword::Enum => {
                    if words.any() || ty.is_some() {
                        return self.fail(here, "two types in one declaration");
                    }
                    ty = Some(if keyword == Keyword::Enum {
                        self.enum_spec()?
                    } else {
                        self.record_spec(keyword == Keyword::Union)?
                    });
                    continue;
                }
                Keyword::Typeof | Keyword::Complex | Keyword::Imaginary | Keyword::Atomic => {
                    let message = format!("`{}` is not in OpenCL C", keyword.text());
                    return self.fail(here, message);
                }
                _ => break,
            }
            self.advance();
        }
        specs.ty = self.type_spec(words, ty, loc)?;
        Ok(specs)
    }

    fn storage(&mut self, specs: &mut Specs, word: Storage) -> Parsed<()> {
        if specs.storage.is_some_and(|old| old != word) {
            return self.fail(self.loc(), "a declaration has only one storage class");
        }
        specs.storage = Some(word);
        Ok(())
    }

    /// What the words of a type's name and a type that was named or defined are together.
    fn type_spec(&mut self, words: Words, ty: Option<TypeSpec>, loc: Loc) -> Parsed<TypeSpec> {
        match (ty, words.any()) {
            (Some(ty), false) => Ok(ty),
            (None, false) => {
                if let Tok::Ident(symbol) = *self.peek() {
                    let message = format!("unknown type `{}`", self.names.get(symbol));
                    return self.fail(self.loc(), message);
                }
                self.expected("a type")
            }
            (ty, true) => match words.basic().filter(|_| ty.is_none()) {
                Some(basic) => Ok(basic),
                None => self.fail(loc, "these types do not go together"),
            },
        }
    }

    /// `struct tag { … }`
    fn record_spec(&mut self, union: bool) -> Parsed<TypeSpec> {
        let loc = self.loc();
        self.advance();
        let mut attrs = self.attributes()?;
        let tag = self.optional_name();
        let mut fields = None;
        if self.eat(Punct::LBrace) {
            self.enter()?;
            let mut groups = Vec::new();
            while !self.eat(Punct::RBrace) {
                if *self.peek() == Tok::End {
                    return self.expected("`}` of this struct");
                }
                if self.eat(Punct::Semi) {
                    continue;
                }
                groups.push(self.field_group()?);
            }
            self.leave();
            attrs.extend(self.attributes()?);
            fields = Some(groups);
        } else if tag.is_none() {
            return self.expected("a struct's name or `{`");
        }
        Ok(TypeSpec::Record(Box::new(RecordSpec {
            union,
            tag,
            fields,
            attrs,
            loc,
        })))
    }

    fn field_group(&mut self) -> Parsed<FieldGroup> {
        let specs = self.specs()?;
        let mut declarators = Vec::new();
        if !self.at(Punct::Semi) {
            loop {
                let declarator = self.declarator(self.at(Punct::Colon))?;
                let bits = self.after(Punct::Colon, Self::constant_of_type)?;
                declarators.push(FieldDeclarator { declarator, bits });
                if !self.eat(Punct::Comma) {
                    break;
                }
            }
        }
        self.expect(Punct::Semi, "after this field")?;
        Ok(FieldGroup { specs, declarators })
    }

    fn enum_spec(&mut self) -> Parsed<TypeSpec> {
        let loc = self.loc();
        self.advance();
        self.attributes()?;
        let tag = self.optional_name();
        let enumerators = self.after(Punct::LBrace, |parser| {
            let list = parser.list(Punct::RBrace, |parser| {
                let name = parser.name("an enumerator's name")?;
                let value = parser.after(Punct::Assign, Self::constant_of_type)?;
                parser.declare(Some(name), false);
                Ok((name, value))
            })?;
            parser.attributes()?;
            Ok(list)
        })?;
        if enumerators.is_none() && tag.is_none() {
            return self.expected("an enum's name or `{`");
        }
        Ok(TypeSpec::Enum(Box::new(EnumSpec {
            tag,
            enumerators,
            loc,
        })))
    }

    /// A constant expression inside a type.
    fn constant_of_type(&mut self) -> Parsed<Expr> {
        let value = self.conditional()?;
        self.type_height = self.type_height.max(value.height);
        Ok(value)
    }

    /// Any number of `__attribute__((…))`.
    pub(super) fn attributes(&mut self) -> Parsed<Vec<Attr>> {
        let mut attrs = Vec::new();
        while self.eat_keyword(Keyword::Attribute) {
            self.expect(Punct::LParen, "after `__attribute__`")?;
            self.expect(Punct::LParen, "after `__attribute__(`")?;
            while !self.at(Punct::RParen) {
                if self.eat(Punct::Comma) {
                    continue;
                }
                attrs.push(self.attribute()?);
            }
            self.expect(Punct::RParen, "after the attributes")?;
            self.expect(Punct::RParen, "after the attributes")?;
        }
        Ok(attrs)
    }

    fn attribute(&mut self) -> Parsed<Attr> {
        let start = self.next;
        let name = self.name("an attribute's name")?;
        let args = self.after(Punct::LParen, |parser| {
            parser.list(Punct::RParen, |parser| {
                if parser.starts_type(0) {
                    Ok(AttrArg::Type(parser.type_name()?))
                } else {
                    Ok(AttrArg::Expr(parser.assignment()?))
                }
            })
        })?;
        let spelling = self.spell(start, self.next);
        Ok(Attr {
            name,
            args: args.unwrap_or_default(),
            spelling,
        })
    }

    /// Tokens as text, in the manner of `CL_KERNEL_ATTRIBUTES`.
    pub(super) fn spell(&self, from: usize, to: usize) -> String {
        let mut out = String::new();
        for token in &self.tokens[from..to] {
            let word = match &token.tok {
                Tok::Ident(symbol) => self.names.get(*symbol).to_owned(),
                Tok::Keyword(keyword) => keyword.text().to_owned(),
                Tok::Punct(punct) => punct.text().to_owned(),
                Tok::Number(Literal::Int { value, .. }) => value.to_string(),
                Tok::Number(Literal::Float { value, .. }) => value.to_string(),
                Tok::Char(value) => value.to_string(),
                Tok::Str(bytes) => format!("{:?}", String::from_utf8_lossy(bytes)),
                Tok::End => String::new(),
            };
            let both_words = |a: Option<char>, b: Option<char>| {
                a.is_some_and(|c| c.is_alphanumeric()) && b.is_some_and(|c| c.is_alphanumeric())
            };
            if both_words(out.chars().last(), word.chars().next()) {
                out.push(' ');
            }
            out.push_str(&word);
        }
        out
    }

    /// An initialiser.
    fn initializer(&mut self) -> Parsed<Init> {
        let loc = self.loc();
        if self.eat(Punct::LBrace) {
            return Ok(Init::List(self.init_list_rest()?, loc));
        }
        Ok(Init::Expr(self.assignment()?))
    }

    /// The rest of `{ … }`.
    pub(super) fn init_list_rest(&mut self) -> Parsed<Vec<InitItem>> {
        self.enter()?;
        let items = self.list(Punct::RBrace, Self::init_item)?;
        self.leave();
        Ok(items)
    }

    fn init_item(&mut self) -> Parsed<InitItem> {
        let mut designators = Vec::new();
        loop {
            if self.eat(Punct::Dot) {
                designators.push(Designator::Field(self.name("a field's name")?));
            } else if self.eat(Punct::LBracket) {
                designators.push(Designator::Index(self.conditional()?));
                self.expect(Punct::RBracket, "after this index")?;
            } else {
                break;
            }
        }
        if !designators.is_empty() {
            self.expect(Punct::Assign, "after this designator")?;
        }
        let value = self.initializer()?;
        Ok(InitItem { designators, value })
    }
}
