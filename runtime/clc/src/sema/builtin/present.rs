//! Functions of those work-items of a sub-group that are present (OpenCL C 6.15.21): ballots, votes, scans and reductions
//! to which not all need come. They are written in OpenCL C, in `library/sub_group.cl`.

use super::Call;
use crate::device::Language;
use crate::hir::{Builtin, Expr, SubGroupShuffle};
use crate::sema::{Checked, Sema};
use crate::types::{Lanes, Qual, Scalar};

/// A function of those that are present.
#[derive(Clone, Copy, Debug)]
pub(super) enum PresentFunction {
    /// One of no or one number, the same for all calls: its name in the library, its parameters and its result.
    Plain(Of, &'static str, &'static [Parameter], Parameter),
    /// `sub_group_non_uniform_all_equal`
    AllEqual,
    /// `sub_group_non_uniform_broadcast`
    Broadcast,
    /// `sub_group_broadcast_first`
    First,
    /// A reduction or a scan with an operation, of truths rather than numbers where it is logical.
    Join(Form, &'static str, bool),
}

/// The extension that a function is of.
#[derive(Clone, Copy, Debug)]
pub(super) enum Of {
    Ballot,
    Vote,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Parameter {
    /// `int`
    Truth,
    /// `uint`
    Number,
    /// `uint4`
    Bits,
}

/// How far values go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Reduce,
    Inclusive,
    Exclusive,
    Clustered,
}

/// The function of a name.
pub(super) fn present(name: &str) -> Option<PresentFunction> {
    use Of::{Ballot, Vote};
    use Parameter::{Bits, Number, Truth};
    if let Some(mask) = name.strip_prefix("get_sub_group_") {
        let own = match mask {
            "eq_mask" => "__sub_group_eq_mask",
            "ge_mask" => "__sub_group_ge_mask",
            "gt_mask" => "__sub_group_gt_mask",
            "le_mask" => "__sub_group_le_mask",
            "lt_mask" => "__sub_group_lt_mask",
            _ => return None,
        };
        return Some(PresentFunction::Plain(Ballot, own, &[], Bits));
    }
    let rest = name.strip_prefix("sub_group_")?;
    let plain = |of, own, params, result| PresentFunction::Plain(of, own, params, result);
    Some(match rest {
        "elect" => plain(Vote, "__sub_group_elect", &[], Truth),
        "non_uniform_all" => plain(Vote, "__sub_group_non_uniform_all", &[Truth], Truth),
        "non_uniform_any" => plain(Vote, "__sub_group_non_uniform_any", &[Truth], Truth),
        "non_uniform_all_equal" => PresentFunction::AllEqual,
        "non_uniform_broadcast" => PresentFunction::Broadcast,
        "broadcast_first" => PresentFunction::First,
        "ballot" => plain(Ballot, "__sub_group_ballot", &[Truth], Bits),
        "inverse_ballot" => plain(Ballot, "__sub_group_inverse_ballot", &[Bits], Truth),
        "ballot_bit_extract" => plain(
            Ballot,
            "__sub_group_ballot_bit_extract",
            &[Bits, Number],
            Truth,
        ),
        "ballot_bit_count" => plain(Ballot, "__sub_group_ballot_bit_count", &[Bits], Number),
        "ballot_inclusive_scan" => {
            plain(Ballot, "__sub_group_ballot_inclusive_scan", &[Bits], Number)
        }
        "ballot_exclusive_scan" => {
            plain(Ballot, "__sub_group_ballot_exclusive_scan", &[Bits], Number)
        }
        "ballot_find_lsb" => plain(Ballot, "__sub_group_ballot_find_lsb", &[Bits], Number),
        "ballot_find_msb" => plain(Ballot, "__sub_group_ballot_find_msb", &[Bits], Number),
        _ => {
            let forms = [
                ("non_uniform_reduce_", Form::Reduce),
                ("non_uniform_scan_inclusive_", Form::Inclusive),
                ("non_uniform_scan_exclusive_", Form::Exclusive),
                ("clustered_reduce_", Form::Clustered),
            ];
            let found = |(start, form)| Some((rest.strip_prefix(start)?, form));
            let (op, form) = forms.into_iter().find_map(found)?;
            let (op, logical) = match op.strip_prefix("logical_") {
                Some(op) => (op, true),
                None => (op, false),
            };
            let known = ["add", "mul", "min", "max", "and", "or", "xor"];
            let place = known.iter().position(|&known| known == op)?;
            if logical && !is_bitwise(known[place]) {
                return None;
            }
            PresentFunction::Join(form, known[place], logical)
        }
    })
}

fn is_bitwise(op: &str) -> bool {
    matches!(op, "and" | "or" | "xor")
}

impl PresentFunction {
    pub(super) fn is_in(self, language: &Language) -> bool {
        match self {
            Self::Plain(Of::Ballot, ..) | Self::Broadcast | Self::First => {
                language.sub_group_ballot
            }
            Self::Plain(Of::Vote, ..) | Self::AllEqual => language.sub_group_vote,
            Self::Join(Form::Clustered, ..) => language.sub_group_clustered,
            Self::Join(..) => language.sub_group_arithmetic,
        }
    }
}

impl Sema<'_> {
    fn parameter_type(&mut self, parameter: Parameter) -> Qual {
        match parameter {
            Parameter::Truth => self.types.scalar(Scalar::Int),
            Parameter::Number => self.types.scalar(Scalar::UInt),
            Parameter::Bits => self.types.shaped(Scalar::UInt, Some(Lanes::L4)),
        }
    }

