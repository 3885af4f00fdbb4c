//! The reading half.

use super::{PlanHash, PlannedCase, Run, RunId, RunRecord, RunStatus, Store, StoreError, old};
use crate::record::{
    CaseId, CaseResult, Evidence, EvidenceKind, Launch, Moment, Outcome, OutcomeCount, Verdict,
    Violation,
};
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, Type, ValueRef};
use rusqlite::{Row, params};
use serde::de::DeserializeOwned;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

impl Store {
    /// Every run, oldest first.
    ///
    /// # Errors
    ///
    /// The store cannot be read.
    pub fn runs(&self) -> Result<Vec<Run>, StoreError> {
        self.select_runs("ORDER BY id", params![])
    }

    /// One run.
    ///
    /// # Errors
    ///
    /// The store has no such run, or cannot be read.
    pub fn run(&self, run: RunId) -> Result<Run, StoreError> {
        self.select_runs("WHERE id = ?1", params![run.0])?
            .pop()
            .ok_or_else(|| self.no_such_run(run))
    }

    /// The latest run that is not done: with this plan, or with any.
    ///
    /// # Errors
    ///
    /// The store cannot be read.
    pub fn unfinished_run(&self, plan: Option<&PlanHash>) -> Result<Option<Run>, StoreError> {
        let wanted = plan.map(PlanHash::as_str);
        let runs = self.select_runs(
            "WHERE status <> 'done' AND (?1 IS NULL OR plan_hash = ?1) ORDER BY id DESC LIMIT 1",
            params![wanted],
        )?;
        Ok(runs.into_iter().next())
    }

    /// The planned cases, in order.
    ///
    /// # Errors
    ///
    /// The store has no such run, or cannot be read.
    pub fn planned_cases(&self, run: RunId) -> Result<Vec<PlannedCase>, StoreError> {
        self.select_cases(run, "")
    }

    /// The planned cases that have no result yet, in order.
    ///
    /// # Errors
    ///
    /// The store has no such run, or cannot be read.
    pub fn pending_cases(&self, run: RunId) -> Result<Vec<PlannedCase>, StoreError> {
        self.select_cases(
            run,
            "AND NOT EXISTS (SELECT 1 FROM results WHERE case_row = cases.id)",
        )
    }

    /// The results that a run has, in the order of its plan.
    ///
    /// # Errors
    ///
    /// The store has no such run, or cannot be read.
    pub fn case_results(&self, run: RunId) -> Result<Vec<CaseResult>, StoreError> {
        self.run(run)?;
        self.consistently(|| {
            // A store of an earlier version that was opened for reading only has no such columns.
            let typed = self.db.table_exists(None, "violations")?;
            let columns = if typed {
                "observables, lacks"
            } else {
                "NULL, NULL"
            };
            let mut statement = self.db.prepare_cached(&format!(
                "SELECT case_row, name, test, file, verdict, reason, instances, seconds,
                     build_seconds, device_seconds, attempts, failed_attempts, {columns}
                 FROM results JOIN cases ON case_row = id WHERE run = ?1 ORDER BY position"
            ))?;
            let rows = statement.query_map([run.0], |row| {
                let is_old = row.get_ref(12)? == ValueRef::Null;
                Ok((row.get(0)?, is_old, result(row)?))
            })?;
            let mut results = rows.collect::<rusqlite::Result<Vec<(i64, bool, CaseResult)>>>()?;
            for (case_row, is_old, result) in &mut results {
                if typed {
                    result.violations = self.violations(*case_row)?;
                }
                self.fill_launches(*case_row, typed, result)?;
                self.fill_evidence(*case_row, *is_old, result)?;
            }
            Ok(results.into_iter().map(|(_, _, result)| result).collect())
        })
    }

    /// Adds the launches of a result with their counts.
    fn fill_launches(
        &self,
        case_row: i64,
        typed: bool,
        result: &mut CaseResult,
    ) -> rusqlite::Result<()> {
        let columns = if typed {
            "outcome, target, typed"
        } else {
            "outcome, asked, NULL"
        };
        let sql = format!("SELECT {columns} FROM outcomes WHERE case_row = ?1 ORDER BY number");
        let outcomes = self
            .db
            .prepare_cached(&sql)?
            .query_map([case_row], |row| {
                let outcome = match row.get_ref(2)? {
                    ValueRef::Null => {
                        let text: String = row.get(0)?;
                        old::outcome(&text, &mut result.observables)
                    }
                    _ => required_json(row, 2)?,
                };
                Ok((outcome, row.get(1)?))
            })?
            .collect::<rusqlite::Result<Vec<(Outcome, bool)>>>()?;
        result.launches = self
            .db
            .prepare_cached(
                "SELECT number, instances, seconds FROM launches WHERE case_row = ?1
                 ORDER BY position",
            )?
            .query_map([case_row], |row| {
                Ok(Launch {
                    index: unsigned(row, 0)?,
                    instances: unsigned(row, 1)?,
                    seconds: row.get(2)?,
                    outcomes: Vec::new(),
                })
            })?
            .collect::<rusqlite::Result<_>>()?;
        let mut counts = self.db.prepare_cached(
            "SELECT launch, outcome, count FROM counts WHERE case_row = ?1
             ORDER BY launch, position",
        )?;
        let mut rows = counts.query([case_row])?;
        while let Some(row) = rows.next()? {
            let launch = result.launches.get_mut(unsigned(row, 0)? as usize);
            let outcome = outcomes.get(unsigned(row, 1)? as usize);
            // Foreign keys say that both exist.
            if let (Some(launch), Some((outcome, target))) = (launch, outcome) {
                launch.outcomes.push(OutcomeCount {
                    outcome: outcome.clone(),
                    count: unsigned(row, 2)?,
                    target: *target,
                });
            }
        }
        Ok(())
    }

