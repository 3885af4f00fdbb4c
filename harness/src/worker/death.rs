//! How a worker ended, in words.

use super::whereabouts::{Doing, Whereabouts};
use classay_reports::record::{Evidence, EvidenceKind, Verdict, Violation};
use classay_suites::host::Function;
use classay_suites::rule::{self, RuleId};
use std::process::ExitStatus;
use std::time::Duration;

/// What a worker did instead of answering.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum How {
    /// A signal ended it.
    #[error("the worker was killed by {}", signal_name(*.0))]
    Signal(i32),
    /// It exited with this code.
    #[error("the worker exited with code {0} in the middle of it")]
    Exit(i32),
    /// It wrote something that is no answer.
    #[error("the worker wrote rubbish: {0}")]
    Rubbish(String),
    /// It did not answer for this long.
    #[error("no sign of life for {} s; the worker was killed", tenths(*.0))]
    Silent(Duration),
    /// It went on for this long past the case's budget.
    #[error("still running {} s past its time budget; the worker was killed", tenths(*.0))]
    Overrun(Duration),
    /// The run that it was a part of ended.
    #[error("the time of the run was up")]
    TimeIsUp,
    /// It could not be started.
    #[error("no worker could be started: {0}")]
    NotStarted(String),
}

/// A worker's end, with what it last wrote to standard error, and what it was doing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Death {
    /// How.
    pub how: How,
    /// The end of its standard error.
    pub stderr: String,
    /// The calls that it was in.
    pub whereabouts: Whereabouts,
}

impl Default for How {
    fn default() -> How {
        How::Rubbish("nothing is known of it".into())
    }
}

impl How {
    /// From the process's status.
    pub fn from_status(status: ExitStatus) -> How {
        use std::os::unix::process::ExitStatusExt;
        match (status.signal(), status.code()) {
            (Some(signal), _) => How::Signal(signal),
            (None, Some(code)) => How::Exit(code),
            (None, None) => How::Rubbish("ended in a way the system does not describe".into()),
        }
    }

    /// The verdict of a case that ended so.
    pub fn verdict(&self) -> Verdict {
        match self {
            How::Silent(_) | How::Overrun(_) | How::TimeIsUp => Verdict::Timeout,
            How::Signal(_) | How::Exit(_) | How::Rubbish(_) | How::NotStarted(_) => Verdict::Crash,
        }
    }

    /// What a table counts by: the same for two ends of one kind.
    pub fn kind(&self) -> String {
        match self {
            How::Signal(signal) => signal_name(*signal),
            How::Exit(code) => format!("exit code {code}"),
            How::Rubbish(_) => "rubbish".into(),
            How::Silent(_) | How::Overrun(_) | How::TimeIsUp => "timeout".into(),
            How::NotStarted(_) => "not started".into(),
        }
    }
}

impl Death {
    /// How it ended, and in which calls: one sentence.
    pub fn told(&self) -> String {
        match self.doing() {
            Some(doing) => format!("{}: {doing}", self.how),
            None => self.how.to_string(),
        }
    }

    /// What it was doing; none where it was in no call.
    fn doing(&self) -> Option<String> {
        let Whereabouts { calls, pending, .. } = &self.whereabouts;
        let mut each: Vec<String> = calls.iter().map(ToString::to_string).collect();
        each.dedup();
        let hangs = self.how.verdict() == Verdict::Timeout;
        let verb = if hangs {
            "did not return"
        } else {
            "was being called"
        };
        let pending = match pending.as_str() {
            "" => String::new(),
            pending => format!(", while {pending}"),
        };
        (!each.is_empty()).then(|| format!("{} {verb}{pending}", each.join(" and ")))
    }

    /// The rules that it breaks not to come back from these calls, or to end in them, the likeliest first: a kernel that
    /// does not end breaks those that it is `about`.
    pub fn violation(&self, about: &[RuleId]) -> Option<Violation> {
        let (doing, hangs) = (self.doing()?, self.how.verdict() == Verdict::Timeout);
        let called_back = self.whereabouts.calls.iter().any(|call| call.in_callback);
        let mut rules: Vec<RuleId> = match hangs && !called_back {
            true => about.to_vec(),
            false => Vec::new(),
        };
        for call in &self.whereabouts.calls {
            let own = if hangs { hung_in(call) } else { died_in(call) };
            rules.extend(
                own.iter()
                    .filter(|rule| !rules.contains(rule))
                    .copied()
                    .collect::<Vec<_>>(),
            );
        }
        Some(Violation { rules, what: doing })
    }

    /// What to keep with the case.
    pub fn evidence(&self) -> Vec<Evidence> {
        let mut evidence = vec![Evidence {
            kind: EvidenceKind::Death,
            text: self.told(),
        }];
        if !self.stderr.trim().is_empty() {
            evidence.push(Evidence {
                kind: EvidenceKind::Stderr,
                text: self.stderr.clone(),
            });
        }
        evidence
    }

    /// The last line of standard error that says something, for a message; empty if there is none.
    pub fn last_words(&self) -> String {
        let mut lines = self.stderr.lines().rev().map(str::trim);
        lines
            .find(|line| !line.is_empty())
            .map_or(String::new(), |line| {
                let line: String = line.chars().take(200).collect();
                format!(" Its last words: {line}")
            })
    }
}

