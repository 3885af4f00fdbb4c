//! Asks one promise of an OpenCL library at a time, for the tests that show what each fault breaks.
//!
//! `probe LIBRARY NAME PATIENCE LIMIT` asks the probe NAME. What must not happen is waited for
//! PATIENCE milliseconds, what must happen for LIMIT. Exit code 0: the promise was kept; 1: it was
//! not, and a line on standard output says which; 3: the library could not be used; 4: nothing
//! came back within ten times LIMIT; 5: the device has not what the probe needs.

mod answers;
mod cl;
mod commands;
mod events;
mod many;
mod memory;
mod ranges;
mod sources;

use cl::{Cl, Outcome};
use std::time::Duration;

/// A probe that the device has not got the means for says this.
pub const LACKS: &str = "lacks";

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [library, name, patience, limit] = arguments.as_slice() else {
        eprintln!("usage: probe LIBRARY NAME PATIENCE LIMIT");
        end(3);
    };
    let time = |word: &str| Duration::from_millis(word.parse().unwrap_or(1000));
    let (patience, limit) = (time(patience), time(limit));
    std::thread::spawn(move || {
        std::thread::sleep(limit * 10);
        println!("wrong: nothing hangs");
        end(4);
    });
    let cl = match Cl::open(library, patience, limit) {
        Ok(cl) => cl,
        Err(message) => {
            println!("wrong: {message}");
            end(3);
        }
    };
    let code = match ask(&cl, name) {
        Ok(()) => 0,
        Err(message) if message == LACKS => 5,
        Err(message) => {
            println!("wrong: {message}");
            1
        }
    };
    end(code)
}

/// Ends the process, not through exit handlers: drivers keep threads.
pub fn end(code: i32) -> ! {
    use std::io::Write;
    let _ = std::io::stdout().flush();
    // SAFETY: ends the process; nothing of it is needed any more.
    unsafe { libc::_exit(code) }
}

fn ask(cl: &Cl, name: &str) -> Outcome {
    answers::ask(cl, name)
        .or_else(|| commands::ask(cl, name))
        .or_else(|| events::ask(cl, name))
        .or_else(|| many::ask(cl, name))
        .or_else(|| memory::ask(cl, name))
        .or_else(|| ranges::ask(cl, name))
        .or_else(|| sources::ask(cl, name))
        .unwrap_or_else(|| Err(format!("no probe '{name}'")))
}