    /// A call of a function of those that are present.
    pub(super) fn present(
        &mut self,
        function: PresentFunction,
        mut call: Call<'_>,
    ) -> Checked<Expr> {
        match function {
            PresentFunction::Plain(_, own, params, result) => {
                self.arity(&call, params.len())?;
                for (n, &parameter) in params.iter().enumerate() {
                    let ty = self.parameter_type(parameter);
                    let what = format!("argument {} of `{}`", n + 1, call.name);
                    self.convert_argument(&mut call, n, ty, &what)?;
                }
                let result = self.parameter_type(result);
                Ok(self.library_call(own, call.args, result, None, call.at))
            }
            PresentFunction::AllEqual => {
                self.arity(&call, 1)?;
                let scalar = self.given_scalar(&mut call)?;
                let int = self.types.scalar(Scalar::Int);
                let own = format!("__sub_group_all_equal_{}", scalar.name());
                Ok(self.library_call(&own, call.args, int, None, call.at))
            }
            PresentFunction::Broadcast => {
                self.arity(&call, 2)?;
                let shape = match self.types.arithmetic(call.args[0].qual) {
                    Some((Scalar::Bool, None)) => (Scalar::Int, None),
                    Some(shape) => shape,
                    None => return self.no_overload(&call),
                };
                self.check_half(shape.0, call.at)?;
                let ty = self.types.shaped(shape.0, shape.1);
                self.convert_argument(&mut call, 0, ty, "the value")?;
                let uint = self.types.scalar(Scalar::UInt);
                self.convert_argument(&mut call, 1, uint, "the id")?;
                let shuffle = Builtin::SubGroupShuffle(SubGroupShuffle::Index);
                Ok(self.builtin(shuffle, call.args, ty, call.at))
            }
            PresentFunction::First => {
                self.arity(&call, 1)?;
                let scalar = self.given_scalar(&mut call)?;
                let (ty, uint) = (self.types.scalar(scalar), self.types.scalar(Scalar::UInt));
                let first = self.library_call("__sub_group_first", Vec::new(), uint, None, call.at);
                call.args.push(first);
                let shuffle = Builtin::SubGroupShuffle(SubGroupShuffle::Index);
                Ok(self.builtin(shuffle, call.args, ty, call.at))
            }
            PresentFunction::Join(form, op, logical) => self.join((form, op, logical), call),
        }
    }

    /// Brings the first argument to a scalar that the functions take.
    fn given_scalar(&mut self, call: &mut Call<'_>) -> Checked<Scalar> {
        let scalar = match self.types.as_scalar(call.args[0].qual) {
            Some(Scalar::Bool) => Scalar::Int,
            Some(scalar) => scalar,
            None => return self.no_overload(call),
        };
        self.check_half(scalar, call.at)?;
        let ty = self.types.scalar(scalar);
        self.convert_argument(call, 0, ty, "the value")?;
        Ok(scalar)
    }

    fn join(
        &mut self,
        (form, op, logical): (Form, &str, bool),
        mut call: Call<'_>,
    ) -> Checked<Expr> {
        self.arity(&call, if form == Form::Clustered { 2 } else { 1 })?;
        let cluster = match form {
            Form::Clustered => self.cluster_size(&mut call, 2)?,
            Form::Reduce | Form::Inclusive | Form::Exclusive => 0,
        };
        let int = self.types.scalar(Scalar::Int);
        let scalar = if logical {
            self.convert_argument(&mut call, 0, int, "the predicate")?;
            let predicate = call.args.remove(0);
            let zero = self.number(0, Scalar::Int, call.at);
            let is_true = crate::hir::ExprKind::Compare(
                crate::hir::CompareOp::Ne,
                Box::new(predicate),
                Box::new(zero),
            );
            call.args.push(self.value(is_true, int, call.at));
            Scalar::Int
        } else {
            self.given_scalar(&mut call)?
        };
        if is_bitwise(op) && scalar.is_float() {
            return self.no_overload(&call);
        }
        let form = match form {
            Form::Reduce | Form::Clustered => 0,
            Form::Inclusive => 1,
            Form::Exclusive => 2,
        };
        call.args.push(self.number(form, Scalar::UInt, call.at));
        call.args
            .push(self.number(cluster.into(), Scalar::UInt, call.at));
        let ty = self.types.scalar(scalar);
        let own = format!("__sub_group_{op}_{}", scalar.name());
        Ok(self.library_call(&own, call.args, ty, None, call.at))
    }
}
