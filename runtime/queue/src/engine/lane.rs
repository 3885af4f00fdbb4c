//! Lanes: jobs done one after another on a thread of their own.
//!
//! Notices to the application go through a lane, so that a callback, however long it takes
//! and whatever it waits for, holds up other callbacks of the same lane and no command.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::sync::{self, Condvar, Mutex};

type Job = Box<dyn FnOnce() + Send>;

struct Inner {
    jobs: VecDeque<Job>,
    has_thread: bool,
    sleeping: bool,
    closed: bool,
}

/// A line of jobs with a thread, which starts with the first job.
pub struct Lane {
    name: &'static str,
    inner: Mutex<Inner>,
    news: Condvar,
}

impl Lane {
    /// A lane without jobs.
    pub fn new(name: &'static str) -> Arc<Self> {
        Arc::new(Self {
            name,
            inner: Mutex::new(Inner {
                jobs: VecDeque::new(),
                has_thread: false,
                sleeping: false,
                closed: false,
            }),
            news: Condvar::new(),
        })
    }

    /// Has a job done after all that were posted before. True if the caller is to call
    /// [`Lane::start`], once it holds no lock.
    #[must_use]
    pub fn post(&self, job: impl FnOnce() + Send + 'static) -> bool {
        let mut inner = self.inner.lock();
        inner.jobs.push_back(Box::new(job));
        if inner.sleeping {
            self.news.notify_one();
        }
        !std::mem::replace(&mut inner.has_thread, true)
    }

    /// Starts the thread. Where the system has none left, what was posted is done here and
    /// now.
    pub fn start(self: &Arc<Self>) {
        let lane = Arc::clone(self);
        if !sync::spawn(self.name, move || lane.serve(true)) {
            self.serve(false);
        }
    }

    /// Blocks until every job posted so far is done: for a fault.
    pub(super) fn drain(&self) {
        let mut inner = self.inner.lock();
        while inner.has_thread && !(inner.sleeping && inner.jobs.is_empty()) {
            drop(inner);
            sync::pause();
            inner = self.inner.lock();
        }
    }

    /// Lets the thread end when it has done what was posted. A job that is posted later
    /// starts another.
    pub fn close(&self) {
        self.inner.lock().closed = true;
        self.news.notify_all();
    }

    /// Does the jobs; waits for more if `stays`.
    fn serve(&self, stays: bool) {
        let mut inner = self.inner.lock();
        loop {
            if let Some(job) = inner.jobs.pop_front() {
                drop(inner);
                job();
                inner = self.inner.lock();
            } else if inner.closed || !stays {
                inner.has_thread = false;
                return;
            } else {
                inner.sleeping = true;
                self.news.wait(&mut inner);
                inner.sleeping = false;
            }
        }
    }
}
