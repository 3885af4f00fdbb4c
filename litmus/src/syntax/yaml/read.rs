//! A YAML document as a program.

use super::document::{Document, KIND, LocationEntry, RegisterEntry, ThreadEntry};
use super::instr::ThreadReader;
use super::parse::parse;
use super::value::{At, Integer, OneOrMany, Text};
use crate::program::{
    Api, Condition, LocId, Location, Memory, Placement, Predicate, Program, Quantifier, Queue,
    Region, Register, ScalarType, Thread, WorkItem,
};
use crate::syntax::error::{Outcome, Problem, Span, SyntaxError};
use crate::syntax::lexer::shorten;
use crate::syntax::limits::{MAX_ELEMENTS, MAX_LOCATIONS, MAX_PLACE, MAX_REGISTERS, MAX_THREADS};
use crate::syntax::lower::command::Host;
use crate::syntax::lower::condition::Names;
use crate::syntax::lower::locations::{Locations, local_memory, share_memory};
use crate::syntax::lower::thread::ThreadLowering;
use crate::syntax::lower::{Frame, assemble, pair};
use crate::syntax::{check_size, excerpt};
use serde_saphyr::{FlowMap, FlowSeq};

/// Reads a test written in YAML. `name` is what errors call the source, its path for example.
///
/// # Errors
/// The first thing in `text` that is not YAML or not part of the schema.
pub fn read_yaml(name: &str, text: &str) -> Result<Program, SyntaxError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    check_size(text.len())
        .and_then(|()| program(text))
        .map_err(|problem| problem.within(name, excerpt(text)))
}

fn program(text: &str) -> Outcome<Program> {
    if text.trim().is_empty() {
        return Err(Span::new(0, 0)
            .problem("the file is empty", "nothing here")
            .help("a test in YAML starts with the lines: kind: litmus, litmus: NAME"));
    }
    let document = parse(text)?;
    if let Some(kind) = &document.kind
        && kind.value != KIND
    {
        let message = format!("{} is no kind of litmus test", shorten(&kind.value));
        return Err(kind
            .problem(message, "another kind of file")
            .help("a litmus test starts with the line: kind: litmus"));
    }
    let name = program_name(&document.litmus)?;
    let (quantifier, target) = question(&document)?;
    let api = document.api;
    let locations = locations(document.locations)?;
    let mut host = Host::default();
    for FlowMap(entry) in document.queues {
        let queue = Queue {
            name: entry.name.identifier()?,
            order: entry.order,
        };
        host.queues.push((queue, entry.name.span));
    }
    let threads = threads(document.threads, &locations, (api, text), &mut host)?;
    let pairs = |stated: &[FlowSeq<At<(u64, u64)>>]| {
        let pairs = stated.iter().map(|FlowSeq(entry)| {
            let (before, after) = entry.value;
            pair(before, after, threads.len(), entry.span)
        });
        pairs.collect::<Outcome<Vec<_>>>()
    };
    let frame = Frame {
        api,
        name,
        synchronized: pairs(&document.synchronized)?,
        contributes: pairs(&document.contributes)?,
    };
    assemble(frame, locations, threads, &host, |names| {
        let condition = Condition {
            quantifier,
            predicate: predicate(&target, names, text)?,
        };
        let filter = document.filter.map(|f| predicate(&f, names, text));
        Ok((condition, filter.transpose()?))
    })
}

/// The one question that a test asks.
fn question(document: &Document) -> Outcome<(Quantifier, Text)> {
    let mut questions = [
        (&document.exists, Quantifier::Exists),
        (&document.not_exists, Quantifier::NotExists),
        (&document.forall, Quantifier::Forall),
    ]
    .into_iter()
    .filter_map(|(text, quantifier)| Some((quantifier, text.clone()?)));
    let first = questions.next().ok_or_else(|| {
        document
            .litmus
            .problem("the test asks no question", "the question is missing")
            .help("add one of the keys exists, not_exists and forall")
    })?;
    match questions.next() {
        None => Ok(first),
        Some((_, second)) => Err(second
            .span
            .second("a test asks one question")
            .also(first.1.span, "the first one")),
    }
}

