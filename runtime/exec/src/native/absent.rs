//! Stands for compiled code where there is none: nothing is ever compiled.

use crate::interp::code::{Kernel, Pc, Slot};
use crate::interp::port::GroupPort;
use crate::interp::space::Ids;
use crate::interp::step::Stop;

/// There is none.
#[derive(Debug)]
pub(crate) enum Native {}

impl Native {
    /// None.
    pub(crate) fn compile(_: &Kernel, _: bool, _: bool) -> Option<Native> {
        None
    }
}

/// Items to run; nobody does.
#[derive(Clone, Copy, Debug)]
#[allow(dead_code, reason = "nobody reads what nobody runs")]
pub(crate) struct Run<'a, 'b> {
    pub(crate) item: u64,
    pub(crate) origin: *mut u64,
    pub(crate) private: u64,
    pub(crate) ids: &'a Ids<'b>,
    pub(crate) count: u64,
}

/// What became of items; there is nobody to say.
#[derive(Clone, Copy, Debug)]
#[allow(dead_code, reason = "nobody makes one")]
pub(crate) enum Rest {
    One { before: u64, parted: u64 },
    Together { pc: Pc, count: u64, alone: bool },
    Spread { count: u64, short: bool },
}

/// There is none.
#[derive(Debug)]
pub(crate) struct Runner<'a>(&'a Native);

impl<'a> Runner<'a> {
    pub(crate) fn new<M: GroupPort>(
        _: &'a Kernel,
        native: &'a Native,
        _: &M,
        _: (u64, usize),
        _: Vec<u64>,
        _: &'a [(usize, u64)],
    ) -> Runner<'a> {
        Runner(native)
    }

    pub(crate) fn begin_group(&mut self, _: &Ids<'_>) {}

    pub(crate) fn running(&mut self) -> Running {
        Running
    }

    pub(crate) fn is_entry(&self, _: Pc) -> bool {
        match *self.0 {}
    }

    pub(crate) fn has_vectors(&self) -> bool {
        match *self.0 {}
    }

    pub(crate) fn rest(&self) -> Rest {
        match *self.0 {}
    }

    pub(crate) fn way(&self, _: u64) -> Pc {
        match *self.0 {}
    }

    pub(crate) fn place(&self, _: u64) -> Pc {
        match *self.0 {}
    }

    /// # Safety
    /// Nobody can call it.
    pub(crate) unsafe fn separate(&mut self, _: *mut u64, _: usize) {
        match *self.0 {}
    }

    /// # Safety
    /// Nobody can call it.
    pub(crate) unsafe fn complete(&mut self, _: *mut u64, _: &Ids<'_>) {
        match *self.0 {}
    }

    pub(crate) fn stops(&self, _: usize) -> &[u64] {
        match *self.0 {}
    }

    pub(crate) fn is_one_stop(&self) -> bool {
        match *self.0 {}
    }

    /// # Safety
    /// Nobody can call it.
    pub(crate) unsafe fn bring(&self, _: *mut u64, _: Slot, _: &mut Vec<u64>) {
        match *self.0 {}
    }

    /// # Safety
    /// Nobody can call it.
    pub(crate) unsafe fn take_away(&mut self, _: *mut u64, _: Slot, _: impl Fn(usize) -> u64) {
        match *self.0 {}
    }

    /// # Safety
    /// Nobody can call it.
    pub(crate) unsafe fn start<M: GroupPort>(
        &mut self,
        _: Run<'_, '_>,
        _: u64,
        _: &mut M,
    ) -> (bool, u64) {
        match *self.0 {}
    }

    /// # Safety
    /// Nobody can call it.
    pub(crate) unsafe fn run_many<M: GroupPort>(
        &mut self,
        _: Run<'_, '_>,
        _: Option<Pc>,
        _: (u64, bool),
        _: &mut M,
    ) -> (usize, u64) {
        match *self.0 {}
    }

    /// # Safety
    /// Nobody can call it.
    pub(crate) unsafe fn stopped<M: GroupPort>(
        &mut self,
        _: (*mut u64, &Ids<'_>),
        _: (&mut Pc, &mut u64, &mut bool),
        _: &mut M,
    ) -> Stop {
        match *self.0 {}
    }

    /// # Safety
    /// Nobody can call it.
    pub(crate) unsafe fn run<M: GroupPort>(
        &mut self,
        _: Run<'_, '_>,
        _: (&mut Pc, &mut u64),
        _: (bool, &mut bool),
        _: &mut M,
    ) -> Stop {
        match *self.0 {}
    }
}

/// Nothing runs.
#[derive(Debug)]
pub(crate) struct Running;