/// The rules by which a call returns.
fn hung_in(call: &Doing) -> &'static [RuleId] {
    use Function::*;
    if call.in_callback {
        return &[rule::STATE_CALLBACKS, rule::QUEUE_THREADS];
    }
    match call.function {
        Finish => &[
            rule::STATE_FLUSH,
            rule::FAIL_USER_EVENT,
            rule::QUEUE_INDEPENDENT,
            rule::SP_FINISH,
        ],
        WaitForEvents => &[
            rule::STATE_FLUSH,
            rule::FAIL_USER_EVENT,
            rule::QUEUE_CROSS_EVENT,
            rule::SP_HOST_WAIT,
        ],
        EnqueueReadBuffer
        | EnqueueReadBufferRect
        | EnqueueReadImage
        | EnqueueWriteBuffer
        | EnqueueWriteBufferRect
        | EnqueueWriteImage
        | EnqueueMapBuffer
        | EnqueueMapImage
        | EnqueueSVMMemcpy
        | EnqueueSVMMap => &[
            rule::QUEUE_BLOCKING,
            rule::QUEUE_NON_BLOCKING,
            rule::STATE_FLUSH,
            rule::FAIL_NEGATIVE,
        ],
        ReleaseCommandQueue | ReleaseEvent | ReleaseMemObject | ReleaseKernel | ReleaseProgram
        | ReleaseContext | ReleaseSampler => &[rule::QUEUE_RELEASE, rule::API_LIFETIME],
        SetUserEventStatus => &[rule::FAIL_USER_EVENT, rule::QUEUE_THREADS],
        function if function.name().starts_with("clEnqueue") => {
            &[rule::QUEUE_NON_BLOCKING, rule::QUEUE_THREADS]
        }
        _ => &[rule::API_VALID, rule::QUEUE_THREADS],
    }
}

/// The rules by which a process lives on in a call: what calls use lives as long as something needs it.
fn died_in(call: &Doing) -> &'static [RuleId] {
    let gives_up = call.function.name().starts_with("clRelease");
    match gives_up || call.in_callback {
        true => &[rule::API_LIFETIME, rule::QUEUE_RELEASE, rule::API_VALID],
        false => &[rule::API_VALID, rule::API_ERRORS, rule::API_LIFETIME],
    }
}

/// `SIGSEGV` for 11 where the system says so.
pub fn signal_name(signal: i32) -> String {
    macro_rules! named {
        ($($name:ident)*) => {
            match signal {
                $(libc::$name => stringify!($name).to_string(),)*
                other => format!("signal {other}"),
            }
        };
    }
    named! {
        SIGABRT SIGALRM SIGBUS SIGFPE SIGHUP SIGILL SIGINT SIGKILL SIGPIPE SIGQUIT SIGSEGV SIGSYS
        SIGTERM SIGTRAP SIGXCPU SIGXFSZ
    }
}

/// A time in seconds, to the tenth.
fn tenths(time: Duration) -> f64 {
    (time.as_secs_f64() * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deaths_have_words_and_verdicts() {
        assert_eq!(
            How::Signal(libc::SIGSEGV).to_string(),
            "the worker was killed by SIGSEGV"
        );
        assert_eq!(How::Signal(64).kind(), "signal 64");
        assert_eq!(How::Exit(3).verdict(), Verdict::Crash);
        assert_eq!(How::Rubbish("x".into()).verdict(), Verdict::Crash);
        assert_eq!(
            How::Silent(Duration::from_secs(60)).verdict(),
            Verdict::Timeout
        );
        assert_eq!(
            How::Overrun(Duration::from_secs(60)).verdict(),
            Verdict::Timeout
        );
    }

    #[test]
    fn times_are_in_seconds() {
        let text = |millis| How::Silent(Duration::from_millis(millis)).to_string();
        assert!(text(60_000).contains("for 60 s;"), "{}", text(60_000));
        assert!(text(1_500).contains("for 1.5 s;"), "{}", text(1_500));
    }

    #[test]
    fn a_kernel_that_does_not_end_breaks_what_it_is_about() {
        let finish = |in_callback| Doing {
            function: Function::Finish,
            objects: Vec::new(),
            in_callback,
        };
        let died = |how, in_callback| Death {
            how,
            whereabouts: Whereabouts {
                calls: vec![finish(in_callback)],
                ..Whereabouts::default()
            },
            ..Death::default()
        };
        let about = [rule::C_STATEMENTS, rule::C_OPERATORS];
        let first = |death: Death| {
            let violation = death.violation(&about).expect("it was in a call");
            (
                violation.rules[0],
                violation.rules.contains(&rule::STATE_FLUSH),
            )
        };
        let silent = || How::Silent(Duration::from_secs(9));
        assert_eq!(first(died(silent(), false)), (rule::C_STATEMENTS, true));
        assert_ne!(first(died(silent(), true)).0, rule::C_STATEMENTS);
        assert_ne!(
            first(died(How::Signal(libc::SIGSEGV), false)).0,
            rule::C_STATEMENTS
        );
    }

    #[test]
    fn evidence_has_no_empty_stderr() {
        let mut death = Death {
            how: How::Exit(1),
            stderr: " \n".into(),
            ..Death::default()
        };
        assert_eq!(death.evidence().len(), 1);
        assert_eq!(death.last_words(), "");
        death.stderr = "first\nlast\n\n".into();
        assert_eq!(death.evidence().len(), 2);
        assert!(death.last_words().ends_with("last"));
    }
}
