//! Makes programs: of source, of a module, of built-in kernels, of the binary of one that was built.

use super::api::Api;
use super::fixtures::{Device, SetupError, call, release};
use super::run::Run;
use crate::execute::NotRun;
use classay_reports::record::EvidenceKind;
use classay_suites::host::constant::cl;
use classay_suites::host::{Build, Fixture, Function, ProgramOf, Slot};
use std::ffi::CString;

/// Why there is no program.
pub struct BuildFailed {
    error: SetupError,
    /// What the compiler said of which source.
    said: Option<(String, String)>,
}

impl From<SetupError> for BuildFailed {
    fn from(error: SetupError) -> BuildFailed {
        BuildFailed { error, said: None }
    }
}

impl From<BuildFailed> for NotRun {
    fn from(failed: BuildFailed) -> NotRun {
        let why = NotRun::failed(failed.error.to_string());
        match failed.said {
            Some((log, source)) => why
                .with(EvidenceKind::BuildLog, log)
                .with(EvidenceKind::Source, source),
            None => why,
        }
    }
}

/// What makes programs.
pub struct Maker<'a> {
    pub api: &'a Api,
    pub device: &'a Device,
    pub context: usize,
    /// The devices of the context.
    pub devices: &'a [usize],
}

impl Maker<'_> {
    /// A built program.
    pub fn make(&self, of: &ProgramOf, build: &Build) -> Result<usize, BuildFailed> {
        let mut before = Vec::new();
        let made = self.after(of, build, &mut before);
        for program in before {
            release(self.api, Function::ReleaseProgram, program);
        }
        made
    }

    /// The same after other programs.
    fn after(
        &self,
        of: &ProgramOf,
        build: &Build,
        before: &mut Vec<usize>,
    ) -> Result<usize, BuildFailed> {
        for other in &build.before {
            let of = ProgramOf::Source(other.source.clone());
            before.push(self.created(&of)?);
            let program = before[before.len() - 1];
            self.build(program, &of, build.std.as_deref(), &other.options)?;
        }
        let program = self.created(of)?;
        let built = match of {
            ProgramOf::BuiltIn(_) => Ok(()),
            ProgramOf::Source(_) | ProgramOf::Module(_) => {
                self.build(program, of, build.std.as_deref(), &build.options)
            }
        };
        let made = match built {
            Ok(()) if build.through_binary => self.through_binary(program, of, build),
            Ok(()) => return Ok(program),
            Err(failed) => Err(failed),
        };
        release(self.api, Function::ReleaseProgram, program);
        made
    }

    /// A program that is not built.
    fn created(&self, of: &ProgramOf) -> Result<usize, SetupError> {
        let context = self.context as u64;
        match of {
            ProgramOf::Source(source) => {
                let text = source.as_ptr().expose_provenance();
                let (texts, lengths) = ([text], [source.len()]);
                let words = [context, 1, address(&texts), address(&lengths)];
                // SAFETY: the lists have one element each, and live through the call with the text.
                unsafe { call(self.api, Function::CreateProgramWithSource, &words) }
            }
            ProgramOf::Module(module) => {
                let words = [context, address(module), 4 * module.len() as u64];
                // SAFETY: the module has so many bytes.
                unsafe { call(self.api, Function::CreateProgramWithIL, &words) }
            }
            ProgramOf::BuiltIn(names) => {
                let names = match names.as_str() {
                    "*" => &self.device.built_in,
                    names => names,
                };
                // Names of a case or of a device: one with a zero byte in it is none.
                let text = CString::new(self::names(names).join(";")).unwrap_or_default();
                let text = text.as_bytes_with_nul();
                let devices = self.devices.len() as u64;
                let words = [context, devices, address(self.devices), address(text)];
                // SAFETY: the devices are those of the context; all lives through the call.
                unsafe { call(self.api, Function::CreateProgramWithBuiltInKernels, &words) }
            }
        }
    }

    fn build(
        &self,
        program: usize,
        of: &ProgramOf,
        std: Option<&str>,
        options: &str,
    ) -> Result<(), BuildFailed> {
        // A module says itself what it is written in.
        let options = match of {
            ProgramOf::Module(_) => options.to_string(),
            ProgramOf::Source(_) | ProgramOf::BuiltIn(_) => {
                let std = std.unwrap_or(&self.device.std);
                format!("-cl-std={std} {options}")
            }
        };
        // Names of options: one with a zero byte in it is none.
        let options = CString::new(options.trim_end()).unwrap_or_default();
        let options = options.as_bytes_with_nul();
        let devices = self.devices.len() as u64;
        let words = [
            program as u64,
            devices,
            address(self.devices),
            address(options),
            0,
            0,
        ];
        // SAFETY: the devices are those of the context; all lives through the call.
        let built = unsafe { call(self.api, Function::BuildProgram, &words) };
        built.map(|_| ()).map_err(|error| BuildFailed {
            error,
            said: Some((
                self.log(program),
                match of {
                    ProgramOf::Source(source) => source.clone(),
                    ProgramOf::Module(_) | ProgramOf::BuiltIn(_) => String::new(),
                },
            )),
        })
    }

    fn log(&self, program: usize) -> String {
        let what = cl::CL_PROGRAM_BUILD_LOG.value() as u64;
        let mut bytes = 0_usize;
        let ask = |size: usize, to: u64, length: u64| {
            let words = [
                program as u64,
                self.devices[0] as u64,
                what,
                size as u64,
                to,
                length,
            ];
            // SAFETY: program and device are alive; there is room for so many bytes.
            unsafe { call(self.api, Function::GetProgramBuildInfo, &words) }
        };
        let length = (&raw mut bytes).expose_provenance() as u64;
        if ask(0, 0, length).is_err() {
            return String::new();
        }
        let mut log = vec![0_u8; bytes];
        if ask(bytes, log.as_mut_ptr().expose_provenance() as u64, 0).is_err() {
            return String::new();
        }
        let log = String::from_utf8_lossy(&log);
        log.trim_end_matches('\0').to_string()
    }

    /// A program of a built program's binary.
    fn through_binary(
        &self,
        program: usize,
        of: &ProgramOf,
        build: &Build,
    ) -> Result<usize, BuildFailed> {
        let count = self.devices.len();
        let mut sizes = vec![0_usize; count];
        let info = |what: u64, bytes: usize, to: u64| {
            let words = [program as u64, what, bytes as u64, to, 0];
            // SAFETY: the program is alive, and there is room for so many bytes.
            unsafe { call(self.api, Function::GetProgramInfo, &words) }
        };
        let what = cl::CL_PROGRAM_BINARY_SIZES.value() as u64;
        let to = sizes.as_mut_ptr().expose_provenance() as u64;
        info(what, 8 * count, to)?;
        let mut binaries: Vec<Vec<u8>> = sizes.iter().map(|size| vec![0; *size]).collect();
        let places: Vec<usize> = binaries
            .iter_mut()
            .map(|binary| binary.as_mut_ptr().expose_provenance())
            .collect();
        let what = cl::CL_PROGRAM_BINARIES.value() as u64;
        info(what, 8 * count, address(&places))?;
        let words = [
            self.context as u64,
            count as u64,
            address(self.devices),
            address(&sizes),
            address(&places),
            0,
        ];
        // SAFETY: the devices are those of the context; the binaries live through the call.
        let again = unsafe { call(self.api, Function::CreateProgramWithBinary, &words) }?;
        let built = self.build(again, of, build.std.as_deref(), &build.options);
        if let Err(failed) = built {
            release(self.api, Function::ReleaseProgram, again);
            return Err(failed);
        }
        Ok(again)
    }
}

/// A program that a run makes in a context of its fixtures.
pub fn in_run(
    run: &Run,
    context: Slot,
    of: &ProgramOf,
    build: &Build,
) -> Result<usize, SetupError> {
    let fixtures = run.program.fixtures.iter();
    let devices = fixtures.filter_map(|(slot, fixture)| match fixture {
        Fixture::Context { devices, .. } if *slot == context => Some(usize::from(*devices)),
        _ => None,
    });
    let count = devices.max().unwrap_or(1).min(run.device.handles.len());
    let maker = Maker {
        api: &run.api,
        device: &run.device,
        context: run.load(context),
        devices: &run.device.handles[..count],
    };
    maker.make(of, build).map_err(|failed| failed.error)
}

/// The names in a list with semicolons.
pub fn names(list: &str) -> Vec<String> {
    let names = list.split(';').map(|name| name.trim().to_string());
    names.filter(|name| !name.is_empty()).collect()
}

/// Where a list begins.
pub fn address<T>(list: &[T]) -> u64 {
    list.as_ptr().expose_provenance() as u64
}
