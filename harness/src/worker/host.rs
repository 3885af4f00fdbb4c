//! One worker, seen from the parent.

use super::death::{Death, How};
use super::protocol::{LONGEST_LINE, Refusal, Reply, Request};
use super::variables;
use super::whereabouts::Kept;
use crate::device::Api;
use crate::interrupt::Interrupt;
use crate::sys;
use crate::threads::lock;
use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How much of the end of a worker's standard error is kept, in bytes.
const STDERR_KEPT: usize = 64 << 10;

/// How often a waiting parent looks whether it was interrupted.
const LOOK: Duration = Duration::from_millis(50);

/// How long a worker that was told to quit, or closed its pipe, may take to end.
const GRACE: Duration = Duration::from_millis(2000);

/// What is to be broken or taken, beside what this process was told, and measured.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Breakage {
    /// Faults of Touchstone, as `TOUCHSTONE_FAULTS` takes them.
    pub touchstone: Option<String>,
    /// Latitudes of Touchstone, as `TOUCHSTONE_LATITUDE` takes them.
    pub latitude: Option<String>,
    /// Faults of the layer, as `CLASSAY_LAYER_FAULTS` takes them.
    pub layer: Option<String>,
    /// The file in which the layer counts calls and their time.
    pub times: Option<PathBuf>,
    /// The file in which the layer says which of its faults could have made a difference.
    pub effects: Option<PathBuf>,
    /// Variables of the environment that the worker gets beside, where it has none of these names.
    pub surroundings: Vec<(&'static str, &'static str)>,
}

/// What to start: this program as a worker over a library.
#[derive(Debug, Clone)]
pub struct Start {
    /// This program.
    pub program: PathBuf,
    /// The library, as the OpenCL bindings take it.
    pub library: String,
    /// Its interface.
    pub api: Api,
    /// The library under the layer, when `library` is the layer.
    pub under_layer: Option<String>,
    /// What is to be broken and measured.
    pub breakage: Breakage,
}

/// A running worker. Dropping it kills it.
pub struct Worker {
    child: Child,
    requests: Option<ChildStdin>,
    replies: Receiver<Line>,
    stderr: Arc<Mutex<VecDeque<u8>>>,
    stderr_done: Receiver<()>,
    whereabouts: Option<Kept>,
}

/// What the reading thread found on the pipe: a reply, or rubbish.
type Line = Result<Box<Reply>, String>;

/// Why there is no reply.
#[derive(Debug)]
pub enum NoReply {
    /// The worker is dead, or was killed for what it did.
    Died(Box<Death>),
    /// The library or the device does not open.
    Refused(Refusal),
    /// The user interrupted; the worker still runs.
    Interrupted,
}

