//! Attributes (OpenCL C 6.13).

use super::Sema;
use crate::ast::{Attr, AttrArg};
use crate::types::constant;
use touchstone_ir::KernelInfo;

/// What a struct's attributes say.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RecordAttrs {
    pub(super) packed: bool,
    pub(super) aligned: Option<u64>,
}

/// The largest alignment that can be asked for.
const ALIGN_LIMIT: u64 = 4096;

impl Sema<'_> {
    fn attr_name(&self, attr: &Attr) -> String {
        let name = self.names.get(attr.name.symbol);
        name.strip_prefix("__")
            .and_then(|n| n.strip_suffix("__"))
            .unwrap_or(name)
            .to_owned()
    }

    fn ignored(&mut self, attr: &Attr) {
        let name = self.names.get(attr.name.symbol);
        let message = format!("attribute `{name}` is ignored here");
        self.diags.warning(attr.name.loc, message);
    }

    /// The value of `aligned(n)`.
    fn aligned_value(&mut self, attr: &Attr) -> Option<u64> {
        let [AttrArg::Expr(arg)] = attr.args.as_slice() else {
            if attr.args.is_empty() {
                // As much as any type needs: that of long16 and double16.
                return Some(128);
            }
            let message = "`aligned` takes one number";
            self.diags.error(attr.name.loc, message);
            return None;
        };
        let value = self.rvalue(arg).ok()?;
        match self.int_constant(&value) {
            Some((bits, _)) if bits.is_power_of_two() && bits <= ALIGN_LIMIT => Some(bits),
            Some(_) | None => {
                let message = format!("an alignment is a power of two up to {ALIGN_LIMIT}");
                self.diags.error(arg.loc, message);
                None
            }
        }
    }

    /// The largest `aligned` in a list.
    pub(super) fn alignment_attr(&mut self, attrs: &[Attr]) -> Option<u64> {
        let mut out = None;
        for attr in attrs {
            match self.attr_name(attr).as_str() {
                "aligned" => out = out.max(self.aligned_value(attr)),
                "unused" | "used" | "packed" | "endian" => {}
                _ => self.ignored(attr),
            }
        }
        out
    }

    /// Whether a list says that a field has "the smallest possible alignment".
    pub(super) fn packed_attr(&self, attrs: &[Attr]) -> bool {
        attrs.iter().any(|attr| self.attr_name(attr) == "packed")
    }

    pub(super) fn record_attrs(&mut self, attrs: &[Attr]) -> RecordAttrs {
        let mut out = RecordAttrs::default();
        for attr in attrs {
            match self.attr_name(attr).as_str() {
                "packed" => out.packed = true,
                "aligned" => out.aligned = out.aligned.max(self.aligned_value(attr)),
                _ => self.ignored(attr),
            }
        }
        out
    }

    fn three_sizes(&mut self, attr: &Attr) -> Option<[u64; 3]> {
        let mut sizes = [1; 3];
        if attr.args.len() != 3 {
            let message = format!("`{}` takes three sizes", self.attr_name(attr));
            self.diags.error(attr.name.loc, message);
            return None;
        }
        for (size, arg) in sizes.iter_mut().zip(&attr.args) {
            let value = match arg {
                AttrArg::Expr(arg) => {
                    let value = self.rvalue(arg).ok()?;
                    self.int_constant(&value)
                }
                AttrArg::Type(_) => None,
            };
            match value {
                Some((bits, scalar)) if bits > 0 && (constant::extend(bits, scalar) as i64) > 0 => {
                    *size = bits;
                }
                Some(_) | None => {
                    let message = format!("`{}` takes sizes of at least 1", self.attr_name(attr));
                    self.diags.error(attr.name.loc, message);
                    return None;
                }
            }
        }
        Some(sizes)
    }

    /// The attributes of a function; those of kernels count only on kernels.
    pub(super) fn kernel_attrs(&mut self, attrs: &[&Attr], kernel: bool) -> KernelInfo {
        let mut out = KernelInfo::default();
        let mut spellings = Vec::new();
        for attr in attrs {
            let name = self.attr_name(attr);
            match name.as_str() {
                "reqd_work_group_size" | "work_group_size_hint" | "vec_type_hint" if !kernel => {
                    let message = format!("`{name}` is for kernels");
                    self.diags.error(attr.name.loc, message);
                }
                "reqd_work_group_size" => {
                    let sizes = self.three_sizes(attr);
                    if out.reqd_work_group_size.is_some() && out.reqd_work_group_size != sizes {
                        let message = "two different required work-group sizes";
                        self.diags.error(attr.name.loc, message);
                    }
                    out.reqd_work_group_size = sizes;
                    spellings.push(attr.spelling.as_str());
                }
                "work_group_size_hint" => {
                    out.work_group_size_hint = self.three_sizes(attr);
                    spellings.push(attr.spelling.as_str());
                }
                "vec_type_hint" => {
                    let hint = match attr.args.as_slice() {
                        [AttrArg::Type(ty)] => self.type_name(ty).ok(),
                        _ => {
                            let message = "`vec_type_hint` takes a type";
                            self.diags.error(attr.name.loc, message);
                            None
                        }
                    };
                    out.vec_type_hint = hint.map(|q| self.show(q));
                    spellings.push(attr.spelling.as_str());
                }
                "always_inline" | "noinline" | "unused" | "used" | "pure" | "const" | "flatten"
                | "nothrow" | "convergent" => {}
                "overloadable" => {
                    let feature = "overloaded functions";
                    let _ = self.unsupported::<()>(attr.name.loc, "this attribute", feature);
                }
                "intel_reqd_sub_group_size" => {
                    let _ = self.unsupported::<()>(attr.name.loc, "this attribute", "sub-groups");
                }
                _ => self.ignored(attr),
            }
        }
        out.attributes = spellings.join(" ");
        out
    }
}
