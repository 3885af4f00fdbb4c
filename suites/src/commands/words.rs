//! Words for what a program is made of, for readers of C programs and of checks.

use crate::commands::program::*;

/// What an object is.
pub fn kind(kind: Kind) -> String {
    match kind {
        Kind::Buffer(HostPointer::Copy) => "a buffer".into(),
        Kind::Buffer(HostPointer::Use) => "a buffer over memory of the host".into(),
        Kind::Buffer(HostPointer::Alloc) => "a buffer with CL_MEM_ALLOC_HOST_PTR".into(),
        Kind::Buffer(HostPointer::UseSvm) => "a buffer over a coarse-grain SVM allocation".into(),
        Kind::SubBuffer { of, first } => {
            format!("a sub-buffer of object {} from cell {first} on", of)
        }
        Kind::SvmCoarse => "a coarse-grain SVM allocation".into(),
        Kind::SvmFine => "a fine-grain SVM allocation".into(),
        Kind::SvmSystem => "memory of the host (fine-grain system SVM)".into(),
        Kind::Variable => "a program-scope variable".into(),
        Kind::Host => "memory of the host".into(),
    }
}

/// Several words, one after the other.
fn list(of: impl IntoIterator<Item = impl ToString>, between: &str) -> String {
    let all: Vec<String> = of.into_iter().map(|one| one.to_string()).collect();
    all.join(between)
}

/// Cells.
pub fn range(range: Range) -> String {
    let cells = list(range.cells(), " ");
    format!("cells {cells} of object {}", range.object)
}

/// An event.
pub fn event(event: Event) -> String {
    match event {
        Event::Command(c) => format!("command {}", c),
        Event::User(u) => format!("user event {}", u),
    }
}

fn events(of: &[Event]) -> String {
    list(of.iter().map(|one| event(*one)), " and ")
}

/// What a command does and what it waits for.
pub fn command(p: &Program, command: &Command) -> String {
    let ranges = |of: &[Range]| list(of.iter().map(|r| range(*r)), " and ");
    let kernel = |name: &str, k: &Kernel| {
        let mut text = format!("{name} of {} work-items", k.items);
        if !k.reads.is_empty() {
            text += &format!(", reads {}", ranges(&k.reads));
        }
        if k.spin > 0 {
            text += &format!(", turns {} times in a loop", k.spin);
        }
        if !k.writes.is_empty() {
            text += &format!(", writes {}", ranges(&k.writes));
        }
        if k.reuse {
            text += "; its arguments are set to others as soon as it is enqueued";
        }
        text
    };
    let rect = |rect: bool| if rect { " as a rectangle" } else { "" };
    let host = |between: &str, host: Option<Range>| {
        host.map_or_else(String::new, |host| format!(" {between} {}", range(host)))
    };
    let what = match &command.what {
        What::Kernel(k) => kernel("kernel", k),
        What::Native(k) => kernel("native kernel", k),
        What::Read(t) => {
            let to = host("to", t.host);
            format!("reads {}{to}{}", range(t.range), rect(t.rect))
        }
        What::Write(t) => {
            let from = host("from", t.host);
            format!("writes {}{from}{}", range(t.range), rect(t.rect))
        }
        What::Copy { from, to, rect: r } => {
            format!("copies {} to {}{}", range(*from), range(*to), rect(*r))
        }
        What::Fill(r) => format!("fills {}", range(*r)),
        What::Map { range: r, mode } => {
            let flags = list(mode.flags().iter().map(|flag| flag.name()), " | ");
            format!("maps {} ({flags})", range(*r))
        }
        What::Unmap(map) => format!("unmaps what command {} mapped", map),
        What::Migrate { objects, to_host } => {
            let to = if *to_host { "the host" } else { "its device" };
            format!("migrates objects {} to {to}", list(objects, " "))
        }
        What::Free(objects) => format!("frees objects {}", list(objects, " ")),
        What::Marker => "marker".into(),
        What::Barrier => "barrier".into(),
    };
    let mut text = what;
    let order = if p.queues[command.queue.index()].out_of_order {
        "out of order"
    } else {
        "in order"
    };
    text += &format!("; on queue {} ({order})", command.queue.0);
    if command.blocking {
        text += ", blocking";
    }
    if !command.wait.is_empty() {
        text += &format!("; waits for {}", events(&command.wait));
    }
    text
}

/// What a step does.
pub fn step(step: &Step) -> String {
    match step {
        Step::Enqueue(id) => format!("enqueues command {}", id),
        Step::Flush(q) => format!("clFlush of queue {}", q),
        Step::Finish(q) => format!("clFinish of queue {}", q),
        Step::Wait(of) => format!("clWaitForEvents of {}", events(of)),
        Step::Set { user, status } => format!("sets user event {} to {status}", user),
        Step::Register(id) => format!("registers callback {}", id),
        Step::Access(id) => format!("host access {}", id),
        Step::Inspect(id) => format!("looks at what command {} read", id),
        Step::Status(of) => format!("asks for the status of {}", event(*of)),
        Step::Signal(id) => format!("gives signal {}", id),
        Step::Await(id) => format!("awaits signal {}", id),
        Step::Sleep(micros) => format!("sleeps {micros} microseconds"),
        Step::Yield(times) => format!("yields {times} times"),
        Step::ReleaseEvent(of) => format!("releases the event of {}", event(*of)),
        Step::ReleaseQueue(q) => format!("releases queue {}", q),
        Step::ReleaseObject(id) => format!("releases object {}", id),
    }
}
