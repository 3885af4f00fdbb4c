//! Where the threads of a worker are: which call of the API each is in, and with which objects.
//!
//! A worker that hangs or dies cannot say so any more. So it notes each call, before it makes it and after, in a page
//! of memory that it shares with its parent: a file. The parent reads it when the worker is dead. Each thread that
//! plays steps has a cell of its own; the names of a program's objects stand behind the cells, and what commands were
//! pending when a call had not returned for long. The parent looks only when nobody writes any more, and a worker
//! without a page notes nothing.

use crate::sys;
use classay_suites::host::{Call, Function, HostProgram, Mark, Op, Slot, SlotKind, Value};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Notes the number of the first call of what is played, where the case goes on behind a call that ends the process.
/// Marks number the calls from it on.
pub fn begins(first: Option<usize>) {
    if let Some(page) = page() {
        let first = first.map_or(0, |first| first as u32 + 1);
        page.words[FIRST].store(first, Ordering::Relaxed);
    }
}

/// What a process left of a case whose calls must be refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Left {
    /// The first call of what it played, of which nothing is known.
    pub from: u32,
    /// The call that ended it.
    pub without: u32,
}

/// Threads and callbacks that are noted at the same time; more are not.
const CELLS: usize = 64;

/// 32-bit words of a cell: taken or not, the function and one more, whether it is a callback, the run, milliseconds
/// from the worker's beginning, the mark of its step and one more, and slots and one more.
const WORDS: usize = 16;
const TAKEN: usize = 0;
const FUNCTION: usize = 1;
const IN_CALLBACK: usize = 2;
const RUN: usize = 3;
const SINCE: usize = 4;
const MARK: usize = 5;
const SLOTS: usize = 6;

/// Where the number stands of the first call of what is played in a case that goes on behind calls that end the
/// process, and one more.
const FIRST: usize = CELLS * WORDS;

/// Where the mark stands of a call that was let through and must be refused, and one more.
const THROUGH: usize = FIRST + 1;

/// Where what is pending begins, and the names; each is a length and bytes. In words.
const PENDING: usize = THROUGH + 1;
const NAMES: usize = PENDING + 1024;
const ALL: usize = NAMES + 15 * 1024;

/// The page of this process.
#[derive(Clone, Copy)]
pub struct Page {
    words: &'static [AtomicU32],
    begun: Instant,
}

/// The page that the parent named; none where it named none.
pub fn page() -> Option<Page> {
    static PAGE: OnceLock<Option<Page>> = OnceLock::new();
    *PAGE.get_or_init(|| {
        let path = std::env::var_os(super::variables::WHEREABOUTS)?;
        let file = File::options().read(true).write(true).open(&path).ok()?;
        // Its parent has it open, too. So none stays where both are killed.
        let _ = std::fs::remove_file(path);
        Some(Page {
            words: sys::shared_words(&file, ALL)?,
            begun: Instant::now(),
        })
    })
}

impl Page {
    fn milliseconds(self) -> u32 {
        self.begun.elapsed().as_millis() as u32
    }

    /// Writes a text at a place, as much as there is room for.
    fn text(self, at: usize, end: usize, text: &str) {
        let bytes = &text.as_bytes()[..text.len().min(4 * (end - at - 1))];
        for (word, four) in self.words[at + 1..end].iter().zip(bytes.chunks(4)) {
            let mut all = [0; 4];
            all[..four.len()].copy_from_slice(four);
            word.store(u32::from_ne_bytes(all), Ordering::Relaxed);
        }
        self.words[at].store(bytes.len() as u32, Ordering::Relaxed);
    }

    /// Notes the names of a program's slots.
    pub fn names(self, program: &HostProgram) {
        self.text(NAMES, ALL, &names(program).join("\n"));
        self.text(PENDING, NAMES, "");
        self.words[FIRST].store(0, Ordering::Relaxed);
        self.words[THROUGH].store(0, Ordering::Relaxed);
    }

    /// Notes commands that are pending.
    pub fn pending(self, what: &str) {
        self.text(PENDING, NAMES, what);
    }

    /// The run that all calls belong to which are being made, where there are some and none has been for less long.
    pub fn stuck(self, for_so_long: Duration) -> Option<u32> {
        let now = self.milliseconds();
        let mut run = None;
        for cell in self.words[..FIRST].chunks(WORDS) {
            if cell[FUNCTION].load(Ordering::Relaxed) == 0 {
                continue;
            }
            let since = now.saturating_sub(cell[SINCE].load(Ordering::Relaxed));
            if u128::from(since) < for_so_long.as_millis() {
                return None;
            }
            run = Some(cell[RUN].load(Ordering::Relaxed));
        }
        run
    }
}

