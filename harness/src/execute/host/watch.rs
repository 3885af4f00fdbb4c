//! A thread that looks at calls which do not return, and notes which commands are pending then.

use super::api::room;
use super::run::{self, Run};
use crate::activity;
use crate::worker::whereabouts::{Page, events, page};
use classay_suites::host::constant::cl;
use classay_suites::host::{Constant, Function, HostProgram};
use std::sync::Once;
use std::time::Duration;

/// How long a call has not returned before that is looked at, while nobody in the process is at work: events are asked
/// for their status, and nobody gives one up meanwhile who waits for so long.
const LONG: Duration = Duration::from_secs(3);

/// How often it is looked.
const LOOK: Duration = Duration::from_secs(1);

/// Commands that are named.
const NAMED: usize = 6;

/// Notes the names of a program's objects, and looks from now on.
pub fn over(program: &HostProgram) {
    static ONCE: Once = Once::new();
    let Some(page) = page() else {
        return;
    };
    page.names(program);
    ONCE.call_once(|| {
        std::thread::spawn(move || watch(page));
    });
}

fn watch(page: Page) {
    let mut told = None;
    loop {
        std::thread::sleep(LOOK);
        let stuck = page.stuck(LONG).filter(|_| !activity::others_are_at_work());
        if stuck.is_some() && stuck != told {
            let run = stuck.and_then(|number| run::find(u64::from(number)));
            if let Some(run) = run {
                page.pending(&pending(&run));
            }
        }
        told = stuck;
    }
}

/// The commands of a run that are pending, in words.
fn pending(run: &Run) -> String {
    let mut all = Vec::new();
    for (slot, name) in events(&run.setting.program) {
        let event = run.load(slot);
        if event == 0 {
            continue;
        }
        let mut status = [0_i32];
        let what = cl::CL_EVENT_COMMAND_EXECUTION_STATUS.value() as u64;
        let words = [event as u64, what, 4, room(&mut status), 0];
        // SAFETY: the event is alive, for nobody gives it up while all wait; the answer has four bytes.
        let asked = unsafe { run.setting.api.must(Function::GetEventInfo, &words) };
        let names: [Constant; 3] = [cl::CL_RUNNING, cl::CL_SUBMITTED, cl::CL_QUEUED];
        let name_of = names
            .iter()
            .find(|name| name.value() == i64::from(status[0]));
        if let (Ok(_), Some(is)) = (asked, name_of) {
            all.push(format!("{name} is {}", is.name()));
        }
    }
    let more = all.len().saturating_sub(NAMED);
    all.truncate(NAMED);
    if more > 0 {
        all.push(format!("{more} more are not complete"));
    }
    all.join(", ")
}
