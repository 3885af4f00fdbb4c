//! Tokens to instructions.
//!
//! Infix operators from weakest to strongest: `|`, `++`, `;`, `\`, `&`, `*`; then prefix `~`, then
//! the postfix operators, then application. `*` is a product where an expression can follow it and
//! the reflexive-transitive closure elsewhere.

use super::ast::{
    Binding, Case, Condition, Expr, ExprKind, File, Infix, Instr, InstrKind, Pattern, Postfix,
    Property, Role,
};
use super::error::{Result, Source, Span};
use super::lexer::{Sign, Token, Word, tokens};
use std::sync::Arc;

/// How deep brackets, functions and blocks may nest.
const MAX_DEPTH: u32 = 100;
/// How many operators one expression may chain without brackets.
const MAX_CHAIN: u32 = 300;

/// Parses a file.
pub fn parse(source: &Source) -> Result<File> {
    let mut parser = Parser {
        source,
        tokens: tokens(source)?,
        at: 0,
        depth: 0,
    };
    let title = match parser.peek().clone() {
        Token::Text(title) => {
            parser.at += 1;
            Some(title)
        }
        // Older files open with a bare name.
        Token::Name(title) => {
            parser.at += 1;
            Some(title)
        }
        _ => None,
    };
    let instrs = parser.instrs(&[])?;
    Ok(File { title, instrs })
}

struct Parser<'a> {
    source: &'a Source,
    tokens: Vec<(Token, Span)>,
    at: usize,
    depth: u32,
}

