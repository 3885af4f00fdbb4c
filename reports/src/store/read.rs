//! The reading half.

use super::{PlanHash, PlannedCase, Run, RunId, RunRecord, RunStatus, Store, StoreError, old};
use crate::record::{
    CaseId, CaseResult, Evidence, EvidenceKind, Freedom, FreedomCount, Launch, Moment, Outcome,
    OutcomeCount, Verdict, Violation,
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

    /// The latest run that did not end or has cases without a result: with this plan, or with any.
    ///
    /// # Errors
    ///
    /// The store cannot be read.
    pub fn unfinished_run(&self, plan: Option<&PlanHash>) -> Result<Option<Run>, StoreError> {
        let wanted = plan.map(PlanHash::as_str);
        let runs = self.select_runs(
            "WHERE (?1 IS NULL OR plan_hash = ?1) AND (status <> 'done' OR EXISTS (
                 SELECT 1 FROM cases LEFT JOIN results ON case_row = cases.id
                 WHERE cases.run = runs.id AND case_row IS NULL))
             ORDER BY id DESC LIMIT 1",
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
            // A store of an earlier version that was opened for reading only has no such columns and tables.
            let typed = self.db.table_exists(None, "violations")?;
            let with_freedoms = self.db.table_exists(None, "freedoms")?;
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
                if with_freedoms {
                    self.fill_freedoms(*case_row, result)?;
                }
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
        let process = match self.db.column_exists(None, "launches", "process")? {
            true => "process",
            false => "0",
        };
        result.launches = self
            .db
            .prepare_cached(&format!(
                "SELECT number, instances, seconds, {process} FROM launches WHERE case_row = ?1
                 ORDER BY position",
            ))?
            .query_map([case_row], |row| {
                Ok(Launch {
                    index: unsigned(row, 0)?,
                    process: row.get(3)?,
                    instances: unsigned(row, 1)?,
                    seconds: row.get(2)?,
                    outcomes: Vec::new(),
                    freedoms: Vec::new(),
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

    /// Adds the freedoms to the launches of a result.
    fn fill_freedoms(&self, case_row: i64, result: &mut CaseResult) -> rusqlite::Result<()> {
        let mut counts = self.db.prepare_cached(
            "SELECT launch, freedom, seen, possible FROM freedoms WHERE case_row = ?1
             ORDER BY launch",
        )?;
        let mut rows = counts.query([case_row])?;
        while let Some(row) = rows.next()? {
            let name: String = row.get(1)?;
            let freedom = Freedom::named(&name).ok_or_else(|| unknown(1, "freedom", &name))?;
            let (seen, of) = (unsigned(row, 2)?, unsigned(row, 3)?);
            // Foreign keys say that the launch exists.
            if let Some(launch) = result.launches.get_mut(unsigned(row, 0)? as usize) {
                launch.freedoms.push(FreedomCount { freedom, seen, of });
            }
        }
        for launch in &mut result.launches {
            launch.freedoms.sort_by_key(|count| count.freedom);
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
            let kind = EvidenceKind::named(&kind).ok_or_else(|| unknown(0, "evidence", &kind))?;
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
        let sql = format!(
            "SELECT id, created, finished, version, seed, plan, plan_hash, device, status,
                 (SELECT count(*) FROM cases WHERE run = runs.id),
                 (SELECT count(*) FROM cases JOIN results ON case_row = cases.id
                  WHERE run = runs.id)
             FROM runs {which}"
        );
        self.each_row(&sql, values, |row| self.understand(row))
    }

    /// How the machine was during a run. A store of schema version 1 that was opened for reading only
    /// has no table of it.
    fn moments(&self, run: RunId) -> Result<Vec<Moment>, StoreError> {
        let error = |e| self.error(e);
        if !self.db.table_exists(None, "moments").map_err(error)? {
            return Ok(Vec::new());
        }
        let sql = "SELECT at, machine, load, clock FROM moments WHERE run = ?1 ORDER BY position";
        self.each_row(sql, [run.0], |row| {
            let get = |column| row.get::<_, String>(column).map_err(error);
            let (at, machine) = (get(0)?, get(1)?);
            Ok(Moment {
                at: self.moment(run, &at)?,
                machine: serde_json::from_str(&machine)
                    .map_err(|_| self.odd(run, "machine", &machine))?,
                load: row.get(2).map_err(error)?,
                clock_mhz: row.get(3).map_err(error)?,
            })
        })
    }

    /// The rows of a query, each understood in its turn.
    fn each_row<T>(
        &self,
        sql: &str,
        values: impl rusqlite::Params,
        mut understand: impl FnMut(&Row<'_>) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        let error = |e| self.error(e);
        let mut statement = self.db.prepare_cached(sql).map_err(error)?;
        let mut rows = statement.query(values).map_err(error)?;
        let mut all = Vec::new();
        while let Some(row) = rows.next().map_err(error)? {
            all.push(understand(row)?);
        }
        Ok(all)
    }

    fn moment(&self, run: RunId, text: &str) -> Result<OffsetDateTime, StoreError> {
        OffsetDateTime::parse(text, &Rfc3339).map_err(|_| self.odd(run, "time", text))
    }

    /// A text of a run that this program does not write.
    fn odd(&self, run: RunId, what: &str, text: &str) -> StoreError {
        StoreError::Damaged {
            path: self.path.clone(),
            reason: format!("run {run} has the {what} `{text}`"),
        }
    }

    fn understand(&self, row: &Row<'_>) -> Result<Run, StoreError> {
        let error = |e| self.error(e);
        let text = |column| row.get::<_, String>(column).map_err(error);
        let id = RunId(row.get(0).map_err(error)?);
        let finished: Option<String> = row.get(2).map_err(error)?;
        let seed = text(4)?;
        let device: Option<String> = row.get(7).map_err(error)?;
        Ok(Run {
            id,
            record: RunRecord {
                created: self.moment(id, &text(1)?)?,
                version: text(3)?,
                seed: seed.parse().map_err(|_| self.odd(id, "seed", &seed))?,
                plan: text(5)?,
            },
            plan_hash: PlanHash(text(6)?),
            device: match &device {
                Some(json) => {
                    Some(serde_json::from_str(json).map_err(|_| self.odd(id, "device", json))?)
                }
                None => None,
            },
            status: row.get(8).map_err(error)?,
            finished: finished.map(|at| self.moment(id, &at)).transpose()?,
            planned: unsigned(row, 9).map_err(error)?,
            committed: unsigned(row, 10).map_err(error)?,
            moments: self.moments(id)?,
            reach: None,
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
    Verdict::named(&name).ok_or_else(|| unknown(column, "verdict", &name))
}

impl FromSql for RunStatus {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<RunStatus> {
        let name = value.as_str()?;
        RunStatus::named(name)
            .ok_or_else(|| FromSqlError::Other(format!("no status is called `{name}`").into()))
    }
}

fn unsigned(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    let value: i64 = row.get(column)?;
    u64::try_from(value).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(column, value))
}
