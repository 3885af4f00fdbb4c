//! The list of faults, for people (`CLASSAY_LAYER_FAULTS=list`).

use super::spoof;
use classay_faults::Carrier;
use std::fmt::Write;

/// One fault.
pub(crate) struct Listed {
    /// How it is asked for.
    pub(crate) form: &'static str,
    /// The promise that it breaks.
    pub(crate) breaks: &'static str,
    /// Where it can happen.
    pub(crate) applies: &'static str,
}

/// Every fault.
pub(crate) const LISTED: &[Listed] = &[
    Listed {
        form: "crash@FUNCTION[:WHEN]",
        breaks: "the process lives: SIGSEGV",
        applies: "every function",
    },
    Listed {
        form: "abort@FUNCTION[:WHEN]",
        breaks: "the process lives: SIGABRT",
        applies: "every function",
    },
    Listed {
        form: "exit=CODE@FUNCTION[:WHEN]",
        breaks: "the process lives: it exits with CODE, 0 to 255",
        applies: "every function",
    },
    Listed {
        form: "hang@FUNCTION[:WHEN]",
        breaks: "the call returns",
        applies: "every function",
    },
    Listed {
        form: "delay=MILLISECONDS@FUNCTION[:WHEN]",
        breaks: "nothing but a deadline: the call begins later",
        applies: "every function",
    },
    Listed {
        form: "stdout@FUNCTION[:WHEN]",
        breaks: "standard output is the program's own: a line of rubbish, then the call",
        applies: "every function",
    },
    Listed {
        form: "stderr@FUNCTION[:WHEN]",
        breaks: "standard error is the program's own: a line of rubbish, then the call",
        applies: "every function",
    },
    Listed {
        form: "error=CODE@FUNCTION[:WHEN]",
        breaks: "a correct call succeeds: CODE, a negative number or a CL_ name, without a call",
        applies: "every function; a function without a status returns NULL or nothing",
    },
    Listed {
        form: "skip@FUNCTION[:WHEN]",
        breaks: "CL_SUCCESS means done: reported without a call (clFinish returns early, …)",
        applies: "clFinish, clFlush, clWaitForEvents, clEnqueueWaitForEvents, clEnqueueBarrier, \
                  clSetKernelArg, clSetKernelArgSVMPointer, clSetKernelExecInfo, \
                  clSetUserEventStatus, clSetEventCallback",
    },
    Listed {
        form: "corrupt@FUNCTION[:WHEN]",
        breaks: "data arrives as written: 1 is added to its first 32-bit word",
        applies: "clEnqueueReadBuffer, clEnqueueMapBuffer, clEnqueueSVMMap, clEnqueueSVMMemcpy",
    },
    Listed {
        form: "ignore-wait-list@FUNCTION[:WHEN]",
        breaks: "a command waits for the events of its list",
        applies: "every clEnqueue function that takes a wait list; a marker or barrier, where an \
                  empty list means more, sees one complete event",
    },
    Listed {
        form: "double-callback@clSetEventCallback[:WHEN]",
        breaks: "a callback is called once: it is registered twice (to lose it: skip)",
        applies: "clSetEventCallback",
    },
    Listed {
        form: "early-callback@clSetEventCallback[:WHEN]",
        breaks: "a callback is called when its status is reached: called at once, and not again",
        applies: "clSetEventCallback",
    },
    Listed {
        form: "equal-times@clGetEventProfilingInfo[:WHEN]",
        breaks: "each state has its time: all are the time of CL_PROFILING_COMMAND_QUEUED",
        applies: "clGetEventProfilingInfo",
    },
    Listed {
        form: "reversed-times@clGetEventProfilingInfo[:WHEN]",
        breaks: "a command starts before it ends: the two times are exchanged",
        applies: "clGetEventProfilingInfo",
    },
    Listed {
        form: "spoof=CLAIM",
        breaks: "queries are answered truthfully; CLAIM is one of those below",
        applies: "clGetDeviceInfo, clGetPlatformInfo",
    },
];

/// The list as text.
pub(crate) fn listing() -> String {
    let mut text = String::from("faults, separated by commas:\n");
    for listed in LISTED {
        // Writing to a string does not fail.
        let _ = writeln!(text, "  {}", listed.form);
        let _ = writeln!(text, "      breaks:  {}", listed.breaks);
        let _ = writeln!(text, "      applies: {}", listed.applies);
    }
    text.push_str(
        "WHEN, the number of the call: N (the N-th; 1 if not said), N+ (from the N-th on),\n  \
         * (every), %P (every P-th), ~PROBABILITY/SEED. FUNCTION may be *, all counted together.\n\
         CLAIM:\n",
    );
    spoof::listing(&mut text);
    text.push_str("named faults, NAME[:WHEN], every call if WHEN is not said:\n");
    let named = classay_faults::all()
        .filter(|entry| matches!(entry.carrier, Carrier::Call(_) | Carrier::Source(_)));
    for entry in named {
        let _ = writeln!(text, "  {}", entry.id);
        let _ = writeln!(text, "      breaks:  {}", entry.sentence);
        let rules: Vec<_> = entry.rules().collect();
        let _ = writeln!(text, "      rules:   {}", rules.join(", "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faults::grammar::{CORRUPTIBLE, SKIPPABLE, parse};

    #[test]
    fn every_listed_form_is_taken_by_the_grammar_where_it_applies() {
        for listed in LISTED {
            let function = listed
                .applies
                .split([',', ' '])
                .find(|word| word.starts_with("cl") && *word != "clEnqueue" && word.len() > 2)
                .unwrap_or("clEnqueueNDRangeKernel");
            let setting = listed
                .form
                .replace("FUNCTION", function)
                .replace("[:WHEN]", ":2")
                .replace("error=CODE", "error=-1")
                .replace("CODE", "3")
                .replace("MILLISECONDS", "9")
                .replace("CLAIM", "no-svm");
            assert!(parse(&setting).is_ok(), "{setting}: {:?}", parse(&setting));
        }
    }

    #[test]
    fn the_list_says_where_skip_and_corrupt_apply() {
        let applies = |form: &str| {
            let listed = LISTED.iter().find(|listed| listed.form.starts_with(form));
            listed.map(|listed| listed.applies)
        };
        assert_eq!(applies("skip@"), Some(SKIPPABLE.join(", ").as_str()));
        assert_eq!(applies("corrupt@"), Some(CORRUPTIBLE.join(", ").as_str()));
    }
}
