//! Built-in functions of OpenCL C, called from a module.
//!
//! For each function and the types it is called with there is a function of OpenCL C that does nothing but call it:
//!
//! ```c
//! float4 __il_fmax_float4_float4(float4 a0, float4 a1) { return fmax(a0, a1); }
//! ```
//!
//! The front end compiles them as a unit of their own, which is linked with the module's. Units of several modules may
//! have the same ones.

use super::function::Body;
use super::reader::{Reader, result_type};
use super::types::{Ty, space_of};
use super::{Check, newest};
use crate::lower::{Lowered, lower};
use crate::{BuildFailure, CompileOptions, Source, checked};
use rspirv::dr::Instruction;
use rspirv::spirv::Word;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use touchstone_ir::{self as ir, AddressSpace, FuncId, Function, Lanes, Operand, Scalar};

/// A type as OpenCL C spells it.
#[derive(Clone, Debug)]
pub(super) struct C {
    pub(super) text: String,
    /// What it is in the IR.
    ir: ir::Type,
}

impl C {
    /// `sampler_t`
    pub(super) fn sampler() -> C {
        C {
            text: "sampler_t".into(),
            ir: ir::Type::I32,
        }
    }

    /// One number with a sign, or a vector of as many as OpenCL C has vectors of.
    pub(super) fn numbers(element: Scalar, count: u32) -> C {
        let name = scalar_name(element, true);
        match Lanes::from_count(count) {
            Some(lanes) => C {
                text: format!("{name}{count}"),
                ir: ir::Type::Vector(element, lanes),
            },
            None => C {
                text: name.into(),
                ir: ir::Type::Scalar(element),
            },
        }
    }

    /// The type of a register with a value of it.
    pub(super) fn register(&self) -> ir::Type {
        self.ir
    }
}

/// The functions of OpenCL C that a module calls, by their names.
#[derive(Debug, Default)]
pub(super) struct Wrapped {
    functions: BTreeMap<String, (FuncId, String)>,
}

impl Wrapped {
    /// The unit of the functions; None where there are none.
    pub(super) fn compiled(
        self,
        options: &CompileOptions<'_>,
    ) -> Result<Option<Lowered>, BuildFailure> {
        if self.functions.is_empty() {
            return Ok(None);
        }
        let texts = self.functions.into_values().map(|(_, text)| text);
        let source = Source::new("SPIR-V", texts.collect::<String>());
        let options = CompileOptions {
            build: newest(&options.device),
            device: options.device.clone(),
            headers: None,
        };
        let compiled = checked(&source, &options, |unit, sources, _| {
            Some(lower(unit, sources))
        });
        let (mut lowered, _) = compiled.map_err(|failure| BuildFailure {
            log: format!(
                "error: SPIR-V: the module uses what the device does not have\n{}",
                failure.log
            ),
        })?;
        for linkage in &mut lowered.functions {
            linkage.shared = linkage.defined;
        }
        Ok(Some(lowered))
    }
}

/// The name of a scalar type.
fn scalar_name(scalar: Scalar, signed: bool) -> &'static str {
    match (scalar, signed) {
        (Scalar::Bool, _) => "bool",
        (Scalar::I8, true) => "char",
        (Scalar::I8, false) => "uchar",
        (Scalar::I16, true) => "short",
        (Scalar::I16, false) => "ushort",
        (Scalar::I32, true) => "int",
        (Scalar::I32, false) => "uint",
        (Scalar::I64, true) => "long",
        (Scalar::I64, false) => "ulong",
        (Scalar::F16, _) => "half",
        (Scalar::F32, _) => "float",
        (Scalar::F64, _) => "double",
    }
}

impl Reader<'_> {
    /// A type as OpenCL C spells it; its integers have signs or have not.
    pub(super) fn c_type(&self, ty: Word, signed: bool) -> Check<C> {
        let text = match self.ty(ty)? {
            Ty::Scalar(scalar) => scalar_name(scalar, signed).to_owned(),
            Ty::Vector(scalar, lanes) if scalar != Scalar::Bool => {
                format!("{}{}", scalar_name(scalar, signed), lanes.count())
            }
            Ty::Pointer { class, to } => {
                let space = match space_of(class) {
                    Some(AddressSpace::Private) => "private ",
                    Some(AddressSpace::Local) => "local ",
                    Some(AddressSpace::Global) => "global ",
                    Some(AddressSpace::Constant) => "constant ",
                    // A pointer without an address space is generic.
                    Some(AddressSpace::Generic) | None => "",
                };
                // Pointers to pointers occur in no built-in function.
                match self.ty(to)? {
                    Ty::Pointer { .. } => {
                        return Err(format!("{} points to a pointer", self.name(ty)));
                    }
                    _ => format!("{space}{}*", self.c_type(to, signed)?.text),
                }
            }
            Ty::Image(kind, access) => format!("{} {}", access.name(), kind.name()),
            Ty::Sampler => "sampler_t".into(),
            Ty::Event => "event_t".into(),
            Ty::Void
            | Ty::Vector(..)
            | Ty::Array { .. }
            | Ty::Struct(_)
            | Ty::Function { .. }
            | Ty::SampledImage => {
                return Err(format!("no built-in function takes {}", self.name(ty)));
            }
        };
        let ir = self.register(ty)?;
        Ok(C { text, ir })
    }
}

