//! A run as CSV (RFC 4180): one row an outcome.
//!
//! Each case has, in this order, one row `target` for its target outcomes taken together, one row `outcome` for
//! each outcome that occurred, the most frequent first, and one row `freedom` for each freedom that an instance
//! could show: its name stands in the place of the outcome, and its instances are those that could. A case in
//! which no instance ran has one row `none`. Cells that have no value are empty.

use crate::report::{CaseFacts, OutcomeFacts, Report};
use std::io::Write;

/// The columns.
pub const HEADER: [&str; 18] = [
    "run",
    "case",
    "test",
    "verdict",
    "row",
    "outcome",
    "target",
    "count",
    "instances",
    "launches",
    "processes",
    "rate",
    "low95",
    "high95",
    "bound95",
    "design_effect",
    "drift_p",
    "seconds",
];

/// Writes it.
///
/// # Errors
///
/// What `out` says.
pub fn write(report: &Report<'_>, out: impl Write) -> Result<(), csv::Error> {
    let mut csv = csv::Writer::from_writer(out);
    csv.write_record(HEADER)?;
    for case in &report.cases {
        match &case.target {
            Some(target) => csv.write_record(row(report, case, "target", Some(target)))?,
            None => csv.write_record(row(report, case, "none", None))?,
        }
        for outcome in &case.outcomes {
            csv.write_record(row(report, case, "outcome", Some(outcome)))?;
        }
        for freedom in &case.freedoms {
            csv.write_record(row(report, case, "freedom", Some(freedom)))?;
        }
    }
    csv.flush()?;
    Ok(())
}

fn row(
    report: &Report<'_>,
    case: &CaseFacts<'_>,
    kind: &str,
    of: Option<&OutcomeFacts>,
) -> [String; HEADER.len()] {
    let number = |value: Option<f64>| value.map_or_else(String::new, |v| format!("{v:e}"));
    let count = |value: Option<u64>| value.map_or_else(String::new, |v| v.to_string());
    [
        report.run.id.to_string(),
        case.result.case.to_string(),
        case.result.test.clone(),
        case.result.verdict.to_string(),
        kind.to_owned(),
        of.map_or_else(String::new, |o| o.text.clone()),
        of.map_or_else(String::new, |o| o.target.to_string()),
        count(of.map(|o| o.all.count)),
        count(of.map(|o| o.all.instances)),
        count(of.map(|o| o.all.launches as u64)),
        count(of.map(|o| o.all.processes as u64)),
        number(of.map(OutcomeFacts::rate)),
        number(of.map(|o| o.interval.low)),
        number(of.map(|o| o.interval.high)),
        number(of.and_then(OutcomeFacts::bound)),
        number(of.and_then(|o| o.all.design_effect)),
        number(of.and_then(|o| o.stationarity).map(|s| s.p_value())),
        number(Some(case.result.seconds)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Context;
    use crate::tests::sample;

    fn text(results: &[crate::record::CaseResult]) -> String {
        let run = sample::run(results);
        let context = Context::default();
        let mut out = Vec::new();
        write(&Report::new(&run, results, &context), &mut out).expect("memory");
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn rows() {
        insta::assert_snapshot!(text(&[
            sample::message_passing(),
            sample::store_buffering(),
            sample::skipped(),
        ]));
    }

    #[test]
    fn hostile_names_stay_in_their_cells() {
        let mut result = sample::coherence_failure();
        result.test = "a,\"b\"\nc".into();
        let text = text(&[result]);
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let rows: Vec<csv::StringRecord> = reader.records().map(|r| r.expect("a row")).collect();
        assert_eq!(rows.len(), 3);
        assert!(rows.iter().all(|row| row.len() == HEADER.len()));
        assert_eq!(&rows[0][2], "a,\"b\"\nc");
        assert_eq!((&rows[0][4], &rows[0][7]), ("target", "1"));
    }
}
