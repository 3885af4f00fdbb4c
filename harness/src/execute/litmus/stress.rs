//! Threads of the host that only disturb.
//!
//! Each goes through lines of an array of its own, which nothing else touches, so what it does
//! orders nothing and races with nothing: `on` and `stop` are read and written by relaxed atomics,
//! as they say only when, and the end of the threads is awaited by joining them.

use crate::environment::{HostStress, Pattern};
use std::hint::spin_loop;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// Words of a line.
const LINE: usize = 16;

/// How long a thread that has nothing to do rests.
const REST: Duration = Duration::from_micros(50);

/// The threads; dropping this ends them.
pub struct Stressors {
    on: Arc<AtomicBool>,
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Stressors {
    /// Starts the threads; they rest until told otherwise.
    pub fn start(how: &HostStress) -> Stressors {
        let on = Arc::new(AtomicBool::new(false));
        let stop = Arc::new(AtomicBool::new(false));
        let threads = (0..how.threads)
            .filter_map(|_| {
                let (on, stop, how) = (Arc::clone(&on), Arc::clone(&stop), how.clone());
                std::thread::Builder::new()
                    .name("stress".into())
                    .spawn(move || disturb(&how, &on, &stop))
                    .ok()
            })
            .collect();
        Stressors { on, stop, threads }
    }

    /// Threads that run; the system may have refused some.
    pub fn running(&self) -> usize {
        self.threads.len()
    }

    /// Whether they are to disturb now.
    pub fn set(&self, on: bool) {
        self.on.store(on, Ordering::Relaxed);
    }
}

impl Drop for Stressors {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            // It only reads and writes its own memory: it cannot have panicked.
            let _ = thread.join();
        }
    }
}

fn disturb(how: &HostStress, on: &AtomicBool, stop: &AtomicBool) {
    let lines = how.lines.max(1) as usize;
    let words: Vec<AtomicU32> = (0..lines * LINE).map(|_| AtomicU32::new(0)).collect();
    let mut pass = 0;
    while !stop.load(Ordering::Relaxed) {
        if !on.load(Ordering::Relaxed) {
            std::thread::sleep(REST);
            continue;
        }
        for word in words.iter().step_by(LINE) {
            let store = || word.store(pass, Ordering::Relaxed);
            let load = || std::hint::black_box(word.load(Ordering::Relaxed));
            match how.pattern {
                Pattern::StoreStore => {
                    store();
                    store();
                }
                Pattern::StoreLoad => {
                    store();
                    load();
                }
                Pattern::LoadStore => {
                    load();
                    store();
                }
                Pattern::LoadLoad => {
                    load();
                    load();
                }
            }
        }
        pass += 1;
        spin_loop();
    }
}
