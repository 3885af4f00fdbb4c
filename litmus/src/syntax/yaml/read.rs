//! A YAML document as a program.

use super::fields::Fields;
use super::instr::ThreadReader;
use super::node::{Item, Value, parse};
use crate::program::{
    Condition, Location, Memory, Placement, Predicate, Program, Quantifier, Queue, QueueOrder,
    Region, Register, ScalarType, Thread,
};
use crate::syntax::error::{Outcome, Problem, Span, SyntaxError};
use crate::syntax::limits::{MAX_ELEMENTS, MAX_LOCATIONS, MAX_PLACE, MAX_REGISTERS, MAX_THREADS};
use crate::syntax::lower::command::Host;
use crate::syntax::lower::condition::Names;
use crate::syntax::lower::locations::{Locations, local_memory};
use crate::syntax::lower::thread::ThreadLowering;
use crate::syntax::{check_size, excerpt};

/// Keys of the document.
pub(crate) const KEYS: &[&str] = &[
    "litmus",
    "locations",
    "queues",
    "threads",
    "filter",
    "exists",
    "not_exists",
    "forall",
];

/// Reads a test written in YAML. `name` is what errors call the source, its path for example.
///
/// # Errors
/// The first thing in `text` that is not YAML or not part of the schema.
pub fn read_yaml(name: &str, text: &str) -> Result<Program, SyntaxError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    check_size(text.len())
        .and_then(|()| document(text))
        .map_err(|problem| problem.within(name, excerpt(text)))
}

fn document(text: &str) -> Outcome<Program> {
    if text.trim().is_empty() {
        return Err(
            Problem::new(Span::new(0, 0), "the file is empty", "nothing here")
                .help("a test in YAML starts with the line: litmus: name"),
        );
    }
    let mut fields = Fields::of(parse(text)?, "a test", KEYS)?;
    let what = "the test";
    let name = program_name(&fields.require("litmus", what)?)?;
    let locations = match fields.take("locations") {
        Some(item) => locations(item)?,
        None => Locations::new(Vec::new()),
    };
    let mut host = Host::default();
    if let Some(item) = fields.take("queues") {
        queues(item, &mut host)?;
    }
    let mut threads = threads(
        fields.require("threads", what)?,
        &locations,
        text,
        &mut host,
    )?;
    let (queues, commands) = host.resolve(&mut threads)?;
    let names = Names {
        locations: &locations,
        threads: &threads,
    };
    let filter = match fields.take("filter") {
        Some(item) => Some(predicate(&item, &names, text)?),
        None => None,
    };
    let quantifiers = [
        ("exists", Quantifier::Exists),
        ("not_exists", Quantifier::NotExists),
        ("forall", Quantifier::Forall),
    ];
    let Some((key, quantifier)) = quantifiers
        .into_iter()
        .find(|(key, _)| fields.first_of(&[*key]).is_some())
    else {
        return Err(Problem::new(
            fields.span(),
            "the test asks no question",
            "the question is missing",
        )
        .help("add one of the keys exists, not_exists and forall"));
    };
    let question = fields.require(key, what)?;
    let condition = Condition {
        quantifier,
        predicate: predicate(&question, &names, text)?,
    };
    fields.finish("a test with a question already")?;
    let program = Program {
        name,
        locations: locations.into_list(),
        threads,
        queues,
        commands,
        condition,
        filter,
    };
    host.check(&program)?;
    Ok(program)
}

fn queues(item: Item, host: &mut Host) -> Outcome<()> {
    for item in item.list("queues")? {
        let mut fields = Fields::of(item, "a queue", &["name", "order"])?;
        let name = fields.require("name", "the queue")?;
        let order = match fields.take("order") {
            Some(item) => {
                item.named("order", &["in_order", "out_of_order"], |word| match word {
                    "in_order" => Some(QueueOrder::InOrder),
                    "out_of_order" => Some(QueueOrder::OutOfOrder),
                    _ => None,
                })?
            }
            None => QueueOrder::InOrder,
        };
        fields.finish("a queue")?;
        let queue = Queue {
            name: name.identifier("the name")?,
            order,
        };
        host.queues.push((queue, name.span));
    }
    Ok(())
}

