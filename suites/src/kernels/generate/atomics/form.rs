//! The forms of atomic functions: operations, types, regions, orders, scopes, and how they are written.

use crate::choices::Choices;
use crate::kernels::case::{Kind, Unit};
use crate::kernels::generate::builder::CaseBuilder;
use classay_vocabulary::{FloatAtomics, Need, words};

words! {
    /// What is done.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Operation {
        Add = "add",
        Sub = "sub",
        Inc = "inc",
        Dec = "dec",
        Or = "or",
        And = "and",
        Xor = "xor",
        Min = "min",
        Max = "max",
        Exchange = "exchange",
        Compare = "compare",
        Flag = "flag",
    }
}

/// A number above those of all items, for values that count down.
pub(super) const ABOVE: u64 = 24_000;

words! {
    /// A type.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Type {
        Int = "int",
        Uint = "uint",
        Long = "long",
        Ulong = "ulong",
        Float = "float",
        Double = "double",
        Intptr = "intptr_t",
        Uintptr = "uintptr_t",
        Size = "size_t",
        Ptrdiff = "ptrdiff_t",
    }
}

impl Type {
    pub(super) fn signed(self) -> bool {
        matches!(self, Type::Int | Type::Long | Type::Intptr | Type::Ptrdiff) || self.real()
    }

    /// Whether it has 64 bits, which integers as wide as an address have where a case asks for such addresses.
    pub(super) fn long(self) -> bool {
        !matches!(self, Type::Int | Type::Uint | Type::Float)
    }

    /// Whether its values are no integers.
    pub(super) fn real(self) -> bool {
        matches!(self, Type::Float | Type::Double)
    }

    /// What a device must have for atomic objects of the type.
    pub(super) fn needs(self) -> &'static [Need] {
        match self {
            Type::Int | Type::Uint | Type::Float => &[],
            Type::Long | Type::Ulong => &[Need::Int64Atomics],
            Type::Double => &[Need::Int64Atomics, Need::Fp64],
            Type::Intptr | Type::Uintptr | Type::Size | Type::Ptrdiff => {
                &[Need::Int64Atomics, Need::Bits64]
            }
        }
    }

    pub(super) fn unit(self) -> Unit {
        if self.long() { Unit::Long } else { Unit::Word }
    }

    /// Bits that operations on bits use: all but the sign. Of numbers that are no integers, those of a whole number that
    /// they hold exactly.
    pub(super) fn bits(self) -> u64 {
        match self {
            Type::Float => 24,
            Type::Double => 53,
            _ if self.long() => 63,
            _ => 31,
        }
    }

    /// A whole number, as two's complement has it, as an object of the type holds it.
    pub(super) fn held(self, whole: u64) -> u64 {
        match self {
            Type::Float => u64::from((whole as i64 as f32).to_bits()),
            Type::Double => (whole as i64 as f64).to_bits(),
            _ => whole,
        }
    }

    /// What a device must have for an atomic function on objects of the type in a region.
    pub(super) fn needs_for(self, function: Function, region: Region) -> Option<Need> {
        use FloatAtomics::*;
        let double = match self {
            Type::Float => false,
            Type::Double => true,
            _ => return None,
        };
        let of = match (function, region, double) {
            (Function::Sum, Region::Local, false) => SingleLocalAdd,
            (Function::Sum, Region::Local, true) => DoubleLocalAdd,
            (Function::Sum, Region::Global | Region::Svm(_), false) => SingleGlobalAdd,
            (Function::Sum, Region::Global | Region::Svm(_), true) => DoubleGlobalAdd,
            (Function::Extreme, Region::Local, false) => SingleLocalMinMax,
            (Function::Extreme, Region::Local, true) => DoubleLocalMinMax,
            (Function::Extreme, Region::Global | Region::Svm(_), false) => SingleGlobalMinMax,
            (Function::Extreme, Region::Global | Region::Svm(_), true) => DoubleGlobalMinMax,
            (Function::Any, _, _) => return None,
        };
        Some(Need::FloatAtomics(of))
    }
}

