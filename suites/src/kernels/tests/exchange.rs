//! The host's side of exchanges, interpreted beside kernels that are played here: first one side, then the
//! other, which is one of the orders that may come.

use super::{cases, first, objects, same, uints, wants};
use crate::host::Slot;
use crate::host::exchange::{Base, Cell, Change, Is, Num, Operation, REGISTERS};
use crate::kernels::case::{KernelCase, Kind, Permutation, Step, Unit, Want};

/// The memory of a case and the host's registers.
struct Host {
    memory: Vec<Vec<u8>>,
    registers: [u64; REGISTERS],
}

impl Host {
    fn of(case: &KernelCase) -> Host {
        let objects = (0..case.objects.len()).map(|n| first(case, Slot(n as u16)));
        Host {
            memory: objects.collect(),
            registers: [0; REGISTERS],
        }
    }

    fn number(&self, number: &Num) -> u64 {
        let terms = number.of.iter();
        terms.fold(number.plus, |sum, (reg, times)| {
            sum.wrapping_add(times.wrapping_mul(self.registers[usize::from(reg.0)]))
        })
    }

    /// The object, the first byte and the bytes of a cell.
    fn place(&self, cell: &Cell) -> (usize, usize, usize) {
        let Base::At(at, index) = &cell.base else {
            panic!("no pointers")
        };
        let bytes = cell.unit.bytes();
        (
            at.object.index(),
            at.byte + self.number(index) as usize * bytes,
            bytes,
        )
    }

    fn load(&self, cell: &Cell) -> u64 {
        let (object, at, bytes) = self.place(cell);
        let mut long = [0; 8];
        long[..bytes].copy_from_slice(&self.memory[object][at..at + bytes]);
        u64::from_le_bytes(long)
    }

