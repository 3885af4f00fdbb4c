//! Functions of pipes (OpenCL C, Pipe Functions): which there are, and the functions of the library that they are.
//!
//! The library moves packets as bytes, so that one function of it serves pipes of every type.

use super::Call;
use crate::device::{Language, Version};
use crate::hir::Expr;
use crate::sema::{Checked, Sema};
use crate::source::Loc;
use crate::types::{Qual, Scalar, Space, Type};
use touchstone_ir::BarrierKind;

/// The feature of OpenCL C 3.0 that pipes are.
const FEATURE: &str = "__opencl_c_pipes";

/// A function of pipes.
#[derive(Clone, Copy, Debug)]
pub(super) enum PipeFunction {
    /// `read_pipe` and `write_pipe`, with and without a reservation.
    Move(Side),
    Reserve(By, Side),
    Commit(By, Side),
    /// `get_pipe_num_packets`
    Packets,
    /// `get_pipe_max_packets`
    Capacity,
    /// `is_valid_reserve_id`
    IsValid,
    /// What `CLK_NULL_RESERVE_ID` stands for.
    NoReservation,
}

/// The end of a pipe that a function is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Read,
    Write,
}

/// Who makes a reservation: a work-item, or all of a group together.
#[derive(Clone, Copy, Debug)]
pub(super) enum By {
    Item,
    Group(BarrierKind),
}

impl Side {
    const fn word(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
        }
    }
}

impl By {
    const fn prefix(self) -> &'static str {
        match self {
            Self::Item => "",
            Self::Group(BarrierKind::WorkGroup) => "work_group_",
            Self::Group(BarrierKind::SubGroup) => "sub_group_",
        }
    }
}

/// The function of pipes of a name, whether the language has it or not.
fn named(name: &str) -> Option<PipeFunction> {
    use PipeFunction::{Capacity, Commit, IsValid, Move, NoReservation, Packets, Reserve};
    let (by, rest) = [
        By::Group(BarrierKind::WorkGroup),
        By::Group(BarrierKind::SubGroup),
    ]
    .into_iter()
    .find_map(|by| Some((by, name.strip_prefix(by.prefix())?)))
    .unwrap_or((By::Item, name));
    Some(match (by, rest) {
        (_, "reserve_read_pipe") => Reserve(by, Side::Read),
        (_, "reserve_write_pipe") => Reserve(by, Side::Write),
        (_, "commit_read_pipe") => Commit(by, Side::Read),
        (_, "commit_write_pipe") => Commit(by, Side::Write),
        (By::Item, "read_pipe") => Move(Side::Read),
        (By::Item, "write_pipe") => Move(Side::Write),
        (By::Item, "get_pipe_num_packets") => Packets,
        (By::Item, "get_pipe_max_packets") => Capacity,
        (By::Item, "is_valid_reserve_id") => IsValid,
        (By::Item, "__null_reserve_id") => NoReservation,
        _ => return None,
    })
}

/// Whether the language lacks what a function of pipes needs besides them: sub-groups.
fn lacks_groups(function: PipeFunction, language: &Language) -> bool {
    use PipeFunction::{Commit, Reserve};
    let (Reserve(By::Group(BarrierKind::SubGroup), _)
    | Commit(By::Group(BarrierKind::SubGroup), _)) = function
    else {
        return false;
    };
    !language.sub_groups
}

/// The function of pipes of a name that the language has.
pub(super) fn pipe(name: &str, language: &Language) -> Option<PipeFunction> {
    named(name).filter(|&function| language.pipes && !lacks_groups(function, language))
}

/// The optional feature that a function of pipes needs and the language lacks, where the version knows it.
pub(super) fn lacking_for_pipe(name: &str, language: &Language) -> Option<&'static str> {
    let function = named(name).filter(|_| language.version >= Version::V3_0)?;
    match language.pipes {
        false => Some(FEATURE),
        true => lacks_groups(function, language).then_some("__opencl_c_subgroups"),
    }
}