fn program_name(text: &Text) -> Outcome<String> {
    let name = text.value.trim();
    if name.is_empty() || name.chars().any(char::is_control) {
        return Err(text.problem("the name of a test is one line of text", "not a name"));
    }
    Ok(name.to_string())
}

fn predicate(text: &Text, names: &Names<'_>, document: &str) -> Outcome<Predicate> {
    let tree = text.as_c("the predicate", document, |parser| parser.predicate())?;
    names
        .question(&tree, Span::new(0, text.value.len()))
        .map_err(|problem| text.relocate(problem, document))
}

fn too_many(span: Span, what: &str, most: usize) -> Problem {
    span.problem(format!("more than {most} {what}"), "one too many")
}

fn locations(entries: Vec<FlowMap<LocationEntry>>) -> Outcome<Locations> {
    let mut list: Vec<Location> = Vec::new();
    let mut aliases: Vec<(usize, Text)> = Vec::new();
    for FlowMap(mut entry) in entries {
        let span = entry.name.span;
        if list.len() == MAX_LOCATIONS {
            return Err(too_many(span, "locations", MAX_LOCATIONS));
        }
        if let Some(of) = entry.alias.take() {
            if entry.ty.is_some() || entry.init.is_some() {
                return Err(of.problem(
                    "an alias has the type and the values of what it is an alias of",
                    "an alias",
                ));
            }
            aliases.push((list.len(), of));
        }
        let location = location(entry)?;
        if list.iter().any(|l| l.name == location.name) {
            return Err(span.second(format!("{} is declared twice", location.name)));
        }
        list.push(location);
    }
    for (index, of) in aliases {
        let name = of.identifier()?;
        let found = list
            .iter()
            .position(|l| l.name == name && l.alias.is_none());
        let Some(found) = found.filter(|found| *found != index) else {
            return Err(of.problem(
                format!("{name} is no location of its own"),
                "unknown location",
            ));
        };
        list[index].alias = Some(LocId(found as u32));
    }
    share_memory(&mut list);
    Ok(Locations::new(list))
}

fn location(entry: LocationEntry) -> Outcome<Location> {
    let name = entry.name.identifier()?;
    let ty = scalar(entry.ty.as_ref(), "atomic_flag")?;
    if let Some(atomic) = &entry.atomic
        && atomic.value
        && ty.atomic_name().is_none()
    {
        return Err(atomic.problem(
            format!("{ty} has no atomic type"),
            "atomic types are 32 or 64 bits wide",
        ));
    }
    let region = entry.region.unwrap_or(Region::Global);
    if let Some(memory) = &entry.memory
        && region == Region::Local
    {
        return Err(local_memory(memory.span, &name));
    }
    let (array, init) = initial_values(entry.init.as_ref())?;
    Ok(Location {
        name,
        region,
        alias: None,
        memory: entry.memory.map_or(Memory::Unstated, |m| m.value),
        generic: entry.generic,
        ty,
        atomic: ty == ScalarType::Flag || entry.atomic.is_some_and(|a| a.value),
        array,
        init: init.into_iter().map(|v| ty.wrap(v)).collect(),
    })
}

/// Whether a location is an array, and what it holds at first.
fn initial_values(init: Option<&At<OneOrMany<Integer>>>) -> Outcome<(bool, Vec<i64>)> {
    let Some(init) = init else {
        return Ok((false, vec![0]));
    };
    let values: Vec<i64> = init.value.as_slice().iter().map(|v| v.bits()).collect();
    if values.is_empty() || values.len() > MAX_ELEMENTS {
        return Err(init.problem(
            format!("an array has between 1 and {MAX_ELEMENTS} elements"),
            "wrong length",
        ));
    }
    Ok((matches!(init.value, OneOrMany::Many(_)), values))
}

