//! The pipelines that users copy, run as far as a machine without their engines can: each step that
//! calls a script of ours is run, with what the engine would put into its variables.

use crate::common::{Done, classay, device};
use classay_reports::record::CaseId;
use classay_reports::store::Store;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The repository.
fn root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().expect("a workspace").to_path_buf()
}

fn pipeline(name: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(root().join("ci").join(name)).expect("a file");
    text.split("\n---\n")
        .map(|part| serde_saphyr::from_str(part).expect("YAML"))
        .collect()
}

/// A step, as the engine's shell runs it.
fn step(script: &str, results: &Path, more: &[(&str, &str)]) -> Done {
    let mut command = Command::new("bash");
    // What `classay` would be told, the scripts are told through variables.
    command.envs(classay().get_envs().filter_map(|(k, v)| Some((k, v?))));
    command
        .args(["-e", "-o", "pipefail", "-c", script])
        .current_dir(root())
        .env("CLASSAY", env!("CARGO_BIN_EXE_classay"))
        .env("RESULTS", results)
        .env("DEVICE", device())
        .env("SEED", "7")
        .env("BUDGET", "1")
        .envs(more.iter().copied());
    Done::of(command.output().expect("bash runs"))
}

/// Shards run few cases here: a pipeline's script takes more options.
const FEW: &str = "--full --select 'litmus/*/MP*' --programs 0 --bounded 0";

/// Every case once, and a report.
fn complete(results: &Path) {
    let store = Store::open_read_only(results.join("merged.db")).expect("a store");
    let run = store.runs().expect("runs").pop().expect("a run");
    let all = store.case_results(run.id).expect("results");
    let mut seen: BTreeMap<&CaseId, usize> = BTreeMap::new();
    for result in &all {
        *seen.entry(&result.case).or_default() += 1;
    }
    assert!(seen.len() > 4, "{seen:?}");
    assert!(seen.values().all(|n| *n == 1), "{seen:?}");
    assert_eq!(run.planned as usize, all.len());
    for name in ["merged.xml", "report.html"] {
        let written = std::fs::metadata(results.join(name)).expect(name);
        assert!(written.len() > 1000, "{name}");
    }
}

fn merge(script: &str, results: &Path) {
    step(script, results, &[]).expect(0);
    complete(results);
}

fn text<'v>(value: &'v Value, place: &str) -> &'v str {
    let found = value.pointer(place).and_then(Value::as_str);
    found.unwrap_or_else(|| panic!("no text at {place}"))
}

#[test]
fn github_actions() {
    let folder = tempfile::tempdir().expect("a folder");
    let jobs = &pipeline("github-actions.yml")[0]["jobs"];
    let run = |job: &str, script: &str| -> String {
        let steps = jobs[job]["steps"].as_array().expect("steps");
        let step = steps.iter().filter_map(|s| s["run"].as_str());
        let mut found = step.filter(|run| run.contains(script));
        found.next().expect("a step").to_string()
    };
    let shards = jobs["shard"]["strategy"]["matrix"]["shard"]
        .as_array()
        .expect("shards");
    let assay = run("shard", "ci/shard.sh");
    for shard in shards {
        let line = assay.replace("${{ matrix.shard }}", &shard.to_string());
        let line = line.replace(" || ", &format!(" {FEW} || "));
        step(&line, folder.path(), &[]).expect(0);
    }
    merge(&run("merge", "ci/merge.sh"), folder.path());
}

#[test]
fn gitlab() {
    let folder = tempfile::tempdir().expect("a folder");
    let all = &pipeline("gitlab-ci.yml")[0];
    let line = |job: &str, script: &str| -> String {
        let lines = all[job]["script"].as_array().expect("a script");
        let mut found = lines.iter().filter_map(Value::as_str);
        found.find(|l| l.contains(script)).expect("a line").into()
    };
    let total = all["classay"]["parallel"].to_string();
    let assay = line("classay", "ci/shard.sh").replace(" || ", &format!(" {FEW} || "));
    for node in 1..=total.parse().expect("a number") {
        let node = format!("{node}");
        let variables = [("CI_NODE_INDEX", &*node), ("CI_NODE_TOTAL", &*total)];
        step(&assay, folder.path(), &variables).expect(0);
    }
    merge(&line("classay-report", "ci/merge.sh"), folder.path());
}

#[test]
fn slurm() {
    let folder = tempfile::tempdir().expect("a folder");
    let script = std::fs::read_to_string(root().join("ci/slurm.sh")).expect("a file");
    let array = script
        .lines()
        .find_map(|line| line.strip_prefix("#SBATCH --array=1-"))
        .expect("an array");
    let line = "ci/slurm.sh";
    // The script passes no options on, so an array of two parts with one case each would take all cases:
    // its last line is run, with more behind it.
    let exec = script.lines().last().expect("a line");
    assert!(exec.starts_with("exec ci/shard.sh "), "{exec}");
    for task in 1..=array.parse().expect("a number") {
        let task = format!("{task}");
        let variables = [
            ("SLURM_ARRAY_TASK_ID", &*task),
            ("SLURM_ARRAY_TASK_MAX", array),
            ("SLURM_ARRAY_JOB_ID", "7"),
        ];
        step(&format!("{exec} {FEW}"), folder.path(), &variables).expect(0);
        // Requeued after it was done, it says so again.
        if task == "1" {
            step(line, folder.path(), &variables).expect(0);
        }
    }
    assert!(script.contains("--wrap ci/merge.sh"));
    merge("ci/merge.sh", folder.path());
}

#[test]
fn kubernetes() {
    let folder = tempfile::tempdir().expect("a folder");
    let parts = pipeline("kubernetes.yaml");
    let named = |name: &str| {
        let mut found = parts.iter().filter(|p| p["kind"] == "Job");
        found
            .find(|part| part["metadata"]["name"] == name)
            .expect("a job")
    };
    let shards = named("classay-shards");
    let container = &shards["spec"]["template"]["spec"]["containers"][0];
    let count = shards["spec"]["completions"].to_string();
    let told = container["env"].as_array().expect("variables");
    let variable = |name: &str| {
        let found = told.iter().find(|v| v["name"] == name).expect("a variable");
        text(found, "/value").to_string()
    };
    assert_eq!(variable("SHARDS"), count);
    let line = text(container, "/args/0").replace(" || ", &format!(" {FEW} || "));
    for index in 0..count.parse().expect("a number") {
        let index = format!("{index}");
        let variables = [("JOB_COMPLETION_INDEX", &*index), ("SHARDS", &*count)];
        step(&line, folder.path(), &variables).expect(0);
    }
    let merging = &named("classay-merge")["spec"]["template"]["spec"]["containers"][0];
    merge(text(merging, "/command/0"), folder.path());
}

#[test]
fn expectations_are_valid() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut checked = 0;
    for entry in std::fs::read_dir(root().join("ci/expectations")).expect("a folder") {
        let path = entry.expect("a file").path();
        let done = classay()
            .args([
                "run",
                "--select",
                "MP+rel+acq",
                "--instances",
                "100",
                "--store",
            ])
            .arg(folder.path().join("classay.db"))
            .arg("--expect")
            .arg(&path)
            .output();
        Done::of(done.expect("the program runs"))
            .expect(0)
            .says(&["is for other devices"]);
        let text = std::fs::read_to_string(&path).expect("a file");
        for line in text.lines().filter_map(|l| l.trim().strip_prefix("link: ")) {
            if !line.contains("://") {
                assert!(root().join(line).exists(), "{line} in {}", path.display());
            }
        }
        checked += 1;
    }
    assert!(checked > 0);
}
