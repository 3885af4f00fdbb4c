//! How a worker ended, in words.

use classay_reports::record::{Evidence, EvidenceKind, Verdict};
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

/// A worker's end, with what it last wrote to standard error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Death {
    /// How.
    pub how: How,
    /// The end of its standard error.
    pub stderr: String,
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
    /// What to keep with the case.
    pub fn evidence(&self) -> Vec<Evidence> {
        let mut evidence = vec![Evidence {
            kind: EvidenceKind::Death,
            text: self.how.to_string(),
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
    fn evidence_has_no_empty_stderr() {
        let mut death = Death {
            how: How::Exit(1),
            stderr: " \n".into(),
        };
        assert_eq!(death.evidence().len(), 1);
        assert_eq!(death.last_words(), "");
        death.stderr = "first\nlast\n\n".into();
        assert_eq!(death.evidence().len(), 2);
        assert!(death.last_words().ends_with("last"));
    }
}
