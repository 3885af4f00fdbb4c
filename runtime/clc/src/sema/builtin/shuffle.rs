//! Shuffles and rotations of sub-groups (OpenCL C 6.15.21).

use super::Call;
use crate::device::Language;
use crate::hir::{Builtin, Expr, SubGroupShuffle};
use crate::sema::{Checked, Sema};
use crate::types::Scalar;

/// A function by which the work-items of a sub-group give each other values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ShuffleFunction {
    /// `sub_group_shuffle`
    Index,
    /// `sub_group_shuffle_xor`
    Xor,
    /// `sub_group_shuffle_up`
    Up,
    /// `sub_group_shuffle_down`
    Down,
    /// `sub_group_rotate`
    Rotate,
    /// `sub_group_clustered_rotate`
    ClusteredRotate,
}

/// The function of a name.
pub(super) fn shuffle(name: &str) -> Option<ShuffleFunction> {
    Some(match name.strip_prefix("sub_group_")? {
        "shuffle" => ShuffleFunction::Index,
        "shuffle_xor" => ShuffleFunction::Xor,
        "shuffle_up" => ShuffleFunction::Up,
        "shuffle_down" => ShuffleFunction::Down,
        "rotate" => ShuffleFunction::Rotate,
        "clustered_rotate" => ShuffleFunction::ClusteredRotate,
        _ => return None,
    })
}

impl ShuffleFunction {
    pub(super) fn is_in(self, language: &Language) -> bool {
        match self {
            Self::Index | Self::Xor => language.sub_group_shuffle,
            Self::Up | Self::Down => language.sub_group_shuffle_relative,
            Self::Rotate | Self::ClusteredRotate => language.sub_group_rotate,
        }
    }
}

impl Sema<'_> {
    /// A call of such a function: a scalar, a number that says whose value is wanted, and the size of clusters.
    pub(super) fn sub_group_shuffle(
        &mut self,
        function: ShuffleFunction,
        mut call: Call<'_>,
    ) -> Checked<Expr> {
        let clustered = function == ShuffleFunction::ClusteredRotate;
        self.arity(&call, if clustered { 3 } else { 2 })?;
        let scalar = match self.types.as_scalar(call.args[0].qual) {
            Some(Scalar::Bool) => Scalar::Int,
            Some(scalar) => scalar,
            None => return self.no_overload(&call),
        };
        self.check_half(scalar, call.at)?;
        let how = match function {
            ShuffleFunction::Index => SubGroupShuffle::Index,
            ShuffleFunction::Xor => SubGroupShuffle::Xor,
            ShuffleFunction::Up => SubGroupShuffle::Up,
            ShuffleFunction::Down => SubGroupShuffle::Down,
            ShuffleFunction::Rotate => SubGroupShuffle::Rotate(None),
            ShuffleFunction::ClusteredRotate => {
                SubGroupShuffle::Rotate(Some(self.cluster_size(&mut call, 3)?))
            }
        };
        let number = match how {
            SubGroupShuffle::Rotate(_) => Scalar::Int,
            SubGroupShuffle::Index
            | SubGroupShuffle::Xor
            | SubGroupShuffle::Up
            | SubGroupShuffle::Down => Scalar::UInt,
        };
        let types = [scalar, number].map(|scalar| self.types.scalar(scalar));
        for (n, ty) in types.into_iter().enumerate() {
            let what = format!("argument {} of `{}`", n + 1, call.name);
            self.convert_argument(&mut call, n, ty, &what)?;
        }
        let builtin = Builtin::SubGroupShuffle(how);
        Ok(self.builtin(builtin, call.args, types[0], call.at))
    }

    /// The size of the clusters, the `n`th and last argument: a constant power of two.
    pub(super) fn cluster_size(&mut self, call: &mut Call<'_>, n: usize) -> Checked<u32> {
        let size = match call.args.pop() {
            Some(arg) => self.int_constant(&arg).map(|(bits, _)| bits),
            None => None,
        };
        let size = size.and_then(|size| u32::try_from(size).ok());
        match size.filter(|size| size.is_power_of_two()) {
            Some(size) => Ok(size),
            None => {
                let name = call.name;
                let message = format!(
                    "the size of a cluster, argument {n} of `{name}`, is no constant power of two"
                );
                self.error(call.at, message)
            }
        }
    }
}
