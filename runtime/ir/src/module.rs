//! Modules: functions and the variables that outlive a work-item.

use crate::function::Function;
use crate::ids::{FuncId, GlobalId, LocalId};
use crate::types::AddressSpace;

/// A variable of the program, in constant or global memory. It keeps its value
/// between launches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Global {
    /// Its name; need not be unique (string literals, `static` of functions).
    pub name: String,
    /// `Constant` or `Global`.
    pub space: AddressSpace,
    /// Bytes.
    pub size: u64,
    /// Alignment in bytes, a power of two.
    pub align: u32,
    /// Its first bytes before the first launch; the rest is zero.
    pub init: Vec<u8>,
    /// Pointers within it.
    pub relocs: Vec<Reloc>,
}

/// Eight bytes of a variable's initial value that hold the address of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reloc {
    /// Where in the variable, in bytes.
    pub offset: u64,
    /// Whose address.
    pub target: GlobalId,
    /// Bytes added to that address.
    pub addend: i64,
}

/// A variable in local memory with static size; one copy for each work-group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalVar {
    /// Its name.
    pub name: String,
    /// The kernel that declares it, where one does; else each kernel that comes to its address has it.
    pub kernel: Option<FuncId>,
    /// Bytes.
    pub size: u64,
    /// Alignment in bytes, a power of two.
    pub align: u32,
}

/// One compiled and linked program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Module {
    /// Functions, by [`FuncId`].
    pub functions: Vec<Function>,
    /// Program-scope variables, by [`GlobalId`].
    pub globals: Vec<Global>,
    /// Static local variables of kernels, by [`LocalId`].
    pub locals: Vec<LocalVar>,
}

impl Module {
    /// An empty module.
    pub fn new() -> Module {
        Module::default()
    }

    /// Adds a function and gives its id. A front end that meets calls before
    /// bodies adds [`Function::declare`]d ones and replaces them later.
    pub fn add_function(&mut self, function: Function) -> FuncId {
        self.functions.push(function);
        FuncId(self.functions.len() as u32 - 1)
    }

    /// Adds a program-scope variable.
    pub fn add_global(&mut self, global: Global) -> GlobalId {
        self.globals.push(global);
        GlobalId(self.globals.len() as u32 - 1)
    }

    /// Adds a static local variable.
    pub fn add_local(&mut self, local: LocalVar) -> LocalId {
        self.locals.push(local);
        LocalId(self.locals.len() as u32 - 1)
    }

    /// The function with an id, if there is one.
    pub fn function(&self, id: FuncId) -> Option<&Function> {
        self.functions.get(id.0 as usize)
    }

    /// The kernels, in the order of their ids.
    pub fn kernels(&self) -> impl Iterator<Item = (FuncId, &Function)> {
        self.functions
            .iter()
            .enumerate()
            .filter(|(_, f)| f.kernel.is_some())
            .map(|(i, f)| (FuncId(i as u32), f))
    }
}
