//! The table of what was generated: CSV, one line a test.
//!
//! Lines end in LF, fields that hold commas or quotes are quoted as in RFC 4180. Columns are only
//! ever added at the end.

use super::Test;
use crate::kernel::{Needs, Shape};
use crate::program::Program;

/// The first line. `file` is relative to the folder; `threads` and `edges` are numbers; from
/// `orders` to `idiom` stand the traits that a pairwise covering covers; `allowed` is `yes` or
/// `no`; `mutant_of` names tests, separated by blanks; `needs` lists what a device must offer to
/// run the test, separated by semicolons, and `inexpressible` says why no kernel can be written for
/// it, where that is so.
pub const HEADER: &str = "name,file,class,allowed,shape,cycle,threads,edges,orders,scopes,layout,\
                          spread,idiom,mutant_of,needs,inexpressible";

/// The whole table. `file` is the name of a test's file.
pub fn index(tests: &[Test], file: &dyn Fn(&Test) -> String) -> String {
    let mut out = String::from(HEADER);
    out.push('\n');
    for test in tests {
        let program = test.program();
        let (needs, inexpressible) = match needs(&program) {
            Ok(needs) => (needs, String::new()),
            Err(reason) => (String::new(), reason),
        };
        let edges = 1 + test.cycle.matches('-').count();
        let [_, orders, scopes, layout, spread, idiom] = &test.traits;
        let fields = [
            test.name.as_str(),
            &file(test),
            test.class.name(),
            if test.allowed { "yes" } else { "no" },
            &test.shape,
            &test.cycle,
            &program.threads.len().to_string(),
            &edges.to_string(),
            orders,
            scopes,
            layout,
            spread,
            idiom,
            &test.mutant_of.join(" "),
            &needs,
            &inexpressible,
        ];
        let fields: Vec<String> = fields.iter().map(|field| quoted(field)).collect();
        out.push_str(&fields.join(","));
        out.push('\n');
    }
    out
}

/// What a device must offer, or why no kernel can say it.
fn needs(program: &Program) -> Result<String, String> {
    let shape = Shape::of(program).map_err(|reason| reason.to_string())?;
    let needs = Needs::of(program, &shape).map_err(|reason| reason.to_string())?;
    let words: Vec<String> = needs.all.iter().map(ToString::to_string).collect();
    Ok(words.join("; "))
}

/// A field as CSV has it.
fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}