fn program_name(item: &Item) -> Outcome<String> {
    let name = item.text("the name")?.trim();
    if name.is_empty() || name.chars().any(char::is_control) {
        return Err(Problem::new(
            item.span,
            "the name of a test is one line of text",
            "not a name",
        ));
    }
    Ok(name.to_string())
}

fn predicate(item: &Item, names: &Names<'_>, text: &str) -> Outcome<Predicate> {
    let pred = item.as_c("the predicate", text, |parser| parser.predicate())?;
    let source = item.text("the predicate")?;
    names
        .question(&pred, Span::new(0, source.len()))
        .map_err(|problem| item.relocate(problem, source, text))
}

fn too_many(item: &Item, what: &str, most: usize) -> Problem {
    Problem::new(
        item.span,
        format!("more than {most} {what}"),
        "one too many",
    )
}

fn locations(item: Item) -> Outcome<Locations> {
    let mut list: Vec<Location> = Vec::new();
    for item in item.list("locations")? {
        if list.len() == MAX_LOCATIONS {
            return Err(too_many(&item, "locations", MAX_LOCATIONS));
        }
        let (location, span) = location(item)?;
        if list.iter().any(|l| l.name == location.name) {
            return Err(Problem::new(
                span,
                format!("{} is declared twice", location.name),
                "the second one",
            ));
        }
        list.push(location);
    }
    Ok(Locations::new(list))
}

fn location(item: Item) -> Outcome<(Location, Span)> {
    let known = [
        "name", "type", "atomic", "region", "memory", "generic", "init",
    ];
    let mut fields = Fields::of(item, "a location", &known)?;
    let name = fields.require("name", "the location")?;
    let span = name.span;
    let name = name.identifier("the name")?;
    let ty = match fields.take("type") {
        Some(item) => scalar(&item, "atomic_flag")?,
        None => ScalarType::Int,
    };
    let atomic = match fields.take("atomic") {
        Some(item) => {
            let atomic = item.boolean("atomic")?;
            if atomic && ty.atomic_name().is_none() {
                return Err(Problem::new(
                    item.span,
                    format!("{ty} has no atomic type"),
                    "atomic types are 32 or 64 bits wide",
                ));
            }
            atomic || ty == ScalarType::Flag
        }
        None => ty == ScalarType::Flag,
    };
    let region = match fields.take("region") {
        Some(item) => item.named("region", &["global", "local"], |word| match word {
            "global" => Some(Region::Global),
            "local" => Some(Region::Local),
            _ => None,
        })?,
        None => Region::Global,
    };
    let memory = match fields.take("memory") {
        Some(item) => {
            let names: Vec<&str> = Memory::STATED.iter().filter_map(|m| m.name()).collect();
            let memory = item.named("kind of memory", &names, Memory::named)?;
            if region == Region::Local {
                return Err(local_memory(item.span, &name));
            }
            memory
        }
        None => Memory::Unstated,
    };
    let generic = match fields.take("generic") {
        Some(item) => item.boolean("generic")?,
        None => false,
    };
    let (array, init) = match fields.take("init") {
        None => (false, vec![0]),
        Some(item) => match item.value {
            Value::List(items) => {
                if items.is_empty() || items.len() > MAX_ELEMENTS {
                    return Err(Problem::new(
                        item.span,
                        format!("an array has between 1 and {MAX_ELEMENTS} elements"),
                        "wrong length",
                    ));
                }
                let values: Outcome<Vec<i64>> =
                    items.iter().map(|i| i.integer("a value")).collect();
                (true, values?)
            }
            Value::Scalar(_) | Value::Null | Value::Map(_) => {
                (false, vec![item.integer("an initial value")?])
            }
        },
    };
    let location = Location {
        name,
        region,
        memory,
        generic,
        ty,
        atomic,
        array,
        init: init.into_iter().map(|v| ty.wrap(v)).collect(),
    };
    fields.finish("a location")?;
    Ok((location, span))
}

