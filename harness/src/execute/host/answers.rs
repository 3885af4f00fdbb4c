//! What objects are asked, and what they say.

use super::api::room;
use super::arguments::Arguments;
use super::run::{Observed, Run};
use classay_suites::host::answers::{LONGEST, Question, Said, Wanted, bytes_of};
use classay_suites::host::{Class, Slot, Value};

/// Bytes behind the room for an answer, and what is in them before.
const BEYOND: usize = 16;
const FILLED: u8 = 0xa5;

/// Asks how long an answer is, then for it, then for it with a byte of room too few, then with more room than it needs.
/// None where the run or the device
/// is none to ask, or an object is not there.
pub fn ask(run: &Run, got: &Observed, question: &Question) -> Option<Said> {
    let version = run.setting.device.version;
    let known = 100 * version.0 + 10 * version.1;
    let is_due = question.is_due(run.number_in_tokens);
    if !is_due
        || u32::from(question.since) > known
        || !question.needed().iter().all(|slot| run.load(*slot) != 0)
    {
        return None;
    }
    let wanted = wanted(run, got, &question.wanted)?;
    let arguments = Arguments::of_values(run, got, &question.of).ok()?;
    let call = |bytes: u64, value: u64, length: u64| {
        let words = [arguments.words(), &[bytes, value, length]].concat();
        // SAFETY: the objects are alive in a valid program, and there is as much room as is said.
        let gave = unsafe { run.setting.api.call(question.function, &words) };
        gave.map(|gave| gave.code)
    };
    let mut length = [0_u64];
    let mut said = Said {
        sized: call(0, 0, room(&mut length))?,
        wanted,
        ..Said::default()
    };
    said.size = length[0];
    let asks = !matches!(question.wanted, Wanted::Length(_) | Wanted::Refused(_));
    if said.sized == 0 && said.size > 0 && asks && said.size <= LONGEST {
        let bytes = said.size as usize;
        let mut all = vec![FILLED; bytes + BEYOND];
        let mut length = [0_u64];
        said.code = call(said.size, room(&mut all), room(&mut length));
        said.length = length[0];
        said.is_beyond = all[bytes..].iter().any(|byte| *byte != FILLED);
        said.bytes = all;
        said.bytes.truncate(bytes);
        let mut short = vec![FILLED; bytes];
        said.short = call(said.size - 1, room(&mut short), 0);
        let mut more = vec![FILLED; bytes + BEYOND];
        let mut length = [0_u64];
        said.roomy = call(more.len() as u64, room(&mut more), room(&mut length));
        said.roomy_length = length[0];
    }
    Some(said)
}

/// The bytes that are wanted, where these are values of the run.
fn wanted(run: &Run, got: &Observed, wanted: &Wanted) -> Option<Vec<u8>> {
    let objects = |slots: &[Slot]| -> Vec<(Class, Value)> {
        slots
            .iter()
            .map(|slot| (Class::Object, Value::Slot(*slot)))
            .collect()
    };
    let values = match wanted {
        Wanted::Values(values) => values.clone(),
        Wanted::Objects(slots) => objects(slots),
        Wanted::Text(_)
        | Wanted::Begins(_)
        | Wanted::Named(_)
        | Wanted::Versions(_)
        | Wanted::Drawn(_)
        | Wanted::Parts(_)
        | Wanted::Names(_)
        | Wanted::Number(..)
        | Wanted::Bits(..)
        | Wanted::Length(_)
        | Wanted::Refused(_) => return Some(Vec::new()),
    };
    let each: Vec<Value> = values.iter().map(|(_, value)| value.clone()).collect();
    let arguments = Arguments::of_values(run, got, &each).ok()?;
    let words = values.iter().zip(arguments.words());
    let bytes =
        words.flat_map(|((class, _), word)| word.to_ne_bytes()[..bytes_of(*class)].to_vec());
    Some(bytes.collect())
}
