//! The writing half: every function is one transaction, taken with the write lock from its start.

use super::{PlanHash, PlannedCase, RunId, RunRecord, RunStatus, Store, StoreError};
use crate::record::{CaseResult, DeviceRecord, Launch, Moment, Outcome};
use crate::text::outcome as text;
use rusqlite::{OptionalExtension, Transaction, TransactionBehavior, params};
use std::collections::{HashMap, HashSet};
use time::OffsetDateTime;
use time::macros::format_description;

impl Store {
    /// Describes a run and its cases, in order, before any of them starts.
    ///
    /// # Errors
    ///
    /// A case is planned twice, or the store cannot be written.
    pub fn begin_run(
        &mut self,
        run: &RunRecord,
        planned: &[PlannedCase],
    ) -> Result<RunId, StoreError> {
        unplanned_twice(planned)?;
        self.write(|t| Ok(Ok(insert_run(t, run, planned)?.0)))
    }

    /// Adds a run that was made elsewhere, all of it in one transaction. `results` are of cases that
    /// it plans; it is done where each of these has one, and else interrupted.
    ///
    /// # Errors
    ///
    /// A case is planned twice, a result is of a case that is not planned or has values that a store cannot hold,
    /// or the store cannot be written. Nothing is added then.
    pub fn add_run(
        &mut self,
        run: &RunRecord,
        planned: &[PlannedCase],
        device: Option<&DeviceRecord>,
        moments: &[Moment],
        results: &[CaseResult],
    ) -> Result<RunId, StoreError> {
        unplanned_twice(planned)?;
        let rows = results
            .iter()
            .map(|result| rows_of(result).map(|rows| (result, rows)))
            .collect::<Result<Vec<_>, StoreError>>()?;
        self.write(|t| {
            let (id, cases) = insert_run(t, run, planned)?;
            if let Some(device) = device {
                insert_device(t, id, device)?;
            }
            for moment in moments {
                insert_moment(t, id, moment)?;
            }
            for (result, rows) in rows {
                match cases.get(result.case.as_str()) {
                    Some(row) => rows.insert(t, *row, result)?,
                    None => {
                        return Ok(Err(StoreError::NotPlanned {
                            run: id,
                            case: result.case.clone(),
                        }));
                    }
                }
            }
            let status = if results.len() == planned.len() {
                RunStatus::Done
            } else {
                RunStatus::Interrupted
            };
            let now = timestamp(OffsetDateTime::now_utc());
            t.execute(
                "UPDATE runs SET status = ?2, finished = ?3 WHERE id = ?1",
                params![id.0, status.name(), now],
            )?;
            Ok(Ok(id))
        })
    }

    /// Notes the device of a run, once it was opened. A resumed run may note it again.
    ///
    /// # Errors
    ///
    /// The store has no such run, or cannot be written.
    pub fn set_device(&mut self, run: RunId, device: &DeviceRecord) -> Result<(), StoreError> {
        let missing = self.no_such_run(run);
        self.write(|t| {
            let changed = insert_device(t, run, device)?;
            Ok(if changed == 1 { Ok(()) } else { Err(missing) })
        })
    }

    /// Notes how the machine is at a moment of a run, after those that were noted before.
    ///
    /// # Errors
    ///
    /// The store has no such run, or cannot be written.
    pub fn note_moment(&mut self, run: RunId, moment: &Moment) -> Result<(), StoreError> {
        let missing = self.no_such_run(run);
        self.write(|t| {
            if !exists(t, run)? {
                return Ok(Err(missing));
            }
            insert_moment(t, run, moment).map(Ok)
        })
    }

