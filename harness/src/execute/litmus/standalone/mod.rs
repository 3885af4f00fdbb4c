//! A litmus test in an environment as one C program that needs a C compiler and an OpenCL or Vulkan library, and
//! nothing of ours.
//!
//! The kernel is the one that the harness plays, in Vulkan as the SPIR-V that it becomes ([`vulkan`]). What the harness
//! draws for each launch (order of
//! instances, partners, targets of stress) stands in the C program as tables of a few launches, which
//! it plays again and again, each time with another seed for what kernels decide themselves. Instances
//! are set and looked at by the host, and an outcome that is not among those that the model allows is
//! told as forbidden. Threads of the host are functions of the program ([`hosts`]).

mod hosts;
mod vulkan;

use super::plan::Plan;
use crate::device::Capabilities;
use crate::environment::{Arrangement, Environment, Kind, SubGroupShape, resolve};
use crate::execute::needs::choose_dialect;
use crate::execute::vulkan::full_sub_groups;
use classay_litmus::kernel::{DeviceShape, GroupShape, Needs, Shape, TestKernel, env};
use classay_litmus::program::{Api, Observable, Program, Region};
use classay_suites::host::c::REPORT as TELL;
use classay_suites::host::c::text::{Text, quoted, source};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

/// How instances are set, looked at and counted.
const OUTCOMES: &str = include_str!("outcomes.c");

/// How every program of OpenCL runs.
const OPENCL: &str = include_str!("opencl.c");

/// Launches that are written down.
const LAUNCHES: usize = 16;

/// What is written.
pub struct Standalone<'a> {
    /// The test.
    pub program: &'a Program,
    /// What the device offers for which it is written.
    pub capabilities: &'a Capabilities,
    /// What surrounds it.
    pub environment: &'a Environment,
    /// Decides what is drawn for the launches.
    pub seed: u64,
    /// Values of the observables in every outcome that the model allows; none where that is not known.
    pub allowed: Option<Vec<Vec<i64>>>,
    /// What the reader is told first.
    pub about: Vec<String>,
}

