//! Programs in every state: created, built, compiled, linked, failed; what they must answer then is asked of every
//! program of the suites ([`crate::host::answers`]).

use super::*;
use crate::api::Work;
use crate::host::Class;

/// Two kernels, of which the text is complete with a value for `VALUE` only.
const SOURCE: &str = "
kernel void first(global uint *to, const uint n) { to[get_global_id(0)] = n + VALUE; }
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void second(constant uint *restrict from, global volatile uint *to, local uint4 *room) { to[0] = from[0] + VALUE; }
";

impl Lowering {
    /// Does this with programs, one after the other.
    pub(super) fn programs(&mut self, works: &[Work]) {
        let device = self.builder.fixture("device", Fixture::Device(0));
        let (devices, number) = (1, 0);
        let context = self
            .builder
            .fixture("context", Fixture::Context { devices, number });
        let mut now: Option<(Slot, Option<Work>)> = None;
        for work in works {
            now = self.work((context, device), *work, now);
        }
        if let Some((program, _)) = now {
            self.release([program]);
        }
        self.end_thread();
    }

    /// Does something with the program that there is, or with a new one where it cannot be done with that; gives the
    /// program, and what was done with it last.
    fn work(
        &mut self,
        (context, device): (Slot, Slot),
        work: Work,
        now: Option<(Slot, Option<Work>)>,
    ) -> Option<(Slot, Option<Work>)> {
        let usable = now.filter(|(_, last)| match work {
            Work::Create => false,
            Work::Kernels => matches!(last, Some(Work::Build | Work::Link)),
            Work::Link | Work::LinkLibrary => matches!(last, Some(Work::Compile)),
            Work::Build | Work::BuildWrong | Work::Compile | Work::CompileWrong => {
                !matches!(last, Some(Work::Link | Work::LinkLibrary))
            }
        });
        let Some((program, last)) = usable else {
            if let Some((program, _)) = now {
                self.release([program]);
            }
            let program = self.own("program", SlotKind::Program);
            let source = Value::list(
                Class::Pointer,
                SOURCE
                    .split_inclusive('\n')
                    .map(|line| Value::Text(line.into())),
            );
            let lines = SOURCE.split_inclusive('\n').count();
            let arguments = values![context, lines, source, Value::Null];
            self.step(Call::new(Function::CreateProgramWithSource, arguments).makes(program));
            return match work {
                Work::Create => Some((program, None)),
                Work::Kernels => {
                    let built = self.work((context, device), Work::Build, Some((program, None)));
                    self.work((context, device), work, built)
                }
                Work::Link | Work::LinkLibrary => {
                    let compiled =
                        self.work((context, device), Work::Compile, Some((program, None)));
                    self.work((context, device), work, compiled)
                }
                work => self.work((context, device), work, Some((program, None))),
            };
        };
        match work {
            Work::Create => {}
            Work::Build => self.step(build(program, "-DVALUE=1 -cl-kernel-arg-info")),
            Work::BuildWrong => {
                self.step(failing(build(program, ""), cl::CL_BUILD_PROGRAM_FAILURE))
            }
            Work::Compile => self.step(compile(program, "-DVALUE=2")),
            Work::CompileWrong => self.step(failing(
                compile(program, ""),
                cl::CL_COMPILE_PROGRAM_FAILURE,
            )),
            Work::Link | Work::LinkLibrary => {
                let linked = self.own("linked", SlotKind::Program);
                let options = match work {
                    Work::LinkLibrary => Value::Text("-create-library".into()),
                    _ => Value::Null,
                };
                let inputs = Value::objects([program]);
                let [devices, notify, data] = [const { Value::Null }; 3];
                let arguments = values![context, 0, devices, options, 1, inputs, notify, data];
                self.step(Call::new(Function::LinkProgram, arguments).makes(linked));
                self.release([program]);
                return Some((linked, Some(work)));
            }
            Work::Kernels => {
                for name in ["first", "second"] {
                    let kernel = self.own("kernel", SlotKind::Kernel);
                    self.step(Call::kernel(program, name, kernel));
                    let copy = self.own("kernel", SlotKind::Kernel);
                    // Older implementations lack it, and the slot stays empty.
                    let clone = Call::new(Function::CloneKernel, values![kernel]);
                    self.step(clone.whatever().makes(copy));
                    self.step(self.builder.release(copy).whatever());
                    self.release([kernel]);
                }
                return Some((program, last));
            }
        }
        Some((program, Some(work)))
    }
}

fn build(program: Slot, options: &str) -> Call {
    let [devices, notify, data] = [const { Value::Null }; 3];
    let options = Value::Text(options.into());
    Call::new(
        Function::BuildProgram,
        values![program, 0, devices, options, notify, data],
    )
}

fn compile(program: Slot, options: &str) -> Call {
    let [devices, headers, names, notify, data] = [const { Value::Null }; 5];
    let options = Value::Text(options.into());
    let arguments = values![
        program, 0, devices, options, 0, headers, names, notify, data
    ];
    Call::new(Function::CompileProgram, arguments)
}

/// It fails: the text is no program.
fn failing(mut call: Call, code: Constant) -> Call {
    call.expect.codes = vec![code.value() as i32];
    call
}