/// A type by name, `int` where none is stated; `flag` is what a flag is called here.
fn scalar(text: Option<&Text>, flag: &'static str) -> Outcome<ScalarType> {
    let Some(text) = text else {
        return Ok(ScalarType::Int);
    };
    if text.value == flag {
        return Ok(ScalarType::Flag);
    }
    let types = || {
        ScalarType::ALL
            .into_iter()
            .filter(|ty| *ty != ScalarType::Flag)
    };
    let found = types().find(|ty| ty.name() == text.value);
    found.ok_or_else(|| {
        let message = format!("{} is not a type", shorten(&text.value));
        let mut names: Vec<&str> = types().map(ScalarType::name).collect();
        names.push(flag);
        text.problem(message, "unknown")
            .help(format!("one of {}", names.join(", ")))
    })
}

fn threads(
    entries: At<Vec<At<ThreadEntry>>>,
    locations: &Locations,
    (api, document): (Api, &str),
    host: &mut Host,
) -> Outcome<Vec<Thread>> {
    if entries.value.is_empty() {
        return Err(entries.problem("the test has no threads", "empty"));
    }
    if let Some(beyond) = entries.value.get(MAX_THREADS) {
        return Err(too_many(beyond.span, "threads", MAX_THREADS));
    }
    let groups = entries.value.iter().map(|entry| &entry.value.work_group);
    let used: Vec<u32> = groups.flatten().map(|group| group.value).collect();
    let mut unused = (0..).filter(|group| !used.contains(group));
    let mut threads = Vec::new();
    for entry in entries.value {
        let At { value: entry, span } = entry;
        let placement = placement(&entry, &mut unused)?;
        host.places.push(span);
        host.kernels
            .push(entry.kernel.as_ref().map(Text::name).transpose()?);
        let mut lowering = ThreadLowering::new(locations, Vec::new());
        registers(&entry.registers, &mut lowering)?;
        let body = ThreadReader {
            api,
            lowering: &mut lowering,
            document,
        }
        .block(entry.body)?;
        host.calls.push(lowering.take_calls());
        threads.push(Thread {
            placement,
            kernel: None,
            registers: lowering.finish()?,
            body,
        });
    }
    Ok(threads)
}

/// Where a thread runs; `unused` are the work-groups that no thread states.
fn placement(entry: &ThreadEntry, unused: &mut impl Iterator<Item = u32>) -> Outcome<Placement> {
    let stated = [
        &entry.device,
        &entry.queue_family,
        &entry.work_group,
        &entry.sub_group,
    ];
    for number in stated.into_iter().flatten() {
        if number.value > MAX_PLACE {
            return Err(number.problem(
                format!("a place is a number from 0 to {MAX_PLACE}"),
                "too large",
            ));
        }
    }
    match &entry.host {
        Some(host) if host.value => {
            if stated.iter().any(|number| number.is_some()) {
                return Err(host.problem(
                    "a host thread has no device, work-group or sub-group",
                    "on the host",
                ));
            }
            Ok(Placement::Host)
        }
        Some(_) | None => Ok(Placement::Device(WorkItem {
            device: entry.device.as_ref().map_or(0, |device| device.value),
            queue_family: entry.queue_family.as_ref().map_or(0, |family| family.value),
            work_group: match &entry.work_group {
                Some(group) => group.value,
                None => unused.next().unwrap_or_default(),
            },
            sub_group: entry.sub_group.as_ref().map(|sub_group| sub_group.value),
        })),
    }
}

fn registers(entries: &[FlowMap<RegisterEntry>], lowering: &mut ThreadLowering<'_>) -> Outcome<()> {
    if let Some(FlowMap(beyond)) = entries.get(MAX_REGISTERS) {
        return Err(too_many(beyond.name.span, "registers", MAX_REGISTERS));
    }
    for FlowMap(entry) in entries {
        let register = Register {
            name: entry.name.identifier()?,
            ty: scalar(entry.ty.as_ref(), "bool")?,
            init: entry.init.map_or(0, Integer::bits),
        };
        lowering.add_register(register, entry.name.span)?;
    }
    Ok(())
}
