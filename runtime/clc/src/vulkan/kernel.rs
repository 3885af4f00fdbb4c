//! Kernels as entry points.

use super::flow::Frame;
use super::memory::{ObjectId, Pointer, Region};
use super::module::{Id, ids};
use super::number::{Number, is_wide};
use super::place::{Place, Value};
use super::{Kernel, Parameter, Writer};
use crate::hir::{Body, Function, LocalId, VarId};
use crate::sema::Checked;
use crate::source::Loc;
use crate::types::{Qual, Space, Type};
use rspirv::spirv::{Op, StorageClass};

impl Writer<'_> {
    /// Writes a kernel.
    pub(super) fn kernel(&mut self, function: &Function, body: &Body) -> Checked<Kernel> {
        self.objects.clear();
        self.locals.clear();
        self.arguments = None;
        self.frame = Frame::of(body);
        let mut parameters = Vec::with_capacity(function.params.len());
        let mut bytes = 0;
        for (i, &qual) in function.params.iter().enumerate() {
            let name = &body.vars[i].name;
            let parameter = self.parameter((i as u32, name), qual, &mut bytes, function.loc)?;
            parameters.push(parameter);
        }
        self.m.begin_function();
        for (i, (&parameter, &qual)) in parameters.iter().zip(&function.params).enumerate() {
            let value = self.argument(i, parameter, bytes / 4, body, qual);
            let place = Place::Var(VarId(i as u32));
            self.write(&place, &value, qual, function.loc)?;
        }
        self.stmts(&body.stmts)?;
        if self.m.is_open() {
            self.m.terminate(Op::Return, Vec::new());
        }
        self.finish_objects(self.target.aliasing.contains(&function.name));
        self.m.end_entry_point(&function.name);
        Ok(Kernel {
            name: function.name.clone(),
            parameters,
        })
    }

    /// How a parameter comes. `bytes` is the end of the push constants so far.
    fn parameter(
        &mut self,
        (index, name): (u32, &str),
        qual: Qual,
        bytes: &mut u32,
        at: Loc,
    ) -> Checked<Parameter> {
        if let Type::Pointer(to) = self.unit.types.of(qual) {
            let texels = self.target.texels.as_deref();
            return match to.space {
                Space::Global if texels.is_some_and(|texels| name.starts_with(texels)) => {
                    let binding = index;
                    Ok(match self.target.row {
                        None => Parameter::Texels { binding },
                        Some(_) => Parameter::Image { binding },
                    })
                }
                Space::Global | Space::Constant => Ok(Parameter::Buffer { binding: index }),
                Space::Local => {
                    let size_id = self.next_constant;
                    self.next_constant += 1;
                    Ok(Parameter::Local { size_id })
                }
                Space::Private | Space::Generic => self.refuse(at, "this pointer as an argument"),
            };
        }
        let (scalar, lanes) = self.shape(qual, at)?;
        self.supported(scalar, at)?;
        if lanes != 1 {
            return self.refuse(at, "a vector as an argument of a kernel");
        }
        let size = if is_wide(scalar) { 8 } else { 4 };
        let offset = bytes.next_multiple_of(size);
        *bytes = offset + size;
        Ok(Parameter::Constant {
            offset,
            bytes: size,
        })
    }

    /// The value of a parameter when the kernel begins, whose push constants are so many words.
    fn argument(
        &mut self,
        index: usize,
        parameter: Parameter,
        words: u32,
        body: &Body,
        qual: Qual,
    ) -> Value {
        let name = &body.vars[index].name;
        let object = match parameter {
            Parameter::Buffer { binding } => {
                let to = self.unit.types.pointee(qual);
                let region = Region::Buffer {
                    binding,
                    constant: to.is_some_and(|to| to.constant || to.space == Space::Constant),
                    written: false,
                    wides: None,
                };
                self.object(name, region)
            }
            Parameter::Texels { binding } | Parameter::Image { binding } => {
                self.object(name, Region::Texels { binding })
            }
            Parameter::Local { size_id } => self.object(name, Region::Argument { size: size_id }),
            Parameter::Constant { offset, bytes } => {
                let variable = self.arguments(words);
                let mut word = |at: u32| {
                    let word = self.m.word();
                    let pointer = self.m.pointer(StorageClass::PushConstant, word);
                    let member = self.m.constant(at / 4);
                    let place = self
                        .m
                        .emit(Op::AccessChain, pointer, ids(&[variable, member]));
                    self.m.emit(Op::Load, word, ids(&[place]))
                };
                let low = word(offset);
                return Value::one(if bytes == 8 {
                    let high = word(offset + 4);
                    self.m.joined([low, high])
                } else {
                    Number::Word(low)
                });
            }
        };
        let offset = self.m.constant(0);
        Value::Pointer(Pointer { object, offset })
    }

    /// The variable with the kernel's push constants.
    fn arguments(&mut self, words: u32) -> Id {
        if let Some(arguments) = self.arguments {
            return arguments;
        }
        let block = self.m.argument_block(words);
        let class = StorageClass::PushConstant;
        let variable = self.m.global_variable(class, block);
        self.arguments = Some(variable);
        variable
    }

    /// Where a variable in local memory is.
    pub(super) fn local_variable(&mut self, id: LocalId, at: Loc) -> Checked<Pointer> {
        let object = match self.locals.get(&id) {
            Some(&object) => object,
            None => self.new_local(id, at)?,
        };
        let offset = self.m.constant(0);
        Ok(Pointer { object, offset })
    }

    fn new_local(&mut self, id: LocalId, at: Loc) -> Checked<ObjectId> {
        let unit = self.unit;
        let local = &unit.locals[id.0 as usize];
        let words = self.words_in(local.qual, at)?;
        let object = self.object(&local.name, Region::Local { words });
        self.locals.insert(id, object);
        Ok(object)
    }
}
