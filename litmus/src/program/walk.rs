//! Walks over programs: what instructions and expressions consist of, and everything in them.

use super::{Address, Branch, Expected, Expr, Instr, LocId, RegId};

/// Calls `each` for every instruction of a body, those of branches and loops after the one that
/// they belong to.
pub fn each_instr(body: &[Instr], each: &mut dyn FnMut(&Instr)) {
    for instr in body {
        each(instr);
        for block in instr.blocks() {
            each_instr(block, each);
        }
    }
}

/// Calls `each` for every expression of a body, outermost first.
pub fn each_expr(body: &[Instr], each: &mut dyn FnMut(&Expr)) {
    each_instr(body, &mut |instr| {
        instr.expressions().for_each(|expr| expr.each(each));
    });
}

/// Calls `each` for what every access of a body touches, duplicates included.
pub fn each_address(body: &[Instr], each: &mut dyn FnMut(&Address)) {
    each_instr(body, &mut |instr| {
        if let Instr::Store { access, .. } = instr {
            each(&access.address);
        }
        for expr in instr.expressions() {
            expr.each(&mut |e| e.addresses().for_each(&mut *each));
        }
    });
}

/// Declares what instructions and expressions consist of, to be looked at or to be changed.
macro_rules! consist {
    ($blocks:ident, $expressions:ident, $parts:ident, $inside:ident $(, $mut:tt)?) => {
        impl Instr {
            /// The instructions in it: both branches, or the body of a loop.
            pub fn $blocks(&$($mut)? self) -> impl Iterator<Item = &$($mut)? Vec<Instr>> {
                let blocks = match self {
                    Instr::If(Branch { then, otherwise, .. }) => [Some(then), Some(otherwise)],
                    Instr::While { body, .. } => [Some(body), None],
                    Instr::Assign { .. }
                    | Instr::Effect(_)
                    | Instr::Store { .. }
                    | Instr::Fence(_)
                    | Instr::Barrier(_)
                    | Instr::Domain(_)
                    | Instr::Return
                    | Instr::Host(_) => [None, None],
                };
                blocks.into_iter().flatten()
            }

            /// Its own expressions in order of evaluation, without those of the instructions in it.
            pub fn $expressions(&$($mut)? self) -> impl Iterator<Item = &$($mut)? Expr> {
                let expressions = match self {
                    Instr::Assign { value, .. } | Instr::Effect(value) => [None, Some(value)],
                    Instr::Store { access, value } => {
                        [access.address.index.$inside(), Some(value)]
                    }
                    Instr::If(Branch { condition, .. }) | Instr::While { condition, .. } => {
                        [None, Some(condition)]
                    }
                    Instr::Fence(_)
                    | Instr::Barrier(_)
                    | Instr::Domain(_)
                    | Instr::Return
                    | Instr::Host(_) => [None, None],
                };
                expressions.into_iter().flatten()
            }
        }

        impl Expr {
            /// The expressions that it is made of, indices included, in order of evaluation.
            pub fn $parts(&$($mut)? self) -> impl Iterator<Item = &$($mut)? Expr> {
                let parts: [Option<&$($mut)? Expr>; 3] = match self {
                    Expr::Const(_) | Expr::Reg(_) => [None, None, None],
                    Expr::Unary(_, a) => [Some(a), None, None],
                    Expr::Binary(_, a, b) => [Some(a), Some(b), None],
                    Expr::Select(a, b, c) => [Some(a), Some(b), Some(c)],
                    Expr::Load(access) => [access.address.index.$inside(), None, None],
                    Expr::Rmw(rmw) => [rmw.address.index.$inside(), Some(&$($mut)? rmw.operand), None],
                    Expr::Cas(cas) => [
                        cas.address.index.$inside(),
                        match &$($mut)? cas.expected {
                            Expected::Location(at) => at.index.$inside(),
                            Expected::Register(_) => None,
                        },
                        Some(&$($mut)? cas.desired),
                    ],
                };
                parts.into_iter().flatten()
            }
        }
    };
}

consist!(blocks, expressions, parts, as_deref);
consist!(blocks_mut, expressions_mut, parts_mut, as_deref_mut, mut);

impl Instr {
    /// The register that it assigns.
    pub fn assigned(&self) -> Option<RegId> {
        if let Instr::Assign { register, .. } = self {
            return Some(*register);
        }
        None
    }

    /// Whether it, or an instruction in it, assigns or uses a register.
    pub fn mentions(&self, register: RegId) -> bool {
        self.assigned() == Some(register)
            || self.expressions().any(|expr| expr.mentions(register))
            || self
                .blocks()
                .flatten()
                .any(|instr| instr.mentions(register))
    }
}

impl Expr {
    /// Calls `each` for it and everything in it, outermost first.
    pub fn each(&self, each: &mut dyn FnMut(&Expr)) {
        each(self);
        for part in self.parts() {
            part.each(each);
        }
    }

    /// What it touches itself, without what is in it.
    pub fn addresses(&self) -> impl Iterator<Item = &Address> {
        let addresses = match self {
            Expr::Load(access) => [Some(&access.address), None],
            Expr::Rmw(rmw) => [Some(&rmw.address), None],
            Expr::Cas(cas) => [Some(&cas.address), cas.expected.location()],
            Expr::Const(_)
            | Expr::Reg(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Select(..) => [None, None],
        };
        addresses.into_iter().flatten()
    }

    /// Whether evaluating it is an event of the memory model.
    pub fn touches_memory(&self) -> bool {
        self.addresses().next().is_some() || self.parts().any(Expr::touches_memory)
    }

    /// Whether a register is used in it; a compare-exchange uses the one with the expected value.
    pub fn mentions(&self, register: RegId) -> bool {
        let here = match self {
            Expr::Reg(r) => *r == register,
            Expr::Cas(cas) => cas.expected == Expected::Register(register),
            Expr::Const(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Select(..)
            | Expr::Load(_)
            | Expr::Rmw(_) => false,
        };
        here || self.parts().any(|part| part.mentions(register))
    }
}

impl Expected {
    /// The location, where it is in one.
    pub fn location(&self) -> Option<&Address> {
        match self {
            Expected::Location(address) => Some(address),
            Expected::Register(_) => None,
        }
    }

    /// The register, where it is in one.
    pub fn register(&self) -> Option<RegId> {
        match self {
            Expected::Location(_) => None,
            Expected::Register(register) => Some(*register),
        }
    }
}

/// Whether a body touches a location.
pub fn uses_location(body: &[Instr], location: LocId) -> bool {
    let mut found = false;
    each_address(body, &mut |address| found |= address.location == location);
    found
}
