//! Environments from the command line: what surrounds a test changes how it is counted, never what.

use crate::common::{classay, device};
use serde_json::Value;
use std::path::Path;

/// The outcomes of a shipped test in an environment.
fn outcomes(dir: &Path, test: &str, environment: &str, instances: u32) -> Value {
    let file = dir.join("environment.yaml");
    std::fs::write(&file, environment).unwrap();
    let output = classay()
        .arg("litmus")
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../litmus/tests/{test}.litmus")))
        .args(["--device", &device(), "--seed", "5", "--json"])
        .args(["--instances", &instances.to_string()])
        .arg("--environment")
        .arg(&file)
        .output()
        .unwrap();
    let done = crate::common::Done::of(output).expect(0);
    done.json()[0]["outcomes"].clone()
}

/// Instances side by side are counted sixteen at a time, those apart one by one; the reference runtime
/// plays them alike.
#[test]
fn counting_by_vectors_and_one_by_one_agree() {
    let dir = tempfile::tempdir().unwrap();
    for (test, several) in [
        ("2+2W+rel", true),
        ("S+rlx", true),
        ("CoWW", false),
        ("RMW+add", false),
    ] {
        // No multiple of sixteen, so that some are left over.
        for instances in [1531, 2060] {
            let in_memory = |memory: &str| {
                let text = format!("order: {{ instances: 0 }}\nmemory: {memory}\n");
                outcomes(dir.path(), test, &text, instances)
            };
            let together = in_memory("{ pitch: 1 }");
            let all = together.as_array().unwrap();
            let counts = all.iter().map(|o| o["count"].as_u64().unwrap());
            assert_eq!(counts.sum::<u64>(), u64::from(instances), "{test}");
            assert!(all.len() > 1 || !several, "{test}: {together}");
            assert_eq!(together, in_memory("{ pitch: 4 }"), "{test} {instances}");
            // Each location has an order of its own: what memory holds at the end is gathered.
            let shuffled = "order: { instances: 0, locations: 100 }\nmemory: { pitch: 1 }\n";
            let shuffled = outcomes(dir.path(), test, shuffled, instances);
            assert_eq!(together, shuffled, "{test} {instances}");
        }
    }
}
