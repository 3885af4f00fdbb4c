//! The text of expressions.

use super::super::builtin::Builtin;
use super::super::number::{Arithmetic, Type};
use super::super::*;
use super::Writer;
use super::terms::{closes_last, constant, division, read_names, union};

impl Writer<'_> {
    /// An expression where no operator is beside it.
    pub(super) fn bare(&mut self, expr: &Expr) -> String {
        let text = self.expr(expr);
        let whole = text.starts_with('(') && closes_last(&text);
        match whole {
            true => text[1..text.len() - 1].to_string(),
            false => text,
        }
    }

    pub(super) fn expr(&mut self, expr: &Expr) -> String {
        let guarded = self.guarded.contains(&expr.id);
        let ty = expr.ty;
        match &expr.kind {
            Kind::Constant(value) => constant(ty, value),
            Kind::Read(place) => self.place(place),
            Kind::Held => self.held.clone(),
            Kind::Negate(of) if guarded => {
                let (unsigned, of) = (ty.with(ty.of.unsigned()), self.unsigned(of, ty));
                format!("as_{}(({})(0) - {of})", ty.name(), unsigned.name())
            }
            Kind::Negate(of) => format!("(-{})", self.expr(of)),
            Kind::Plus(of) => format!("(+{})", self.expr(of)),
            Kind::Complement(of) => format!("(~{})", self.expr(of)),
            Kind::Not(of) => format!("(!{})", self.expr(of)),
            Kind::Arithmetic(op, left, right) if guarded => self.guarded(*op, ty, left, right),
            Kind::Arithmetic(op, left, right) => self.binary(expr.id, op.text(), left, right),
            Kind::Comparison(op, left, right) => self.binary(expr.id, op.text(), left, right),
            Kind::And(left, right) => self.binary(expr.id, "&&", left, right),
            Kind::Or(left, right) => self.binary(expr.id, "||", left, right),
            Kind::Choice(condition, yes, no) => {
                let condition = self.expr(condition);
                format!("({condition} ? {} : {})", self.expr(yes), self.expr(no))
            }
            Kind::Implicit(of) if guarded => self.reinterpreted(of, ty),
            Kind::Implicit(of) => self.expr(of),
            Kind::Cast(of) if guarded => self.reinterpreted(of, ty),
            Kind::Cast(of) => format!("(({}){})", ty.name(), self.expr(of)),
            Kind::Convert {
                of,
                saturated: false,
            } if guarded => self.reinterpreted(of, ty),
            Kind::Convert { of, saturated } => {
                let mode = if *saturated { "_sat" } else { "" };
                format!("convert_{}{mode}({})", ty.name(), self.bare(of))
            }
            Kind::Reinterpret(of) => format!("as_{}({})", ty.name(), self.bare(of)),
            Kind::Builtin(function, arguments) => self.builtin(*function, arguments),
            Kind::Call(n, arguments) => self.call(*n, arguments),
            Kind::Vector(lanes) => {
                let lanes: Vec<_> = lanes.iter().map(|lane| self.bare(lane)).collect();
                format!("(({})({}))", ty.name(), lanes.join(", "))
            }
            Kind::Lanes(of, lanes) => {
                format!(
                    "{}.{}",
                    self.expr(of),
                    read_names(lanes, of.ty.lanes, expr.id)
                )
            }
            Kind::Spread(of) => self.expr(of),
            Kind::Union(of) => {
                let name = format!("{}_in_{}", ty.name(), of.ty.name());
                self.helpers.insert(name.clone(), union(of.ty, ty));
                format!("{name}({})", self.bare(of))
            }
            Kind::Shuffle(of, mask, format) => {
                let name = if of.len() == 1 { "shuffle" } else { "shuffle2" };
                let taken = of.iter().map(|one| match format {
                    Some(format) => {
                        format!("as_{}{}({})", format.name(), one.ty.lanes, self.bare(one))
                    }
                    None => self.bare(one),
                });
                let taken: Vec<_> = taken.collect();
                let shuffled = format!("{name}({}, {})", taken.join(", "), self.bare(mask));
                match format {
                    Some(_) => format!("as_{}({shuffled})", ty.name()),
                    None => shuffled,
                }
            }
            Kind::Real(function, arguments) => {
                let list: Vec<_> = arguments.iter().map(|one| self.bare(one)).collect();
                let named = list
                    .iter()
                    .all(|one| one.bytes().all(|c| c.is_ascii_alphanumeric()));
                // Of bits in one place, and of numbers in variables: compilers take them in different ways.
                match function.has_statements() || named && expr.id.is_multiple_of(2) {
                    true => self.of_floats(*function, ty.lanes, &list),
                    false => function.text(ty.lanes, &list),
                }
            }
            Kind::Distance(one, other) => {
                format!("((long)({} - {}))", self.name(*one), self.name(*other))
            }
            Kind::Beside(op, one, other) => {
                format!("({} {} {})", self.name(*one), op.text(), self.name(*other))
            }
            Kind::Size(of) => format!("((uint)sizeof(struct s{of}))"),
            Kind::Offset(variable, _, field) => {
                let variable = self.place(&Place::variable(*variable));
                format!(
                    "((uint)((private char *)&{variable}.f{field} - (private char *)&{variable}))"
                )
            }
            // In a list of arguments the comma is in parentheses of its own.
            Kind::After(stmt, of) => format!("(({}, {}))", self.simple(stmt), self.bare(of)),
            Kind::Gives(stmt, _) => match &**stmt {
                Stmt::Step(place, up) => {
                    format!("({}{})", if *up { "++" } else { "--" }, self.place(place))
                }
                stmt => format!("({})", self.simple(stmt)),
            },
            Kind::Post(place, up) => {
                format!("({}{})", self.place(place), if *up { "++" } else { "--" })
            }
            Kind::WorkItem(WorkItem::WorkDim, _) => "get_work_dim()".into(),
            Kind::WorkItem(function, dimension) => {
                format!("((uint){}({}))", function.name(), self.bare(dimension))
            }
        }
    }

    fn builtin(&mut self, function: Builtin, arguments: &[Expr]) -> String {
        let list: Vec<_> = arguments.iter().map(|one| self.bare(one)).collect();
        let name = match (function, arguments.first()) {
            (Builtin::Dot { packed, .. }, Some(first)) => self.dot(function, first.ty, packed),
            _ => function.name().into(),
        };
        format!("{name}({})", list.join(", "))
    }

    /// The name of a function that gives a dot product: devices may have it of packed vectors only.
    fn dot(&mut self, function: Builtin, ty: Type, packed: bool) -> String {
        let packed_name = function.packed_name(ty);
        let name = match packed {
            true => format!("packed_{packed_name}"),
            false => format!("any_{packed_name}"),
        };
        let types = function.arguments(ty).into_iter().zip(["a", "b", "c"]);
        let (parameters, passed): (Vec<String>, Vec<String>) = types
            .map(|(ty, name)| {
                // What `as_uint` gives of four lanes is implementation-defined.
                let lane = |n: u8| format!("(uint)as_uchar4({name}).s{n} << {}", 8 * n);
                let bits = match ty.lanes {
                    1 => name.into(),
                    lanes => (0..lanes).map(lane).collect::<Vec<_>>().join(" | "),
                };
                (format!("{} {name}", ty.name()), bits)
            })
            .unzip();
        let of_packed = format!("return {packed_name}({});", passed.join(", "));
        let body = match packed {
            true => of_packed,
            false => {
                let plain = ["a", "b", "c"][..passed.len()].join(", ");
                let feature = "__opencl_c_integer_dot_product_input_4x8bit";
                format!(
                    "\n#ifdef {feature}\nreturn {}({plain});\n#else\n{of_packed}\n#endif\n",
                    function.name()
                )
            }
        };
        let (gives, parameters) = (function.gives(ty).name(), parameters.join(", "));
        let text = format!("static {gives} $name({parameters}) {{ {body} }}");
        self.helpers.insert(name.clone(), text);
        name
    }

    /// A call of a function of the program's own for it.
    fn of_floats(&mut self, function: Real, lanes: u8, arguments: &[String]) -> String {
        let (text, call) = function.apart(lanes, arguments);
        let there = self.helpers.iter().find(|(_, one)| **one == text);
        let name = there.map(|(name, _)| name.clone());
        let name = name.unwrap_or_else(|| format!("of_floats{}", self.helpers.len()));
        self.helpers.insert(name.clone(), text);
        call.replace("$name", &name)
    }

    /// Every other one leaves out the parentheses that the grammar does not need (C99 6.5.5 to 6.5.14).
    fn binary(&mut self, id: u32, op: &str, left: &Expr, right: &Expr) -> String {
        if id.is_multiple_of(2) {
            return format!("({} {op} {})", self.expr(left), self.expr(right));
        }
        let binds = precedence(op);
        let (left, right) = (self.side(left, binds, 0), self.side(right, binds, 1));
        format!("({left} {op} {right})")
    }

    /// An operand of an operator, without parentheses where its own binds as strongly, or by so much more. Comparisons of
    /// comparisons have them: some compilers take the others for a mistake.
    fn side(&mut self, of: &Expr, operator: u8, more: u8) -> String {
        let chained = |binds| COMPARING.contains(&binds) && COMPARING.contains(&operator);
        match self.binds(of) {
            Some(binds) if binds >= operator + more && !chained(binds) => self.bare(of),
            _ => self.expr(of),
        }
    }

    /// How strongly the binary operator binds that the text of an expression has; none where it has another form.
    fn binds(&self, of: &Expr) -> Option<u8> {
        match &of.kind {
            _ if self.guarded.contains(&of.id) => None,
            Kind::Arithmetic(op, ..) => Some(precedence(op.text())),
            Kind::Comparison(op, ..) => Some(precedence(op.text())),
            Kind::And(..) => Some(precedence("&&")),
            Kind::Or(..) => Some(precedence("||")),
            Kind::Implicit(of) => self.binds(of),
            _ => None,
        }
    }

    /// An operand as the unsigned type of its size.
    fn unsigned(&mut self, of: &Expr, ty: Type) -> String {
        let unsigned = ty.with(ty.of.unsigned()).name();
        match ty.lanes {
            1 => format!("({unsigned}){}", self.expr(of)),
            _ => format!("as_{unsigned}({})", self.whole(of)),
        }
    }

    /// An expression by itself, where a scalar beside no vector is no vector.
    fn whole(&mut self, of: &Expr) -> String {
        match &of.kind {
            Kind::Spread(scalar) => format!("({})({})", of.ty.name(), self.bare(scalar)),
            _ => self.bare(of),
        }
    }

    /// Modulo its size, as a signed type.
    fn reinterpreted(&mut self, of: &Expr, ty: Type) -> String {
        let unsigned = ty.with(ty.of.unsigned()).name();
        let inner = match ty.lanes {
            1 => format!("({unsigned}){}", self.expr(of)),
            _ => format!("convert_{unsigned}({})", self.bare(of)),
        };
        format!("as_{}({inner})", ty.name())
    }

    fn guarded(&mut self, op: Arithmetic, ty: Type, left: &Expr, right: &Expr) -> String {
        if !matches!(op, Arithmetic::Divide | Arithmetic::Remainder) {
            let (left, right) = (self.unsigned(left, ty), self.unsigned(right, ty));
            return format!("as_{}({left} {} {right})", ty.name(), op.text());
        }
        let what = if op == Arithmetic::Divide {
            "quotient"
        } else {
            "remainder"
        };
        let name = format!("{what}_{}", ty.name());
        self.helpers.insert(name.clone(), division(op, ty));
        format!("{name}({}, {})", self.whole(left), self.whole(right))
    }
}

/// How strongly comparisons bind.
const COMPARING: std::ops::RangeInclusive<u8> = 6..=7;

/// How strongly a binary operator binds, as C's grammar has it: the more, the stronger.
fn precedence(op: &str) -> u8 {
    match op {
        "*" | "/" | "%" => 10,
        "+" | "-" => 9,
        "<<" | ">>" => 8,
        "<" | "<=" | ">" | ">=" => 7,
        "==" | "!=" => 6,
        "&" => 5,
        "^" => 4,
        "|" => 3,
        "&&" => 2,
        _ => 1,
    }
}
