//! Local memory: set before a block, and what is observed of it copied after.

use super::super::layout::{element_text, owners};
use super::{Writer, initial_words, printable};
use crate::program::Region;
use std::fmt::Write;

impl Writer<'_> {
    /// Sets the batch's local memory to the initial values: the work-items share the lanes.
    pub(super) fn clear_local(&self, out: &mut String) {
        let words = self.of.layout.local_words;
        let _ = writeln!(
            out,
            "    for (uint c = (uint)get_local_id(0); c < (last - first) * lanes; c += (uint)get_local_size(0)) {{\n        __local uint *instance = lmem + c * {words}u;"
        );
        for (l, location) in self.of.program.locations.iter().enumerate() {
            if location.region == Region::Local {
                for (offset, word) in initial_words(location.ty, &location.init)
                    .iter()
                    .enumerate()
                {
                    let at = self.of.layout.places[l].at + offset as u32;
                    let _ = writeln!(out, "        instance[{at}] = {word}u;");
                }
            }
        }
        out.push_str("    }\n    barrier(CLK_LOCAL_MEM_FENCE);\n");
    }

    /// Copies observed local locations to the results, then lets the batch's memory be reused.
    pub(super) fn finish_local(&self, out: &mut String) {
        out.push_str("    barrier(CLK_LOCAL_MEM_FENCE);\n");
        let owners = owners(self.of.program, self.of.shape);
        let mut observed = false;
        let mut body = String::new();
        for (location, element, column) in self.of.layout.observed_locals() {
            let Some((d, g)) = owners[location.index()] else {
                continue;
            };
            if d != self.device_index {
                continue;
            }
            observed = true;
            let l = &self.of.program.locations[location.index()];
            let at = self.of.layout.places[location.index()].at;
            let _ = writeln!(
                body,
                "            if (group == {g}u) {{ // {}",
                printable(&l.name)
            );
            for half in 0..l.ty.bits().div_ceil(32) {
                let word = |offset: u32| format!("instance[{}]", at + offset);
                let value = element_text(l.ty, element, half, word);
                let _ = writeln!(
                    body,
                    "                res[{}u * res_pitch + kk] = {value};",
                    column + half
                );
            }
            body.push_str("            }\n");
        }
        if observed {
            let words = self.of.layout.local_words;
            let _ = write!(
                out,
                "    if (item == 0 && plays) {{\n        uint kk = k_first, at = position_first;\n        for (uint i = first; i < last; ++i) {{\n            if (at < count) {{\n            __local const uint *instance = lmem + ((i - first) * lanes + lane) * {words}u;\n{body}            }}\n            at += teams * lanes;\n            kk += step;\n            if (kk >= count) kk -= count;\n        }}\n    }}\n    barrier(CLK_LOCAL_MEM_FENCE);\n"
            );
        }
    }
}
