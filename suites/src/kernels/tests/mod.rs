//! Tests of the generated cases: each property is computed here again, in another way.
//!
//! | file | what it compares generated cases with |
//! | --- | --- |
//! | `general` | validity, repetition, YAML, the sizes of what is wanted |
//! | `needs` | what sources and objects use, and what the case needs |
//! | `sources` | the kernels of a source, and the launches of them |
//! | `refused` | cases that leave their objects, each in one way |
//! | `words` | kernels on words, computed here by hand |
//! | `atomics` | an interpreter of statements with atomic functions |
//! | `computed` | what the language has, and what kernels are made of |
//! | `modules` | an interpreter of SPIR-V |
//! | `vectors` | copies of work-groups, stores of vectors, arguments |
//! | `moved` | a simulation of transfers, a byte at a time |
//! | `pipes` | queues of packets |
//! | `pointers` | structures of pointers, built and walked |
//! | `exchange` | an interpreter of the host's side, beside kernels |
//! | `groups` | index spaces, groups and collective functions |

mod atomics;
mod computed;
mod exchange;
mod general;
mod groups;
mod modules;
mod moved;
mod needs;
mod pipes;
mod pointers;
mod refused;
mod sources;
mod vectors;
mod words;

use super::case::{Arg, Contents, KernelCase, Launch, ObjectId, Same, Step, Unit, Want};
use super::generate::draw;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// What was drawn of each kind with each seed: many tests look at the same cases, and to draw them takes most of their
/// time.
static DRAWN: Mutex<BTreeMap<(String, u64), Arc<KernelCase>>> = Mutex::new(BTreeMap::new());

/// The cases of the first seeds of a kind, with what they are called in a message.
fn cases(kind: &str, seeds: u64) -> impl Iterator<Item = (String, KernelCase)> {
    (0..seeds).map(move |seed| (format!("{kind} of seed {seed}"), drawn(kind, seed)))
}

fn drawn(kind: &str, seed: u64) -> KernelCase {
    // A test that fails while it draws has kept nothing.
    let all = || DRAWN.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (kind.to_string(), seed);
    let known = all().get(&key).cloned();
    let case = known.unwrap_or_else(|| {
        let case = Arc::new(draw(kind, seed).expect("the kind is there"));
        all().insert(key, Arc::clone(&case));
        case
    });
    KernelCase::clone(&case)
}

/// Cases of a kind that are a single draw, where others are several (`generate/joined.rs`), of so many.
fn lone(kind: &str, seeds: u64) -> impl Iterator<Item = (String, KernelCase)> + '_ {
    cases(kind, seeds).filter(|(_, case)| {
        let mut all = case.launches().map(|(_, launch)| launch.kernel.as_str());
        !all.any(|kernel| kernel.ends_with(|c: char| c.is_ascii_digit()))
    })
}

/// The only launch of a case.
fn launch(case: &KernelCase) -> &Launch {
    let mut all = case.launches().map(|(_, launch)| launch);
    let first = all.next().expect("a launch");
    assert!(all.next().is_none(), "one launch");
    first
}

/// The numbers of 32 bits among the arguments.
fn uints(launch: &Launch) -> Vec<u32> {
    let numbers = launch.args.iter().filter_map(|arg| match arg {
        Arg::Uint(number) => Some(*number),
        _ => None,
    });
    numbers.collect()
}

/// The objects among the arguments.
fn objects(launch: &Launch) -> Vec<ObjectId> {
    let objects = launch.args.iter().filter_map(|arg| match arg {
        Arg::Object(id) => Some(*id),
        _ => None,
    });
    objects.collect()
}

/// What is wanted of objects, in the order of the looks.
fn wants(case: &KernelCase) -> Vec<(ObjectId, &Want)> {
    let looks = case.steps.iter().filter_map(|step| match step {
        Step::Look { object, want, .. } => Some((*object, want)),
        _ => None,
    });
    looks.collect()
}

/// The contents that are wanted of an object.
fn same<'c>(case: &'c KernelCase, object: ObjectId) -> &'c Same {
    let of = |(id, want): (ObjectId, &'c Want)| match want {
        Want::Same(same) if id == object => Some(same),
        _ => None,
    };
    wants(case).into_iter().find_map(of).expect("a look at it")
}

/// The bytes that are wanted of an object.
fn wanted(case: &KernelCase, object: ObjectId) -> Vec<u8> {
    let length = case.objects[object.index()].bytes;
    same(case, object).contents.bytes(length)
}

/// The words that are wanted of an object.
fn wanted_words(case: &KernelCase, object: ObjectId) -> Vec<u32> {
    assert_eq!(same(case, object).unit, Unit::Word);
    words(&wanted(case, object))
}

/// The first contents of an object.
fn first(case: &KernelCase, object: ObjectId) -> Vec<u8> {
    let object = &case.objects[object.index()];
    object.contents.bytes(object.bytes)
}

fn words(bytes: &[u8]) -> Vec<u32> {
    let words = bytes.chunks_exact(4);
    words
        .map(|word| u32::from_le_bytes(word.try_into().expect("four bytes")))
        .collect()
}

/// The number that stands in a text right behind these words.
fn number(text: &str, behind: &str) -> u64 {
    let at = text
        .find(behind)
        .unwrap_or_else(|| panic!("{behind} in {text}"));
    let digits = text[at + behind.len()..].trim_start();
    let end = digits.find(|c: char| !c.is_ascii_digit());
    let number = &digits[..end.unwrap_or(digits.len())];
    number
        .parse()
        .unwrap_or_else(|_| panic!("a number behind {behind} in {text}"))
}

/// What stands in a text between these words.
fn between<'t>(text: &'t str, before: &str, after: &str) -> &'t str {
    let (_, rest) = text
        .split_once(before)
        .unwrap_or_else(|| panic!("{before} in {text}"));
    rest.split_once(after)
        .unwrap_or_else(|| panic!("{after} in {rest}"))
        .0
}

/// Whether contents name more bytes than an object has.
fn too_long(contents: &Contents, bytes: usize) -> bool {
    let listed = match contents {
        Contents::Words(list) => 4 * list.len(),
        Contents::Longs(list) => 8 * list.len(),
        Contents::Bytes(list) => list.len(),
        Contents::Zero | Contents::Every(_) | Contents::Noise(_) | Contents::Count(_) => 0,
    };
    listed > bytes
}
