//! The text of a program.

mod expr;
mod terms;

use super::number::Arithmetic;
use super::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::iter::Peekable;
use terms::{constant, declared, lane_names};

/// What the text of a program has where it uses an extension.
const EXTENSIONS: [(&str, &str); 6] = [
    ("as_double", "cl_khr_fp64"),
    ("as_half", "cl_khr_fp16"),
    ("bit_reverse", "cl_khr_extended_bit_ops"),
    ("bitfield_", "cl_khr_extended_bit_ops"),
    ("any_dot", "cl_khr_integer_dot_product"),
    ("packed_dot", "cl_khr_integer_dot_product"),
];

/// The text of each translation unit, where these expressions have the form that is always defined.
pub fn write(program: &Program, guarded: &BTreeSet<u32>) -> Vec<String> {
    let units = program.functions.iter().map(|f| f.unit).max().unwrap_or(0);
    (0..=units)
        .map(|unit| write_unit(program, guarded, unit))
        .collect()
}

fn write_unit(program: &Program, guarded: &BTreeSet<u32>, unit: usize) -> String {
    let mut writer = Writer {
        program,
        guarded,
        function: None,
        text: String::new(),
        indent: 0,
        helpers: BTreeMap::new(),
        called: BTreeSet::new(),
        held: String::new(),
    };
    for (n, function) in program.functions.iter().enumerate() {
        if function.unit == unit && !function.left_out {
            writer.function(n);
        }
    }
    let functions = std::mem::take(&mut writer.text);
    if functions.contains("as_float") {
        writer.line("#pragma OPENCL FP_CONTRACT OFF");
    }
    for (word, extension) in EXTENSIONS {
        if functions.contains(word) {
            writer.line(&format!("#pragma OPENCL EXTENSION {extension} : enable"));
        }
    }
    for (n, of) in program.structs.iter().enumerate() {
        let packed = of.packed.then(|| "packed".to_string());
        let aligned = of.aligned.map(|bytes| format!("aligned({bytes})"));
        let attributes: Vec<String> = packed.into_iter().chain(aligned).collect();
        let attributes = match attributes.is_empty() {
            true => String::new(),
            false => format!("__attribute__(({})) ", attributes.join(", ")),
        };
        writer.line(&format!("struct {attributes}s{n} {{"));
        for (field, shape) in of.fields.iter().enumerate() {
            let place = of.places.get(field).copied().flatten();
            let place = place.map(|bytes| format!(" __attribute__((aligned({bytes})))"));
            let field = declared(&format!("f{field}"), *shape);
            writer.line(&format!("    {field}{};", place.unwrap_or_default()));
        }
        writer.line("};");
    }
    let tables = program.tables.iter().enumerate();
    for (n, table) in tables.filter(|(_, table)| !table.left_out) {
        let values: Vec<_> = table.values.iter().map(|v| constant(table.ty, v)).collect();
        let (ty, length) = (table.ty.name(), values.len());
        let storage = if program.functions.iter().any(|f| f.unit > 0) {
            "static "
        } else {
            ""
        };
        let values = values.join(", ");
        writer.line(&format!(
            "{storage}constant {ty} table{n}[{length}] = {{ {values} }};"
        ));
    }
    for (name, text) in std::mem::take(&mut writer.helpers) {
        writer.line(&text.replace("$name", &name));
    }
    for n in std::mem::take(&mut writer.called) {
        let function = &program.functions[n];
        if function.unit != unit {
            let head = writer.head(function);
            writer.line(&format!("{head};"));
        }
    }
    writer.text + &functions
}

struct Writer<'p> {
    program: &'p Program,
    guarded: &'p BTreeSet<u32>,
    function: Option<&'p Function>,
    text: String,
    indent: usize,
    /// Functions that stand for expressions, such as divisions that are always defined, by their names.
    helpers: BTreeMap<String, String>,
    called: BTreeSet<usize>,
    /// The place that is being assigned to.
    held: String,
}

