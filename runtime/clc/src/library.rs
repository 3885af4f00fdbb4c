//! The library: built-in functions that are written in OpenCL C, in files of `library/`.
//!
//! A unit that calls one only declares it; [`link`](crate::link()) adds the library where a unit does so. The names
//! of its functions begin with two underscores, as names of a program may not, and have in them what their file is about.

use crate::lower::Lowered;
use crate::{BuildFailure, BuildOptions, CompileOptions, Source, compile_unit};
use std::sync::LazyLock;
use touchstone_faults::{Fault, on};

/// A file of the library.
struct File {
    name: &'static str,
    text: &'static str,
    /// What the names of its functions have in them.
    about: &'static str,
    lowered: LazyLock<Result<Vec<Lowered>, BuildFailure>>,
}

/// Its files, each compiled when a program calls a function of it.
static FILES: [File; 4] = [
    File {
        name: "image.cl",
        text: include_str!("library/image.cl"),
        about: "image",
        lowered: LazyLock::new(|| FILES[0].compiled()),
    },
    File {
        name: "pipe.cl",
        text: include_str!("library/pipe.cl"),
        about: "pipe",
        lowered: LazyLock::new(|| FILES[1].compiled()),
    },
    File {
        name: "enqueue.cl",
        text: include_str!("library/enqueue.cl"),
        about: "enqueue",
        lowered: LazyLock::new(|| FILES[2].compiled()),
    },
    File {
        name: "sub_group.cl",
        text: include_str!("library/sub_group.cl"),
        about: "__sub_group",
        lowered: LazyLock::new(|| FILES[3].compiled()),
    },
];

/// How the names of its functions begin.
const OWN: &str = "__";

impl File {
    fn compiled(&self) -> Result<Vec<Lowered>, BuildFailure> {
        let options = CompileOptions {
            build: BuildOptions::parse("-cl-std=CL3.0").unwrap_or_default(),
            ..CompileOptions::default()
        };
        let mut text = self.text.to_owned();
        if on(Fault::LayerBelow) {
            text = text.replace("rint(w)", "floor(w)");
        }
        if on(Fault::LayerMiddleUp) {
            text = text.replace("rint(w)", "floor(w + 0.5f)");
        }
        if on(Fault::BallotCountsAll) {
            text = text.replace("count(bits & run(0, most()))", "count(bits)");
        }
        if on(Fault::LeastNormBelow) {
            text = text.replace(
                "max(-1.0f, (float)(char)byte / 127.0f)",
                "(float)(char)byte / 127.0f",
            );
            text = text.replace(
                "max(-1.0f, (float)((global const char *)p)[n] / 127.0f)",
                "(float)((global const char *)p)[n] / 127.0f",
            );
        }
        compile_unit(&Source::new(self.name, &text), &options).map(|unit| unit.lowered)
    }

    fn is_called_by(&self, units: &[&Lowered]) -> bool {
        let mut declared = units.iter().flat_map(|unit| &unit.functions);
        declared.any(|function| {
            let name = &function.name;
            !function.defined && name.starts_with(OWN) && name.contains(self.about)
        })
    }
}

/// The files of the library that one of the units calls.
///
/// # Errors
/// When one does not compile, which is a defect of it.
pub(crate) fn called_by(units: &[&Lowered]) -> Result<Vec<&'static Lowered>, BuildFailure> {
    let mut called = Vec::new();
    for file in FILES.iter().filter(|file| file.is_called_by(units)) {
        called.extend(file.lowered.as_ref().map_err(BuildFailure::clone)?);
    }
    Ok(called)
}
