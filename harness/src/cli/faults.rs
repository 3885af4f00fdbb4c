//! `classay faults`: injects known faults and reports which ones the suites detect.

use super::latitudes;
use super::options::{CampaignOptions, DeviceOption, JunitOption, seconds};
use super::output::{Out, say};
use clap::Args;
use classay::campaign::list::CarrierKind;
use classay::campaign::power::Power;
use classay::campaign::{Campaign, Fault, Found, Hunted, Terms};
use classay::device::{Api, Library, Selector};
use classay::interrupt::Interrupt;
use classay::judge::ChosenModel;
use classay::judge::covers;
use classay::machine::Watch;
use classay::plan::{self, Body, Case, Work, seed};
use classay::run::results;
use classay::worker::session::Limits;
use classay::{Error, open};
use classay_faults::LatitudeEntry;
use classay_litmus::Breaches;
use classay_litmus::program::Program;
use classay_reports::expectation::Expectations;
use classay_reports::record::{CaseId, CaseResult, Evidence, EvidenceKind, Verdict};
use classay_reports::text::number::short;
use classay_suites::rule::RuleId;
use classay_vocabulary::Budget;
use classay_vocabulary::ExitCode;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Options of `faults`.
#[derive(Debug, Args)]
pub struct FaultsOptions {
    #[command(flatten)]
    device: DeviceOption,
    /// Take only faults of this carrier; repeatable
    #[arg(long, value_name = "CARRIER")]
    carrier: Vec<CarrierKind>,
    /// Share this many seconds among the faults
    #[arg(long, value_name = "SECONDS", default_value = "600", value_parser = seconds)]
    budget: f64,
    /// Take only the faults just beyond the latitudes whose name matches this pattern, with * and ?, and have
    /// Touchstone take the latitude, with each fault and without; repeatable
    #[arg(long, value_name = "LATITUDE")]
    beyond: Vec<String>,
    #[command(flatten)]
    campaign: CampaignOptions,
    #[command(flatten)]
    junit: JunitOption,
}

/// Calls beyond which a case comes after all others.
const MANY_CALLS: usize = 50;

/// Faults that are looked for together, and the latitude that Touchstone takes meanwhile.
struct Group {
    latitude: Option<&'static LatitudeEntry>,
    faults: Vec<Fault>,
}

/// What became of a fault.
struct Settled {
    latitude: Option<&'static LatitudeEntry>,
    fault: Fault,
    found: Found,
}

impl Settled {
    /// The fault's name, with that of the latitude that it lies beyond.
    fn name(&self) -> String {
        let latitude = self.latitude.map(|row| format!("{}+", row.id));
        latitude.unwrap_or_default() + self.fault.id
    }
}

/// A line of `--json`.
#[derive(Serialize)]
struct Line<'a> {
    #[serde(flatten)]
    fault: &'a Fault,
    #[serde(flatten)]
    found: &'a Found,
    /// What Touchstone took meanwhile.
    #[serde(skip_serializing_if = "Option::is_none")]
    latitude: Option<&'static str>,
    /// Whether the device can show it at all.
    showable: bool,
    /// What the device can show of it at best.
    #[serde(skip_serializing_if = "Option::is_none")]
    power: Option<String>,
}