impl Writer<'_> {
    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{:1$}{line}", "", self.indent * 4);
    }

    fn head(&self, function: &Function) -> String {
        let first = match (function.kernel, function.internal) {
            (true, _) => "kernel ",
            (false, true) => "static ",
            (false, false) => "",
        };
        let gives = match function.gives {
            None => "void ".into(),
            Some(shape) => declared("", shape),
        };
        let parameters = function.variables.iter().take(function.parameters);
        let parameters: Vec<_> = parameters.map(|v| declared(&v.name, v.shape)).collect();
        let list = match parameters.is_empty() {
            true => "void".into(),
            false => parameters.join(", "),
        };
        format!("{first}{gives}{}({list})", function.name)
    }

    fn function(&mut self, n: usize) {
        let program = self.program;
        let function = &program.functions[n];
        self.function = Some(function);
        let head = self.head(function);
        self.line(&format!("{head} {{"));
        self.indent += 1;
        for variable in &function.variables[function.parameters..] {
            if variable.local {
                self.line(&format!(
                    "local {};",
                    declared(&variable.name, variable.shape)
                ));
            }
        }
        self.body(&function.body);
        self.indent -= 1;
        self.line("}");
    }

    fn body(&mut self, body: &[Stmt]) {
        body.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn block(&mut self, head: &str, body: &[Stmt], tail: &str) {
        self.line(&format!("{head} {{"));
        self.indent += 1;
        self.body(body);
        self.indent -= 1;
        self.line(&format!("}}{tail}"));
    }

    fn variable(&self, id: VarId) -> Option<&Variable> {
        self.function?.variables.get(id)
    }

    fn name(&self, id: VarId) -> String {
        self.variable(id)
            .map(|v| v.name.clone())
            .unwrap_or_default()
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Declare(id, init) => {
                let Some(variable) = self.variable(*id) else {
                    return;
                };
                let volatile = if variable.volatile { "volatile " } else { "" };
                let declared = format!("{volatile}{}", declared(&variable.name, variable.shape));
                let shape = variable.shape;
                let init = init
                    .as_ref()
                    .map(|init| format!(" = {}", self.init(shape, init)));
                self.line(&format!("{declared}{};", init.unwrap_or_default()));
            }
            Stmt::Assign(..)
            | Stmt::Compound(..)
            | Stmt::Step(..)
            | Stmt::Atomic(..)
            | Stmt::Copy(..) => {
                let line = format!("{};", self.simple(stmt));
                self.line(&line);
            }
            Stmt::Point(id, target) => {
                let line = format!("{} = {};", self.name(*id), self.target(target));
                self.line(&line);
            }
            Stmt::If(condition, then, otherwise) => {
                let head = format!("if ({})", self.bare(condition));
                self.block(&head, then, "");
                if !otherwise.is_empty() {
                    self.block("else", otherwise, "");
                }
            }
            Stmt::For(of) => self.counted(of),
            Stmt::While(condition, body) => {
                let head = format!("while ({})", self.bare(condition));
                self.block(&head, body, "");
            }
            Stmt::DoWhile(body, condition) => {
                let tail = format!(" while ({});", self.bare(condition));
                self.block("do", body, &tail);
            }
            Stmt::Switch(on, arms) => self.switch(on, arms),
            Stmt::Break => self.line("break;"),
            Stmt::Continue => self.line("continue;"),
            Stmt::Return(None) => self.line("return;"),
            Stmt::Return(Some(value)) => {
                let line = format!("return {};", self.argument(value));
                self.line(&line);
            }
            Stmt::Barrier { local, global } => {
                let flags = [(*local, "LOCAL"), (*global, "GLOBAL")];
                let flags = flags.iter().filter(|(on, _)| *on);
                let flags: Vec<_> = flags
                    .map(|(_, name)| format!("CLK_{name}_MEM_FENCE"))
                    .collect();
                self.line(&format!("barrier({});", flags.join(" | ")));
            }
            Stmt::Call(function, arguments, into) => {
                let call = self.call(*function, arguments);
                let line = match into {
                    Some(place) => format!("{} = {call};", self.place(place)),
                    None => format!("{call};"),
                };
                self.line(&line);
            }
        }
    }

    /// A statement that is an expression, too.
    fn simple(&mut self, stmt: &Stmt) -> String {
        match stmt {
            Stmt::Assign(place, value) => {
                format!("{} = {}", self.place(place), self.bare(value))
            }
            Stmt::Compound(place, value) => {
                let place = self.place(place);
                let around = std::mem::replace(&mut self.held, place.clone());
                let text = match self.compound(value) {
                    Some((op, by)) => format!("{place} {op}= {by}"),
                    None => format!("{place} = {}", self.bare(value)),
                };
                self.held = around;
                text
            }
            Stmt::Step(place, up) => {
                format!("{}{}", self.place(place), if *up { "++" } else { "--" })
            }
            Stmt::Atomic(atomic, place, by) => {
                let place = self.place(place);
                let by = match atomic.takes_number() {
                    true => format!(", {}", self.bare(by)),
                    false => String::new(),
                };
                format!("{}(&{place}{by})", atomic.name())
            }
            Stmt::Copy(to, from) => format!("{} = {}", self.place(to), self.place(from)),
            _ => String::new(),
        }
    }

    fn counted(&mut self, of: &For) {
        let Some(variable) = self.variable(of.variable) else {
            return;
        };
        let (declared, name) = (
            declared(&variable.name, variable.shape),
            variable.name.clone(),
        );
        let (op, by) = &of.next;
        let next = match (op, &by.kind) {
            (Arithmetic::Add, Kind::Constant(one)) if one[0] == 1 => format!("{name}++"),
            (Arithmetic::Subtract, Kind::Constant(one)) if one[0] == 1 => format!("{name}--"),
            _ => format!("{name} {}= {}", op.text(), self.bare(by)),
        };
        let first = self.bare(&of.first);
        let goes_on = self.bare(&of.goes_on);
        self.block(
            &format!("for ({declared} = {first}; {goes_on}; {next})"),
            &of.body,
            "",
        );
    }

    fn switch(&mut self, on: &Expr, arms: &[Arm]) {
        let head = format!("switch ({}) {{", self.bare(on));
        self.line(&head);
        for arm in arms {
            for label in &arm.labels {
                self.line(&format!("case {}:", constant(on.ty, label)));
            }
            if arm.default {
                self.line("default:");
            }
            self.indent += 1;
            self.body(&arm.body);
            if arm.ends {
                self.line("break;");
            }
            self.indent -= 1;
        }
        self.line("}");
    }

    /// The operator and the right operand of what a compound assignment gives, where both it and the
    /// conversion back are as they are.
    fn compound(&mut self, value: &Expr) -> Option<(&'static str, String)> {
        if let Kind::Real(Real::CastTo(_), of) = &value.kind
            && let [
                Expr {
                    kind: Kind::Real(real, of),
                    ..
                },
            ] = of.as_slice()
            && let [
                Expr {
                    kind: Kind::Real(Real::CastFrom(_), held),
                    ..
                },
                by,
            ] = of.as_slice()
            && let [
                Expr {
                    kind: Kind::Held, ..
                },
            ] = held.as_slice()
        {
            // A number with a fraction beside an integer, which becomes one, too, and the result an integer again.
            let op = match real {
                Real::Add => Arithmetic::Add,
                Real::Subtract => Arithmetic::Subtract,
                Real::Multiply => Arithmetic::Multiply,
                _ => return None,
            };
            return Some((op.text(), format!("as_float({})", self.bare(by))));
        }
        let inner = match &value.kind {
            Kind::Implicit(inner) if !self.guarded.contains(&value.id) => inner,
            _ => value,
        };
        let Kind::Arithmetic(op, left, by) = &inner.kind else {
            return None;
        };
        let direct = matches!(left.kind, Kind::Held) && !self.guarded.contains(&inner.id);
        direct.then(|| (op.text(), self.bare(by)))
    }

    fn init(&mut self, shape: Shape, init: &Init) -> String {
        match init {
            Init::Number(value) => self.bare(value),
            Init::List(list) => self.braces(shape, &mut list.iter().peekable()),
            Init::Parts(parts) => {
                let parts = parts.iter().map(|(path, value, named)| {
                    let path: String = path.iter().map(part).collect();
                    match named {
                        true => format!("{path} = {}", self.bare(value)),
                        false => self.bare(value),
                    }
                });
                let parts: Vec<_> = parts.collect();
                format!("{{ {} }}", parts.join(", "))
            }
            Init::Whole(place) => self.place(place),
            Init::Pointer(target) => self.target(target),
        }
    }

    /// The numbers that are left of a list for something of a shape.
    fn braces<'e>(
        &mut self,
        shape: Shape,
        list: &mut Peekable<impl Iterator<Item = &'e Expr>>,
    ) -> String {
        let parts: Vec<Shape> = match shape {
            Shape::Struct(n) => self.program.structs[n].fields.clone(),
            Shape::Structs(n, length) => vec![Shape::Struct(n); length],
            Shape::Grid(ty, rows, columns) => vec![Shape::Array(ty, columns); rows],
            Shape::Array(ty, length) => vec![Shape::Number(ty); length],
            Shape::Number(_) | Shape::Pointer(..) | Shape::ToStruct(..) | Shape::ToPointer(..) => {
                return list
                    .next()
                    .map(|value| self.bare(value))
                    .unwrap_or_default();
            }
        };
        let mut all = Vec::new();
        for shape in parts {
            if list.peek().is_some() {
                all.push(self.braces(shape, list));
            }
        }
        format!("{{ {} }}", all.join(", "))
    }

    fn place(&mut self, place: &Place) -> String {
        let (mut text, pointer) = match place.root {
            Root::Table(n) => (format!("table{n}"), false),
            Root::Variable(id) => {
                let pointer = self.variable(id).is_some_and(|v| {
                    use Shape::*;
                    matches!(v.shape, Pointer(..) | ToStruct(..) | ToPointer(..))
                });
                (self.name(id), pointer)
            }
        };
        for (n, step) in place.path.iter().enumerate() {
            match step {
                Step::Index(Expr {
                    kind: Kind::Constant(zero),
                    ..
                }) if n == 0 && pointer && zero[0] == 0 => {
                    text = format!("(*{text})");
                }
                Step::Index(index) => {
                    let _ = write!(text, "[{}]", self.bare(index));
                }
                Step::Field(field) => {
                    let _ = write!(text, ".f{field}");
                }
                Step::Lane(lane) => {
                    let _ = write!(text, ".s{lane:x}");
                }
                Step::Lanes(of, lanes) => {
                    let turn = lanes.iter().map(|lane| u32::from(*lane)).sum();
                    let _ = write!(text, ".{}", lane_names(lanes, *of, turn));
                }
            }
        }
        text
    }

    fn target(&mut self, target: &Target) -> String {
        match target {
            Target::To(place) => match place.path.split_last() {
                Some((Step::Index(index), before)) => {
                    let array = Place {
                        root: place.root,
                        path: before.to_vec(),
                    };
                    format!("{} + {}", self.place(&array), self.expr(index))
                }
                _ => format!("&{}", self.place(place)),
            },
            Target::From(id, None) => self.name(*id),
            Target::From(id, Some(by)) => format!("{} + {}", self.name(*id), self.expr(by)),
        }
    }

    fn argument(&mut self, argument: &Argument) -> String {
        match argument {
            Argument::Number(value) => self.bare(value),
            Argument::Whole(place) => self.place(place),
            Argument::Pointer(target) => self.target(target),
        }
    }

    fn call(&mut self, n: usize, arguments: &[Argument]) -> String {
        self.called.insert(n);
        let list: Vec<_> = arguments.iter().map(|one| self.argument(one)).collect();
        format!("{}({})", self.program.functions[n].name, list.join(", "))
    }
}

/// A designator.
fn part(part: &Part) -> String {
    match part {
        Part::Field(n) => format!(".f{n}"),
        Part::Element(n) => format!("[{n}]"),
    }
}
