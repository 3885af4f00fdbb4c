//! Models that do not know one of the rules, or know it differently.
//!
//! What a rule forbids is what the model without it allows: a test puts a rule to the test when it has
//! other outcomes once the rule is gone. A rule that is a check of the model goes with the check; others
//! are part of a definition, and [`ways_to_miss`] says how it reads without them.

use super::Model;
use super::clause::Cut;
use super::error::Result;

/// What a model is read without.
#[derive(Debug, Clone, Default)]
pub struct Without {
    /// Names, and a statement that comes after each definition of the name and defines it anew; on the
    /// right of `=` the name still has its old meaning.
    pub instead: Vec<(&'static str, String)>,
    /// Names of checks that are left out.
    pub left_out: Vec<String>,
    /// The readings that it takes.
    pub readings: Vec<String>,
    /// Statements after the last one of the model.
    pub more: Vec<&'static str>,
    /// A clause that is taken away.
    pub(super) cut: Option<Cut>,
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

    fn unchecked<'a>(checks: impl IntoIterator<Item = &'a str>) -> Without {
        Without {
            left_out: checks.into_iter().map(str::to_owned).collect(),
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

    /// Of the four ways to synchronize, the others than that of this rule are left.
    fn synchronizing_without(rule: &str) -> Without {
        let instead = [("g-sync", "g"), ("l-sync", "l")].map(|(name, region)| {
            let left = SYNCHRONIZING.iter().filter(|(of, ..)| *of != rule);
            let ways = left.map(|(_, release, acquire)| {
                format!(
                    "({region}-{release}; {})",
                    acquire.replace("g-", &format!("{region}-"))
                )
            });
            let ways: Vec<String> = ways.collect();
            (name, format!("let {name} = {}", ways.join(" | ")))
        });
        Without {
            instead: instead.to_vec(),
            ..Without::default()
        }
    }
}

/// The ways to synchronize, by their rules: the names of the definitions, without those of the regions.
const SYNCHRONIZING: [(&str, &str, &str); 4] = [
    ("mm.sw.atomic", "real", "[acq]"),
    ("mm.sw.fence-fence", "hypothetical", "g-fence"),
    ("mm.sw.fence-atomic", "hypothetical", "[acq]"),
    ("mm.sw.atomic-fence", "real", "g-fence"),
];

/// The rules that are a part of a model's definitions rather than a check, with the ways to miss each,
/// every one of which breaks a part of it. The names are those of the OpenCL models; for any other rule
/// there is the check with its name.
pub fn ways_to_miss() -> Vec<(&'static str, Vec<Without>)> {
    let changed = |definitions: &[_]| vec![Without::changed(definitions)];
    let all = "(ALL & COARSE)";
    let narrower = format!("inclusive-global \\ (({all} * _) | (_ * {all}))");
    let local = "inclusive-local & ((SG | WG) * (SG | WG))";
    let not_host = "inclusive-global \\ ((HOST * _) | (_ * HOST))";
    let orders =
        "mm.coherence.ww mm.coherence.rr mm.coherence.rw mm.coherence.wr mm.rmw.last".split(' ');
    let mut ways = vec![
        ("mm.mo", vec![Without::unchecked(orders)]),
        ("mm.visible", changed(&[("rb", "[A]; rb")])),
        // What is said of one region holds of both.
        (
            "mm.hb.split",
            changed(&[("ga", "_"), ("la", "_"), ("lhb", "(ghb | lhb)+")]),
        ),
        ("mm.thin-air", vec![Without::thin_air()]),
        ("mm.release-sequence", changed(&[("rs", "[A]")])),
        (
            "mm.hb.both-flags",
            changed(&[
                ("gsw", "gsw1 | barrier | (lsw1 & (SC * SC))"),
                ("lsw", "lsw1 | barrier | (gsw1 & (SC * SC))"),
            ]),
        ),
        (
            "mm.hb.seq-cst-both",
            changed(&[
                ("gsw", "gsw1 | barrier | (lsw1 & (gf * gf))"),
                ("lsw", "lsw1 | barrier | (gsw1 & (lf * lf))"),
            ]),
        ),
        (
            "mm.scope.inclusive",
            changed(&[("inclusive-global", "0"), ("inclusive-local", "0")]),
        ),
        (
            "mm.scope.each",
            ["SG", "WG", "DV", "ALL"].map(Without::unreached).to_vec(),
        ),
        (
            "mm.scope.local-clamp",
            changed(&[("inclusive-local", local)]),
        ),
        ("sv.scope-down", changed(&[("inclusive-global", &narrower)])),
        (
            "mm.sc.conditions",
            changed(&[("S-ops", "S-ops & (DV | ALL)")]),
        ),
        ("mm.sc.drf", changed(&[("S-ops", "0")])),
        ("mm.sc.fences", changed(&[("s-fence", "0")])),
        ("mm.sc.total", changed(&[("S-ops", "S-ops & F")])),
        (
            "mm.barrier.wg",
            vec![
                Without::changed(&[("barrier", "barrier & (SG * SG)")]),
                // Its fences are no fences for other groups.
                Without::changed(&[("rel", "rel \\ B")]),
                Without::changed(&[("acq", "acq \\ B")]),
            ],
        ),
        (
            "mm.barrier.sg",
            changed(&[("barrier", "barrier \\ (SG * SG)")]),
        ),
        (
            "mm.barrier.flags",
            [
                ("gsw", "gsw1 | (lsw1 & ((gf * gf) | (SC * SC)))"),
                ("lsw", "lsw1 | (gsw1 & ((lf * lf) | (SC * SC)))"),
            ]
            .map(|way| Without::changed(&[way]))
            .to_vec(),
        ),
        ("mm.host", changed(&[("inclusive-global", not_host)])),
    ];
    ways.extend(SYNCHRONIZING.map(|(rule, ..)| (rule, vec![Without::synchronizing_without(rule)])));
    // A seq_cst fence releases and acquires like others.
    let sc_fences = ["rel", "acq"].map(|name| (name, format!("{name} \\ (SC & F)")));
    for (rule, ways) in &mut ways {
        if *rule == "mm.sw.fence-fence" {
            ways.extend(
                sc_fences
                    .iter()
                    .map(|(name, value)| Without::changed(&[(*name, value)])),
            );
        }
    }
    ways
}

impl Model {
    /// The name of the flag whose relation [`Model::counting`] adds.
    pub const RELEASE_SEQUENCES: &str = "count.release-sequences";

    /// The model of Vulkan with this name, with release sequences as a flag: the heads that release, with all
    /// elements.
    ///
    /// # Errors
    ///
    /// No model of Vulkan has that name.
    pub fn counting(name: &str) -> Result<Model> {
        let without = Without {
            more: vec!["flag ~empty [releases & A]; sequence as count.release-sequences"],
            ..Without::default()
        };
        Model::named_without(name, &without)
    }

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
        let mut known = ways_to_miss().into_iter();
        let mut ways = known
            .find(|(of, _)| *of == rule)
            .map_or(Vec::new(), |(_, ways)| ways);
        if whole.checks.iter().any(|check| *check.name == *rule) {
            ways.push(Without::unchecked([rule]));
        }
        ways.into_iter()
            .map(|mut way| {
                way.left_out.push("mm.visible".to_owned());
                Model::named_without(name, &way)
            })
            .collect()
    }
}
