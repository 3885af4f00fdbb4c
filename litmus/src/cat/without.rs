//! Models that do not know one of the rules, or know it differently.
//!
//! What a rule forbids is what the model without it allows: a test puts a rule to the test when it has
//! other outcomes once the rule is gone. A rule that is a check of the model goes with the check; others
//! are part of a definition, and [`ways_to_miss`] says how it reads without them.

use super::Model;
use super::error::Result;

/// What a model is read without.
#[derive(Debug, Clone, Default)]
pub struct Without {
    /// Names, and a statement that comes after each definition of the name and defines it anew; on the
    /// right of `=` the name still has its old meaning.
    pub instead: Vec<(&'static str, String)>,
    /// Names of checks that are left out.
    pub left_out: Vec<String>,
    /// Statements after the last one of the model.
    pub more: Vec<&'static str>,
}

impl Without {
    fn changed(definitions: &[(&'static str, &str)]) -> Without {
        let instead = definitions
            .iter()
            .map(|(name, value)| (*name, format!("let {name} = {value}")));
        Without {
            instead: instead.collect(),
            ..Without::default()
        }
    }

    /// No value depends on its own computation.
    fn thin_air() -> Without {
        Without {
            more: vec!["acyclic rf | data as mm.thin-air"],
            ..Without::default()
        }
    }

    fn unchecked(checks: &[&str]) -> Without {
        Without {
            left_out: checks.iter().map(|check| (*check).to_owned()).collect(),
            ..Without::default()
        }
    }

    /// Nothing synchronizes through operations of this scope.
    fn unreached(scope: &str) -> Without {
        let names = ["inclusive-global", "inclusive-local"];
        let instead = names.map(|name| {
            (
                name,
                format!("let {name} = {name} \\ (({scope} * _) | (_ * {scope}))"),
            )
        });
        Without {
            instead: instead.to_vec(),
            ..Without::default()
        }
    }

    /// Of the four ways to synchronize, these are left; each as what comes before and after the reading.
    fn synchronizing(left: [(&str, &str); 3]) -> Without {
        let instead = ["g", "l"].map(|region| {
            let ways = left.map(|(release, acquire)| {
                let release = release.replace("FENCE", &format!("{region}f"));
                let acquire = acquire.replace("FENCE", &format!("{region}f"));
                format!("({release}; {region}-reads; {acquire})")
            });
            let name = if region == "g" { "g-sync" } else { "l-sync" };
            (name, format!("let {name} = {}", ways.join(" | ")))
        });
        Without {
            instead: instead.to_vec(),
            ..Without::default()
        }
    }
}

/// The rules that [`ways_to_miss`] knows.
const IN_DEFINITIONS: &[&str] = &[
    "mm.mo",
    "mm.visible",
    "mm.hb.split",
    "mm.thin-air",
    "mm.sw.atomic",
    "mm.sw.fence-fence",
    "mm.sw.fence-atomic",
    "mm.sw.atomic-fence",
    "mm.release-sequence",
    "mm.hb.both-flags",
    "mm.hb.seq-cst-both",
    "mm.scope.inclusive",
    "mm.scope.each",
    "mm.scope.local-clamp",
    "sv.scope-down",
    "mm.sc.conditions",
    "mm.sc.drf",
    "mm.sc.fences",
    "mm.sc.total",
    "mm.barrier.wg",
    "mm.barrier.sg",
    "mm.barrier.flags",
    "mm.host",
];

/// The rules that are a part of a model's definitions rather than a check.
pub fn rules_in_definitions() -> impl Iterator<Item = &'static str> {
    IN_DEFINITIONS.iter().copied()
}

/// The ways to miss a rule, each of which breaks a part of it. The names are those of the OpenCL models;
/// for any other rule there is the check with its name.
pub fn ways_to_miss(rule: &str) -> Vec<Without> {
    let atomic_release = "[rel & A]";
    let fence_release = "[rel & FENCE]; sb";
    let atomic_acquire = "[acq & A]";
    let fence_acquire = "sb; [acq & FENCE]";
    let both_atomic = (atomic_release, atomic_acquire);
    let both_fences = (fence_release, fence_acquire);
    let fence_to_atomic = (fence_release, atomic_acquire);
    let atomic_to_fence = (atomic_release, fence_acquire);
    let one = |way| vec![way];
    match rule {
        "mm.mo" => one(Without::unchecked(&[
            "mm.coherence.ww",
            "mm.coherence.rr",
            "mm.coherence.rw",
            "mm.coherence.wr",
            "mm.rmw.last",
        ])),
        "mm.visible" => one(Without::changed(&[("rb", "[A]; rb")])),
        "mm.sw.atomic" => one(Without::synchronizing([
            both_fences,
            fence_to_atomic,
            atomic_to_fence,
        ])),
        "mm.sw.fence-fence" => one(Without::synchronizing([
            both_atomic,
            fence_to_atomic,
            atomic_to_fence,
        ])),
        "mm.sw.fence-atomic" => one(Without::synchronizing([
            both_atomic,
            both_fences,
            atomic_to_fence,
        ])),
        "mm.sw.atomic-fence" => one(Without::synchronizing([
            both_atomic,
            both_fences,
            fence_to_atomic,
        ])),
        "mm.release-sequence" => one(Without::changed(&[("rs", "[W & A]")])),
        "mm.hb.both-flags" => one(Without::changed(&[("in-both", "SC * SC")])),
        "mm.hb.seq-cst-both" => one(Without::changed(&[("in-both", "both * both")])),
        "mm.scope.inclusive" => one(Without::changed(&[
            ("inclusive-global", "0"),
            ("inclusive-local", "0"),
        ])),
        "mm.scope.each" => ["SG", "WG", "DV", "ALL"].map(Without::unreached).to_vec(),
        "mm.scope.local-clamp" => one(Without::changed(&[(
            "inclusive-local",
            "inclusive-local & ((SG | WG) * (SG | WG))",
        )])),
        "sv.scope-down" => {
            let all = "(ALL & COARSE)";
            let less = format!("inclusive-global \\ (({all} * _) | (_ * {all}))");
            one(Without::changed(&[("inclusive-global", &less)]))
        }
        "mm.sc.conditions" => one(Without::changed(&[("S-ops", "S-ops & (DV | ALL)")])),
        // What is said of one region holds of both.
        "mm.hb.split" => one(Without::changed(&[
            ("ga", "_"),
            ("la", "_"),
            ("lhb", "(ghb | lhb)+"),
        ])),
        "mm.thin-air" => one(Without::thin_air()),
        "mm.sc.total" => one(Without::changed(&[("S-ops", "S-ops & F")])),
        "mm.sc.drf" => one(Without::changed(&[("S-ops", "0")])),
        "mm.sc.fences" => one(Without::changed(&[("s-fence", "0")])),
        "mm.barrier.wg" => one(Without::changed(&[
            ("g-barrier", "g-barrier & (SG * SG)"),
            ("l-barrier", "l-barrier & (SG * SG)"),
        ])),
        "mm.barrier.sg" => one(Without::changed(&[
            ("g-barrier", "g-barrier \\ (SG * SG)"),
            ("l-barrier", "l-barrier \\ (SG * SG)"),
        ])),
        "mm.barrier.flags" => ["g-barrier", "l-barrier"]
            .map(|name| Without::changed(&[(name, "0")]))
            .to_vec(),
        "mm.host" => one(Without::changed(&[(
            "inclusive-global",
            "inclusive-global \\ ((HOST * _) | (_ * HOST))",
        )])),
        _ => Vec::new(),
    }
}

impl Model {
    /// The model with this name in which no value depends on its own computation. "Implementations should
    /// ensure" that, which is less than a rule, so the models allow such values where nothing else forbids
    /// them. [mm.thin-air]
    ///
    /// # Errors
    ///
    /// No model has that name.
    pub fn without_thin_air(name: &str) -> Result<Model> {
        Model::named_without(name, &Without::thin_air())
    }

    /// What comes of the model with this name when a rule is taken away, one model for each way of
    /// missing it; none for a rule that is not in it. What non-atomic reads return is left to the rules
    /// of coherence in them, which say the same of programs without a race.
    ///
    /// # Errors
    ///
    /// No model has that name.
    pub fn without(name: &str, rule: &str) -> Result<Vec<Model>> {
        let whole = Model::named(name)?;
        let mut ways = ways_to_miss(rule);
        if whole.checks.iter().any(|check| *check.name == *rule) {
            ways.push(Without::unchecked(&[rule]));
        }
        ways.into_iter()
            .map(|mut way| {
                way.left_out.push("mm.visible".to_owned());
                Model::named_without(name, &way)
            })
            .collect()
    }
}