    fn store(&mut self, cell: &Cell, value: u64) {
        let (object, at, bytes) = self.place(cell);
        self.memory[object][at..at + bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
    }

    fn change(&mut self, how: Change, cell: &Cell, by: u64) -> u64 {
        let before = self.load(cell);
        let bits = 8 * cell.unit.bytes();
        let signed = |value: u64| (value << (64 - bits)).cast_signed();
        let unsigned = |value: u64| value << (64 - bits);
        let after = match how {
            Change::Add => before.wrapping_add(by),
            Change::Sub => before.wrapping_sub(by),
            Change::Or => before | by,
            Change::And => before & by,
            Change::Xor => before ^ by,
            Change::Min if unsigned(by) < unsigned(before) => by,
            Change::Max if unsigned(by) > unsigned(before) => by,
            Change::MinSigned if signed(by) < signed(before) => by,
            Change::MaxSigned if signed(by) > signed(before) => by,
            Change::Min | Change::Max | Change::MinSigned | Change::MaxSigned => before,
            Change::Exchange => by,
        };
        self.store(cell, after);
        before
    }

    /// Plays operations; whether the innermost repetition is left.
    fn play(&mut self, operations: &[Operation]) -> bool {
        for operation in operations {
            match operation {
                Operation::Put(reg, number) => {
                    self.registers[usize::from(reg.0)] = self.number(number);
                }
                Operation::Read(reg, cell) | Operation::Load(reg, cell, _) => {
                    self.registers[usize::from(reg.0)] = self.load(cell);
                }
                Operation::Write(cell, number) | Operation::Store(cell, number, _) => {
                    self.store(cell, self.number(number));
                }
                Operation::Change {
                    how,
                    at,
                    by,
                    before,
                    ..
                } => {
                    let by = self.number(by);
                    self.registers[usize::from(before.0)] = self.change(*how, at, by);
                }
                Operation::Swap {
                    at,
                    expected,
                    new,
                    done,
                    ..
                } => {
                    let (found, new) = (self.load(at), self.number(new));
                    let equal = found == self.registers[usize::from(expected.0)];
                    if equal {
                        self.store(at, new);
                    }
                    self.registers[usize::from(expected.0)] = found;
                    self.registers[usize::from(done.0)] = u64::from(equal);
                }
                Operation::Await {
                    at, value, must, ..
                } => {
                    let came = self.load(at) == self.number(value);
                    assert!(came || !must, "it waits for what does not come");
                }
                Operation::Repeat(times, reg, body) => {
                    for n in 0..self.number(times) {
                        self.registers[usize::from(reg.0)] = n;
                        if self.play(body) {
                            break;
                        }
                    }
                }
                Operation::When(left, is, right, body) => {
                    let (left, right) = (self.number(left), self.number(right));
                    let holds = match is {
                        Is::Equal => left == right,
                        Is::Unequal => left != right,
                        Is::Below => left < right,
                    };
                    if holds && self.play(body) {
                        return true;
                    }
                }
                Operation::Leave => return true,
                Operation::Fence(_) => {}
                Operation::Address(..) => panic!("no pointers"),
            }
        }
        false
    }

    fn elements(&self, object: Slot, unit: Unit) -> Vec<u64> {
        let bytes = self.memory[object.index()].chunks_exact(unit.bytes());
        let long = |chunk: &[u8]| {
            let mut long = [0; 8];
            long[..chunk.len()].copy_from_slice(chunk);
            u64::from_le_bytes(long)
        };
        bytes.map(long).collect()
    }

    fn put(&mut self, object: Slot, unit: Unit, n: usize, value: u64) {
        let bytes = unit.bytes();
        let at = n * bytes;
        self.memory[object.index()][at..at + bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
    }

    /// Whether memory is as all looks want it.
    fn check(&self, name: &str, case: &KernelCase) {
        for (object, want) in wants(case) {
            match want {
                Want::Same(same) => {
                    let length = case.objects[object.index()].bytes;
                    let bytes = same.contents.bytes(length);
                    assert_eq!(self.memory[object.index()], bytes, "{name}: {object:?}");
                }
                Want::Permutation(values) => {
                    let Permutation {
                        unit,
                        count,
                        first,
                        step,
                    } = *values;
                    let mut seen = self.elements(object, unit);
                    seen.truncate(count as usize);
                    seen.sort_unstable();
                    let all: Vec<u64> = (0..count).map(|n| first + n * step).collect();
                    assert_eq!(seen, all, "{name}");
                }
                Want::Halves { unit } => {
                    let seen = self.elements(object, *unit);
                    let (one, other) = seen.split_at(seen.len() / 2);
                    assert_eq!(one, other, "{name}");
                }
                other => panic!("{name}: {other:?}"),
            }
        }
    }
}

/// The operation of a crowd, as its kernel does it.
struct Crowd {
    operation: String,
    unit: Unit,
    signed: bool,
    /// What is added to the values of floats, which are exchanged as their bits.
    first: u64,
}

impl Crowd {
    fn of(case: &KernelCase, shared: Slot) -> Crowd {
        let told = case.about.split("): ").nth(1).expect("an operation");
        let (operation, ty) = told.split_once(" of ").expect("a type");
        let unit = match case.objects[shared.index()].bytes {
            4 => Unit::Word,
            _ => Unit::Long,
        };
        Crowd {
            operation: operation.into(),
            unit,
            signed: matches!(ty, "int" | "long" | "ptrdiff_t" | "intptr_t"),
            first: match ty {
                "float" => u64::from(1f32.to_bits()),
                "double" => 1f64.to_bits(),
                _ => 0,
            },
        }
    }

    /// What the item of a number leaves of a value.
    fn change(&self, before: u64, i: u64) -> u64 {
        let wide = self.unit == Unit::Long;
        let number = |value: u64| match (self.signed, wide) {
            (true, true) => i128::from(value.cast_signed()),
            (true, false) => i128::from((value as u32).cast_signed()),
            (false, _) => i128::from(value),
        };
        let (value, i) = (number(before), i128::from(i));
        let bit = 1i128 << (i % 31);
        let after = match (self.operation.as_str(), self.signed) {
            ("Add", _) => value + 3,
            ("Sub", _) => value - 3,
            ("Or", _) => value | bit,
            ("And", _) => value & !bit,
            ("Xor", _) => value ^ bit,
            ("Min", true) => value.min(2 - i),
            ("Min", false) => value.min(1_000_000 - i),
            ("Max", true) => value.max(i - 900_000),
            ("Max", false) => value.max(i + 5),
            ("Exchange", _) => i128::from(self.first) + i + 1,
            ("CompareStrong" | "CompareWeak", _) => value + 1,
            other => panic!("no operation {other:?}"),
        };
        if wide {
            after as u64
        } else {
            u64::from(after as u32)
        }
    }

    /// A kernel of so many items and passes that begins with a number.
    fn kernel(&self, host: &mut Host, shared: Slot, out: Slot, first: u64, count: u64) {
        for n in 0..count {
            let before = host.elements(shared, self.unit)[0];
            host.put(out, self.unit, n as usize, before);
            host.put(shared, self.unit, 0, self.change(before, first + n));
        }
    }
}

/// Plays a crowd of two sides; `turned` has the second side go first.
fn crowd(name: &str, case: &KernelCase, turned: bool) {
    let launches: Vec<_> = case
        .launches()
        .filter(|(_, l)| l.kernel == "crowd")
        .collect();
    let last = case.launches().last().expect("a launch").1;
    assert_eq!(last.kernel, "last", "{name}");
    let all = objects(launches[0].1);
    let (shared, here) = (all[0], all[1]);
    let crowd = Crowd::of(case, shared);
    let mut host = Host::of(case);
    // The kernel is there.
    host.put(here, Unit::Word, 0, 1);
    let talk = case.steps.iter().find_map(|step| match step {
        Step::Talk { acts, .. } => Some(acts),
        _ => None,
    });
    let sides = if turned { [1, 0] } else { [0, 1] };
    for side in sides {
        match (launches.get(side), talk) {
            (Some((_, launch)), _) => {
                let [passes, first] = uints(launch)[..] else {
                    panic!("{name}: two numbers")
                };
                let count = launch.range.items() * u64::from(passes);
                let out = objects(launch)[3];
                crowd.kernel(&mut host, shared, out, first.into(), count);
            }
            (None, Some(acts)) => {
                assert!(!host.play(acts), "{name}: nothing is left");
            }
            (None, None) => panic!("{name}: two sides"),
        }
    }
    // The kernel `last`: what both sides found, and the last value.
    let [_, one, two, out] = objects(last)[..] else {
        panic!("{name}: four objects")
    };
    let mut values = host.elements(one, crowd.unit);
    values.extend(host.elements(two, crowd.unit));
    values.extend(host.elements(shared, crowd.unit));
    for (n, value) in values.into_iter().enumerate() {
        host.put(out, crowd.unit, n, value);
    }
    host.check(name, case);
}

#[test]
fn a_crowd_of_two_sides_leaves_what_is_wanted_in_either_order() {
    let mut operations = std::collections::BTreeSet::new();
    for (name, case) in cases("svm/crowd", 150) {
        crowd(&name, &case, false);
        crowd(&name, &case, true);
        let told = case.about.split("): ").nth(1).expect("an operation");
        operations.insert(told.split(' ').next().expect("a word").to_string());
    }
    assert_eq!(operations.len(), 10, "{operations:?}");
}

#[test]
fn a_lost_change_of_the_host_is_found() {
    let mut found = 0;
    for (name, mut case) in cases("svm/crowd", 60) {
        let acts = case.steps.iter_mut().find_map(|step| match step {
            Step::Talk { acts, .. } => Some(acts),
            _ => None,
        });
        let looks = wants_something(&case.about);
        let (Some(acts), true) = (acts, looks) else {
            continue;
        };
        // The host does one turn less.
        for act in acts {
            if let Operation::Repeat(times, ..) = act {
                *times = Num::of(times.plus - 1);
            }
        }
        let lost = std::panic::catch_unwind(|| crowd(&name, &case, false));
        assert!(lost.is_err(), "{name}: {}", case.about);
        found += 1;
    }
    assert!(found > 5, "{found}");
}

/// Whether each change of the host shows in what is left: a bit that another sets again does not.
fn wants_something(about: &str) -> bool {
    ["Add", "Sub", "Exchange", "Compare"]
        .iter()
        .any(|operation| about.contains(operation))
}

#[test]
fn bytes_beside_each_other_are_as_each_side_wrote_them() {
    for (name, case) in cases("svm/bytes", 40) {
        let launch = super::launch(&case);
        let [shared, here, bad] = objects(launch)[..] else {
            panic!("{name}: three objects")
        };
        let [every, passes] = uints(launch)[..] else {
            panic!("{name}: two numbers")
        };
        let mut host = Host::of(&case);
        host.put(here, Unit::Word, 0, 1);
        for step in &case.steps {
            match step {
                Step::Launch(_) => {
                    for i in 0..launch.range.items() as u32 {
                        host.put(bad, Unit::Word, i as usize, 0);
                        if i % every != 0 {
                            let value = (i * 3 + passes) & 0xff;
                            host.put(shared, Unit::Byte, i as usize, value.into());
                        }
                    }
                }
                Step::Talk { acts, .. } => assert!(!host.play(acts), "{name}"),
                _ => {}
            }
        }
        host.check(&name, &case);
    }
}

#[test]
fn holders_of_a_lock_are_counted_by_all() {
    for (name, case) in cases("svm/lock", 40) {
        let mut host = Host::of(&case);
        for step in &case.steps {
            match step {
                Step::Launch(launch) if launch.kernel == "hold" => {
                    let all = objects(launch);
                    let (here, data, holders) = (all[1], all[2], all[3]);
                    host.put(here, Unit::Word, 0, 1);
                    // Every work-item gets the lock in each pass.
                    let held = launch.range.items() * u64::from(uints(launch)[0]);
                    host.put(data, Unit::Word, 0, held);
                    host.put(data, Unit::Word, 1, held);
                    host.put(holders, Unit::Word, 0, held);
                }
                Step::Talk { acts, .. } => assert!(!host.play(acts), "{name}"),
                Step::Launch(launch) => {
                    let [data, holders, out] = objects(launch)[..] else {
                        panic!("{name}: three objects")
                    };
                    let data = host.elements(data, Unit::Word);
                    let holders = host.elements(holders, Unit::Word)[0];
                    let each = [data[0], data[1], holders, holders];
                    for (n, value) in each.into_iter().enumerate() {
                        host.put(out, Unit::Word, n, value);
                    }
                    assert!(holders > 0, "{name}");
                }
                _ => {}
            }
        }
        host.check(&name, &case);
    }
}

#[test]
fn nodes_of_a_stack_are_as_many_as_all_push() {
    for (name, case) in cases("svm/stack", 40) {
        let (_, push) = case.launches().next().expect("a launch");
        let [each, total] = uints(push)[..] else {
            panic!("{name}: two numbers")
        };
        let all = objects(push);
        let (pool, marks) = (all[3], all[4]);
        assert_eq!(
            case.objects[pool.index()].bytes,
            24 * total as usize,
            "{name}"
        );
        assert_eq!(
            case.objects[marks.index()].bytes,
            4 * total as usize,
            "{name}"
        );
        let kernels = push.range.items() as u32 * each;
        assert!(kernels <= total && total - kernels <= 40, "{name}");
        assert!(
            super::wanted_words(&case, marks).iter().all(|n| *n == 1),
            "{name}"
        );
        assert!(
            case.launches().all(|(_, launch)| launch.reaches == [pool]),
            "{name}"
        );
    }
}

#[test]
fn sides_that_may_starve_say_what_holds_even_so() {
    for kind in ["svm/turns", "svm/seen", "svm/pairs"] {
        for (name, case) in cases(kind, 40) {
            assert!(case.quit.is_some(), "{name}");
            for step in &case.steps {
                if let Step::Look {
                    object, even_so, ..
                } = step
                {
                    assert!(even_so, "{name}");
                    assert!(same(&case, *object).racy, "{name}: no values are named");
                    // Kernels write it, or the host for itself.
                    let kind = case.objects[object.index()].kind;
                    assert!(matches!(kind, Kind::Buffer | Kind::Host), "{name}");
                }
            }
        }
    }
}