impl Standalone<'_> {
    /// The C program. The error is a sentence: what of the test cannot be written so.
    pub fn to_c(&self) -> Result<String, String> {
        let program = self.program;
        let shape = Shape::of(program).map_err(|e| e.to_string())?;
        if program.api == Api::OpenCl && shape.crosses_devices() {
            return Err(
                "a test of OpenCL on several devices or with threads of the host is not written as a C program: \
                 `classay litmus` runs it"
                    .into(),
            );
        }
        if program.api != self.capabilities.api {
            return Err(format!(
                "the test is one of {}, and the device is reached by {}",
                program.api, self.capabilities.api
            ));
        }
        if program.api == Api::OpenCl && shape.uses_sub_groups() {
            return Err(
                "a test of OpenCL that places threads in sub-groups is not written as a C program, because their \
                 size is known to the built kernel only: `classay litmus` runs it"
                    .into(),
            );
        }
        let needs = Needs::of(program, &shape).map_err(|e| e.to_string())?;
        let dialect =
            choose_dialect(self.capabilities, &needs, 1).map_err(|why| why.reason().to_string())?;
        let test = TestKernel::write(program, dialect).map_err(|e| e.to_string())?;
        let largest = self.capabilities.max_work_group_size.max(1);
        let sub_groups = self.sub_groups(&test.shape, largest)?;
        let arrangement = resolve(
            self.environment,
            self.capabilities,
            &test,
            largest,
            &sub_groups,
        )
        .map_err(|unfit| unfit.reason)?;
        let mut c = Text::default();
        self.heading(&mut c);
        match program.api {
            Api::OpenCl => {
                let version = match arrangement.kind {
                    Kind::Buffer | Kind::NonCoherent => 120,
                    Kind::Coarse | Kind::Fine | Kind::System => 200,
                };
                c.headers(version, ["1_2"]);
                c.line("");
                c.raw(TELL);
                self.kernel(&test, &mut c);
            }
            Api::Vulkan => self.module(&test, &arrangement, &mut c)?,
        }
        self.tables(&test, &arrangement, &mut c);
        if program.api == Api::Vulkan {
            self.hosts(&test, &arrangement, &mut c)?;
        }
        c.raw(OUTCOMES);
        c.raw(match program.api {
            Api::OpenCl => OPENCL,
            Api::Vulkan => vulkan::RUN,
        });
        Ok(c.done())
    }

    /// How work-groups fall into sub-groups, where the test names them: in Vulkan, where a device has one size of them.
    fn sub_groups(
        &self,
        shape: &Shape,
        largest: usize,
    ) -> Result<Vec<Option<SubGroupShape>>, String> {
        if !shape.uses_sub_groups() {
            return Ok(vec![None; shape.devices.len()]);
        }
        let width = self.capabilities.subgroup_size.max(1) as usize;
        let of = |device: &DeviceShape| {
            let groups = || device.groups.iter();
            let most = groups().map(|g| g.sub_groups.len()).max().unwrap_or(1);
            let widest = groups()
                .map(GroupShape::widest_sub_group)
                .max()
                .unwrap_or(1);
            let shape = full_sub_groups(width, most, widest, largest);
            shape.map(Some).ok_or_else(|| {
                format!("the device has no {most} full sub-groups of {widest} in a work-group")
            })
        };
        shape.devices.iter().map(of).collect()
    }

    fn heading(&self, c: &mut Text) {
        let mut lines = self.about.clone();
        let (libraries, options) = match self.program.api {
            Api::OpenCl => ("-lOpenCL -lpthread", "[SECONDS] [PLATFORM] [DEVICE]"),
            Api::Vulkan => ("-lvulkan -lpthread", "[SECONDS] [DEVICE]"),
        };
        lines.extend([
            String::new(),
            format!("    cc -std=c11 -o program THIS.c {libraries}"),
            format!("    ./program {options}"),
        ]);
        lines.extend(
            [
                "",
                "It plays launches of the kernel below for so many seconds (10), counts how each instance of \
                 the test ended, and prints how often each outcome was seen. Exit code: 0 no forbidden \
                 outcome was seen, 1 one was or a thread left no result, 2 the test could not be run.",
            ]
            .map(String::from),
        );
        if self.allowed.is_none() {
            lines.push(String::new());
            lines.push("Nothing is known here of what the memory model allows.".into());
        }
        let host = &self.environment.host_stress;
        if host.percent.get() > 0 && host.threads > 0 {
            lines.push(String::new());
            lines.push(format!(
                "The environment has {} threads of the host that disturb, which are not here.",
                host.threads
            ));
        }
        c.comment(&lines);
    }

    fn kernel(&self, test: &TestKernel, c: &mut Text) {
        c.line("/* ---- the kernel: instances of the test, in an environment that is an argument -------------- */");
        c.line("");
        c.line(&format!("#define KERNEL {}", quoted(&test.kernel_name(0))));
        let options = format!("-cl-std={}", self.capabilities.c_std);
        c.line(&format!("#define OPTIONS {}", quoted(&options)));
        c.line("static const char source[] =");
        c.raw(&source(&test.playing(self.program)));
        c.line("    ;");
        c.line("");
    }

    fn tables(&self, test: &TestKernel, e: &Arrangement, c: &mut Text) {
        let layout = &test.layout;
        let groups = groups_of(test);
        let local = 4 * self.local_words(test, e, 0);
        let stress = &self.environment.stress;
        let most = groups.iter().copied().max().unwrap_or(0);
        let environment_words = Plan::most_words(e, self.environment, most);
        let kind = match e.kind {
            Kind::Buffer | Kind::NonCoherent => "BUFFER",
            Kind::Coarse => "COARSE",
            Kind::Fine => "FINE",
            Kind::System => "SYSTEM",
        };
        let bound = layout.bound_column.map_or(-1, i64::from);
        let allowed = self.allowed.as_deref().unwrap_or_default();
        c.line("/* ---- the environment, and what the model allows ------------------------------------------ */");
        c.line("");
        for (name, value) in [
            ("FIELD_COUNT", format!("{}u", layout.fields.len())),
            ("FIELDS", layout.fields.len().max(1).to_string()),
            ("JUDGED", u32::from(self.allowed.is_some()).to_string()),
            ("ALLOWED", format!("{}u", allowed.len())),
            ("PLACES", format!("{}u", e.capacity)),
            ("PITCH_OF_RESULTS", format!("{}u", e.capacity)),
            (
                "RESULT_WORDS",
                format!("{}u", u64::from(e.capacity) * u64::from(layout.columns)),
            ),
            ("MEMORY_WORDS", format!("{}u", e.memory_words)),
            ("MEETING_WORDS", format!("{}u", e.teams * 16)),
            ("SCRATCH_WORDS", format!("{}u", stress.lines * stress.line)),
            ("ENVIRONMENT_WORDS", format!("{environment_words}u")),
            ("LOCAL_BYTES", format!("{local}u")),
            (
                "LOCAL_SIZE",
                format!("{}u", e.local_sizes.first().unwrap_or(&1)),
            ),
            ("KIND", kind.into()),
            ("BOUND_COLUMN", format!("({bound}L)")),
            ("UNWRITTEN", format!("{}u", layout.unwritten)),
            ("COUNT", env::COUNT.to_string()),
            ("SEED", env::SEED.to_string()),
            ("PITCH_OF_INSTANCES", env::INSTANCE_PITCH.to_string()),
            ("SLOTS_AT", env::slots(groups[0]).to_string()),
            ("ORDER", env::MULTIPLIER.to_string()),
            ("PARTS", groups.len().to_string()),
            ("QUEUES", e.beside.to_string()),
            ("LAUNCHES", format!("{LAUNCHES}u")),
        ] {
            c.line(&format!("#define {name} {value}"));
        }
        c.line("");
        self.launches(test, e, environment_words, c);
        self.starts(test, e, c);
        self.fields(test, c);
        let rows = allowed
            .iter()
            .map(|values| format!("{{{}}},", numbers(values)));
        let head = "static const long long allowed[][FIELDS] = {";
        table(c, head, rows.collect(), "{0},");
        c.line("");
    }

    /// Words of local memory that a kernel of the test is given.
    fn local_words(&self, test: &TestKernel, e: &Arrangement, part: usize) -> u32 {
        match test.takes_local(self.program, part) {
            true => test.layout.local_words * e.lanes * e.batch,
            false => 0,
        }
    }

    fn launches(&self, test: &TestKernel, e: &Arrangement, words: usize, c: &mut Text) {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        let mut bounds = Vec::new();
        c.line("/* Each row is what a kernel is told in one launch: a row for each part of the launch. */");
        c.line("static const uint32_t environments[LAUNCHES * PARTS][ENVIRONMENT_WORDS] = {");
        for _ in 0..LAUNCHES {
            let plan = Plan::draw(e.instances, e, self.environment, &mut rng);
            for (part, groups) in groups_of(test).into_iter().enumerate() {
                let step = test.shape.devices.get(part).map_or(0, |d| d.step);
                let threads = test.meeting(self.program, step);
                let mut row = plan.words(e, self.environment, groups, threads, &mut rng);
                row.resize(words.max(row.len()), 0);
                bounds.push(plan.ranges(e, groups));
                c.line("    {");
                numbered(&row, c);
                c.line("    },");
            }
        }
        c.line("};");
        c.line("/* Where the work-groups of each begin, for each queue that gets some, and where they end. */");
        c.line("static const uint32_t groups[LAUNCHES * PARTS][QUEUES + 1] = {");
        for ranges in bounds {
            let end = ranges.last().map_or(0, |range| range.end);
            let mut row: Vec<usize> = ranges.iter().map(|range| range.start).collect();
            row.resize(e.beside as usize + 1, end);
            let row: Vec<String> = row.iter().map(usize::to_string).collect();
            c.line(&format!("    {{{}}},", row.join(", ")));
        }
        c.line("};");
        c.line("");
    }

    /// What words of every instance hold when it begins.
    fn starts(&self, test: &TestKernel, e: &Arrangement, c: &mut Text) {
        let mut rows = Vec::new();
        for (l, location) in self.program.locations.iter().enumerate() {
            if location.region != Region::Global || location.alias.is_some() {
                continue;
            }
            let base = e.bases[test.layout.places[l].at as usize];
            let name = location.name.replace("*/", "");
            let words = test.initial_words(self.program, l).into_iter().enumerate();
            rows.extend(
                words.map(|(word, value)| format!("{{{base}, {word}, {value}u}}, /* {name} */")),
            );
        }
        let head = "static const struct { size_t base, word; uint32_t value; } starts[] = {";
        table(c, head, rows, "{0, 0, 0},");
    }

    /// What an outcome consists of.
    fn fields(&self, test: &TestKernel, c: &mut Text) {
        let head = "\
static const struct field {
    const char *name;
    long column; /* of the results, or -1 where it is in memory */
    size_t slot, word;
    unsigned shift, bits;
    int is_signed;
} fields[] = {";
        let mut rows = Vec::new();
        for field in &test.layout.fields {
            let ty = self.program.observable_type(field.observable);
            let bits = ty.bits();
            let name = quoted(&self.program.observable_name(field.observable));
            let sign = u32::from(ty.is_signed());
            let (column, slot, word, shift) = match (field.column, field.observable) {
                (Some(column), _) => (i64::from(column), 0, 0, 0),
                (None, Observable::Memory(l, element)) => {
                    let slot = test.layout.places[l.index()].at;
                    let (word, shift) = match bits {
                        64 => (element * 2, 0),
                        32 => (element, 0),
                        narrow => (element * narrow / 32, element % (32 / narrow) * narrow),
                    };
                    (-1, slot, word, shift)
                }
                // Registers always have a column.
                (None, Observable::Register(..)) => (-1, 0, 0, 0),
            };
            rows.push(format!(
                "{{{name}, {column}, {slot}, {word}, {shift}, {bits}, {sign}}},"
            ));
        }
        table(c, head, rows, "{\"\", -1, 0, 0, 0, 0, 0},");
        c.line("");
    }
}

