//! Threads of the host in a C program of Vulkan: each a function that plays one instance.
//!
//! They are written as work-items are, by the same writer, and `hosts.c` says what its words stand for in C. Ordinary
//! accesses are volatile, so that a race with the device is none between what a compiler makes of them.

use super::Standalone;
use crate::environment::{Arrangement, Kind};
use classay_litmus::kernel::body::{BodyWriter, location_pointer, register_name};
use classay_litmus::kernel::{AtomicsDialect, TestKernel};
use classay_litmus::program::{
    Access, Atomicity, Expr, Instr, LocId, Program, RegId, ThreadId, uses_location,
};
use classay_suites::host::c::text::Text;

/// What the functions are made of.
const WORDS: &str = include_str!("hosts.c");

impl Standalone<'_> {
    /// The functions, and the table of them by their steps.
    ///
    /// # Errors
    ///
    /// They use memory that such a program has not.
    pub(super) fn hosts(
        &self,
        test: &TestKernel,
        e: &Arrangement,
        c: &mut Text,
    ) -> Result<(), String> {
        let program = ordinary_is_volatile(self.program);
        let steps = test.shape.steps.iter().enumerate();
        let threads =
            steps.flat_map(|(step, of)| of.host.iter().map(move |&thread| (step, thread)));
        let threads: Vec<(usize, ThreadId)> = threads.collect();
        c.line(&format!("#define HOSTS {}u", threads.len()));
        if threads.is_empty() {
            return Ok(());
        }
        if e.kind == Kind::NonCoherent {
            return Err("host threads in memory that is not coherent are not written as a C program: `classay litmus` \
                        runs them"
                .into());
        }
        c.raw(WORDS);
        for (_, thread) in &threads {
            self.host(test, e, &program, *thread, c);
        }
        c.line("static const struct host {");
        c.line("    void (*play)(const uint32_t *environment, uint32_t *memory, uint32_t *results, uint32_t k);");
        c.line("    uint32_t step, together; /* when it runs, and how many threads meet then */");
        c.line("} hosts[HOSTS] = {");
        for (step, thread) in &threads {
            let together = test.meeting(self.program, *step);
            c.line(&format!("    {{host_{}, {step}, {together}}},", thread.0));
        }
        c.line("};");
        c.line(&format!("#define BLOCK {}u", e.batch.max(1)));
        c.line(&format!(
            "#define PATIENCE {}u",
            e.sync_bound.saturating_add(e.spare)
        ));
        c.line("");
        Ok(())
    }

    /// The function of a thread.
    fn host(
        &self,
        test: &TestKernel,
        e: &Arrangement,
        program: &Program,
        thread: ThreadId,
        c: &mut Text,
    ) {
        let body = &program.threads[thread.index()].body;
        let writer = || BodyWriter::new(program, thread, AtomicsDialect::C11, 1);
        c.line(&format!(
            "static void host_{}(const uint32_t *environment, uint32_t *memory, uint32_t *results, uint32_t k)",
            thread.0
        ));
        c.line("{");
        for (l, location) in program.locations.iter().enumerate() {
            let id = LocId(l as u32);
            if uses_location(body, id) {
                let slot = test.layout.places[l].at;
                let name = location.name.replace("*/", "");
                c.line(&format!(
                    "    uint *{} = lies(environment, memory, {slot}, k); /* {name} */",
                    location_pointer(id)
                ));
            }
        }
        if test.layout.bound_column.is_some() {
            c.line(&format!("    const uint loop_bound = {}u;", e.loop_bound));
            c.line("    uint gave_up = 0;");
        }
        c.raw(&writer().declarations());
        c.raw(&writer().segment(body, 0));
        c.line("    uint32_t *result = results + k;");
        for (r, register) in program.threads[thread.index()].registers.iter().enumerate() {
            let id = RegId(r as u32);
            let name = register_name(program, thread, id);
            let Some(column) = test.layout.register_column(thread, id) else {
                c.line(&format!("    (void){name};"));
                continue;
            };
            c.line(&format!(
                "    result[{column}u * PITCH_OF_RESULTS] = (uint){name};"
            ));
            if register.ty.bits() == 64 {
                c.line(&format!(
                    "    result[{}u * PITCH_OF_RESULTS] = (uint)((ulong){name} >> 32);",
                    column + 1
                ));
            }
        }
        match test.layout.bound_column {
            Some(column) => c.line(&format!(
                "    if (gave_up) __atomic_fetch_add(&result[{column}u * PITCH_OF_RESULTS], 1u, __ATOMIC_RELAXED);"
            )),
            None => c.line("    (void)result;"),
        }
        c.line("    (void)environment; (void)memory;");
        c.line("}");
        c.line("");
    }
}

/// A program whose ordinary accesses are volatile.
fn ordinary_is_volatile(program: &Program) -> Program {
    let mut program = program.clone();
    for thread in &mut program.threads {
        thread.body.iter_mut().for_each(of_instr);
    }
    program
}

fn of_instr(instr: &mut Instr) {
    if let Instr::Store { access, .. } = instr {
        of_access(access);
    }
    instr.expressions_mut().for_each(of_expr);
    instr.blocks_mut().flatten().for_each(of_instr);
}

fn of_expr(expr: &mut Expr) {
    if let Expr::Load(access) = expr {
        of_access(access);
    }
    expr.parts_mut().for_each(of_expr);
}

fn of_access(access: &mut Access) {
    if access.atomicity.atomic().is_none() {
        access.atomicity = Atomicity::Volatile;
    }
}