    /// Adds the evidence of a result, and the violations that are evidence in an old one.
    fn fill_evidence(
        &self,
        case_row: i64,
        is_old: bool,
        result: &mut CaseResult,
    ) -> rusqlite::Result<()> {
        let mut statement = self.db.prepare_cached(
            "SELECT kind, text FROM evidence WHERE case_row = ?1 ORDER BY position",
        )?;
        let mut rows = statement.query([case_row])?;
        while let Some(row) = rows.next()? {
            let (kind, text): (String, String) = (row.get(0)?, row.get(1)?);
            if is_old {
                result.violations.extend(old::violation_of(&kind, &text));
                if kind == old::VIOLATION {
                    continue;
                }
            }
            let known = EvidenceKind::ALL.into_iter().find(|k| k.name() == kind);
            let kind = known.ok_or_else(|| unknown(0, "evidence", &kind))?;
            result.evidence.push(Evidence { kind, text });
        }
        Ok(())
    }

    fn violations(&self, case_row: i64) -> rusqlite::Result<Vec<Violation>> {
        self.db
            .prepare_cached(
                "SELECT rules, what FROM violations WHERE case_row = ?1 ORDER BY position",
            )?
            .query_map([case_row], |row| {
                Ok(Violation {
                    rules: required_json(row, 0)?,
                    what: row.get(1)?,
                })
            })?
            .collect()
    }

    fn select_cases(&self, run: RunId, which: &str) -> Result<Vec<PlannedCase>, StoreError> {
        self.run(run)?;
        let select = || -> rusqlite::Result<Vec<PlannedCase>> {
            let sql =
                format!("SELECT name, spec FROM cases WHERE run = ?1 {which} ORDER BY position");
            self.db
                .prepare_cached(&sql)?
                .query_map([run.0], |row| {
                    Ok(PlannedCase {
                        case: CaseId::from_stored(row.get(0)?),
                        spec: row.get(1)?,
                    })
                })?
                .collect()
        };
        select().map_err(|e| self.error(e))
    }

    fn select_runs(
        &self,
        which: &str,
        values: impl rusqlite::Params,
    ) -> Result<Vec<Run>, StoreError> {
        let select = || -> rusqlite::Result<Vec<RunRow>> {
            let sql = format!(
                "SELECT id, created, finished, version, seed, plan, plan_hash, device, status,
                     (SELECT count(*) FROM cases WHERE run = runs.id),
                     (SELECT count(*) FROM cases JOIN results ON case_row = cases.id
                      WHERE run = runs.id)
                 FROM runs {which}"
            );
            self.db
                .prepare_cached(&sql)?
                .query_map(values, RunRow::read)?
                .collect()
        };
        let rows = select().map_err(|e| self.error(e))?;
        rows.into_iter().map(|row| self.understand(row)).collect()
    }

    /// How the machine was during a run. A store of schema version 1 that was opened for reading only
    /// has no table of it.
    fn moments(&self, run: RunId) -> Result<Vec<Moment>, StoreError> {
        let select = || -> rusqlite::Result<Vec<MomentRow>> {
            if !self.db.table_exists(None, "moments")? {
                return Ok(Vec::new());
            }
            self.db
                .prepare_cached(
                    "SELECT at, machine, load, clock FROM moments WHERE run = ?1 ORDER BY position",
                )?
                .query_map([run.0], MomentRow::read)?
                .collect()
        };
        let rows = select().map_err(|e| self.error(e))?;
        rows.into_iter()
            .map(|row| {
                Ok(Moment {
                    at: OffsetDateTime::parse(&row.at, &Rfc3339)
                        .map_err(|_| self.odd(run, "time", &row.at))?,
                    machine: serde_json::from_str(&row.machine)
                        .map_err(|_| self.odd(run, "machine", &row.machine))?,
                    load: row.load,
                    clock_mhz: row.clock,
                })
            })
            .collect()
    }

    /// A text of a run that this program does not write.
    fn odd(&self, run: RunId, what: &str, text: &str) -> StoreError {
        StoreError::Damaged {
            path: self.path.clone(),
            reason: format!("run {run} has the {what} `{text}`"),
        }
    }