/// Work-groups of each part of a launch; one part without any where no work-item runs.
fn groups_of(test: &TestKernel) -> Vec<usize> {
    let all = test.shape.devices.iter();
    let all: Vec<usize> = all.map(|d| d.groups.len()).collect();
    if all.is_empty() { vec![0] } else { all }
}

/// Words in rows of ten.
fn numbered(words: &[u32], c: &mut Text) {
    let words: Vec<String> = words.iter().map(|w| format!("{w}u")).collect();
    for some in words.chunks(10) {
        c.line(&format!("        {},", some.join(", ")));
    }
}

/// A table. C knows none without a row, so one has to stand for that.
fn table(c: &mut Text, head: &str, rows: Vec<String>, none: &str) {
    c.line(head);
    for row in &rows {
        c.line(&format!("    {row}"));
    }
    if rows.is_empty() {
        c.line(&format!("    {none}"));
    }
    c.line("};");
}

/// Values as C writes them; the smallest has no literal.
fn numbers(values: &[i64]) -> String {
    let number = |value: &i64| match *value {
        i64::MIN => "-9223372036854775807LL - 1".into(),
        value => format!("{value}LL"),
    };
    match values {
        [] => "0".into(),
        values => values.iter().map(number).collect::<Vec<_>>().join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan;

    fn written(test: &str) -> Result<String, String> {
        let cases = plan::shipped_of(Api::Vulkan).expect("tests");
        let case = cases.iter().find(|case| case.test == test);
        let program = case.and_then(|case| case.body.litmus()).expect("a test");
        let capabilities = Capabilities {
            api: Api::Vulkan,
            memory_model: true,
            scope_device: true,
            queue_families: 2,
            queues: 2,
            compute_units: 4,
            max_work_group_size: 256,
            max_alloc: 1 << 28,
            global_mem: 1 << 30,
            local_mem_size: 1 << 15,
            subgroup_size: 32,
            ..Capabilities::default()
        };
        Standalone {
            program,
            capabilities: &capabilities,
            environment: &Environment::default(),
            seed: 1,
            allowed: None,
            about: Vec::new(),
        }
        .to_c()
    }

    #[test]
    fn each_queue_family_of_a_test_is_one_of_the_program() {
        let one = written("SSW+device").expect("a C program");
        assert!(one.contains("#define FAMILIES 1\n#define STEPS 2u\n"));
        let two = written("CoRR+dv").expect("a C program");
        assert!(two.contains("#define FAMILIES 2\n#define STEPS 1u\n"));
        let hosts = written("CoRR+hosts").expect("a C program");
        assert!(hosts.contains("#define HOSTS 2u\n"));
        assert!(hosts.contains("{host_0, 0, 2},\n    {host_1, 0, 2},\n"));
    }
}
