//! Makes programs: of source, of several sources that are linked, of a module, of the module that sources are translated
//! to, of built-in kernels, of the binary of one that was built.

use super::api::{Api, Device, Failure, SetupError, address, room};
use super::run::Run;
use super::translate::{options_of_module, translated};
use crate::execute::ended::NotRun;
use classay_reports::record::EvidenceKind;
use classay_suites::host::constant::{Constant, cl};
use classay_suites::host::{Build, Fixture, Function, Linking, OfBinary, ProgramOf, Slot};
use std::ffi::{CStr, CString};

/// What a `binary_status` holds before the call: no code that there is.
const UNWRITTEN: i32 = i32::MAX;

/// Why there is no program.
pub struct BuildFailed {
    pub error: SetupError,
    /// What the compiler said of which source.
    pub said: Option<(String, String)>,
}

impl From<SetupError> for BuildFailed {
    fn from(error: SetupError) -> BuildFailed {
        BuildFailed { error, said: None }
    }
}

impl From<BuildFailed> for NotRun {
    fn from(failed: BuildFailed) -> NotRun {
        if let (Failure::NothingToGive, Some((why, _))) = (failed.error.why, &failed.said) {
            return NotRun::skip(format!("its kernels as SPIR-V: {why}"));
        }
        let why = NotRun::from(failed.error);
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
            self.api.release(Function::ReleaseProgram, program);
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
            let program = self.created(&of)?;
            before.push(program);
            let options = self.options_of(&of, build, &other.options);
            self.build(program, &of, Some(&options))?;
        }
        let program = match of {
            ProgramOf::BuiltIn(_) => self.created(of)?,
            ProgramOf::Units(units) => self.linked(units, build)?,
            ProgramOf::Source(_) | ProgramOf::Module(_) => {
                self.built(self.created(of)?, of, build)?
            }
            ProgramOf::Translated(units) => {
                let program = self.of_module(&self.translated(units, build)?)?;
                self.built(program, of, build)?
            }
        };
        let Some(binary) = build.through_binary else {
            return Ok(program);
        };
        let again = self.of_binary(program);
        self.api.release(Function::ReleaseProgram, program);
        // Of modules the constants are in the binary, and cannot be set any more.
        let again = again?;
        let options = match binary {
            OfBinary::SameOptions => Some(self.options_of(of, build, &build.options)),
            OfBinary::NoOptions => None,
        };
        self.kept(again, self.build(again, of, options.as_deref()))
    }

    /// The program, built; given up where that fails.
    fn built(&self, program: usize, of: &ProgramOf, build: &Build) -> Result<usize, BuildFailed> {
        self.kept(program, self.build_often(program, of, build))
    }

    /// A program of which a build came to this; given up where it failed.
    fn kept(&self, program: usize, built: Result<(), BuildFailed>) -> Result<usize, BuildFailed> {
        if built.is_err() {
            self.api.release(Function::ReleaseProgram, program);
        }
        built.map(|()| program)
    }

    /// Each build of a program, in order.
    fn build_often(
        &self,
        program: usize,
        of: &ProgramOf,
        build: &Build,
    ) -> Result<(), BuildFailed> {
        let earlier = build.earlier.iter();
        let builds = earlier
            .map(|one| (&one.options, &one.specialized))
            .chain([(&build.options, &build.specialized)]);
        for (options, specialized) in builds {
            for &(constant, value) in specialized {
                let value = value.bytes();
                let size = value.len() as u64;
                let words = [program as u64, constant.into(), size, address(&value)];
                // SAFETY: the value has so many bytes, and lives through the call.
                unsafe {
                    self.api
                        .must(Function::SetProgramSpecializationConstant, &words)
                }?;
            }
            let options = self.options_of(of, build, options);
            self.build(program, of, Some(&options))?;
        }
        Ok(())
    }

    /// Translation units, each compiled by itself, and linked.
    fn linked(&self, units: &[String], build: &Build) -> Result<usize, BuildFailed> {
        let mut parts = Vec::new();
        let linked = self.link(units, build, &mut parts);
        for program in parts {
            self.api.release(Function::ReleaseProgram, program);
        }
        linked
    }

    fn link(
        &self,
        units: &[String],
        build: &Build,
        parts: &mut Vec<usize>,
    ) -> Result<usize, BuildFailed> {
        let linking = build.linking;
        for unit in units {
            self.compile(unit, build, parts)?;
            if linking.binaries {
                self.replace_last(parts)?;
            }
        }
        if let (true, [first, rest @ ..]) = (linking.library && units.len() > 1, &parts[..]) {
            let first = *first;
            let options = CString::new(Linking::LIBRARY).unwrap_or_default();
            parts.push(self.link_of(rest, Some(&options))?);
            if linking.binaries {
                self.replace_last(parts)?;
            }
            let library = parts.last().copied().unwrap_or_default();
            return Ok(self.link_of(&[first, library], None)?);
        }
        Ok(self.link_of(parts, None)?)
    }

    /// A translation unit becomes a compiled program, the last of these.
    fn compile(
        &self,
        unit: &str,
        build: &Build,
        parts: &mut Vec<usize>,
    ) -> Result<(), BuildFailed> {
        let options = self.options(build.std.as_deref(), &build.options);
        let program = self.of_source(unit)?;
        parts.push(program);
        let devices = [self.devices.len() as u64, address(self.devices)];
        let options = address(options.as_bytes_with_nul());
        let words = [
            program as u64,
            devices[0],
            devices[1],
            options,
            0,
            0,
            0,
            0,
            0,
        ];
        // SAFETY: the devices are those of the context, there are no headers, and all lives through the call.
        let done = unsafe { self.api.must(Function::CompileProgram, &words) };
        done.map(|_| ()).map_err(|error| BuildFailed {
            error,
            said: Some((self.log(program), unit.into())),
        })
    }

    /// The last of these becomes a program of its binary.
    fn replace_last(&self, parts: &mut [usize]) -> Result<(), SetupError> {
        if let Some(last) = parts.last_mut() {
            let again = self.of_binary(*last)?;
            self.api.release(Function::ReleaseProgram, *last);
            *last = again;
        }
        Ok(())
    }

    /// What these programs are linked to.
    fn link_of(&self, parts: &[usize], options: Option<&CStr>) -> Result<usize, SetupError> {
        let words = [
            self.context as u64,
            self.devices.len() as u64,
            address(self.devices),
            options.map_or(0, |options| address(options.to_bytes_with_nul())),
            parts.len() as u64,
            address(parts),
            0,
            0,
        ];
        // SAFETY: the programs are compiled for the devices; all lives through the call.
        unsafe { self.api.must(Function::LinkProgram, &words) }
    }

    /// A program of a source that is not built.
    fn of_source(&self, source: &str) -> Result<usize, SetupError> {
        let (texts, lengths) = ([address(source.as_bytes())], [source.len()]);
        let words = [self.context as u64, 1, address(&texts), address(&lengths)];
        // SAFETY: the lists have one element each, and live through the call with the text.
        unsafe { self.api.must(Function::CreateProgramWithSource, &words) }
    }

    /// The module that translation units are translated to.
    fn translated(&self, units: &[String], build: &Build) -> Result<Vec<u32>, BuildFailed> {
        translated(units, build, self.device).map_err(|why| BuildFailed {
            error: SetupError {
                call: Function::CreateProgramWithIL,
                why: Failure::NothingToGive,
            },
            said: Some((why, units.concat())),
        })
    }

    /// A program of a module that is not built.
    fn of_module(&self, module: &[u32]) -> Result<usize, SetupError> {
        let words = [
            self.context as u64,
            address(module),
            size_of_val(module) as u64,
        ];
        // SAFETY: the module has so many bytes.
        unsafe { self.api.must(Function::CreateProgramWithIL, &words) }
    }

    /// A program that is not built; units are linked as one text would be.
    fn created(&self, of: &ProgramOf) -> Result<usize, SetupError> {
        let context = self.context as u64;
        match of {
            ProgramOf::Source(source) => self.of_source(source),
            ProgramOf::Units(units) | ProgramOf::Translated(units) => {
                self.of_source(&units.concat())
            }
            ProgramOf::Module(module) => self.of_module(module),
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
                unsafe {
                    self.api
                        .must(Function::CreateProgramWithBuiltInKernels, &words)
                }
            }
        }
    }

    /// These options, with the language that a program of this is written in.
    fn options_of(&self, of: &ProgramOf, build: &Build, options: &str) -> CString {
        // A module says itself what it is written in.
        match of {
            ProgramOf::Module(_) => CString::new(options.trim_end()).unwrap_or_default(),
            ProgramOf::Translated(_) => {
                CString::new(options_of_module(options)).unwrap_or_default()
            }
            ProgramOf::Source(_) | ProgramOf::Units(_) | ProgramOf::BuiltIn(_) => {
                self.options(build.std.as_deref(), options)
            }
        }
    }

    /// A program is built with these options, or with NULL.
    fn build(
        &self,
        program: usize,
        of: &ProgramOf,
        options: Option<&CStr>,
    ) -> Result<(), BuildFailed> {
        let devices = self.devices.len() as u64;
        let words = [
            program as u64,
            devices,
            address(self.devices),
            options.map_or(0, |options| address(options.to_bytes_with_nul())),
            0,
            0,
        ];
        // SAFETY: the devices are those of the context; all lives through the call.
        let built = unsafe { self.api.must(Function::BuildProgram, &words) };
        built.map(|_| ()).map_err(|error| BuildFailed {
            error,
            said: Some((
                self.log(program),
                match of {
                    ProgramOf::Source(source) => source.clone(),
                    ProgramOf::Translated(units) => units.concat(),
                    ProgramOf::Units(_) | ProgramOf::Module(_) | ProgramOf::BuiltIn(_) => {
                        String::new()
                    }
                },
            )),
        })
    }

    /// The options of OpenCL C: its version, and these. One with a zero byte in it is none.
    fn options(&self, std: Option<&str>, options: &str) -> CString {
        let std = std.unwrap_or(&self.device.std);
        CString::new(format!("-cl-std={std} {options}").trim_end()).unwrap_or_default()
    }

    /// What the compiler said, for the first device of which it said something.
    fn log(&self, program: usize) -> String {
        let what = cl::CL_PROGRAM_BUILD_LOG.value() as u64;
        let log = |device: &usize| {
            let of = [program as u64, *device as u64, what];
            // SAFETY: program and device are alive.
            let bytes = unsafe { self.api.bytes(Function::GetProgramBuildInfo, &of) }.ok()?;
            let log = String::from_utf8_lossy(&bytes);
            let log = log.trim_end_matches('\0');
            (!log.trim().is_empty()).then(|| log.to_string())
        };
        self.devices.iter().find_map(log).unwrap_or_default()
    }

    /// A program of a built program's binary, itself not built.
    fn of_binary(&self, program: usize) -> Result<usize, SetupError> {
        let count = self.devices.len();
        let mut sizes = vec![0_usize; count];
        let info = |what: Constant, to: u64| {
            let what = what.value() as u64;
            let words = [program as u64, what, 8 * count as u64, to, 0];
            // SAFETY: the program is alive, and there is room for a word of each device.
            unsafe { self.api.must(Function::GetProgramInfo, &words) }
        };
        info(cl::CL_PROGRAM_BINARY_SIZES, room(&mut sizes))?;
        let mut binaries: Vec<Vec<u8>> = sizes.iter().map(|size| vec![0; *size]).collect();
        let places: Vec<u64> = binaries.iter_mut().map(|binary| room(binary)).collect();
        let mut statuses = vec![UNWRITTEN; count];
        info(cl::CL_PROGRAM_BINARIES, address(&places))?;
        let words = [
            self.context as u64,
            count as u64,
            address(self.devices),
            address(&sizes),
            address(&places),
            room(&mut statuses),
        ];
        let call = Function::CreateProgramWithBinary;
        // SAFETY: the devices are those of the context; the binaries live through the call, and there is room for a status
        // of each.
        let made = unsafe { self.api.must(call, &words) }?;
        match statuses.into_iter().find(|status| *status != 0) {
            None => Ok(made),
            Some(status) => {
                self.api.release(Function::ReleaseProgram, made);
                let why = match status {
                    UNWRITTEN => Failure::NoBinaryStatus,
                    status => Failure::BinaryStatus(status),
                };
                Err(SetupError { call, why })
            }
        }
    }
}

/// A program that a run makes in a context of its fixtures.
pub fn in_run(
    run: &Run,
    context: Slot,
    of: &ProgramOf,
    build: &Build,
) -> Result<usize, SetupError> {
    let fixtures = run.setting.program.fixtures.iter();
    let devices = fixtures.filter_map(|(slot, fixture)| match fixture {
        Fixture::Context { devices, .. } if *slot == context => Some(usize::from(*devices)),
        _ => None,
    });
    let count = devices
        .max()
        .unwrap_or(1)
        .min(run.setting.device.handles.len());
    let maker = Maker {
        api: &run.setting.api,
        device: &run.setting.device,
        context: run.load(context),
        devices: &run.setting.device.handles[..count],
    };
    maker.make(of, build).map_err(|failed| failed.error)
}

/// The names in a list with semicolons.
pub fn names(list: &str) -> Vec<String> {
    let names = list.split(';').map(|name| name.trim().to_string());
    names.filter(|name| !name.is_empty()).collect()
}