/// A thread's cell; given back when it is dropped.
pub struct Cell(Option<(Page, &'static [AtomicU32])>);

impl Cell {
    /// A cell for a thread that plays this run, or a callback of it.
    pub fn take(run: u64, in_callback: bool) -> Cell {
        let found = page().and_then(|page| {
            let mut cells = page.words[..FIRST].chunks(WORDS);
            let free = |cell: &&[AtomicU32]| {
                let taken = cell[TAKEN].compare_exchange(0, 1, Ordering::AcqRel, Ordering::Relaxed);
                taken.is_ok()
            };
            Some((page, cells.find(free)?))
        });
        if let Some((_, cell)) = found {
            cell[RUN].store(run as u32, Ordering::Relaxed);
            cell[IN_CALLBACK].store(u32::from(in_callback), Ordering::Relaxed);
        }
        Cell(found)
    }

    /// A step begins, with or without a mark.
    pub fn step(&self, mark: Option<Mark>) {
        if let Some((_, cell)) = self.0 {
            let mark = mark.map_or(0, |mark| u32::from(mark.0) + 1);
            cell[MARK].store(mark, Ordering::Relaxed);
        }
    }

    /// The call of a step was let through and must be refused: what ends the process now is its work.
    pub fn let_through(&self, mark: Mark) {
        if let Some((page, _)) = self.0 {
            page.words[THROUGH].store(u32::from(mark.0) + 1, Ordering::Relaxed);
        }
    }

    /// A call begins.
    pub fn begins(&self, call: &Call) {
        let Some((page, cell)) = self.0 else {
            return;
        };
        let mut next = cell[SLOTS..].iter();
        call.each(&mut |value| {
            if let Value::Slot(slot) | Value::Take(slot) | Value::Into(slot) = value
                && let Some(word) = next.next()
            {
                word.store(u32::from(slot.0) + 1, Ordering::Relaxed);
            }
        });
        next.for_each(|word| word.store(0, Ordering::Relaxed));
        cell[SINCE].store(page.milliseconds(), Ordering::Relaxed);
        cell[FUNCTION].store(call.function as u32 + 1, Ordering::Relaxed);
    }

    /// It has returned.
    pub fn ends(&self) {
        if let Some((_, cell)) = self.0 {
            cell[FUNCTION].store(0, Ordering::Relaxed);
        }
    }
}

impl Drop for Cell {
    fn drop(&mut self) {
        if let Some((_, cell)) = self.0 {
            cell[TAKEN].store(0, Ordering::Release);
        }
    }
}

/// A call that a worker was in when it died.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Doing {
    /// The function.
    pub function: Function,
    /// The names of its objects, of events with what they are events of.
    pub objects: Vec<String>,
    /// A callback made it.
    pub in_callback: bool,
}

impl std::fmt::Display for Doing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let callback = if self.in_callback {
            " in a callback"
        } else {
            ""
        };
        write!(f, "{}", self.function)?;
        if !self.objects.is_empty() {
            write!(f, " of {}", self.objects.join(", "))?;
        }
        write!(f, "{callback}")
    }
}

/// What a worker was doing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Whereabouts {
    /// The calls that it was in.
    pub calls: Vec<Doing>,
    /// The commands that were pending when these had not returned for long; empty where it was not so long.
    pub pending: String,
    /// What is left of the case, where that goes on.
    pub left: Option<Left>,
}

/// The file of a worker's page, as its parent has it. The worker removes it when it has opened it; dropping it does, too,
/// for a worker that never did.
#[derive(Debug)]
pub struct Kept {
    path: PathBuf,
    file: File,
}