/// Does it; returns the exit code.
pub fn main(args: &FaultsOptions) -> Result<ExitCode, Error> {
    let interrupt = Interrupt::listen().map_err(Error::Bug)?;
    let selector = args.device.selector();
    let touchstone = selector.library == Library::Touchstone;
    let api = selector.library.api();
    let mut groups = groups(args, &selector)?;
    let options = &args.campaign;
    if api == Api::Vulkan && options.programs.is_some() {
        return Err(Error::Usage(
            "--programs is of generated cases, which call OpenCL: leave it out on a Vulkan device"
                .into(),
        ));
    }
    let json = options.json.json;
    let mut out = Out::new();
    if options.list {
        for fault in groups.iter().flat_map(|group| &group.faults) {
            out.line(&listed(fault, json));
        }
        return Ok(ExitCode::Passed);
    }
    let seed = options.seed.seed.unwrap_or_else(seed::draw);
    let begun = Instant::now();
    let (session, model) = open::judged(&selector, None, &interrupt)?;
    let cases = cases(api, options.programs.unwrap_or(40), seed, &model)?;
    let device = &session.known().capabilities;
    for group in &mut groups {
        group.faults.retain(|fault| !fault.claims_what_is(device));
    }
    let jobs = options.jobs.map_or_else(
        || std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
        usize::from,
    );
    let mut left: usize = groups.iter().map(|group| group.faults.len()).sum();
    say(&format!(
        "{left} faults, {} cases on {} ({selector}), seed {seed}, {jobs} at once",
        cases.len(),
        session.known().record.name,
    ));
    let tests = cases.iter().filter_map(|hunted| {
        let program = hunted.case.body.litmus()?;
        Some((hunted.case.id.name().to_string(), Program::clone(program)))
    });
    let power = Power::of(&selector, &session.known().capabilities, &model, tests)
        .map_err(Error::NoDevice)?;
    session.close();
    // A fault is what the chosen reading forbids, also where another one allows it.
    let model = model.alone();
    let lines = Mutex::new(&mut out);
    let settled = AtomicUsize::new(0);
    let (total, mut all) = (left, Vec::new());
    for Group { latitude, faults } in groups {
        // What others left goes to those that come after.
        let rest = Duration::from_secs_f64(args.budget).saturating_sub(begun.elapsed());
        let campaign = Campaign {
            faults: &faults,
            cases: &cases,
            selector: &selector,
            latitude,
            power: &power,
            terms: Terms {
                limits: Limits::once(options.timeout.or(3.0)),
                weak: touchstone,
                model: &model,
                tell: &|sentence| say(sentence),
            },
            budget: rest.mul_f64(faults.len() as f64 / left.max(1) as f64),
            jobs,
            interrupt: &interrupt,
        };
        left -= faults.len();
        let results = campaign.run(&|fault, found| {
            settled.fetch_add(1, Ordering::Relaxed);
            let (fault, found) = (*fault, found.clone());
            let settled = Settled {
                latitude,
                fault,
                found,
            };
            let line = line(&settled, &power, json);
            lines
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .line(&line);
        });
        let results = results.map_err(|stop| {
            let settled = settled.load(Ordering::Relaxed);
            Error::stopped(stop, format!(": {settled} of {total} faults were settled"))
        })?;
        let each = faults.into_iter().zip(results);
        all.extend(each.map(|(fault, found)| Settled {
            latitude,
            fault,
            found,
        }));
    }
    let count = |is: &dyn Fn(&Fault, &Found) -> bool| {
        all.iter()
            .filter(|settled| is(&settled.fault, &settled.found))
            .count()
    };
    let detected = count(&|_, found| matches!(found, Found::Detected { .. }));
    let by_rule = count(&|_, found| matches!(found, Found::Detected { own: true, .. }));
    let shown = count(&|fault, found| can_show(fault, found, &power));
    say(&format!(
        "detected {detected} of {shown} faults that this device can show ({:.1} %), {by_rule} by a rule of \
         theirs, in {:.0} s{}",
        100.0 * detected as f64 / shown.max(1) as f64,
        begun.elapsed().as_secs_f64(),
        others(&all, &power)
    ));
    if let Some(path) = &args.junit.junit {
        write_junit(path, &selector, seed, &all, &power)?;
    }
    Ok(if detected == shown {
        ExitCode::Passed
    } else {
        ExitCode::Failed
    })
}

