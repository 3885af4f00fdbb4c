//! Several draws of a family in one case: making a context, a queue and a program takes longer than what small kernels
//! do, and what they compute is the same each time.

use super::computed::MANY_GROUPS;
use crate::choices::Choices;
use crate::host::Place;
use crate::kernels::case::{Arg, KernelCase, Kind, ObjectId, Range, Step, Want};

/// Work-items, over all launches of a kernel, behind which any implementation has made of it what it makes of kernels that
/// are used much: some interpret a kernel at first, or compile it quickly and, later, well.
const MUCH: u64 = 20_000;

/// Work-items of a launch that is worth repeating: of fewer it would take too many.
const WORTH: u64 = 16;

/// How often a launch is enqueued that is to be done often.
pub(super) fn times(range: &Range) -> u32 {
    match range.items() {
        items @ WORTH.. => (MUCH / items).max(1) as u32,
        _ => 1,
    }
}

/// Numbers that the last groups of a launch are about, at times: the first few may run in another way.
pub(super) struct Lines {
    pub(super) range: Range,
    /// Work-items before the first of them.
    before: u64,
}

impl Lines {
    /// Work-items of a line for so many numbers, in groups of `local` where no others come before them.
    pub(super) fn drawn(choices: &mut Choices, numbers: u64, local: u64) -> Lines {
        if !choices.percent(30) {
            return Lines {
                range: Range::line(numbers, local),
                before: 0,
            };
        }
        let before = ROW * (MANY_GROUPS - 1) + choices.below(ROW as usize) as u64;
        Lines {
            range: Range::line((before + numbers).next_multiple_of(ROW), ROW),
            before,
        }
    }

    /// The number that a work-item is about; of those before the first one, and of those behind the last one, a number
    /// that there is not.
    pub(super) fn place(&self) -> String {
        match self.before {
            0 => "get_global_id(0)".into(),
            before => format!("get_global_id(0) - {before}u"),
        }
    }
}

/// Work-items of a group that implementations run at once.
const ROW: u64 = 16;

/// The case, at times with each of its launches done often: the kernels must leave the same each time.
pub(super) fn often(choices: &mut Choices, mut case: KernelCase) -> KernelCase {
    if choices.percent(40) {
        for step in &mut case.steps {
            if let Step::Launch(launch) = step {
                launch.times = times(&launch.range);
            }
        }
    }
    case
}

/// So many draws of a family at most are one case.
const MOST: usize = 4;

/// A case of several draws. Those that need something of a device which the first one does not need are left out: the
/// case is skipped no more often than the first would be.
pub(super) fn several(
    choices: &mut Choices,
    draw: impl Fn(&mut Choices) -> KernelCase,
) -> KernelCase {
    let count = choices.between(1, MOST);
    let mut all = draw(choices);
    for n in 1..count {
        let Some(more) = choices.part(&draw) else {
            continue;
        };
        if more.needs.is_subset(&all.needs) && joins(&more) {
            append(&mut all, more, n);
        }
    }
    all
}

/// Whether a case only builds one source, launches, and looks: of everything else it is not known here which objects it
/// names.
fn joins(case: &KernelCase) -> bool {
    let plain = case.steps.iter().all(|step| match step {
        Step::Launch(launch) => launch.after.is_empty(),
        Step::Look { want, .. } => !matches!(want, Want::Pointers(_) | Want::SubGroups { .. }),
        _ => false,
    });
    let others = [
        case.units.is_empty(),
        case.module.is_empty(),
        case.built_in.is_empty(),
    ];
    let one_source = others == [true; 3] && !case.translated;
    plain && one_source && case.quit.is_none() && case.device_queues.is_empty()
}

