//! Stands for compiled code where there is none: nothing is ever compiled.

use crate::interp::code::{Kernel, Pc};
use crate::interp::port::GroupPort;
use crate::interp::space::Ids;
use crate::interp::step::Stop;

/// There is none.
#[derive(Debug)]
pub(crate) enum Native {}

impl Native {
    /// None.
    pub(crate) fn compile(_: &Kernel, _: bool) -> Option<Native> {
        None
    }
}

/// There is none.
#[derive(Debug)]
pub(crate) struct Runner<'a>(&'a Native);

impl<'a> Runner<'a> {
    pub(crate) fn new<M: GroupPort>(
        _: &'a Kernel,
        native: &'a Native,
        _: &M,
        _: u64,
        _: Vec<u64>,
        _: &'a [(usize, u64)],
    ) -> Runner<'a> {
        Runner(native)
    }

    pub(crate) fn begin_group(&mut self, _: &Ids<'_>) {}

    pub(crate) fn running(&mut self) -> Running {
        Running
    }

    /// # Safety
    /// Nobody can call it.
    pub(crate) unsafe fn start<M: GroupPort>(
        &mut self,
        _: (*mut u64, u64),
        _: u64,
        _: &mut M,
        _: &Ids<'_>,
    ) -> (bool, u64) {
        match *self.0 {}
    }

    /// # Safety
    /// Nobody can call it.
    pub(crate) unsafe fn started<M: GroupPort>(
        &mut self,
        _: *mut u64,
        _: (&mut Pc, &mut u64, &mut bool),
        _: &mut M,
        _: &Ids<'_>,
    ) -> Stop {
        match *self.0 {}
    }

    /// # Safety
    /// Nobody can call it.
    pub(crate) unsafe fn run<M: GroupPort>(
        &mut self,
        _: (*mut u64, u64),
        _: (&mut Pc, &mut u64),
        _: (bool, &mut bool),
        _: &mut M,
        _: &Ids<'_>,
    ) -> Stop {
        match *self.0 {}
    }
}

/// Nothing runs.
#[derive(Debug)]
pub(crate) struct Running;