/// A type by name; `flag` is what a flag is called here.
fn scalar(item: &Item, flag: &'static str) -> Outcome<ScalarType> {
    const TYPES: [ScalarType; 8] = [
        ScalarType::Char,
        ScalarType::UChar,
        ScalarType::Short,
        ScalarType::UShort,
        ScalarType::Int,
        ScalarType::UInt,
        ScalarType::Long,
        ScalarType::ULong,
    ];
    let mut names: Vec<&str> = TYPES.iter().map(|ty| ty.name()).collect();
    names.push(flag);
    item.named("type", &names, |word| {
        if word == flag {
            return Some(ScalarType::Flag);
        }
        TYPES.into_iter().find(|ty| ty.name() == word)
    })
}

fn threads(item: Item, locations: &Locations, text: &str, host: &mut Host) -> Outcome<Vec<Thread>> {
    let span = item.span;
    let items = item.list("threads")?;
    if items.is_empty() {
        return Err(Problem::new(span, "the test has no threads", "empty"));
    }
    if items.len() > MAX_THREADS {
        return Err(too_many(&items[MAX_THREADS], "threads", MAX_THREADS));
    }
    let mut placed = Vec::new();
    for item in items {
        let known = [
            "host",
            "kernel",
            "device",
            "work_group",
            "sub_group",
            "registers",
            "body",
        ];
        let mut fields = Fields::of(item, "a thread", &known)?;
        placed.push((placement(&mut fields)?, fields));
    }
    let used: Vec<u32> = placed.iter().filter_map(|(p, _)| p.work_group).collect();
    let mut next = 0;
    let mut threads = Vec::new();
    for (place, mut fields) in placed {
        let placement = if place.host {
            Placement::Host
        } else {
            let work_group = place.work_group.unwrap_or_else(|| {
                while used.contains(&next) {
                    next += 1;
                }
                next += 1;
                next - 1
            });
            Placement::Device {
                device: place.device.unwrap_or(0),
                work_group,
                sub_group: place.sub_group,
            }
        };
        host.places.push(fields.span());
        host.kernels.push(match fields.take("kernel") {
            Some(item) => Some(item.name("the kernel")?),
            None => None,
        });
        let mut lowering = ThreadLowering::new(locations, Vec::new());
        if let Some(item) = fields.take("registers") {
            registers(item, &mut lowering)?;
        }
        let body = match fields.take("body") {
            Some(item) => ThreadReader {
                lowering: &mut lowering,
                document: text,
            }
            .block(item)?,
            None => Vec::new(),
        };
        fields.finish("a thread")?;
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

/// What a thread says of its place.
#[derive(Default)]
struct Place {
    host: bool,
    device: Option<u32>,
    work_group: Option<u32>,
    sub_group: Option<u32>,
}

fn placement(fields: &mut Fields) -> Outcome<Place> {
    let mut place = Place::default();
    if let Some(item) = fields.take("host") {
        place.host = item.boolean("host")?;
        if place.host
            && fields
                .first_of(&["device", "work_group", "sub_group"])
                .is_some()
        {
            return Err(Problem::new(
                item.span,
                "a host thread has no device, work-group or sub-group",
                "on the host",
            ));
        }
    }
    for (key, slot) in [
        ("device", &mut place.device),
        ("work_group", &mut place.work_group),
        ("sub_group", &mut place.sub_group),
    ] {
        if let Some(item) = fields.take(key) {
            *slot = Some(item.number(key, MAX_PLACE)?);
        }
    }
    Ok(place)
}

fn registers(item: Item, lowering: &mut ThreadLowering<'_>) -> Outcome<()> {
    let items = item.list("registers")?;
    if items.len() > MAX_REGISTERS {
        return Err(too_many(&items[MAX_REGISTERS], "registers", MAX_REGISTERS));
    }
    for item in items {
        let mut fields = Fields::of(item, "a register", &["name", "type", "init"])?;
        let name = fields.require("name", "the register")?;
        let ty = match fields.take("type") {
            Some(item) => scalar(&item, "bool")?,
            None => ScalarType::Int,
        };
        let init = match fields.take("init") {
            Some(item) => item.integer("an initial value")?,
            None => 0,
        };
        fields.finish("a register")?;
        let register = Register {
            name: name.identifier("the name")?,
            ty,
            init,
        };
        lowering.add_register(register, name.span)?;
    }
    Ok(())
}
