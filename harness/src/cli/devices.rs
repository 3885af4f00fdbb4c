//! `classay devices`: implementations, platforms and devices, with what decides what can run.

use super::options::JsonOption;
use super::output::{Out, colour};
use clap::Args;
use classay::Error;
use classay::device::{Api, At, Capabilities, Library, Selector};
use classay::interrupt::Interrupt;
use classay::worker::protocol::Known;
use classay::worker::session::{self, Session, Stop};
use classay_reports::text::layout::{plain, wrap};
use classay_reports::text::{Colour, WIDTH};
use classay_vocabulary::ExitCode;

/// Options of `devices`.
#[derive(Debug, Args)]
pub struct DevicesOptions {
    /// List this implementation or device only; repeatable [default: touchstone, system and vulkan]
    #[arg(long, value_name = "DEVICE")]
    device: Vec<Selector>,
    #[command(flatten)]
    json: JsonOption,
}

/// Does it; returns the exit code.
pub fn main(args: &DevicesOptions) -> Result<ExitCode, Error> {
    let interrupt = Interrupt::listen().map_err(Error::Bug)?;
    let mut out = Out::new();
    let mut any_usable = false;
    let mut missing = false;
    for selector in wanted(&args.device) {
        let mut usable = false;
        for (place, known) in look(&selector, &interrupt) {
            match known {
                Ok(known) => {
                    usable = true;
                    out.text(&if args.json.json {
                        json(&place, &known)
                    } else {
                        block(&place, &known, colour())
                    });
                }
                Err(stop @ (Stop::Interrupted | Stop::TimeIsUp)) => return Err(stop.into()),
                Err(Stop::NoDevice(sentence)) => {
                    out.text(&if args.json.json {
                        let object = serde_json::json!({"device": place, "error": sentence});
                        format!("{object}\n")
                    } else {
                        absent(&place, &sentence, colour())
                    });
                }
            }
        }
        // A platform without devices beside a usable one is reported, and takes nothing from it.
        any_usable |= usable;
        missing |= !usable && args.device.contains(&selector);
    }
    if missing || !any_usable {
        return Ok(ExitCode::NoDevice);
    }
    Ok(ExitCode::Passed)
}

/// What the user gave, or Touchstone and the system's loaders; each once.
fn wanted(given: &[Selector]) -> Vec<Selector> {
    let mut all: Vec<Selector> = Vec::new();
    if given.is_empty() {
        all = [Library::Touchstone, Library::System, Library::Vulkan]
            .map(|library| Selector { library, at: None })
            .into();
    }
    for selector in given {
        if !all.contains(selector) {
            all.push(selector.clone());
        }
    }
    all
}

/// Every device of a library, or the one that was chosen: its selector, and what is known of it.
fn look(selector: &Selector, interrupt: &Interrupt) -> Vec<(String, Result<Known, Stop>)> {
    let describe = |selector: Selector| {
        let known = Session::open(&selector, interrupt).map(|session| {
            let known = session.known().clone();
            session.close();
            known
        });
        (selector.to_string(), known)
    };
    if selector.at.is_some() {
        return vec![describe(selector.clone())];
    }
    let platforms = match session::list(selector, interrupt) {
        Ok(platforms) => platforms,
        Err(stop) => return vec![(selector.to_string(), Err(stop))],
    };
    let mut all = Vec::new();
    for (platform, listed) in platforms.iter().enumerate() {
        if listed.devices.is_empty() {
            let sentence = format!("the platform {} has no device.", listed.name);
            let place = format!("{}#{platform}", selector.library);
            all.push((place, Err(Stop::NoDevice(sentence))));
        }
        for device in 0..listed.devices.len() {
            all.push(describe(Selector {
                library: selector.library.clone(),
                at: Some(At { platform, device }),
            }));
        }
    }
    all
}

fn json(place: &str, known: &Known) -> String {
    let object = serde_json::json!({
        "device": place,
        "platform": known.record.platform,
        "platform_version": known.record.platform_version,
        "name": known.record.name,
        "vendor": known.record.vendor,
        "version": known.record.version,
        "driver": known.record.driver,
        "capabilities": known.capabilities,
        "findings": known.record.findings,
    });
    format!("{object}\n")
}

fn absent(place: &str, sentence: &str, colour: Colour) -> String {
    let mut out = format!("{}\n", colour.strong(place));
    for (i, line) in sentence.lines().enumerate() {
        row(&mut out, if i == 0 { "not usable" } else { "" }, line);
    }
    out.push('\n');
    out
}