    fn understand(&self, row: RunRow) -> Result<Run, StoreError> {
        let odd = |what: &str, text: &str| self.odd(row.id, what, text);
        let moment =
            |text: &str| OffsetDateTime::parse(text, &Rfc3339).map_err(|_| odd("time", text));
        Ok(Run {
            id: row.id,
            record: RunRecord {
                created: moment(&row.created)?,
                version: row.version.clone(),
                seed: row.seed.parse().map_err(|_| odd("seed", &row.seed))?,
                plan: row.plan.clone(),
            },
            plan_hash: PlanHash(row.plan_hash.clone()),
            device: match &row.device {
                Some(json) => Some(serde_json::from_str(json).map_err(|_| odd("device", json))?),
                None => None,
            },
            status: row.status,
            finished: row.finished.as_deref().map(moment).transpose()?,
            planned: row.planned,
            committed: row.committed,
            moments: self.moments(row.id)?,
        })
    }

    /// Reads several tables as they were at one moment, whatever other processes commit meanwhile.
    fn consistently<T>(&self, body: impl FnOnce() -> rusqlite::Result<T>) -> Result<T, StoreError> {
        let snapshot = self.db.unchecked_transaction().map_err(|e| self.error(e))?;
        let value = body().map_err(|e| self.error(e))?;
        snapshot.commit().map_err(|e| self.error(e))?;
        Ok(value)
    }
}

/// A result without its launches and evidence.
fn result(row: &Row<'_>) -> rusqlite::Result<CaseResult> {
    Ok(CaseResult {
        case: CaseId::from_stored(row.get(1)?),
        test: row.get(2)?,
        file: row.get(3)?,
        verdict: verdict(row, 4)?,
        reason: row.get(5)?,
        instances: unsigned(row, 6)?,
        seconds: row.get(7)?,
        build_seconds: row.get(8)?,
        device_seconds: row.get(9)?,
        attempts: row.get(10)?,
        failed_attempts: row.get(11)?,
        observables: json(row, 12)?,
        lacks: json(row, 13)?,
        launches: Vec::new(),
        violations: Vec::new(),
        evidence: Vec::new(),
    })
}

/// A value that is kept as JSON; the default where there is none, as in a row of an earlier version.
fn json<T: DeserializeOwned + Default>(row: &Row<'_>, column: usize) -> rusqlite::Result<T> {
    match row.get_ref(column)? {
        ValueRef::Null => Ok(T::default()),
        _ => required_json(row, column),
    }
}

/// A value that is kept as JSON.
fn required_json<T: DeserializeOwned>(row: &Row<'_>, column: usize) -> rusqlite::Result<T> {
    let text: String = row.get(column)?;
    serde_json::from_str(&text)
        .map_err(|why| rusqlite::Error::FromSqlConversionFailure(column, Type::Text, why.into()))
}

/// A name that this program does not write.
fn unknown(column: usize, what: &str, name: &str) -> rusqlite::Error {
    let why = format!("no {what} is called `{name}`");
    rusqlite::Error::FromSqlConversionFailure(column, Type::Text, why.into())
}

fn verdict(row: &Row<'_>, column: usize) -> rusqlite::Result<Verdict> {
    let name: String = row.get(column)?;
    let known = Verdict::ALL.into_iter().find(|v| v.name() == name);
    known.ok_or_else(|| unknown(column, "verdict", &name))
}

impl FromSql for RunStatus {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<RunStatus> {
        let name = value.as_str()?;
        let known = RunStatus::ALL.into_iter().find(|s| s.name() == name);
        known.ok_or_else(|| FromSqlError::Other(format!("no status is called `{name}`").into()))
    }
}

fn unsigned(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    let value: i64 = row.get(column)?;
    u64::try_from(value).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(column, value))
}

/// A row of `runs`, before its texts are understood.
struct RunRow {
    id: RunId,
    created: String,
    finished: Option<String>,
    version: String,
    seed: String,
    plan: String,
    plan_hash: String,
    device: Option<String>,
    status: RunStatus,
    planned: u64,
    committed: u64,
}

impl RunRow {
    fn read(row: &Row<'_>) -> rusqlite::Result<RunRow> {
        Ok(RunRow {
            id: RunId(row.get(0)?),
            created: row.get(1)?,
            finished: row.get(2)?,
            version: row.get(3)?,
            seed: row.get(4)?,
            plan: row.get(5)?,
            plan_hash: row.get(6)?,
            device: row.get(7)?,
            status: row.get(8)?,
            planned: unsigned(row, 9)?,
            committed: unsigned(row, 10)?,
        })
    }
}

/// A row of `moments`, before its texts are understood.
struct MomentRow {
    at: String,
    machine: String,
    load: Option<f64>,
    clock: Option<f64>,
}

impl MomentRow {
    fn read(row: &Row<'_>) -> rusqlite::Result<MomentRow> {
        Ok(MomentRow {
            at: row.get(0)?,
            machine: row.get(1)?,
            load: row.get(2)?,
            clock: row.get(3)?,
        })
    }
}
