//! Structures of pointers: the host's steps build them in memory that is simulated here, and the kernels
//! walk and turn them there.

use super::{cases, wanted_words, words};
use crate::host::{Place, Slot};
use crate::kernels::case::{Arg, KernelCase, Launch, Step, Want};

/// Addresses of objects lie far apart.
const APART: u64 = 1 << 20;

/// The memory of a case, by addresses.
struct Memory(Vec<Vec<u8>>);

impl Memory {
    fn address(at: Place) -> u64 {
        (u64::from(at.object.0) + 1) * APART + at.byte as u64
    }

    fn place(address: u64) -> (usize, usize) {
        ((address / APART - 1) as usize, (address % APART) as usize)
    }

    fn read<const N: usize>(&self, address: u64) -> [u8; N] {
        let (object, byte) = Memory::place(address);
        self.0[object][byte..byte + N].try_into().expect("bytes")
    }

    fn write(&mut self, address: u64, bytes: &[u8]) {
        let (object, byte) = Memory::place(address);
        self.0[object][byte..byte + bytes.len()].copy_from_slice(bytes);
    }

    fn long(&self, address: u64) -> u64 {
        u64::from_le_bytes(self.read(address))
    }

    fn word(&self, address: u64) -> u32 {
        u32::from_le_bytes(self.read(address))
    }

    /// The kernel `walk` of `walk.cl`.
    fn walk(&mut self, from: u64, out: Slot, steps: u32, items: u32) {
        for item in 0..items {
            let (mut at, mut bits, mut sum) = (from, item, 0u32);
            for _ in 0..steps {
                if at == 0 {
                    break;
                }
                sum = sum.wrapping_mul(31).wrapping_add(self.word(at + 16));
                at = self.long(if bits & 1 == 1 { at + 8 } else { at });
                bits >>= 1;
            }
            let to = Memory::address(out.at(4 * item as usize));
            self.write(to, &sum.to_le_bytes());
        }
    }

    /// The kernel `turn` of `walk.cl`.
    fn turn(&mut self, nodes: Slot, items: u32) {
        for item in 0..items {
            let own = Memory::address(nodes.at(24 * item as usize));
            let (left, right) = (self.long(own), self.long(own + 8));
            self.write(own, &right.to_le_bytes());
            self.write(own + 8, &left.to_le_bytes());
            let value = self.word(own + 16) + 1000;
            self.write(own + 16, &value.to_le_bytes());
        }
    }

    fn launch(&mut self, launch: &Launch) {
        let items = launch.range.items() as u32;
        match (launch.kernel.as_str(), &launch.args[..]) {
            ("walk", [Arg::Pointer(from), Arg::Object(out), Arg::Uint(steps)]) => {
                self.walk(Memory::address(*from), *out, *steps, items);
            }
            ("turn", [Arg::Object(nodes)]) => self.turn(*nodes, items),
            other => panic!("no launch {other:?}"),
        }
    }
}

/// Plays a case, and looks where it looks; how often.
fn play(name: &str, case: &KernelCase) -> usize {
    let objects = case.objects.iter();
    let mut memory = Memory(objects.map(|o| o.contents.bytes(o.bytes)).collect());
    let mut looks = 0;
    for step in &case.steps {
        match step {
            Step::Point { at, to } => {
                let address = to.map_or(0, Memory::address);
                memory.write(Memory::address(*at), &address.to_le_bytes());
            }
            Step::Host {
                at,
                bytes,
                contents,
            } => {
                memory.write(Memory::address(*at), &contents.bytes(*bytes));
            }
            Step::Launch(launch) => memory.launch(launch),
            Step::Finish => {}
            Step::Look { object, want, .. } => {
                looks += 1;
                match want {
                    Want::Pointers(list) => {
                        for (byte, to) in list {
                            let is = memory.long(Memory::address(object.at(*byte)));
                            assert_eq!(is, to.map_or(0, Memory::address), "{name}");
                        }
                    }
                    _ => {
                        let seen = words(&memory.0[object.index()]);
                        assert_eq!(wanted_words(case, *object), seen, "{name}");
                    }
                }
            }
            other => panic!("{name}: no step {other:?}"),
        }
    }
    looks
}

#[test]
fn structures_lead_where_walks_say() {
    for (name, case) in cases("svm/structures", 60) {
        let looks = play(&name, &case);
        // Two walks, and the pointers of each allocation.
        let reached = case.launches().next().expect("a launch").1.reaches.len();
        assert_eq!(looks, 2 + reached, "{name}");
    }
}

#[test]
fn a_pointer_that_leads_elsewhere_is_found() {
    for (name, mut case) in cases("svm/structures", 10) {
        let changed = case.steps.iter_mut().find_map(|step| match step {
            Step::Look {
                want: Want::Pointers(list),
                ..
            } => list.first_mut(),
            _ => None,
        });
        let (_, to) = changed.expect("pointers");
        *to = match to {
            Some(_) => None,
            None => Some(Slot(0).at(0)),
        };
        let found = std::panic::catch_unwind(|| play(&name, &case));
        assert!(found.is_err(), "{name}");
    }
}

#[test]
fn kernels_are_told_of_all_that_they_reach() {
    for (name, case) in cases("svm/structures", 40) {
        let mut linked = std::collections::BTreeSet::new();
        for step in &case.steps {
            if let Step::Point { at, to } = step {
                linked.insert(at.object);
                linked.extend(to.map(|to| to.object));
            }
        }
        for (_, launch) in case.launches() {
            let told: std::collections::BTreeSet<_> = launch.reaches.iter().copied().collect();
            assert!(linked.is_subset(&told), "{name}: {linked:?} of {told:?}");
            for id in &launch.reaches {
                let bytes = case.objects[id.index()].bytes;
                assert!((launch.reaches_at as usize) < bytes, "{name}");
            }
        }
    }
}

#[test]
fn devices_take_turns_with_all_finished_between_them() {
    let mut two = 0;
    for (name, case) in cases("svm/structures", 60) {
        let mut before: Option<(usize, u8)> = None;
        for (n, launch) in case.launches() {
            if let Some((last, queue)) = before
                && queue != launch.queue
            {
                let finish = case.steps[last..n].contains(&Step::Finish);
                assert!(finish, "{name}: steps {last} to {n}");
                two += 1;
            }
            before = Some((n, launch.queue));
        }
    }
    assert!(two > 20, "{two}");
}