/// A device as a block of at most 80 columns.
fn block(place: &str, known: &Known, colour: Colour) -> String {
    let (record, c) = (&known.record, &known.capabilities);
    let mut out = format!("{}\n", colour.strong(place));
    row(&mut out, "device", &record.name);
    row(
        &mut out,
        "platform",
        &format!("{}, {}", record.platform, record.platform_version),
    );
    row(
        &mut out,
        "version",
        &format!("{}; driver {}", record.version, record.driver),
    );
    row(
        &mut out,
        "size",
        &format!(
            "{}{} compute units, work-groups up to {}, {} global ({} at once), {} local",
            if c.cpu { "CPU, " } else { "" },
            c.compute_units,
            c.max_work_group_size,
            bytes(c.global_mem),
            bytes(c.max_alloc),
            bytes(c.local_mem_size)
        ),
    );
    match c.api {
        Api::OpenCl => row(&mut out, "language", &language(c)),
        Api::Vulkan => row(&mut out, "queues", &queues(c)),
    }
    let mut missing = Vec::new();
    for (title, all) in offers(c) {
        let have: Vec<&str> = all
            .iter()
            .filter(|(_, on)| *on)
            .map(|(name, _)| *name)
            .collect();
        missing.extend(all.iter().filter(|(_, on)| !on).map(|(name, _)| *name));
        let text = if have.is_empty() {
            "none".to_string()
        } else {
            have.join(", ")
        };
        row(&mut out, title, &text);
    }
    if !missing.is_empty() {
        row(&mut out, "missing", &missing.join(", "));
    }
    for mismatch in &record.findings {
        row(&mut out, "mismatch", mismatch);
    }
    out.push('\n');
    out
}

fn language(c: &Capabilities) -> String {
    let mut text = format!("OpenCL C {}.{}", c.c_version.0, c.c_version.1);
    if c.c_std.is_empty() {
        text.push_str(", but nothing builds");
    } else {
        text.push_str(&format!(", built with -cl-std={}", c.c_std));
    }
    if !c.il.is_empty() {
        text.push_str(&format!("; {}", c.il));
    }
    text
}

fn queues(c: &Capabilities) -> String {
    let many = |n: u32, one: &str, more: &str| match n {
        1 => format!("1 {one}"),
        n => format!("{n} {more}"),
    };
    format!(
        "{} in {}, subgroups of {}",
        many(c.queues, "queue", "queues"),
        many(c.queue_families, "family", "families"),
        c.subgroup_size
    )
}

/// Capabilities in groups, each with whether the device has it.
fn offers(c: &Capabilities) -> Vec<(&'static str, Vec<(&'static str, bool)>)> {
    if c.api == Api::Vulkan {
        return vec![
            (
                "memory",
                vec![
                    ("Vulkan memory model", c.memory_model),
                    ("device scope", c.scope_device),
                    ("availability and visibility chains", c.chains),
                ],
            ),
            (
                "also",
                vec![
                    ("64-bit integers", c.int64),
                    ("64-bit atomics on buffers", c.int64_atomics),
                    ("64-bit atomics on workgroup memory", c.shared_int64_atomics),
                    ("physical storage buffers", c.buffer_device_address),
                    ("memory that is not coherent", c.non_coherent_memory),
                ],
            ),
        ];
    }
    vec![
        (
            "atomics",
            vec![
                ("C11 atomics", c.c11_atomics),
                ("acquire and release", c.order_acq_rel),
                ("seq_cst", c.order_seq_cst),
                ("64 bits", c.int64_atomics),
            ],
        ),
        (
            "scopes",
            vec![
                // Every device with C11 atomics has this one.
                ("work-group scope", c.c11_atomics),
                ("sub-group scope", c.scope_sub_group),
                ("device scope", c.scope_device),
                ("all-devices scope", c.scope_all_devices),
            ],
        ),
        (
            "SVM",
            vec![
                ("coarse-grain buffers", c.svm_coarse),
                ("fine-grain buffers", c.svm_fine_buffer),
                ("fine-grain system", c.svm_fine_system),
                ("SVM atomics", c.svm_atomics),
            ],
        ),
        (
            "also",
            vec![
                ("generic address space", c.generic_address_space),
                ("sub-groups", c.sub_groups),
                ("non-uniform groups", c.non_uniform_groups),
                ("out-of-order queues", c.out_of_order_queue),
                ("device enqueue", c.device_enqueue),
                ("pipes", c.pipes),
                ("images", c.images),
                ("IL", !c.il.is_empty()),
            ],
        ),
    ]
}

/// `  title      text`, wrapped.
fn row(out: &mut String, title: &str, text: &str) {
    const INDENT: usize = 14;
    for (i, line) in wrap(&plain(text), WIDTH - INDENT).iter().enumerate() {
        let title = if i == 0 { title } else { "" };
        out.push_str(&format!("  {title:width$}{line}\n", width = INDENT - 2));
    }
}

fn bytes(n: u64) -> String {
    const UNITS: [(&str, u64); 4] = [
        ("GiB", 1 << 30),
        ("MiB", 1 << 20),
        ("KiB", 1 << 10),
        ("bytes", 1),
    ];
    let (unit, size) = UNITS
        .into_iter()
        .find(|(_, size)| n >= *size)
        .unwrap_or(("bytes", 1));
    if n.is_multiple_of(size) {
        format!("{} {unit}", n / size)
    } else {
        format!("{:.1} {unit}", n as f64 / size as f64)
    }
}