/// What a function does, as far as devices differ in it where numbers are no integers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Function {
    /// It adds or subtracts.
    Sum,
    /// It leaves the lesser or the greater.
    Extreme,
    /// Something else.
    Any,
}

/// Where the atomic object is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Region {
    Global,
    Local,
    Svm(Kind),
}

/// How an operation is called.
#[derive(Debug, Clone, Copy)]
pub(super) struct Form {
    pub(super) legacy: bool,
    /// Nothing, an order, or an order and a scope.
    pub(super) explicit: u8,
    pub(super) order: &'static str,
    /// The order of a compare-exchange that fails.
    pub(super) failure: &'static str,
    pub(super) scope: &'static str,
}

/// The forms of a case: a device that lacks what one of them needs skips all of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Forms {
    /// Functions without `memory_order`, which are older.
    pub(super) legacy: bool,
    /// Some reach all devices that share memory.
    pub(super) all_devices: bool,
}

impl Forms {
    pub(super) fn drawn(choices: &mut Choices, legacy: usize) -> Forms {
        Forms {
            legacy: choices.percent(legacy),
            all_devices: choices.percent(35),
        }
    }
}

pub(super) fn form(
    choices: &mut Choices,
    case: &mut CaseBuilder,
    region: Region,
    Forms {
        legacy,
        all_devices,
    }: Forms,
) -> Form {
    // The unnamed forms order sequentially and reach the device.
    let explicit = choices.below(3) as u8;
    let order = choices.one_of(&[
        "relaxed", "relaxed", "acquire", "release", "acq_rel", "seq_cst",
    ]);
    let failure = match order {
        "acquire" | "acq_rel" => "acquire",
        "seq_cst" => "seq_cst",
        _ => "relaxed",
    };
    let scope = match region {
        Region::Local => choices.pick(&["work_group", "device"]),
        Region::Global | Region::Svm(_) if !all_devices => choices.pick(&["device"]),
        Region::Global => choices.pick(&["device", "device", "all_svm_devices"]),
        Region::Svm(_) => choices.pick(&["device", "all_svm_devices"]),
    };
    let scope = scope.unwrap_or("device");
    if !legacy {
        case.need(&[Need::C11Atomics]);
        case.need_if(explicit == 0 || order == "seq_cst", &[Need::OrderSeqCst]);
        case.need_if(
            explicit > 0 && matches!(order, "acquire" | "release" | "acq_rel"),
            &[Need::OrderAcqRel],
        );
        case.need_if(explicit < 2 || scope == "device", &[Need::ScopeDevice]);
        case.need_if(
            explicit == 2 && scope == "all_svm_devices",
            &[Need::ScopeAllDevices],
        );
    }
    Form {
        legacy,
        explicit,
        order,
        failure,
        scope,
    }
}

impl Form {
    pub(super) fn call(&self, name: &str, args: &str) -> String {
        self.call_in(name, self.order, args)
    }

    /// A call of another order, where it says one.
    pub(super) fn call_in(&self, name: &str, order: &str, args: &str) -> String {
        let scope = self.scope;
        match self.explicit {
            0 => format!("atomic_{name}({args})"),
            1 => format!("atomic_{name}_explicit({args}, memory_order_{order})"),
            _ => format!(
                "atomic_{name}_explicit({args}, memory_order_{order}, memory_scope_{scope})"
            ),
        }
    }

    pub(super) fn compare(&self, weak: bool, args: &str) -> String {
        let name = if weak { "weak" } else { "strong" };
        let call = format!("atomic_compare_exchange_{name}");
        let orders = format!("memory_order_{}, memory_order_{}", self.order, self.failure);
        match self.explicit {
            0 => format!("{call}({args})"),
            1 => format!("{call}_explicit({args}, {orders})"),
            _ => format!(
                "{call}_explicit({args}, {orders}, memory_scope_{})",
                self.scope
            ),
        }
    }
}
