//! How to get at a failed case again: its program, the smallest one that was kept, and the commands.

use crate::plan::{Body, Case};
use crate::run::failures;
use classay_reports::record::{CaseResult, EvidenceKind};
use classay_reports::report::Note;
use std::path::Path;

/// Bytes of a kept program that are read at most.
const MOST: usize = 64 << 10;

/// The notes of a case that failed in a run with this master seed, on this device, in the store at `path`.
pub fn of(
    case: &Case,
    result: &CaseResult,
    (master, device): (u64, &str),
    path: &Path,
) -> Vec<Note> {
    let mut notes = Vec::new();
    let mut note = |title: &str, text: String| {
        notes.push(Note {
            title: title.into(),
            text,
        });
    };
    let id = &case.id;
    let kept = failures::file(path, id);
    match std::fs::read_to_string(&kept) {
        Ok(text) if text.len() <= MOST => note("The program, as it was made small and kept", text),
        Ok(_) | Err(_) => {}
    }
    let is_evidence = result
        .evidence
        .iter()
        .any(|e| e.kind == EvidenceKind::Program);
    if !is_evidence && let Ok(work) = case.body.work(case.seed) {
        note("The program of the case", work.to_text());
    }
    let commands = match &case.body {
        Body::Litmus(_) if case.file.is_empty() => {
            format!("classay run --select '{id}' --device {device}")
        }
        Body::Litmus(_) => format!("classay litmus {} --device {device}", case.file),
        Body::Commands { .. } | Body::Kernel { .. } | Body::Api { .. } => {
            format!("classay replay {} --device {device}", case.file)
        }
        Body::Drawn { .. } | Body::Small { .. } => format!(
            "classay program {id} --seed {master} > case.yaml\n\
             classay replay case.yaml --device {device}\n\
             classay shrink case.yaml --device {device} --out small.yaml\n\
             classay reproduce small.yaml --c --out bug.c"
        ),
        Body::DrawnKernel { .. } | Body::DrawnApi { .. } => format!(
            "classay program {id} --seed {master} > case.yaml\n\
             classay replay case.yaml --device {device}"
        ),
    };
    note("How to run it again", commands);
    notes
}