/// A type as a part of a name.
fn in_name(text: &str) -> String {
    let part = |c: char| match c {
        '*' => 'P',
        ' ' => '_',
        other => other,
    };
    text.chars().map(part).collect()
}

/// Parameters of a function that wraps one, as it passes them on: `a0, a1`.
pub(super) fn passed(count: usize) -> String {
    let names: Vec<String> = (0..count).map(|n| format!("a{n}")).collect();
    names.join(", ")
}

impl Body<'_, '_> {
    /// An operand of an instruction with its type in OpenCL C.
    pub(super) fn c_arg(
        &mut self,
        inst: &Instruction,
        n: usize,
        signed: bool,
    ) -> Check<(Operand, C)> {
        let c = self.reader.c_type(self.arg_type(inst, n)?, signed)?;
        Ok((self.arg(inst, n)?, c))
    }

    /// Calls a built-in function of OpenCL C for an instruction, and notes the result, whose integers have signs or
    /// have not.
    pub(super) fn call_c(
        &mut self,
        inst: &Instruction,
        name: &str,
        signed: bool,
        args: Vec<(Operand, C)>,
    ) -> Check<()> {
        let body = format!("return {name}({});", passed(args.len()));
        self.call_c_text(inst, name, signed, args, &body)
    }

    /// Calls a built-in function of OpenCL C with all operands of an instruction, whose integers have no signs; those of
    /// the result have or have not.
    pub(super) fn call_c_all(&mut self, inst: &Instruction, name: &str, signed: bool) -> Check<()> {
        let args: Check<Vec<_>> = (0..inst.operands.len())
            .map(|n| self.c_arg(inst, n, false))
            .collect();
        self.call_c(inst, name, signed, args?)
    }

    /// Calls a function of OpenCL C with a body, whose parameters are `a0`, `a1` and so on, for an instruction.
    pub(super) fn call_c_text(
        &mut self,
        inst: &Instruction,
        name: &str,
        signed: bool,
        args: Vec<(Operand, C)>,
        body: &str,
    ) -> Check<()> {
        let own = result_type(inst);
        let ret = match own.and_then(|ty| Ok((ty, self.reader.ty(ty)?))) {
            Ok((_, Ty::Void)) | Err(_) => None,
            Ok((ty, _)) => Some(self.reader.c_type(ty, signed)?),
        };
        let mut unique = format!("__il_{name}");
        let mut params = Vec::with_capacity(args.len());
        for (n, (_, c)) in args.iter().enumerate() {
            let _ = write!(unique, "_{}", in_name(&c.text));
            params.push(format!("{} a{n}", c.text));
        }
        let (ret_text, ret_ir) = match &ret {
            Some(c) => (c.text.as_str(), Some(c.ir)),
            None => ("void", None),
        };
        let _ = write!(unique, "_{ret_text}");
        let text = format!("{ret_text} {unique}({}) {{ {body} }}\n", params.join(", "));
        let known = self.reader.wrapped.functions.get(&unique);
        let callee = match known.map(|(id, _)| *id) {
            Some(callee) => callee,
            None => {
                let types: Vec<ir::Type> = args.iter().map(|(_, c)| c.ir).collect();
                let declared = Function::declare(&*unique, &types, ret_ir);
                let lowered = &mut self.reader.lowered;
                let callee = lowered.module.add_function(declared);
                lowered.functions.push(crate::lower::Linkage {
                    name: unique.clone(),
                    external: true,
                    defined: false,
                    shared: false,
                });
                let functions = &mut self.reader.wrapped.functions;
                functions.insert(unique, (callee, text));
                callee
            }
        };
        let args = args.into_iter().map(|(arg, _)| arg).collect();
        match self.b.call(callee, args, ret_ir) {
            Some(value) => self.set(inst, value),
            None => Ok(()),
        }
    }
}