impl Parser<'_> {
    fn peek(&self) -> &Token {
        &self.tokens[self.at].0
    }

    fn span(&self) -> Span {
        self.tokens[self.at].1
    }

    fn previous(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].1
    }

    fn next(&mut self) -> (Token, Span) {
        let token = self.tokens[self.at].clone();
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        token
    }

    fn is_sign(&self, sign: Sign) -> bool {
        *self.peek() == Token::Sign(sign)
    }

    fn is_word(&self, word: Word) -> bool {
        *self.peek() == Token::Word(word)
    }

    fn eat_sign(&mut self, sign: Sign) -> bool {
        let found = self.is_sign(sign);
        if found {
            self.next();
        }
        found
    }

    fn eat_word(&mut self, word: Word) -> bool {
        let found = self.is_word(word);
        if found {
            self.next();
        }
        found
    }

    fn unexpected<T>(&self, wanted: &str) -> Result<T> {
        let found = self.peek().describe();
        Err(self.source.error(
            self.span(),
            format!("expected {wanted}, found {found}"),
            format!("{wanted} should stand here"),
        ))
    }

    fn sign(&mut self, sign: Sign) -> Result<Span> {
        if self.is_sign(sign) {
            Ok(self.next().1)
        } else {
            self.unexpected(&format!("`{}`", sign.text()))
        }
    }

    fn word(&mut self, word: Word) -> Result<Span> {
        if self.is_word(word) {
            Ok(self.next().1)
        } else {
            self.unexpected(&format!("`{}`", word.text()))
        }
    }

    fn name(&mut self, what: &str) -> Result<Arc<str>> {
        match self.peek().clone() {
            Token::Name(name) => {
                self.next();
                Ok(name)
            }
            _ => self.unexpected(what),
        }
    }

    fn text(&mut self, what: &str) -> Result<Arc<str>> {
        match self.peek().clone() {
            Token::Text(text) => {
                self.next();
                Ok(text)
            }
            _ => self.unexpected(what),
        }
    }

    fn nested<T>(&mut self, f: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth >= MAX_DEPTH {
            return Err(self.source.error(
                self.span(),
                format!("this is nested more than {MAX_DEPTH} deep"),
                "too deep here",
            ));
        }
        self.depth += 1;
        let result = f(self);
        self.depth -= 1;
        result
    }

    // Instructions

    fn instrs(&mut self, stops: &[Word]) -> Result<Vec<Instr>> {
        let mut out = Vec::new();
        loop {
            let stop = match self.peek() {
                Token::End => true,
                Token::Word(word) => stops.contains(word),
                _ => false,
            };
            if stop {
                return Ok(out);
            }
            out.push(self.nested(Parser::instr)?);
        }
    }

    fn instr(&mut self) -> Result<Instr> {
        let start = self.span();
        let kind = match self.peek().clone() {
            Token::Word(Word::Let) => {
                self.next();
                let (recursive, bindings) = self.bindings()?;
                if self.is_word(Word::In) {
                    return Err(self.source.error(
                        self.span(),
                        "`let … in` is an expression and cannot stand as an instruction",
                        "remove this `in`",
                    ));
                }
                InstrKind::Let {
                    recursive,
                    bindings,
                }
            }
            Token::Word(Word::With) => {
                self.next();
                let name = self.name("the name that `with` defines")?;
                self.word(Word::From)?;
                InstrKind::WithFrom(name, self.expr()?)
            }
            Token::Word(Word::Include) => {
                self.next();
                InstrKind::Include(self.text("the name of a file in quotes")?)
            }
            Token::Word(Word::Procedure) => self.procedure()?,
            Token::Word(Word::Call) => {
                self.next();
                let name = self.name("the name of a procedure")?;
                let argument = self.postfix()?;
                if self.eat_word(Word::As) {
                    self.name("a name")?;
                }
                InstrKind::Call(name, argument)
            }
            Token::Word(Word::Forall) => {
                self.next();
                let name = self.name("the name that `forall` defines")?;
                self.word(Word::In)?;
                let values = self.expr()?;
                self.word(Word::Do)?;
                let body = self.instrs(&[Word::End])?;
                self.word(Word::End)?;
                InstrKind::Forall(name, values, body)
            }
            Token::Word(Word::If) => {
                self.next();
                let condition = self.condition()?;
                self.word(Word::Then)?;
                let then = self.block()?;
                let otherwise = if self.eat_word(Word::Else) {
                    self.block()?
                } else {
                    Vec::new()
                };
                self.eat_word(Word::End);
                InstrKind::If(condition, then, otherwise)
            }
            Token::Word(Word::Enum) => {
                self.next();
                let name = self.name("the name of the enumeration")?;
                self.sign(Sign::Equals)?;
                self.eat_sign(Sign::BarBar);
                let mut tags = Vec::new();
                loop {
                    match self.peek().clone() {
                        Token::Tag(tag) => tags.push(tag),
                        _ => return self.unexpected("a tag such as `'device`"),
                    }
                    self.next();
                    if !self.eat_sign(Sign::BarBar) {
                        break;
                    }
                }
                InstrKind::Enum(name, tags)
            }
            Token::Word(Word::Instructions) => {
                self.next();
                self.name("the name of an instruction")?;
                let argument = self.primary()?;
                drop(argument);
                InstrKind::Nothing
            }
            Token::Word(Word::Default) => {
                self.next();
                self.name("the name of an instruction")?;
                self.primary()?;
                InstrKind::Nothing
            }
            Token::Word(Word::Show) => {
                self.next();
                loop {
                    self.expr()?;
                    if self.eat_word(Word::As) {
                        self.name("a name")?;
                    }
                    if !self.eat_sign(Sign::Comma) {
                        break;
                    }
                }
                InstrKind::Nothing
            }
            Token::Word(Word::Unshow) => {
                self.next();
                self.name("a name")?;
                while self.eat_sign(Sign::Comma) {
                    self.name("a name")?;
                }
                InstrKind::Nothing
            }
            Token::Word(Word::Flag) => {
                self.next();
                self.check(Role::Flag)?
            }
            Token::Word(Word::Assert) => {
                self.next();
                self.check(Role::Require)?
            }
            Token::Word(Word::UndefinedUnless) => {
                self.next();
                self.check(Role::UndefinedUnless)?
            }
            Token::Word(Word::Acyclic | Word::Irreflexive | Word::Empty)
            | Token::Sign(Sign::Tilde | Sign::Bang) => self.check(Role::Require)?,
            _ => {
                return self.unexpected("an instruction (`let`, `acyclic`, `include`, …)");
            }
        };
        Ok(Instr {
            kind,
            span: start.to(self.previous()),
        })
    }

    fn block(&mut self) -> Result<Vec<Instr>> {
        if self.eat_word(Word::Begin) {
            let body = self.instrs(&[Word::End])?;
            self.word(Word::End)?;
            Ok(body)
        } else {
            self.instrs(&[Word::Else, Word::End])
        }
    }

    fn procedure(&mut self) -> Result<InstrKind> {
        self.next();
        let name = self.name("the name of the procedure")?;
        let pattern = self.pattern()?;
        self.sign(Sign::Equals)?;
        let body = self.instrs(&[Word::End])?;
        self.word(Word::End)?;
        Ok(InstrKind::Procedure(name, pattern, Arc::new(body)))
    }

    fn check(&mut self, role: Role) -> Result<InstrKind> {
        let negated = self.eat_sign(Sign::Tilde) || self.eat_sign(Sign::Bang);
        let property = match self.peek() {
            Token::Word(Word::Acyclic) => Property::Acyclic,
            Token::Word(Word::Irreflexive) => Property::Irreflexive,
            Token::Word(Word::Empty) => Property::Empty,
            _ => return self.unexpected("`acyclic`, `irreflexive` or `empty`"),
        };
        self.next();
        let subject = self.expr()?;
        let name = if self.eat_word(Word::As) {
            let name = match self.peek().clone() {
                Token::Name(name) | Token::Text(name) => name,
                _ => return self.unexpected("the name of the check"),
            };
            self.next();
            Some(name)
        } else {
            None
        };
        Ok(InstrKind::Check {
            role,
            negated,
            property,
            subject,
            name,
        })
    }

    fn bindings(&mut self) -> Result<(bool, Vec<Binding>)> {
        let recursive = self.eat_word(Word::Rec);
        let mut out = Vec::new();
        loop {
            let start = self.span();
            let pattern = match self.peek().clone() {
                Token::Name(name) => {
                    self.next();
                    let is_function =
                        self.is_sign(Sign::Open) || matches!(self.peek(), Token::Name(_));
                    if is_function {
                        let parameter = self.pattern()?;
                        let span = start.to(self.previous());
                        self.sign(Sign::Equals)?;
                        let body = self.nested(Parser::expr)?;
                        let value = Expr {
                            span: body.span,
                            kind: ExprKind::Fun(parameter, Arc::new(body)),
                        };
                        out.push(Binding {
                            pattern: Pattern::Name(name),
                            span,
                            value,
                        });
                        if self.eat_word(Word::And) {
                            continue;
                        }
                        return Ok((recursive, out));
                    }
                    Pattern::Name(name)
                }
                Token::Sign(Sign::Open) => self.pattern()?,
                _ => return self.unexpected("the name that `let` defines"),
            };
            let span = start.to(self.previous());
            self.sign(Sign::Equals)?;
            let value = self.nested(Parser::expr)?;
            out.push(Binding {
                pattern,
                span,
                value,
            });
            if !self.eat_word(Word::And) {
                return Ok((recursive, out));
            }
        }
    }

    fn pattern(&mut self) -> Result<Pattern> {
        if !self.eat_sign(Sign::Open) {
            return Ok(Pattern::Name(self.name("a parameter")?));
        }
        let mut names = Vec::new();
        if !self.is_sign(Sign::Close) {
            loop {
                names.push(self.name("a parameter")?);
                if !self.eat_sign(Sign::Comma) {
                    break;
                }
            }
        }
        self.sign(Sign::Close)?;
        Ok(match <[Arc<str>; 1]>::try_from(names) {
            Ok([name]) => Pattern::Name(name),
            Err(names) => Pattern::Tuple(names),
        })
    }

    fn condition(&mut self) -> Result<Condition> {
        self.nested(|p| {
            let mut left = p.simple_condition()?;
            let mut chain = 0;
            loop {
                let and = p.is_sign(Sign::AndAnd);
                if !and && !p.is_sign(Sign::BarBar) {
                    return Ok(left);
                }
                p.chained(&mut chain)?;
                p.next();
                let right = Box::new(p.simple_condition()?);
                left = if and {
                    Condition::And(Box::new(left), right)
                } else {
                    Condition::Or(Box::new(left), right)
                };
            }
        })
    }

    fn simple_condition(&mut self) -> Result<Condition> {
        if self.eat_word(Word::Variant) {
            let name = self.text("the name of a variant in quotes")?;
            return Ok(Condition::Variant(name));
        }
        if let Token::Text(name) = self.peek().clone() {
            self.next();
            return Ok(Condition::Variant(name));
        }
        let negation = self.is_sign(Sign::Tilde)
            || self.is_sign(Sign::Bang)
            || *self.peek() == Token::Name("not".into());
        if negation {
            self.next();
            let inner = self.nested(Parser::simple_condition)?;
            return Ok(Condition::Not(Box::new(inner)));
        }
        let left = self.expr()?;
        self.sign(Sign::Equals)?;
        let right = self.expr()?;
        Ok(Condition::Equal(Box::new(left), Box::new(right)))
    }

    // Expressions

    fn chained(&self, count: &mut u32) -> Result<()> {
        *count += 1;
        if *count > MAX_CHAIN {
            return Err(self.source.error(
                self.span(),
                format!("this expression chains more than {MAX_CHAIN} operators"),
                "split it with `let`",
            ));
        }
        Ok(())
    }

    fn expr(&mut self) -> Result<Expr> {
        self.nested(|p| p.infix(0))
    }

    fn infix(&mut self, level: u8) -> Result<Expr> {
        let mut left = self.prefix()?;
        let mut chain = 0;
        while let Some((op, strength)) = self.infix_here() {
            if strength < level {
                break;
            }
            self.chained(&mut chain)?;
            self.next();
            let right = self.nested(|p| p.infix(strength + 1))?;
            left = Expr {
                span: left.span.to(right.span),
                kind: ExprKind::Infix(op, Box::new(left), Box::new(right)),
            };
        }
        Ok(left)
    }

    fn infix_here(&self) -> Option<(Infix, u8)> {
        match self.peek() {
            Token::Sign(Sign::Bar) => Some((Infix::Union, 0)),
            Token::Sign(Sign::PlusPlus) => Some((Infix::Add, 1)),
            Token::Sign(Sign::Semi) => Some((Infix::Seq, 2)),
            Token::Sign(Sign::Backslash) => Some((Infix::Diff, 3)),
            Token::Sign(Sign::Amp) => Some((Infix::Inter, 4)),
            Token::Sign(Sign::Star) => Some((Infix::Product, 5)),
            _ => None,
        }
    }

    fn prefix(&mut self) -> Result<Expr> {
        let start = self.span();
        if self.is_sign(Sign::Tilde) || self.is_sign(Sign::Bang) {
            self.next();
            let inner = self.nested(Parser::prefix)?;
            return Ok(Expr {
                span: start.to(inner.span),
                kind: ExprKind::Complement(Box::new(inner)),
            });
        }
        self.postfix()
    }

    /// Whether the token after the current one can begin an expression.
    fn operand_follows(&self) -> bool {
        match &self.tokens.get(self.at + 1).map_or(&Token::End, |t| &t.0) {
            Token::Name(_) | Token::Tag(_) | Token::Zero => true,
            Token::Sign(sign) => matches!(
                sign,
                Sign::Open | Sign::OpenSquare | Sign::OpenBrace | Sign::Tilde | Sign::Underscore
            ),
            Token::Text(_) | Token::Word(_) | Token::End => false,
        }
    }

    fn postfix(&mut self) -> Result<Expr> {
        let mut inner = self.application()?;
        let mut chain = 0;
        loop {
            let op = match self.peek() {
                Token::Sign(Sign::Plus | Sign::CaretPlus) => Postfix::Plus,
                Token::Sign(Sign::Star) if !self.operand_follows() => Postfix::Star,
                Token::Sign(Sign::CaretStar) => Postfix::Star,
                Token::Sign(Sign::Question) => Postfix::Opt,
                Token::Sign(Sign::Inverse) => Postfix::Inverse,
                _ => return Ok(inner),
            };
            self.chained(&mut chain)?;
            let (_, span) = self.next();
            inner = Expr {
                span: inner.span.to(span),
                kind: ExprKind::Postfix(op, Box::new(inner)),
            };
        }
    }

    fn application(&mut self) -> Result<Expr> {
        let mut function = self.primary()?;
        let mut chain = 0;
        loop {
            let argument = matches!(
                function.kind,
                ExprKind::Name(_) | ExprKind::Apply(..) | ExprKind::Tuple(_) | ExprKind::Fun(..)
            ) && match self.peek() {
                Token::Name(_) => matches!(function.kind, ExprKind::Name(_) | ExprKind::Apply(..)),
                Token::Sign(Sign::Open) => true,
                Token::Sign(Sign::OpenBrace | Sign::OpenSquare) => {
                    matches!(function.kind, ExprKind::Name(_))
                }
                _ => false,
            };
            if !argument {
                return Ok(function);
            }
            self.chained(&mut chain)?;
            let argument = self.nested(Parser::primary)?;
            function = Expr {
                span: function.span.to(argument.span),
                kind: ExprKind::Apply(Box::new(function), Box::new(argument)),
            };
        }
    }

    fn list(&mut self, close: Sign) -> Result<Vec<Expr>> {
        let mut items = Vec::new();
        if !self.is_sign(close) {
            loop {
                items.push(self.expr()?);
                if !self.eat_sign(Sign::Comma) {
                    break;
                }
            }
        }
        self.sign(close)?;
        Ok(items)
    }

    fn primary(&mut self) -> Result<Expr> {
        let start = self.span();
        let kind = match self.peek().clone() {
            Token::Name(name) => {
                self.next();
                ExprKind::Name(name)
            }
            Token::Tag(tag) => {
                self.next();
                ExprKind::Tag(tag)
            }
            Token::Zero => {
                self.next();
                ExprKind::Zero
            }
            Token::Sign(Sign::Underscore) => {
                self.next();
                ExprKind::Universe
            }
            Token::Sign(Sign::OpenBrace) => {
                self.next();
                ExprKind::Braces(self.list(Sign::CloseBrace)?)
            }
            Token::Sign(Sign::OpenSquare) => {
                self.next();
                let inner = self.expr()?;
                self.sign(Sign::CloseSquare)?;
                ExprKind::Identity(Box::new(inner))
            }
            Token::Sign(Sign::Open) => {
                self.next();
                let items = self.list(Sign::Close)?;
                match <[Expr; 1]>::try_from(items) {
                    Ok([mut inner]) => {
                        inner.span = start.to(self.previous());
                        // A bracketed name is an operand, not the head of an application.
                        return Ok(inner);
                    }
                    Err(items) => ExprKind::Tuple(items),
                }
            }
            Token::Word(Word::Begin) => {
                self.next();
                let inner = self.expr()?;
                self.word(Word::End)?;
                return Ok(inner);
            }
            Token::Word(Word::Fun) => {
                self.next();
                let pattern = self.pattern()?;
                self.sign(Sign::Arrow)?;
                ExprKind::Fun(pattern, Arc::new(self.expr()?))
            }
            Token::Word(Word::Let) => {
                self.next();
                let (recursive, bindings) = self.bindings()?;
                self.word(Word::In)?;
                ExprKind::Let {
                    recursive,
                    bindings,
                    body: Box::new(self.expr()?),
                }
            }
            Token::Word(Word::If) => {
                self.next();
                let condition = self.condition()?;
                self.word(Word::Then)?;
                let then = Box::new(self.expr()?);
                self.word(Word::Else)?;
                ExprKind::If(condition, then, Box::new(self.expr()?))
            }
            Token::Word(Word::Try) => {
                self.next();
                let first = Box::new(self.expr()?);
                self.word(Word::With)?;
                ExprKind::Try(first, Box::new(self.expr()?))
            }
            Token::Word(Word::Match) => self.match_()?,
            _ => return self.unexpected("an expression"),
        };
        Ok(Expr {
            kind,
            span: start.to(self.previous()),
        })
    }

    fn match_(&mut self) -> Result<ExprKind> {
        self.next();
        let subject = Box::new(self.expr()?);
        self.word(Word::With)?;
        self.eat_sign(Sign::BarBar);
        let mut cases = Vec::new();
        loop {
            let case = match self.peek().clone() {
                Token::Tag(tag) => Case::Tag(tag),
                Token::Sign(Sign::Underscore) => Case::Default,
                Token::Sign(Sign::OpenBrace) => Case::Empty,
                _ => return self.unexpected("a tag, `{}` or `_`"),
            };
            self.next();
            if matches!(case, Case::Empty) {
                self.sign(Sign::CloseBrace)?;
            }
            self.sign(Sign::Arrow)?;
            cases.push((case, self.expr()?));
            if !self.eat_sign(Sign::BarBar) {
                break;
            }
        }
        self.word(Word::End)?;
        Ok(ExprKind::Match(subject, cases))
    }
}
