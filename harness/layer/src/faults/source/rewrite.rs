//! Changes tokens and calls of a source.

use super::Weakening;
use super::tokens::{Kind, Token, split};

/// An atomic function: its name without `_explicit`, and how many operands and orders it takes.
struct Atomic {
    name: &'static str,
    operands: usize,
    orders: usize,
}

const fn atomic(name: &'static str, operands: usize, orders: usize) -> Atomic {
    Atomic {
        name,
        operands,
        orders,
    }
}

/// The C11 atomic functions of OpenCL C that have an order (OpenCL C 3.0, section 6.15.12.7).
const ATOMICS: [Atomic; 14] = [
    atomic("atomic_store", 2, 1),
    atomic("atomic_load", 1, 1),
    atomic("atomic_exchange", 2, 1),
    atomic("atomic_compare_exchange_strong", 3, 2),
    atomic("atomic_compare_exchange_weak", 3, 2),
    atomic("atomic_fetch_add", 2, 1),
    atomic("atomic_fetch_sub", 2, 1),
    atomic("atomic_fetch_or", 2, 1),
    atomic("atomic_fetch_xor", 2, 1),
    atomic("atomic_fetch_and", 2, 1),
    atomic("atomic_fetch_min", 2, 1),
    atomic("atomic_fetch_max", 2, 1),
    atomic("atomic_flag_test_and_set", 1, 1),
    atomic("atomic_flag_clear", 1, 1),
];

const FENCES: [&[u8]; 4] = [
    b"atomic_work_item_fence",
    b"mem_fence",
    b"read_mem_fence",
    b"write_mem_fence",
];

const BARRIERS: [&[u8]; 3] = [b"barrier", b"work_group_barrier", b"sub_group_barrier"];

/// The source with every one of the weakenings made.
pub(crate) fn weaken(source: &[u8], weakenings: &[Weakening]) -> Vec<u8> {
    let tokens = split(source);
    let mut rewriter = Rewriter {
        out: tokens.iter().map(|token| token.text.to_vec()).collect(),
        tokens,
        active: weakenings,
    };
    rewriter.run();
    rewriter.out.concat()
}

/// A call in the source: the index of its closing parenthesis, and how many arguments it has.
struct CallSite {
    close: usize,
    arguments: usize,
}

struct Rewriter<'a> {
    tokens: Vec<Token<'a>>,
    /// What each token becomes.
    out: Vec<Vec<u8>>,
    active: &'a [Weakening],
}