    /// Keeps the result of a planned case, whole, exactly once. A second result for the same case
    /// is refused and changes nothing. When this returns, the result outlives the process.
    ///
    /// # Errors
    ///
    /// The case is not planned or has a result, the result has values that a store cannot hold, or the store
    /// cannot be written. Nothing of the result is kept then.
    pub fn commit_case(&mut self, run: RunId, result: &CaseResult) -> Result<(), StoreError> {
        let case = &result.case;
        let rows = rows_of(result)?;
        let missing = self.no_such_run(run);
        self.write(|t| {
            let planned: Option<(i64, bool)> = t
                .query_row(
                    "SELECT id, EXISTS (SELECT 1 FROM results WHERE case_row = cases.id)
                     FROM cases WHERE run = ?1 AND name = ?2",
                    params![run.0, case.as_str()],
                    |row| Ok((row.get(0)?, row.get(1)?)),
                )
                .optional()?;
            match planned {
                Some((row, false)) => rows.insert(t, row, result).map(Ok),
                Some((_, true)) => Ok(Err(StoreError::AlreadyCommitted {
                    run,
                    case: case.clone(),
                })),
                None if exists(t, run)? => Ok(Err(StoreError::NotPlanned {
                    run,
                    case: case.clone(),
                })),
                None => Ok(Err(missing)),
            }
        })
    }

    /// Marks a run as done, as interrupted, or, when it is resumed, as running again. A run that is done may
    /// have cases that its time did not reach.
    ///
    /// # Errors
    ///
    /// The store has no such run, or cannot be written.
    pub fn finish_run(&mut self, run: RunId, status: RunStatus) -> Result<(), StoreError> {
        let missing = self.no_such_run(run);
        let finished = match status {
            RunStatus::Running => None,
            RunStatus::Done | RunStatus::Interrupted => Some(timestamp(OffsetDateTime::now_utc())),
        };
        self.write(|t| {
            let changed = t.execute(
                "UPDATE runs SET status = ?2, finished = ?3 WHERE id = ?1",
                params![run.0, status.name(), finished],
            )?;
            Ok(if changed == 1 { Ok(()) } else { Err(missing) })
        })
    }

    /// Runs `body` in a transaction that is committed only if both results are `Ok`: the outer one
    /// is SQLite's, the inner one this crate's.
    fn write<T>(
        &mut self,
        body: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        let path = &self.path;
        let error = |e| StoreError::from_sqlite(path, e);
        let transaction = self
            .db
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(error)?;
        // Dropping the transaction rolls it back.
        let value = body(&transaction).map_err(error)??;
        transaction.commit().map_err(error)?;
        Ok(value)
    }

    pub(super) fn no_such_run(&self, run: RunId) -> StoreError {
        StoreError::NoSuchRun {
            path: self.path.clone(),
            run,
        }
    }
}

/// Whether a plan names a case once.
fn unplanned_twice(planned: &[PlannedCase]) -> Result<(), StoreError> {
    let mut seen = HashSet::new();
    match planned.iter().find(|p| !seen.insert(&p.case)) {
        Some(twice) => Err(StoreError::PlannedTwice(twice.case.clone())),
        None => Ok(()),
    }
}

/// Writes a run with its cases; returns its number, and the row of each case by its name.
fn insert_run<'p>(
    t: &Transaction<'_>,
    run: &RunRecord,
    planned: &'p [PlannedCase],
) -> rusqlite::Result<(RunId, HashMap<&'p str, i64>)> {
    t.execute(
        "INSERT INTO runs (created, version, seed, plan, plan_hash, status)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        params![
            timestamp(run.created),
            run.version,
            run.seed.to_string(),
            run.plan,
            PlanHash::of(&run.plan).as_str(),
            RunStatus::Running.name(),
        ],
    )?;
    let id = RunId(t.last_insert_rowid());
    let mut insert =
        t.prepare("INSERT INTO cases (run, position, name, spec) VALUES (?1, ?2, ?3, ?4)")?;
    let mut rows = HashMap::new();
    for (position, p) in planned.iter().enumerate() {
        insert.execute(params![id.0, position as i64, p.case.as_str(), p.spec])?;
        rows.insert(p.case.as_str(), t.last_insert_rowid());
    }
    Ok((id, rows))
}

/// Writes the device of a run; returns how many runs have this number.
fn insert_device(
    t: &Transaction<'_>,
    run: RunId,
    device: &DeviceRecord,
) -> rusqlite::Result<usize> {
    t.execute(
        "UPDATE runs SET device = ?2 WHERE id = ?1",
        params![run.0, json(device)],
    )
}