/// Adds what a case that joins does to another, with names of its own.
fn append(all: &mut KernelCase, mut more: KernelCase, n: usize) {
    let names = defined(&more.source);
    let renamed = |text: &str| {
        names.iter().fold(text.to_owned(), |text, name| {
            replace_word(&text, name, &format!("{name}_{n}"))
        })
    };
    all.source += "\n";
    all.source += &renamed(&more.source);
    let first = all.objects.len() as u16;
    let moved = |id: ObjectId| ObjectId(id.0 + first);
    for object in &mut more.objects {
        if let Kind::SubBuffer { of, .. } = &mut object.kind {
            *of = moved(*of);
        }
    }
    all.objects.append(&mut more.objects);
    for step in more.steps {
        let step = match step {
            Step::Launch(mut launch) => {
                launch.kernel = renamed(&launch.kernel);
                for arg in &mut launch.args {
                    match arg {
                        Arg::Object(id) => *id = moved(*id),
                        Arg::Pointer(Place { object, .. }) => *object = moved(*object),
                        Arg::Queue(_)
                        | Arg::Sampler(_)
                        | Arg::Local(_)
                        | Arg::Bytes(_)
                        | Arg::Uint(_)
                        | Arg::Ulong(_) => {}
                    }
                }
                launch.reaches = launch.reaches.into_iter().map(moved).collect();
                Step::Launch(launch)
            }
            Step::Look {
                object,
                rules,
                name,
                want,
                even_so,
            } => Step::Look {
                object: moved(object),
                rules,
                name,
                want,
                even_so,
            },
            other => other,
        };
        all.steps.push(step);
    }
}

/// The names that a source defines at program scope: kernels, functions, types and macros.
fn defined(source: &str) -> Vec<String> {
    let mut names = Vec::new();
    for line in source.lines() {
        let before = |end: &str| line.split_once(end).map(|(head, _)| head);
        let named = if let Some(macro_line) = line.strip_prefix("#define ") {
            macro_line.split(|c| !is_word(c)).next()
        } else if line.starts_with("typedef ") {
            before(";").and_then(last_word)
        } else if line.starts_with("kernel ") || line.starts_with("static ") {
            before("(").and_then(last_word)
        } else {
            None
        };
        let named = named.filter(|name| !name.is_empty()).map(str::to_owned);
        names.extend(named.filter(|name| !names.contains(name)));
    }
    names
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn last_word(text: &str) -> Option<&str> {
    text.split(|c| !is_word(c)).rfind(|word| !word.is_empty())
}

/// The text with another word in the place of a word.
fn replace_word(text: &str, word: &str, by: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(word) {
        let (before, from) = rest.split_at(at);
        let after = &from[word.len()..];
        let whole = !out.ends_with(is_word) || !before.is_empty();
        let begins = !before.ends_with(is_word) && whole;
        let ends = !after.starts_with(is_word);
        out += before;
        out += if begins && ends { by } else { word };
        rest = after;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_whole_words_of_what_a_source_defines() {
        let source = "#define LIMIT ((T)3)\ntypedef uint T;\nstatic T half_of(T v) {\nkernel void put(global T *to) {\n";
        assert_eq!(defined(source), ["LIMIT", "T", "half_of", "put"]);
        assert_eq!(
            replace_word("T T1 (T)aT TT T", "T", "T_2"),
            "T_2 T1 (T_2)aT TT T_2"
        );
    }

    #[test]
    fn draws_that_are_joined_keep_their_objects_and_names_apart() {
        let mut joined = 0;
        for seed in 0..40 {
            let case = several(
                &mut Choices::new(seed),
                crate::kernels::generate::vectors::vectors,
            );
            crate::kernels::valid::valid(&case).expect("it keeps to its objects");
            let kernels: Vec<&str> = case
                .launches()
                .map(|(_, launch)| launch.kernel.as_str())
                .collect();
            for (n, kernel) in kernels.iter().enumerate() {
                assert!(!kernels[..n].contains(kernel), "{kernels:?}");
                assert_eq!(case.source.matches(&format!("void {kernel}(")).count(), 1);
            }
            joined += usize::from(kernels.len() > 1);
        }
        assert!(joined > 10);
    }
}
