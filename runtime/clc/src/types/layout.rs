//! Sizes, alignments and offsets (OpenCL C 6.3.5, 6.11.1): every scalar and vector is as aligned
//! as it is large.

use super::{Qual, RecordId, Type, Types};
use touchstone_faults::{Fault, on};

/// The largest object, in bytes; far below what arithmetic on offsets holds.
const OBJECT_LIMIT: u64 = 1 << 40;

/// Why a type has no size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LayoutError {
    /// `void`, an array without length, a struct without its fields, a block.
    Incomplete,
    TooLarge,
}

impl Types {
    /// Bytes of an object of this type.
    pub(crate) fn size(&self, qual: Qual) -> Result<u64, LayoutError> {
        match self.of(qual) {
            Type::Void | Type::Array(_, None) | Type::Block(_) => Err(LayoutError::Incomplete),
            Type::Array(element, Some(len)) => {
                let size = self.size(element)?;
                size.checked_mul(len)
                    .filter(|&n| n <= OBJECT_LIMIT)
                    .ok_or(LayoutError::TooLarge)
            }
            Type::Record(id) => {
                let record = self.record(id);
                if record.complete {
                    Ok(record.size)
                } else {
                    Err(LayoutError::Incomplete)
                }
            }
            _ => Ok(self.ir(qual).map_or(0, |ty| u64::from(ty.size()))),
        }
    }

    /// Alignment in bytes.
    pub(crate) fn align(&self, qual: Qual) -> u64 {
        match self.of(qual) {
            Type::Array(element, _) => self.align(element),
            Type::Record(id) => self.record(id).align.max(1),
            _ => self.ir(qual).map_or(1, |ty| u64::from(ty.align())),
        }
    }

    /// Gives a struct or union its size and its fields their offsets. Fields come with the
    /// alignment that they ask for.
    pub(crate) fn lay_out(
        &mut self,
        id: RecordId,
        packed: bool,
        aligned: Option<u64>,
    ) -> Result<(), LayoutError> {
        let union = self.record(id).union;
        let fields = self.record(id).fields.clone();
        let (mut end, mut align, mut size) = (0u64, 1u64, 0u64);
        let mut placed = Vec::with_capacity(fields.len());
        for mut field in fields {
            let field_size = self.size(field.qual)?;
            let natural = match self.align(field.qual) {
                _ if packed || field.packed => 1,
                8 if field_size == 8 && on(Fault::WideMemberCloser) => 4,
                natural => natural,
            };
            let field_align = natural.max(field.align);
            align = align.max(field_align);
            field.align = field_align;
            field.offset = if union {
                0
            } else {
                end.next_multiple_of(field_align)
            };
            end = field
                .offset
                .checked_add(field_size)
                .filter(|&n| n <= OBJECT_LIMIT)
                .ok_or(LayoutError::TooLarge)?;
            size = size.max(end);
            placed.push(field);
        }
        let widest = align;
        align = align.max(aligned.unwrap_or(1));
        let record = self.record_mut(id);
        record.fields = placed;
        record.align = align;
        record.size = match on(Fault::AlignmentNotCounted) {
            true => size.next_multiple_of(widest),
            false => size.next_multiple_of(align),
        };
        record.complete = true;
        Ok(())
    }

    /// The path to a named field: through anonymous structs if need be.
    pub(crate) fn find_field(
        &self,
        id: RecordId,
        name: crate::intern::Symbol,
    ) -> Option<super::Field> {
        for field in &self.record(id).fields {
            if field.name == Some(name) {
                return Some(field.clone());
            }
            if field.name.is_none()
                && let Type::Record(inner) = self.of(field.qual)
                && let Some(mut found) = self.find_field(inner, name)
            {
                found.offset += field.offset;
                found.align = found.align.min(field.align);
                found.qual.constant |= field.qual.constant;
                found.qual.volatile |= field.qual.volatile;
                return Some(found);
            }
        }
        None
    }
}