/// The faults that are asked for: all at once, or those beyond each latitude.
fn groups(args: &FaultsOptions, selector: &Selector) -> Result<Vec<Group>, Error> {
    let touchstone = selector.library == Library::Touchstone;
    if args.beyond.is_empty() {
        let all = Fault::all(selector.library.api());
        let (latitude, faults) = (None, chosen(args, touchstone, all)?);
        return Ok(vec![Group { latitude, faults }]);
    }
    if !touchstone {
        return Err(Error::Usage(
            "--beyond is of the latitudes that Touchstone takes: leave --device out".into(),
        ));
    }
    let rows = latitudes::chosen(&args.beyond)?.into_iter();
    let group = |row| {
        let (latitude, faults) = (Some(row), chosen(args, touchstone, Fault::beyond(row))?);
        Ok(Group { latitude, faults })
    };
    rows.map(group).collect()
}

/// Those of some faults that are asked for.
fn chosen(
    args: &FaultsOptions,
    touchstone: bool,
    of: impl Iterator<Item = Fault>,
) -> Result<Vec<Fault>, Error> {
    let selection = args.campaign.select.selection();
    let is_chosen = |fault: &Fault| {
        selection.takes_named(&[fault.id])
            && (args.carrier.is_empty() || args.carrier.contains(&fault.kind()))
            && (touchstone || fault.kind() != CarrierKind::Touchstone)
            // What breaks no rule is listed, and not run.
            && (args.campaign.list || fault.rules().next().is_some())
    };
    let faults: Vec<Fault> = of.filter(is_chosen).collect();
    if !faults.is_empty() {
        return Ok(faults);
    }
    let of = match args.carrier.as_slice() {
        [] => "",
        _ => "of that carrier ",
    };
    let device = args.device.given();
    let device = device.map_or_else(String::new, |device| format!(" --device {device}"));
    Err(Error::Nothing(format!(
        "no fault {of}matches {selection}; `classay faults --list{device}` prints them"
    )))
}

/// Whether the device under test can show a fault: not where it lacks what programs need that have what
/// it breaks, not where it breaks the same by itself, and not where only a memory weaker than the
/// processor's would show it. What was detected could be shown.
fn can_show(fault: &Fault, found: &Found, power: &Power) -> bool {
    match found {
        Found::Detected { .. } => true,
        Found::Undetected { .. } | Found::NotActed { .. } | Found::Unopened { .. } => {
            power.shows(fault)
        }
        Found::NotApplicable { .. } | Found::Obscured { .. } => false,
    }
}

/// What is said of the faults that the device cannot show.
fn others(all: &[Settled], power: &Power) -> String {
    let mut not_applicable: BTreeMap<String, usize> = BTreeMap::new();
    let mut weak = 0;
    let mut obscured = 0;
    let mut not_acted = 0;
    for Settled { fault, found, .. } in all {
        match found {
            Found::NotApplicable { lacks, .. } => {
                *not_applicable.entry(lacks.join(" or ")).or_default() += 1
            }
            Found::Obscured { .. } => obscured += 1,
            Found::NotActed { .. } => not_acted += 1,
            Found::Detected { .. } | Found::Undetected { .. } | Found::Unopened { .. } => {
                weak += usize::from(!can_show(fault, found, power));
            }
        }
    }
    let mut text = String::new();
    if !not_applicable.is_empty() {
        let features: Vec<String> = not_applicable
            .iter()
            .map(|(w, n)| format!("{w} {n}"))
            .collect();
        text += &format!(
            "; {} need what it lacks: {}",
            not_applicable.values().sum::<usize>(),
            features.join(", ")
        );
    }
    if obscured > 0 {
        text += &format!("; {obscured} break what it breaks by itself");
    }
    if not_acted > 0 {
        text += &format!("; {not_acted} change nothing of what the cases give the device");
    }
    if weak > 0 {
        text += &format!("; {weak} need a memory that is weaker than the device's");
    }
    text
}

/// Cases of each generated kind that are drawn to know what they are about. The others of the kind are taken to be about
/// the same, in turn: it decides the order in which they are tried, and which of those that fail without a fault, too,
/// obscure it. To draw all takes longer than to find most faults.
const DRAWN: u32 = 5;

