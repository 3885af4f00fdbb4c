//! Program binaries.
//!
//! A binary is not machine code but what is needed to build again: the sources, the
//! headers they included and the options. So a binary never goes stale when the IR
//! changes, and loading one takes as long as compiling.
//!
//! Layout, all integers little-endian: the magic, `u32` format version, `u32` kind, then
//! the options as text, a `u32` count of units, and for each its options, its code, a
//! `u32` count of headers and their names and texts. Code is a `u32`: 0 and a source as text, or 1
//! and a module of SPIR-V as bytes, a `u32` count of specialization constants, and for each its `u32` id and its value
//! as bytes. Bytes are a `u64` length and as many of them; a text is bytes of UTF-8. Nothing may follow.

use std::sync::Arc;

use opencl_sys::*;
use touchstone_faults::{Fault, on};

use super::build::Part;
use crate::ffi::codes;
use crate::frontend::{Code, Source, Unit};

const MAGIC: &[u8; 16] = b"touchstone-clbin";
const FORMAT: u32 = 2;
/// Of a unit: OpenCL C, SPIR-V.
const TEXT: u32 = 0;
const IL: u32 = 1;

codes! {
    /// What a binary holds.
    Kind: cl_program_binary_type;
    /// A compiled object.
    Object = CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT;
    /// A library of compiled objects.
    Library = CL_PROGRAM_BINARY_TYPE_LIBRARY;
    /// An executable.
    Executable = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
}

/// A program binary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Container {
    /// What it holds.
    pub kind: Kind,
    /// The options of the last build.
    pub options: String,
    /// Its units.
    pub units: Vec<Source>,
}

impl Container {
    /// The binary of compiled units.
    pub fn of(kind: Kind, options: &str, units: &[Arc<Unit>]) -> Self {
        Self {
            kind,
            options: options.to_owned(),
            units: units.iter().map(|unit| unit.source.clone()).collect(),
        }
    }

    /// Its units, to be compiled.
    pub fn parts(&self) -> Vec<Part> {
        self.units.iter().cloned().map(Part::Loaded).collect()
    }

    /// As bytes.
    pub fn write(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        put_number(&mut bytes, FORMAT);
        put_number(&mut bytes, self.kind.code());
        put_text(&mut bytes, &self.options);
        put_number(&mut bytes, self.units.len() as u32);
        for unit in &self.units {
            put_text(&mut bytes, &unit.options);
            put_code(&mut bytes, &unit.code);
            put_number(&mut bytes, unit.headers.len() as u32);
            for (name, text) in &unit.headers {
                put_text(&mut bytes, name);
                put_text(&mut bytes, text);
            }
        }
        bytes
    }

    /// From bytes; `None` when they are no binary of this format.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let mut rest = bytes.strip_prefix(MAGIC)?;
        if take_number(&mut rest)? != FORMAT {
            return None;
        }
        let kind = Kind::of_code(take_number(&mut rest)?)?;
        let options = take_text(&mut rest)?;
        let mut units = Vec::new();
        for _ in 0..take_number(&mut rest)? {
            let options = take_text(&mut rest)?;
            let code = take_code(&mut rest)?;
            let mut headers = Vec::new();
            for _ in 0..take_number(&mut rest)? {
                headers.push((take_text(&mut rest)?, take_text(&mut rest)?));
            }
            units.push(Source {
                options,
                code,
                headers,
            });
        }
        rest.is_empty().then_some(Self {
            kind,
            options,
            units,
        })
    }
}

fn put_number(bytes: &mut Vec<u8>, number: u32) {
    bytes.extend_from_slice(&number.to_le_bytes());
}

fn put_bytes(bytes: &mut Vec<u8>, some: &[u8]) {
    bytes.extend_from_slice(&(some.len() as u64).to_le_bytes());
    bytes.extend_from_slice(some);
}

fn put_text(bytes: &mut Vec<u8>, text: &str) {
    put_bytes(bytes, text.as_bytes());
}

fn put_code(bytes: &mut Vec<u8>, code: &Code) {
    match code {
        Code::Text(text) => {
            put_number(bytes, TEXT);
            put_text(bytes, text);
        }
        Code::Il { module, constants } => {
            put_number(bytes, IL);
            put_bytes(bytes, module);
            let kept = match on(Fault::BinaryConstantsLost) {
                true => 0,
                false => constants.len(),
            };
            put_number(bytes, kept as u32);
            for (id, value) in constants.iter().take(kept) {
                put_number(bytes, *id);
                put_bytes(bytes, value);
            }
        }
    }
}

fn take_number(rest: &mut &[u8]) -> Option<u32> {
    let (head, tail) = rest.split_first_chunk::<4>()?;
    *rest = tail;
    Some(u32::from_le_bytes(*head))
}

fn take_bytes(rest: &mut &[u8]) -> Option<Vec<u8>> {
    let (head, tail) = rest.split_first_chunk::<8>()?;
    let length = usize::try_from(u64::from_le_bytes(*head)).ok()?;
    let (bytes, tail) = tail.split_at_checked(length)?;
    *rest = tail;
    Some(bytes.to_vec())
}

fn take_text(rest: &mut &[u8]) -> Option<String> {
    String::from_utf8(take_bytes(rest)?).ok()
}

fn take_code(rest: &mut &[u8]) -> Option<Code> {
    match take_number(rest)? {
        TEXT => take_text(rest).map(Code::Text),
        IL => {
            let module = take_bytes(rest)?;
            let mut constants = Vec::new();
            for _ in 0..take_number(rest)? {
                constants.push((take_number(rest)?, take_bytes(rest)?));
            }
            Some(Code::Il { module, constants })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Container {
        Container {
            kind: Kind::Executable,
            options: "-DX=1".into(),
            units: vec![
                Source {
                    options: String::new(),
                    code: Code::Text("kernel void f() {}".into()),
                    headers: vec![("a.h".into(), "// ü".into())],
                },
                Source {
                    options: String::new(),
                    code: Code::Il {
                        module: vec![3, 2, 0x23, 7],
                        constants: vec![(5, vec![1, 0, 0, 0])],
                    },
                    headers: Vec::new(),
                },
            ],
        }
    }

    #[test]
    fn what_is_written_can_be_read() {
        assert_eq!(Container::read(&sample().write()), Some(sample()));
    }

    #[test]
    fn no_prefix_and_no_longer_text_is_a_binary() {
        let bytes = sample().write();
        for length in 0..bytes.len() {
            assert_eq!(Container::read(&bytes[..length]), None, "{length} bytes");
        }
        let mut longer = bytes;
        longer.push(0);
        assert_eq!(Container::read(&longer), None);
    }
}