fn insert_moment(t: &Transaction<'_>, run: RunId, moment: &Moment) -> rusqlite::Result<()> {
    t.execute(
        "INSERT INTO moments (run, position, at, machine, load, clock)
         SELECT ?1, count(*), ?2, ?3, ?4, ?5 FROM moments WHERE run = ?1",
        params![
            run.0,
            timestamp(moment.at),
            json(&moment.machine),
            moment.load.filter(|n| n.is_finite()),
            moment.clock_mhz.filter(|n| n.is_finite()),
        ],
    )?;
    Ok(())
}

/// A result in the form of the tables.
fn rows_of(result: &CaseResult) -> Result<Rows<'_>, StoreError> {
    Rows::of(result).map_err(|reason| StoreError::Unstorable {
        case: result.case.clone(),
        reason,
    })
}

fn exists(t: &Transaction<'_>, run: RunId) -> rusqlite::Result<bool> {
    t.query_row(
        "SELECT EXISTS (SELECT 1 FROM runs WHERE id = ?1)",
        [run.0],
        |row| row.get(0),
    )
}

/// RFC 3339 in UTC with microseconds, always the same length, so that text order is time order.
fn timestamp(at: OffsetDateTime) -> String {
    let form =
        format_description!("[year]-[month]-[day]T[hour]:[minute]:[second].[subsecond digits:6]Z");
    // Every part of the form exists in every moment, so formatting it cannot fail.
    at.to_offset(time::UtcOffset::UTC)
        .format(form)
        .unwrap_or_default()
}

/// A result in the form of the tables, checked.
struct Rows<'a> {
    instances: i64,
    /// Outcomes and whether they are targets, in order of first occurrence.
    outcomes: Vec<(&'a Outcome, bool)>,
    launches: Vec<LaunchRow>,
}