/// What a case is about, as far as it decides when it is tried.
#[derive(Clone)]
struct Gist {
    rules: BTreeSet<RuleId>,
    /// It makes so many calls which must be refused that it takes seconds, for the rules of whatever they are about.
    long: bool,
}

impl Gist {
    fn of(case: &Case, breaches: &Breaches) -> Gist {
        let api = matches!(case.body, Body::DrawnApi { .. });
        let work = api.then(|| case.body.work(case.seed));
        Gist {
            rules: covers(case, breaches),
            long: matches!(work, Some(Ok(Work::Api(api))) if api.calls() > MANY_CALLS),
        }
    }
}

/// The cases, each kind's in turn, those last that take long.
fn cases(api: Api, each: u32, seed: u64, model: &ChosenModel) -> Result<Vec<Hunted>, Error> {
    let mut all = Vec::new();
    // What is generated calls OpenCL.
    if api == Api::OpenCl {
        all.extend(plan::drawn(each));
        all.extend(plan::small(each));
    }
    // The first of every kind, then the second: a fault is found soonest by many kinds.
    all.sort_by(|a, b| (a.id.name(), a.id.as_str()).cmp(&(b.id.name(), b.id.as_str())));
    all.extend(plan::shipped_of(api).map_err(Error::Bug)?);
    plan::share_out(&mut all, seed, Budget::Instances(1));
    let breaches = Breaches::of(&model.given).map_err(|error| Error::Bug(error.to_string()))?;
    let mut drawn: HashMap<(String, u32), Gist> = HashMap::new();
    let mut cases: Vec<(bool, Hunted)> = Vec::with_capacity(all.len());
    for case in all {
        let number = match case.body {
            Body::Litmus(_) => None,
            _ => case.id.name().parse::<u32>().ok(),
        };
        let gist = match number {
            None => Gist::of(&case, &breaches),
            Some(number) => {
                let of = drawn.entry((case.id.kind().to_string(), number % DRAWN));
                of.or_insert_with(|| Gist::of(&case, &breaches)).clone()
            }
        };
        let rules = gist.rules;
        cases.push((gist.long, Hunted { case, rules }));
    }
    cases.sort_by_key(|(long, _)| *long);
    Ok(cases.into_iter().map(|(_, hunted)| hunted).collect())
}

fn listed(fault: &Fault, json: bool) -> String {
    if json {
        return serde_json::to_string(fault).unwrap_or_default();
    }
    format!(
        "{:<34} {}\n    {}",
        fault.id,
        rules_of(fault),
        fault.sentence
    )
}

fn rules_of(fault: &Fault) -> String {
    fault.rules().collect::<Vec<_>>().join(" ")
}

/// A fault that is settled, as it is printed.
fn line(settled: &Settled, power: &Power, json: bool) -> String {
    let Settled { fault, found, .. } = settled;
    if !json {
        let reported = Reported::of(fault, found, power);
        let by = fault.kind().word();
        return format!(
            "{:<10} {by:<10} {:<32} {}",
            reported.word,
            settled.name(),
            reported.short
        );
    }
    // Strings and numbers: nothing in it can fail to become JSON.
    serde_json::to_string(&Line {
        fault,
        found,
        latitude: settled.latitude.map(|row| row.id),
        showable: can_show(fault, found, power),
        power: power.says(fault),
    })
    .unwrap_or_default()
}

/// What became of a fault, for people.
struct Reported {
    word: &'static str,
    /// For its line.
    short: String,
    /// As a test case, which passes where the fault is detected.
    verdict: Verdict,
    /// For a report.
    reason: String,
}