impl Kept {
    /// A page for one more worker; none where no file can be made, and then nothing is known of its calls.
    pub fn new() -> Option<Kept> {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("classay-worker-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let mut options = File::options();
        let file = options
            .read(true)
            .write(true)
            .create_new(true)
            .open(&path)
            .ok()?;
        let kept = Kept { path, file };
        kept.file.set_len(4 * ALL as u64).ok()?;
        Some(kept)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the worker was doing, which is dead.
    pub fn read(&self) -> Whereabouts {
        let mut bytes = vec![0; 4 * ALL];
        match self.file.read_exact_at(&mut bytes, 0) {
            Ok(()) => read(&bytes),
            Err(_) => Whereabouts::default(),
        }
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        // A file that stays in the folder for such files does no harm.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// What a page says.
fn read(bytes: &[u8]) -> Whereabouts {
    let word = |at: usize| {
        let four = bytes.get(4 * at..).and_then(|rest| rest.first_chunk());
        four.map_or(0, |four| u32::from_ne_bytes(*four))
    };
    let text = |at: usize| {
        let begin = 4 * (at + 1);
        let all = bytes
            .get(begin..begin + word(at) as usize)
            .unwrap_or_default();
        String::from_utf8_lossy(all).into_owned()
    };
    let names = text(NAMES);
    let names: Vec<&str> = names.lines().collect();
    let first = word(FIRST).checked_sub(1);
    let mut mark = None;
    let mut calls = Vec::new();
    for cell in (0..CELLS).map(|n| n * WORDS) {
        let function = word(cell + FUNCTION).checked_sub(1);
        let Some(function) = function.and_then(|n| Function::ALL.get(n as usize)) else {
            continue;
        };
        mark = mark.or(word(cell + MARK).checked_sub(1));
        let slots = (SLOTS..WORDS).map_while(|n| word(cell + n).checked_sub(1));
        let name = |slot: u32| names.get(slot as usize).map(|name| (*name).to_string());
        calls.push(Doing {
            function: *function,
            objects: slots.filter_map(name).collect(),
            in_callback: word(cell + IN_CALLBACK) != 0,
        });
    }
    let mark = mark.or(word(THROUGH).checked_sub(1));
    Whereabouts {
        calls,
        pending: text(PENDING),
        left: first.zip(mark).map(|(from, mark)| Left {
            from,
            without: from.saturating_add(mark),
        }),
    }
}

/// The names of a program's slots, of events with what they are events of.
fn names(program: &HostProgram) -> Vec<String> {
    let mut names: Vec<String> = program.slots.iter().map(|info| info.name.clone()).collect();
    let mut told = BTreeSet::new();
    program.steps(&mut |step| {
        if let Op::Call(call) = &step.op
            && let Some(Value::Into(slot)) = call.arguments.last()
            && let Some(name) = names.get_mut(slot.index())
            && told.insert(*slot)
        {
            name.push_str(&format!(" ({})", call.function));
        }
    });
    names
}

/// The slots of a program that hold events, with their names.
pub fn events(program: &HostProgram) -> Vec<(Slot, String)> {
    let slots = (0..).map(Slot).zip(names(program)).zip(&program.slots);
    let events = slots.filter(|(_, info)| info.kind == SlotKind::Event);
    events.map(|(named, _)| named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use classay_suites::host::{Builder, Step};

    /// A page that no other process has.
    fn own_page() -> Page {
        let words: Vec<AtomicU32> = (0..ALL).map(|_| AtomicU32::new(0)).collect();
        Page {
            words: Vec::leak(words),
            begun: Instant::now(),
        }
    }

    fn bytes(page: Page) -> Vec<u8> {
        let words = page.words.iter();
        words
            .flat_map(|word| word.load(Ordering::Relaxed).to_ne_bytes())
            .collect()
    }

    #[test]
    fn a_call_is_told_with_its_objects_until_it_returns() {
        let mut b = Builder::default();
        let queue = b.slot("queue_0", SlotKind::Queue);
        let event = b.slot("event_0", SlotKind::Event);
        let marker = Call::enqueue(
            Function::EnqueueMarkerWithWaitList,
            queue,
            [],
            &[],
            Some(event),
        );
        b.begin(Step::from(marker));
        let program = b.finish();
        let page = own_page();
        page.names(&program);
        let cell = Cell(Some((page, &page.words[..WORDS])));
        page.words[FIRST].store(8, Ordering::Relaxed);
        cell.step(Some(Mark(2)));
        cell.begins(&Call::wait(&[event]));
        page.pending("event_0 is queued");
        let told = read(&bytes(page));
        assert_eq!(told.pending, "event_0 is queued");
        let left = Left {
            from: 7,
            without: 9,
        };
        assert_eq!(told.left, Some(left));
        let [doing] = &told.calls[..] else {
            panic!("{told:?}");
        };
        assert_eq!(
            doing.to_string(),
            "clWaitForEvents of event_0 (clEnqueueMarkerWithWaitList)"
        );
        assert_eq!(page.stuck(Duration::ZERO), Some(0));
        assert_eq!(page.stuck(Duration::from_secs(60)), None);
        cell.step(None);
        cell.begins(&Call::of(Function::Finish, queue));
        let told = read(&bytes(page));
        assert_eq!(told.calls[0].to_string(), "clFinish of queue_0");
        assert_eq!(told.left, None);
        // One that was let through before.
        cell.let_through(Mark(1));
        let left = Left {
            from: 7,
            without: 8,
        };
        assert_eq!(read(&bytes(page)).left, Some(left));
        cell.ends();
        assert_eq!(read(&bytes(page)).calls, []);
        assert_eq!(page.stuck(Duration::ZERO), None);
    }

    #[test]
    fn a_page_of_rubbish_says_little() {
        assert_eq!(read(&[]), Whereabouts::default());
        let told = read(&vec![0xff; 4 * ALL]);
        assert_eq!(told.calls, []);
    }
}
