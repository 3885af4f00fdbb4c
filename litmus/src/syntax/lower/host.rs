//! The calls of the OpenCL API that a host thread may make.
//!
//! They have the API's names and its order of arguments, without what a litmus test has no use
//! for: counts, offsets, sizes. An event wait list is the rest of the arguments; the event that a
//! call returns is the label before it.

use super::command::CallTree;
use super::thread::ThreadLowering;
use crate::program::{BinOp, CommandKind, HostCall, Instr, LocId, MapAccess, QueueId};
use crate::syntax::error::{Outcome, Span};
use crate::syntax::tree::{Name, Node, NodeKind};

/// What a function of the API does.
#[derive(Clone, Copy)]
enum Api {
    Kernel,
    Marker,
    Barrier,
    Map,
    Unmap,
    Wait,
    OfQueue(fn(QueueId) -> HostCall),
}

const API: &[(&str, Api)] = &[
    ("clEnqueueNDRangeKernel", Api::Kernel),
    ("clEnqueueMarkerWithWaitList", Api::Marker),
    ("clEnqueueBarrierWithWaitList", Api::Barrier),
    ("clEnqueueMapBuffer", Api::Map),
    ("clEnqueueSVMMap", Api::Map),
    ("clEnqueueUnmapMemObject", Api::Unmap),
    ("clEnqueueSVMUnmap", Api::Unmap),
    ("clWaitForEvents", Api::Wait),
    ("clFinish", Api::OfQueue(HostCall::Finish)),
    ("clFlush", Api::OfQueue(HostCall::Flush)),
];

/// Names of the functions, for suggestions.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    API.iter().map(|(name, _)| *name)
}

impl ThreadLowering<'_> {
    /// A call of the API, if `name` is one; `label` is what stands before it.
    pub(super) fn host_call(
        &mut self,
        name: &Name,
        arguments: &[Node],
        span: Span,
        label: Option<&Name>,
    ) -> Outcome<Option<Instr>> {
        let Some((_, api)) = API.iter().find(|(n, _)| *n == name.text) else {
            return Ok(None);
        };
        let mut rest = Arguments {
            function: &name.text,
            span,
            rest: arguments.iter(),
        };
        if let Api::Wait = api {
            let events = rest.events()?;
            return Ok(Some(self.host(CallTree::Wait { events, span })));
        }
        let queue = rest.name("a queue")?;
        if let Api::OfQueue(call) = *api {
            rest.end()?;
            return Ok(Some(self.host(CallTree::OfQueue { call, queue, span })));
        }
        let mut name = label.cloned();
        let kind = match api {
            Api::Kernel => {
                if let Some(label) = label {
                    return Err(label.problem(
                        "the event of a kernel has the kernel's name",
                        "no label here",
                    ));
                }
                name = Some(rest.name("a kernel")?);
                CommandKind::Kernel
            }
            Api::Marker => CommandKind::Marker,
            Api::Barrier => CommandKind::Barrier,
            Api::Map => {
                let location = self.mapped(&rest.name("a location")?)?;
                let blocking = blocking(rest.next("CL_TRUE or CL_FALSE")?)?;
                let access = map_access(rest.next("CL_MAP_READ or CL_MAP_WRITE")?)?;
                CommandKind::Map {
                    location,
                    access,
                    blocking,
                }
            }
            Api::Unmap => CommandKind::Unmap {
                location: self.mapped(&rest.name("a location")?)?,
            },
            Api::Wait | Api::OfQueue(_) => return Ok(None),
        };
        Ok(Some(self.host(CallTree::Enqueue {
            kind,
            name,
            queue,
            waits: rest.events()?,
            span,
        })))
    }

    /// Keeps a call until its names can be resolved.
    pub fn host(&mut self, call: CallTree) -> Instr {
        self.calls.push(call);
        CallTree::placeholder()
    }

    /// The location that a map or an unmap names.
    pub fn mapped(&self, name: &Name) -> Outcome<LocId> {
        self.locations.find(&name.text).ok_or_else(|| {
            let message = format!("there is no location {}", name.text);
            let problem = name.problem(message, "unknown location");
            match self.locations.nearest(&name.text) {
                Some(near) => problem.help(format!("did you mean {near}?")),
                None => problem,
            }
        })
    }
}

struct Arguments<'n> {
    function: &'n str,
    span: Span,
    rest: std::slice::Iter<'n, Node>,
}

impl<'n> Arguments<'n> {
    fn next(&mut self, what: &str) -> Outcome<&'n Node> {
        self.rest.next().ok_or_else(|| {
            self.span.problem(
                format!("{} needs {what} here", self.function),
                "too few arguments",
            )
        })
    }

    fn name(&mut self, what: &str) -> Outcome<Name> {
        name(self.next(what)?, what)
    }

    fn events(self) -> Outcome<Vec<Name>> {
        self.rest.map(|node| name(node, "an event")).collect()
    }

    fn end(mut self) -> Outcome<()> {
        match self.rest.next() {
            None => Ok(()),
            Some(node) => Err(node.problem(
                format!("{} takes no more arguments", self.function),
                "too many arguments",
            )),
        }
    }
}

fn name(node: &Node, what: &str) -> Outcome<Name> {
    node.name().ok_or_else(|| {
        let what = what.trim_start_matches("a ").trim_start_matches("an ");
        let message = format!("expected the name of {what}");
        node.problem(message, "not a name")
    })
}

fn blocking(node: &Node) -> Outcome<bool> {
    match node.word() {
        Some("CL_TRUE") => Ok(true),
        Some("CL_FALSE") => Ok(false),
        Some(_) | None => {
            Err(node.problem("whether a map blocks is CL_TRUE or CL_FALSE", "neither"))
        }
    }
}

fn map_access(node: &Node) -> Outcome<MapAccess> {
    if let NodeKind::Binary(BinOp::Or, left, right) = &node.kind {
        // who writes may read, too
        return Ok(map_access(left)?.max(map_access(right)?));
    }
    if let Some(access) = node.word().and_then(MapAccess::named) {
        return Ok(access);
    }
    match node.word() {
        Some("CL_MAP_WRITE_INVALIDATE_REGION") => Err(node
            .problem(
                "CL_MAP_WRITE_INVALIDATE_REGION leaves a location without a value",
                "not supported",
            )
            .help("use CL_MAP_WRITE")),
        Some(_) | None => Err(node.problem(
            "the flags of a map are CL_MAP_READ, CL_MAP_WRITE, or both joined by |",
            "not such flags",
        )),
    }
}