impl Reported {
    fn of(fault: &Fault, found: &Found, power: &Power) -> Reported {
        let first_line = |text: &str| text.lines().next().unwrap_or_default().to_string();
        let but = || {
            power
                .says(fault)
                .map_or_else(String::new, |p| format!("; {p}"))
        };
        match found {
            Found::Detected {
                case,
                reason,
                own,
                runs,
                of,
                shown,
                expected,
                ..
            } => Reported {
                word: if *own { "detected" } else { "elsewhere" },
                short: format!(
                    "{case} after {runs} runs, {shown} of {of}, 99 % in {} s",
                    short(*expected)
                ),
                verdict: Verdict::Pass,
                reason: format!("detected by {case}: {reason}"),
            },
            Found::NotApplicable { lacks, cases } => {
                let reason = format!(
                    "the device lacks {}; no difference to {cases} cases",
                    lacks.join(" and ")
                );
                Reported {
                    word: "not-applicable",
                    short: reason.clone(),
                    verdict: Verdict::Skip,
                    reason,
                }
            }
            Found::Obscured {
                cases,
                case,
                reason,
            } => Reported {
                word: "obscured",
                short: format!(
                    "the device breaks it by itself in {cases} cases, as {case}: {}",
                    first_line(reason)
                ),
                verdict: Verdict::Skip,
                reason: format!(
                    "the device breaks it by itself in all {cases} cases that could show it, as \
                     {case}: {reason}"
                ),
            },
            Found::Undetected {
                runs, cases, acted, ..
            } => {
                let (word, verdict) = match power.shows(fault) {
                    true => ("UNDETECTED", Verdict::Fail),
                    false => ("unseen", Verdict::Inconclusive),
                };
                let acted = acted.map_or_else(String::new, |acted| format!(", it acts in {acted}"));
                let what = format!("{runs} runs of {cases} cases{acted}");
                Reported {
                    word,
                    short: format!("{what}{}", but()),
                    verdict,
                    reason: format!("{what} did not detect it{}", but()),
                }
            }
            Found::NotActed { cases } => {
                let reason = format!("it changes nothing of what {cases} cases give the device");
                Reported {
                    word: "not-acted",
                    short: reason.clone(),
                    verdict: match power.shows(fault) {
                        true => Verdict::Fail,
                        false => Verdict::Inconclusive,
                    },
                    reason,
                }
            }
            Found::Unopened { why } => Reported {
                word: "unopened",
                short: first_line(why),
                verdict: Verdict::Inconclusive,
                reason: why.clone(),
            },
        }
    }
}

/// Writes each fault as a test case.
fn write_junit(
    path: &std::path::Path,
    selector: &Selector,
    seed: u64,
    all: &[Settled],
    power: &Power,
) -> Result<(), Error> {
    use classay_reports::store::{PlanHash, Run, RunId, RunRecord, RunStatus};
    let case = |settled: &Settled| {
        let Settled { fault, found, .. } = settled;
        let reported = Reported::of(fault, found, power);
        let (instances, seconds) = match found {
            Found::Detected { runs, seconds, .. } | Found::Undetected { runs, seconds, .. } => {
                (*runs, *seconds)
            }
            Found::NotApplicable { .. }
            | Found::NotActed { .. }
            | Found::Obscured { .. }
            | Found::Unopened { .. } => (0, 0.0),
        };
        let case = CaseId::new("faults", &rules_of(fault), &settled.name());
        CaseResult {
            test: settled.name(),
            instances,
            seconds,
            evidence: vec![Evidence {
                kind: EvidenceKind::Fault,
                text: fault.sentence.to_string(),
            }],
            ..CaseResult::new(case, reported.verdict, reported.reason)
        }
    };
    let cases: Vec<CaseResult> = all.iter().map(case).collect();
    let plan = format!("faults of {selector}");
    let run = Run {
        id: RunId::new(1),
        plan_hash: PlanHash::of(&plan),
        record: RunRecord {
            created: time::OffsetDateTime::now_utc(),
            version: env!("CARGO_PKG_VERSION").into(),
            seed,
            plan,
        },
        device: None,
        status: RunStatus::Done,
        finished: None,
        planned: cases.len() as u64,
        committed: cases.len() as u64,
        moments: vec![Watch::new().look()],
        reach: None,
    };
    results::write_junit(path, &run, &cases, &Expectations::default())
}