impl Worker {
    /// Starts a worker. It leads a process group of its own, so that the terminal's Ctrl-C reaches
    /// the parent alone. Call this from the main thread: the worker dies with the calling thread.
    pub fn start(start: &Start) -> Result<Worker, NoReply> {
        let mut command = Command::new(&start.program);
        command
            .arg("worker")
            .env(variables::LIBRARY, &start.library)
            .env(variables::API, start.api.name())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        let breakage = &start.breakage;
        for (name, asked) in [
            (variables::TOUCHSTONE_FAULTS, &breakage.touchstone),
            (variables::TOUCHSTONE_LATITUDE, &breakage.latitude),
            (variables::LAYER_FAULTS, &breakage.layer),
        ] {
            if let Some(asked) = asked {
                command.env(name, asked);
            }
        }
        for (name, value) in breakage
            .surroundings
            .iter()
            .chain([&variables::TOUCHSTONE_CHECK])
        {
            if std::env::var_os(name).is_none() {
                command.env(name, value);
            }
        }
        let file = |file: &Option<PathBuf>| file.clone().map(PathBuf::into_os_string);
        for (name, value) in [
            (
                variables::UNDER_LAYER,
                start.under_layer.clone().map(OsString::from),
            ),
            (variables::LAYER_TIMES, file(&breakage.times)),
            (variables::LAYER_EFFECTS, file(&breakage.effects)),
        ] {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        let not_started = |e: String| {
            NoReply::Died(Box::new(Death {
                how: How::NotStarted(e),
                ..Death::default()
            }))
        };
        let whereabouts = Kept::new();
        if let Some(kept) = &whereabouts {
            command.env(variables::WHEREABOUTS, kept.path());
        }
        let mut child = command
            .spawn()
            .map_err(|e| not_started(format!("{}: {e}", start.program.display())))?;
        let (Some(requests), Some(replies), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(not_started("its pipes are missing".into()));
        };
        let (send, receive) = sync_channel(1024);
        std::thread::spawn(move || read_replies(BufReader::new(replies), &send));
        let ring = Arc::new(Mutex::new(VecDeque::new()));
        let (done, stderr_done) = sync_channel(1);
        let shared = Arc::clone(&ring);
        std::thread::spawn(move || {
            keep_end(stderr, &shared);
            // Nobody waits when the worker was dropped.
            let _ = done.send(());
        });
        Ok(Worker {
            child,
            requests: Some(requests),
            replies: receive,
            stderr: ring,
            stderr_done,
            whereabouts,
        })
    }

    /// Sends a request. A worker that does not take it shows that by its missing reply.
    pub fn send(&mut self, request: &Request) {
        let Some(pipe) = &mut self.requests else {
            return;
        };
        let sent = serde_json::to_vec(request)
            .map_err(std::io::Error::other)
            .and_then(|mut line| {
                line.push(b'\n');
                pipe.write_all(&line)?;
                pipe.flush()
            });
        if let Err(error) = sent {
            tracing::debug!(%error, "the worker does not take a request");
            self.requests = None;
        }
    }

    /// Waits for the next reply until `deadline`; `late` says what the worker did when that passes.
    pub fn receive(
        &mut self,
        deadline: Instant,
        late: How,
        interrupt: &Interrupt,
    ) -> Result<Reply, NoReply> {
        loop {
            match self.reply_by(deadline, interrupt)? {
                Some(reply) => return Ok(reply),
                None if Instant::now() >= deadline => return Err(self.condemn(late)),
                None => {}
            }
        }
    }

    /// The next reply, where it comes by then or within a moment, whichever is sooner.
    pub fn reply_by(
        &mut self,
        deadline: Instant,
        interrupt: &Interrupt,
    ) -> Result<Option<Reply>, NoReply> {
        if interrupt.came() {
            return Err(NoReply::Interrupted);
        }
        let left = deadline.saturating_duration_since(Instant::now());
        match self.replies.recv_timeout(left.min(LOOK)) {
            Ok(Ok(reply)) => Ok(Some(*reply)),
            Ok(Err(what)) => Err(self.condemn(How::Rubbish(what))),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => {
                let how = self.ended();
                Err(self.condemn(how))
            }
        }
    }

    /// Kills the worker for a reply that nothing asked for.
    pub fn out_of_turn(&mut self, reply: &Reply) -> NoReply {
        let what = format!("the reply \"{}\" out of turn", reply.kind());
        self.condemn(How::Rubbish(what))
    }

    /// Kills the worker for what it did, and collects its last words.
    pub fn condemn(&mut self, how: How) -> NoReply {
        self.kill();
        // A process that the worker started may still hold the pipe: wait for it only a moment.
        let _ = self.stderr_done.recv_timeout(Duration::from_millis(200));
        let ring = lock(&self.stderr);
        let bytes: Vec<u8> = ring.iter().copied().collect();
        let whereabouts = self.whereabouts.as_ref().map(Kept::read);
        NoReply::Died(Box::new(Death {
            how,
            stderr: String::from_utf8_lossy(&bytes).into_owned(),
            whereabouts: whereabouts.unwrap_or_default(),
        }))
    }

    /// The worker closed its pipe: how did it end? One that closes it and lives on is killed.
    fn ended(&mut self) -> How {
        match self.wait_until(Instant::now() + GRACE) {
            Some(how) => how,
            None => How::Rubbish("it closed its pipe and did not end".into()),
        }
    }

    fn wait_until(&mut self, deadline: Instant) -> Option<How> {
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(How::from_status(status)),
                Ok(None) if Instant::now() >= deadline => return None,
                Ok(None) => std::thread::sleep(Duration::from_millis(2)),
                Err(error) => return Some(How::Rubbish(format!("its end is unknown: {error}"))),
            }
        }
    }

    /// Asks the worker to end, and ends it if it does not.
    pub fn quit(mut self) {
        self.send(&Request::Quit);
        self.requests = None;
        self.wait_until(Instant::now() + GRACE);
    }

    /// The worker's process id, for tests and logs.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    fn kill(&mut self) {
        // Once it was waited for, its number may belong to someone else.
        if matches!(self.child.try_wait(), Ok(None)) {
            sys::kill_group(self.child.id());
            if let Err(error) = self.child.wait() {
                tracing::debug!(%error, "waiting for a killed worker");
            }
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Turns lines into replies until the pipe ends, a line is rubbish, or nobody listens.
fn read_replies(mut pipe: impl BufRead, send: &SyncSender<Line>) {
    loop {
        let mut bytes = Vec::new();
        let read = pipe
            .by_ref()
            .take(LONGEST_LINE)
            .read_until(b'\n', &mut bytes);
        let line = match read {
            Ok(0) => return,
            Ok(_) if bytes.last() == Some(&b'\n') => parse(&bytes),
            // Without its end a line is what a dying worker left of it, unless it is too long.
            Ok(n) if (n as u64) < LONGEST_LINE => return,
            Ok(_) => Err(format!("a line of more than {LONGEST_LINE} bytes")),
            Err(error) => Err(format!("its pipe cannot be read: {error}")),
        };
        let last = line.is_err();
        if send.send(line).is_err() || last {
            return;
        }
    }
}

fn parse(bytes: &[u8]) -> Line {
    serde_json::from_slice(bytes)
        .map(Box::new)
        .map_err(|error| {
            let shown: String = String::from_utf8_lossy(bytes)
                .trim_end()
                .chars()
                .take(80)
                .flat_map(char::escape_default)
                .collect();
            format!("\"{shown}\" is no reply ({error})")
        })
}

/// Reads to the end and keeps the last bytes.
fn keep_end(mut pipe: impl Read, ring: &Mutex<VecDeque<u8>>) {
    let mut buffer = [0; 8192];
    while let Ok(n) = pipe.read(&mut buffer) {
        if n == 0 {
            return;
        }
        let mut ring = lock(ring);
        ring.extend(&buffer[..n]);
        let over = ring.len().saturating_sub(STDERR_KEPT);
        ring.drain(..over);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(input: &[u8]) -> Vec<Line> {
        let (send, receive) = sync_channel(100);
        read_replies(input, &send);
        drop(send);
        receive.iter().collect()
    }

    #[test]
    fn replies_are_read_up_to_the_first_rubbish() {
        let hello = b"{\"reply\":\"hello\",\"protocol\":2}\n";
        let input = [&hello[..], b"Segmentation fault\x1b\n", &hello[..]].concat();
        let lines = lines(&input);
        assert_eq!(lines.len(), 2);
        assert!(lines[0].is_ok());
        let Err(what) = &lines[1] else {
            panic!("not rubbish");
        };
        assert!(what.contains("Segmentation fault\\u{1b}"), "{what}");
    }

    #[test]
    fn half_a_line_is_what_a_dying_worker_left() {
        assert!(lines(b"{\"reply\":\"hel").is_empty());
    }

    #[test]
    fn rubbish_in_a_reply_of_the_right_shape() {
        for wrong in [
            "{\"reply\":\"hello\"}\n",
            "{\"reply\":\"launch\",\"case\":\"a\",\"launch\":{\"index\":-1}}\n",
            "[]\n",
            "\n",
        ] {
            assert!(matches!(lines(wrong.as_bytes())[..], [Err(_)]), "{wrong}");
        }
    }

    #[test]
    fn the_end_of_standard_error_is_kept() {
        let ring = Mutex::new(VecDeque::new());
        let text: Vec<u8> = (0..300_000u32).map(|i| (i % 251) as u8).collect();
        keep_end(&text[..], &ring);
        let ring = ring.into_inner().expect("not poisoned");
        assert_eq!(ring.len(), STDERR_KEPT);
        assert!(ring.iter().eq(&text[text.len() - STDERR_KEPT..]));
    }
}