impl Sema<'_> {
    pub(super) fn pipe(&mut self, function: PipeFunction, call: Call<'_>) -> Checked<Expr> {
        match function {
            PipeFunction::Move(side) => self.move_packet(side, call),
            PipeFunction::Reserve(by, side) => self.reserve(by, side, call),
            PipeFunction::Commit(by, side) => self.commit(by, side, call),
            PipeFunction::Packets | PipeFunction::Capacity => self.pipe_query(function, call),
            PipeFunction::IsValid => self.is_valid_reservation(call),
            PipeFunction::NoReservation => {
                self.arity(&call, 0)?;
                let id = self.types.plain(Type::Reservation);
                Ok(self.library_call("__pipe_no_reservation", call.args, id, None, call.at))
            }
        }
    }

    /// The packet of the pipe that comes first, which must be for this side where one is given.
    fn packet(&mut self, call: &Call<'_>, side: Option<Side>) -> Checked<Qual> {
        let Some(&Type::Pipe(packet, writes)) = call
            .args
            .first()
            .map(|arg| self.types.of(arg.qual))
            .as_ref()
        else {
            return self.no_overload(call);
        };
        if side.is_some_and(|side| writes != (side == Side::Write)) {
            let of = if writes { "write_only" } else { "read_only" };
            let message = format!("`{}` is not for a pipe that is {of}", call.name);
            return self.error(call.at, message);
        }
        Ok(packet)
    }

    fn move_packet(&mut self, side: Side, mut call: Call<'_>) -> Checked<Expr> {
        let reserved = match call.args.len() {
            2 => false,
            4 => true,
            given => {
                let message = format!(
                    "`{}` takes 2 or 4 arguments, and is given {given}",
                    call.name
                );
                return self.error(call.at, message);
            }
        };
        let packet = self.packet(&call, Some(side))?;
        let last = call.args.len() - 1;
        match side {
            Side::Read => self.out_argument(&call, last, packet)?,
            Side::Write => {
                if self.pointee_argument(&call, last)?.ty != packet.ty {
                    return self.no_overload(&call);
                }
            }
        }
        if reserved {
            self.reservation_argument(&mut call)?;
            let index = self.types.scalar(Scalar::UInt);
            self.convert_argument(&mut call, 2, index, "the index")?;
        }
        let bytes = self.types.scalar(Scalar::UChar);
        let to = Qual {
            constant: side == Side::Write,
            ..bytes.in_space(Space::Generic)
        };
        let to = self.types.pointer(to);
        if let Some(pointer) = call.args.pop() {
            let space = self.types.pointee(pointer.qual).map(|to| to.space);
            if space == Some(Space::Constant) {
                let message = format!("`{}` takes no pointer to constant memory", call.name);
                return self.error(call.at, message);
            }
            call.args.push(self.pointer_as(pointer, to));
        }
        let name = match reserved {
            true => format!("__pipe_{}_reserved", side.word()),
            false => format!("__pipe_{}", side.word()),
        };
        let int = self.types.scalar(Scalar::Int);
        Ok(self.library_call(&name, call.args, int, None, call.at))
    }

    fn reserve(&mut self, by: By, side: Side, mut call: Call<'_>) -> Checked<Expr> {
        self.arity(&call, 2)?;
        self.packet(&call, Some(side))?;
        let count = self.types.scalar(Scalar::UInt);
        self.convert_argument(&mut call, 1, count, "the number of packets")?;
        let name = format!("__pipe_{}reserve_{}", by.prefix(), side.word());
        let id = self.types.plain(Type::Reservation);
        Ok(self.library_call(&name, call.args, id, None, call.at))
    }

    fn commit(&mut self, by: By, side: Side, mut call: Call<'_>) -> Checked<Expr> {
        self.arity(&call, 2)?;
        self.packet(&call, Some(side))?;
        self.reservation_argument(&mut call)?;
        let name = format!("__pipe_{}commit_{}", by.prefix(), side.word());
        let void = self.types.void();
        Ok(self.library_call(&name, call.args, void, None, call.at))
    }

    fn pipe_query(&mut self, function: PipeFunction, call: Call<'_>) -> Checked<Expr> {
        self.arity(&call, 1)?;
        self.packet(&call, None)?;
        let name = match function {
            PipeFunction::Packets => "__pipe_packets",
            _ => "__pipe_capacity",
        };
        let count = self.types.scalar(Scalar::UInt);
        Ok(self.library_call(name, call.args, count, None, call.at))
    }

    fn is_valid_reservation(&mut self, call: Call<'_>) -> Checked<Expr> {
        self.arity(&call, 1)?;
        let id = self.types.plain(Type::Reservation);
        if call.args[0].qual.ty != id.ty {
            return self.no_overload(&call);
        }
        let truth = self.types.scalar(Scalar::Bool);
        Ok(self.library_call("__pipe_is_valid", call.args, truth, None, call.at))
    }

    /// Checks that the second argument is a reservation.
    fn reservation_argument(&mut self, call: &mut Call<'_>) -> Checked<()> {
        let id = self.types.plain(Type::Reservation);
        match call.args.get(1) {
            Some(arg) if arg.qual.ty == id.ty => Ok(()),
            _ => self.no_overload(call),
        }
    }

    /// The type of a pipe with packets of a type, for the end that a qualifier names.
    pub(in crate::sema) fn pipe_of(
        &mut self,
        packet: Qual,
        word: Option<&str>,
        at: Loc,
    ) -> Checked<Qual> {
        if !self.language.pipes {
            let need = format!("`pipe` needs OpenCL C 2.0, or 3.0 with {FEATURE}");
            return self.error(at, need);
        }
        if word == Some("read_write") {
            return self.error(at, "a pipe is `read_only` or `write_only`");
        }
        match self.types.of(packet) {
            Type::Scalar(_) | Type::Vector(..) | Type::Record(_) => {}
            _ => {
                let ty = self.show(packet.value());
                return self.error(
                    at,
                    format!("the packets of a pipe cannot be of type `{ty}`"),
                );
            }
        }
        self.complete(packet, at, "the packets of a pipe")?;
        let pipe = Type::Pipe(packet.value(), word == Some("write_only"));
        Ok(self.types.plain(pipe))
    }
}