struct LaunchRow {
    number: i64,
    process: u32,
    instances: i64,
    seconds: f64,
    /// Number of the outcome, count.
    counts: Vec<(i64, i64)>,
    /// Name of the freedom, instances that showed it, instances that could have.
    freedoms: Vec<(&'static str, i64, i64)>,
}

impl<'a> Rows<'a> {
    /// The rows, or what makes the result impossible to store.
    fn of(result: &'a CaseResult) -> Result<Rows<'a>, String> {
        let times = [result.seconds, result.build_seconds, result.device_seconds];
        let launch_times = result.launches.iter().map(|l| l.seconds);
        if let Some(bad) = times
            .into_iter()
            .chain(launch_times)
            .find(|s| !s.is_finite())
        {
            return Err(format!("a time of {bad} s"));
        }
        let mut numbers = HashMap::new();
        let mut outcomes = Vec::new();
        let mut launches = Vec::new();
        for launch in &result.launches {
            launches.push(LaunchRow::of(launch, &mut numbers, &mut outcomes)?);
        }
        Ok(Rows {
            instances: signed(result.instances)?,
            outcomes,
            launches,
        })
    }

    fn insert(
        &self,
        t: &Transaction<'_>,
        case_row: i64,
        result: &CaseResult,
    ) -> rusqlite::Result<()> {
        t.prepare_cached(
            "INSERT INTO results (case_row, committed, test, file, verdict, reason, instances,
                 seconds, build_seconds, device_seconds, attempts, failed_attempts, observables,
                 lacks)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
        )?
        .execute(params![
            case_row,
            timestamp(OffsetDateTime::now_utc()),
            result.test,
            result.file,
            result.verdict.name(),
            result.reason,
            self.instances,
            result.seconds,
            result.build_seconds,
            result.device_seconds,
            result.attempts,
            result.failed_attempts,
            json(&result.observables),
            json(&result.lacks),
        ])?;
        let mut insert = t.prepare_cached(
            "INSERT INTO outcomes (case_row, number, outcome, target, typed)
             VALUES (?1, ?2, ?3, ?4, ?5)",
        )?;
        for (number, (outcome, target)) in self.outcomes.iter().enumerate() {
            // For people: the typed form is what is read again.
            let text = match outcome {
                Outcome::Violation(violation) => text::violation(violation),
                Outcome::State(_) | Outcome::Required | Outcome::Incomplete => {
                    text::outcome(outcome, &result.observables)
                }
            };
            insert.execute(params![
                case_row,
                number as i64,
                text,
                target,
                json(outcome)
            ])?;
        }
        let mut insert = t.prepare_cached(
            "INSERT INTO launches (case_row, position, number, process, instances, seconds)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?;
        let mut insert_count = t.prepare_cached(
            "INSERT INTO counts (case_row, launch, position, outcome, count)
             VALUES (?1, ?2, ?3, ?4, ?5)",
        )?;
        let mut insert_freedom = t.prepare_cached(
            "INSERT INTO freedoms (case_row, launch, freedom, seen, possible)
             VALUES (?1, ?2, ?3, ?4, ?5)",
        )?;
        for (position, l) in self.launches.iter().enumerate() {
            let launch = position as i64;
            insert.execute(params![
                case_row,
                launch,
                l.number,
                l.process,
                l.instances,
                l.seconds
            ])?;
            for (position, (outcome, count)) in l.counts.iter().enumerate() {
                insert_count.execute(params![case_row, launch, position as i64, outcome, count])?;
            }
            for (freedom, seen, possible) in &l.freedoms {
                insert_freedom.execute(params![case_row, launch, freedom, seen, possible])?;
            }
        }
        let mut insert = t.prepare_cached(
            "INSERT INTO evidence (case_row, position, kind, text) VALUES (?1, ?2, ?3, ?4)",
        )?;
        for (position, e) in result.evidence.iter().enumerate() {
            insert.execute(params![case_row, position as i64, e.kind.name(), e.text])?;
        }
        let mut insert = t.prepare_cached(
            "INSERT INTO violations (case_row, position, rules, what) VALUES (?1, ?2, ?3, ?4)",
        )?;
        for (position, v) in result.violations.iter().enumerate() {
            insert.execute(params![case_row, position as i64, json(&v.rules), v.what])?;
        }
        Ok(())
    }
}

impl LaunchRow {
    fn of<'a>(
        launch: &'a Launch,
        numbers: &mut HashMap<&'a Outcome, usize>,
        outcomes: &mut Vec<(&'a Outcome, bool)>,
    ) -> Result<LaunchRow, String> {
        let mut counts: Vec<(i64, i64)> = Vec::new();
        for o in &launch.outcomes {
            let number = *numbers.entry(&o.outcome).or_insert_with(|| {
                outcomes.push((&o.outcome, o.target));
                outcomes.len() - 1
            });
            let text = || text::outcome(&o.outcome, &[]);
            if outcomes[number].1 != o.target {
                return Err(format!("`{}` is both a target outcome and none", text()));
            }
            let number = number as i64;
            if counts.iter().any(|(n, _)| *n == number) {
                return Err(format!("launch {} counts `{}` twice", launch.index, text()));
            }
            counts.push((number, signed(o.count)?));
        }
        let mut freedoms = Vec::new();
        for count in &launch.freedoms {
            let name = count.freedom.name();
            if freedoms.iter().any(|(known, _, _)| *known == name) {
                return Err(format!("launch {} counts {name} twice", launch.index));
            }
            freedoms.push((name, signed(count.seen)?, signed(count.of)?));
        }
        Ok(LaunchRow {
            number: signed(launch.index)?,
            process: launch.process,
            instances: signed(launch.instances)?,
            seconds: launch.seconds,
            counts,
            freedoms,
        })
    }
}

/// Names, numbers and lists of them: nothing that a result holds can fail to become JSON.
fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// SQLite's integers are signed.
fn signed(n: u64) -> Result<i64, String> {
    i64::try_from(n).map_err(|_| format!("the count {n} is larger than {}", i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::datetime;

    #[test]
    fn timestamps_have_one_form() {
        assert_eq!(
            timestamp(datetime!(2024-02-29 13:05:06.789 +2)),
            "2024-02-29T11:05:06.789000Z"
        );
        assert_eq!(
            timestamp(datetime!(2024-02-29 0:00 UTC)),
            "2024-02-29T00:00:00.000000Z"
        );
    }
}