impl Rewriter<'_> {
    fn makes(&self, weakening: Weakening) -> bool {
        self.active.contains(&weakening)
    }

    fn run(&mut self) {
        // Orders before this token belong to a fence, which keeps them.
        let mut fence_end = 0;
        let mut index = 0;
        while let Some(token) = self.tokens.get(index).copied() {
            if token.kind == Kind::Word {
                let fence = FENCES.contains(&token.text);
                let dropped = fence && self.makes(Weakening::DropFences)
                    || BARRIERS.contains(&token.text) && self.makes(Weakening::DropBarriers);
                if let Some(site) = self.call(index) {
                    if dropped && !self.declares(index) {
                        self.drop(index, &site);
                        index = site.close + 1;
                        continue;
                    }
                    if fence {
                        fence_end = site.close;
                    }
                    self.atomic(token.text, index, &site);
                }
                self.word(token.text, index, index < fence_end);
            }
            index += 1;
        }
    }

    /// Replaces a word by another.
    fn word(&mut self, text: &[u8], index: usize, in_fence: bool) {
        let replacement: Option<&[u8]> = match text {
            b"memory_order_acquire"
            | b"memory_order_release"
            | b"memory_order_acq_rel"
            | b"memory_order_seq_cst"
                if !in_fence && self.makes(Weakening::RelaxOrders) =>
            {
                Some(b"memory_order_relaxed")
            }
            b"memory_scope_device"
            | b"memory_scope_all_svm_devices"
            | b"memory_scope_all_devices"
                if self.makes(Weakening::NarrowScopes) =>
            {
                Some(b"memory_scope_work_group")
            }
            b"CLK_LOCAL_MEM_FENCE" if self.makes(Weakening::SwapFlags) => {
                Some(b"CLK_GLOBAL_MEM_FENCE")
            }
            b"CLK_GLOBAL_MEM_FENCE" if self.makes(Weakening::SwapFlags) => {
                Some(b"CLK_LOCAL_MEM_FENCE")
            }
            _ => None,
        };
        if let (Some(replacement), Some(place)) = (replacement, self.out.get_mut(index)) {
            *place = replacement.to_vec();
        }
    }

    /// Gives an atomic operation the order and scope that it does not name.
    fn atomic(&mut self, text: &[u8], index: usize, site: &CallSite) {
        let relax = self.makes(Weakening::RelaxOrders);
        let narrow = self.makes(Weakening::NarrowScopes);
        let (base, explicit) = match text.strip_suffix(b"_explicit") {
            Some(base) => (base, true),
            None => (text, false),
        };
        let Some(atomic) = ATOMICS.iter().find(|atomic| atomic.name.as_bytes() == base) else {
            return;
        };
        let mut added = String::new();
        if !explicit && site.arguments == atomic.operands && (relax || narrow) {
            let order = if relax {
                "memory_order_relaxed"
            } else {
                "memory_order_seq_cst"
            };
            for _ in 0..atomic.orders {
                added.push_str(", ");
                added.push_str(order);
            }
            if let Some(name) = self.out.get_mut(index) {
                name.extend_from_slice(b"_explicit");
            }
        }
        let unscoped = if explicit {
            atomic.operands + atomic.orders
        } else {
            atomic.operands
        };
        if narrow && site.arguments == unscoped {
            added.push_str(", memory_scope_work_group");
        }
        if let Some(close) = self.out.get_mut(site.close) {
            close.splice(0..0, added.into_bytes());
        }
    }

    /// Removes a call; the lines that it spans stay.
    fn drop(&mut self, index: usize, site: &CallSite) {
        for at in index..=site.close {
            let (Some(token), Some(place)) = (self.tokens.get(at), self.out.get_mut(at)) else {
                return;
            };
            *place = if at == index {
                b"((void)0)".to_vec()
            } else if token.kind == Kind::Blank {
                // Ends of lines, with the backslashes that join them in a macro.
                let joins = token.text.first() == Some(&b'\\');
                if joins {
                    token.text.to_vec()
                } else {
                    line_ends(token.text)
                }
            } else {
                Vec::new()
            };
        }
    }

    /// Whether the word at `index` is a macro being defined, or a function being declared: another
    /// word stands before it on its line, and it does not begin the body of a macro.
    fn declares(&self, index: usize) -> bool {
        let line: Vec<&Token<'_>> = self.tokens[..index]
            .iter()
            .rev()
            .take_while(|token| !token.ends_line())
            .filter(|token| token.kind != Kind::Blank)
            .collect();
        match line.as_slice() {
            [_, define, hash] if define.text == b"define" && hash.is(b'#') => false,
            [before, ..] => {
                before.kind == Kind::Word
                    && !matches!(before.text, b"return" | b"else" | b"do" | b"case")
            }
            [] => false,
        }
    }

    /// The call that the word at `index` begins, if parentheses follow and close.
    fn call(&self, index: usize) -> Option<CallSite> {
        let follows =
            |from: usize| (from..self.tokens.len()).find(|at| self.tokens[*at].kind != Kind::Blank);
        let open = follows(index + 1).filter(|at| self.tokens[*at].is(b'('))?;
        let (mut depth, mut commas, mut empty) = (0usize, 0, true);
        for (at, token) in self.tokens.iter().enumerate().skip(open) {
            if token.is(b'(') || token.is(b'[') || token.is(b'{') {
                depth += 1;
            } else if token.is(b')') || token.is(b']') || token.is(b'}') {
                depth -= 1;
                if depth == 0 {
                    let arguments = if empty { 0 } else { commas + 1 };
                    return token.is(b')').then_some(CallSite {
                        close: at,
                        arguments,
                    });
                }
            } else if token.is(b',') && depth == 1 {
                commas += 1;
            }
            if at > open && token.kind != Kind::Blank {
                empty = false;
            }
        }
        None
    }
}

fn line_ends(text: &[u8]) -> Vec<u8> {
    text.iter().copied().filter(|byte| *byte == b'\n').collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use Weakening::*;

    fn weak(source: &str, weakenings: &[Weakening]) -> String {
        String::from_utf8(weaken(source.as_bytes(), weakenings)).expect("text")
    }

    #[test]
    fn nothing_asked_nothing_changed() {
        let source = "kernel void f(global atomic_int*x){atomic_store(x,1);barrier(1);} // memory";
        assert_eq!(weak(source, &[]), source);
    }

    #[test]
    fn orders_are_relaxed_named_or_not() {
        for (source, expected) in [
            (
                "atomic_store_explicit(x, 1, memory_order_release, memory_scope_device);",
                "atomic_store_explicit(x, 1, memory_order_relaxed, memory_scope_device);",
            ),
            (
                "atomic_store(x, f(1, 2));",
                "atomic_store_explicit(x, f(1, 2), memory_order_relaxed);",
            ),
            (
                "r = atomic_load(&x[i, 2]);",
                "r = atomic_load_explicit(&x[i, 2], memory_order_relaxed);",
            ),
            (
                "atomic_store(x, atomic_load(y))",
                "atomic_store_explicit(x, atomic_load_explicit(y, memory_order_relaxed), \
                 memory_order_relaxed)",
            ),
            (
                "atomic_compare_exchange_strong(x, &e, 1)",
                "atomic_compare_exchange_strong_explicit(x, &e, 1, memory_order_relaxed, \
                 memory_order_relaxed)",
            ),
            (
                "#define ACQ memory_order_acquire\n",
                "#define ACQ memory_order_relaxed\n",
            ),
            (
                "atomic_add(x, 1); atomic_init(x, 0);",
                "atomic_add(x, 1); atomic_init(x, 0);",
            ),
        ] {
            assert_eq!(weak(source, &[RelaxOrders]), expected);
        }
    }

    #[test]
    fn fences_keep_their_orders_when_orders_are_relaxed() {
        let fence = "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);";
        assert_eq!(weak(fence, &[RelaxOrders]), fence);
        let both = format!("{fence} int o = memory_order_seq_cst;");
        assert_eq!(
            weak(&both, &[RelaxOrders]),
            format!("{fence} int o = memory_order_relaxed;")
        );
    }

    #[test]
    fn comments_and_strings_are_left_alone() {
        let source = "/* barrier(1) */ char*s = \"memory_order_acquire\"; // mem_fence(1)\n";
        assert_eq!(
            weak(
                source,
                &[
                    RelaxOrders,
                    DropFences,
                    DropBarriers,
                    NarrowScopes,
                    SwapFlags
                ]
            ),
            source
        );
    }

    #[test]
    fn scopes_are_narrowed_named_or_not() {
        for (source, expected) in [
            (
                "atomic_load_explicit(x, memory_order_acquire, memory_scope_all_svm_devices)",
                "atomic_load_explicit(x, memory_order_acquire, memory_scope_work_group)",
            ),
            (
                "atomic_load_explicit(x, memory_order_acquire)",
                "atomic_load_explicit(x, memory_order_acquire, memory_scope_work_group)",
            ),
            (
                "atomic_fetch_add(x, 1)",
                "atomic_fetch_add_explicit(x, 1, memory_order_seq_cst, memory_scope_work_group)",
            ),
            (
                "work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device)",
                "work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_work_group)",
            ),
            (
                "atomic_load_explicit(x, memory_order_acquire, memory_scope_sub_group)",
                "atomic_load_explicit(x, memory_order_acquire, memory_scope_sub_group)",
            ),
        ] {
            assert_eq!(weak(source, &[NarrowScopes]), expected);
        }
        assert_eq!(
            weak("atomic_fetch_add(x, 1)", &[NarrowScopes, RelaxOrders]),
            "atomic_fetch_add_explicit(x, 1, memory_order_relaxed, memory_scope_work_group)"
        );
    }

    #[test]
    fn flags_are_exchanged() {
        assert_eq!(
            weak(
                "barrier(CLK_LOCAL_MEM_FENCE); mem_fence(CLK_GLOBAL_MEM_FENCE);",
                &[SwapFlags]
            ),
            "barrier(CLK_GLOBAL_MEM_FENCE); mem_fence(CLK_LOCAL_MEM_FENCE);"
        );
    }

    #[test]
    fn fences_and_barriers_are_removed_and_lines_stay() {
        let source = "#ifdef X\nbarrier(CLK_LOCAL_MEM_FENCE\n | CLK_GLOBAL_MEM_FENCE);\n#endif\n\
                      if (a) mem_fence(f(1)); else read_mem_fence (1);";
        assert_eq!(
            weak(source, &[DropFences, DropBarriers]),
            "#ifdef X\n((void)0)\n;\n#endif\nif (a) ((void)0); else ((void)0);"
        );
        assert_eq!(
            weak("barrier(1); mem_fence(1);", &[DropFences]),
            "barrier(1); ((void)0);"
        );
        assert_eq!(
            weak("barrier(1); mem_fence(1);", &[DropBarriers]),
            "((void)0); mem_fence(1);"
        );
    }

    #[test]
    fn macros_are_rewritten_in_their_bodies_only() {
        assert_eq!(
            weak(
                "#define SYNC barrier(1) // all\n#define F(x) mem_fence(x)\n",
                &[DropBarriers, DropFences]
            ),
            "#define SYNC ((void)0) // all\n#define F(x) ((void)0)\n"
        );
        assert_eq!(
            weak("#define L \\\n  barrier( \\\n 1); x\n", &[DropBarriers]),
            "#define L \\\n  ((void)0)\\\n; x\n"
        );
        let declared = "#define mem_fence(x) nothing\nvoid barrier(int flags);\n";
        assert_eq!(weak(declared, &[DropBarriers, DropFences]), declared);
    }

    #[test]
    fn what_does_not_close_is_left_alone() {
        for source in ["barrier(", "atomic_store(x, (1]", "mem_fence", "barrier(1"] {
            assert_eq!(
                weak(source, &[DropBarriers, DropFences, RelaxOrders]),
                source
            );
        }
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_can_be_weakened(source: Vec<u8>) {
            weaken(&source, &Weakening::ALL.map(|(weakening, _)| weakening));
        }

        #[test]
        fn any_words_can_be_weakened(words in proptest::collection::vec(
            proptest::sample::select(vec![
                "barrier", "(", ")", "atomic_store", ",", "\n", "#define", "{", "]", " ", "x",
                "mem_fence", "memory_order_acquire", "/*", "*/", "\\\n",
            ]),
            0..40,
        )) {
            let source = words.concat();
            let lines = |text: &[u8]| text.iter().filter(|byte| **byte == b'\n').count();
            let weakened =
                weaken(source.as_bytes(), &Weakening::ALL.map(|(weakening, _)| weakening));
            proptest::prop_assert_eq!(lines(&weakened), lines(source.as_bytes()));
        }
    }
}
