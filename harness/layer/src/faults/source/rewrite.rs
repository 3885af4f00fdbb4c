//! Changes words, orders and scopes of a source, and calls as a whole.

use super::calls::{Access, Atomic, CallSite, call, declares};
use super::instead::instead;
use super::loops;
use super::tokens::{Kind, Token, split};
use classay_faults::SourceMutation::{self, *};
use std::ops::Range;

/// Functions whose flags, order and scope belong to a fence.
const FENCES: [&[u8]; 4] = [
    b"atomic_work_item_fence",
    b"mem_fence",
    b"read_mem_fence",
    b"write_mem_fence",
];

const BARRIERS: [&[u8]; 3] = [b"barrier", b"work_group_barrier", b"sub_group_barrier"];

/// The source with every one of the mutations made.
pub(crate) fn mutate(source: &[u8], mutations: &[SourceMutation]) -> Vec<u8> {
    let tokens = split(source);
    let sub_groups = tokens.iter().any(|token| {
        token.kind == Kind::Word
            && token
                .text
                .windows(9)
                .any(|part| part.eq_ignore_ascii_case(b"sub_group"))
    });
    let depths = tokens
        .iter()
        .any(|token| token.kind == Kind::Word && token.text.ends_with(b"_depth_t"));
    let mut rewriter = Rewriter {
        sub_groups,
        depths,
        out: tokens.iter().map(|token| token.text.to_vec()).collect(),
        tokens,
        active: mutations,
    };
    rewriter.run();
    rewriter.out.concat()
}

/// What a word stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Within {
    /// No call that has an order.
    Nothing,
    Atomic(Access),
    Fence,
    Barrier,
}

/// Where a word is replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Anywhere,
    In(Within),
    NotIn(Within),
}

impl Place {
    fn has(self, within: Within) -> bool {
        match self {
            Place::Anywhere => true,
            Place::In(place) => within == place,
            Place::NotIn(place) => within != place,
        }
    }
}

/// A word, where it stands, the mutations that replace it there, and by what.
struct Replacement {
    word: &'static str,
    place: Place,
    mutations: &'static [SourceMutation],
    becomes: &'static str,
}

macro_rules! replacements {
    ($($word:literal, $place:expr, [$($mutation:ident),+] => $becomes:literal;)*) => {
        /// The words that mutations replace; the first row that fits counts.
        const REPLACEMENTS: &[Replacement] = {
            use Access::*;
            use Place::*;
            use Within::*;
            &[$(Replacement {
                word: $word,
                place: $place,
                mutations: &[$($mutation),+],
                becomes: $becomes,
            }),*]
        };
    };
}

replacements! {
    "memory_order_acquire", NotIn(Fence), [RelaxOrders, AcquireToRelaxed] => "memory_order_relaxed";
    "memory_order_release", NotIn(Fence), [RelaxOrders, ReleaseToRelaxed] => "memory_order_relaxed";
    "memory_order_acq_rel", NotIn(Fence), [RelaxOrders, AcqRelToRelaxed] => "memory_order_relaxed";
    "memory_order_seq_cst", NotIn(Fence), [RelaxOrders, SeqCstToRelaxed] => "memory_order_relaxed";
    "memory_order_acquire", In(Fence), [FencesRelaxed, FenceAcquire] => "memory_order_relaxed";
    "memory_order_release", In(Fence), [FencesRelaxed, FenceRelease] => "memory_order_relaxed";
    "memory_order_acq_rel", In(Fence), [FencesRelaxed] => "memory_order_relaxed";
    "memory_order_seq_cst", In(Fence), [FencesRelaxed] => "memory_order_relaxed";
    "memory_order_acq_rel", NotIn(Fence), [AcquireToRelaxed] => "memory_order_release";
    "memory_order_acq_rel", NotIn(Fence), [ReleaseToRelaxed] => "memory_order_acquire";
    "memory_order_acq_rel", In(Fence), [FenceAcquire] => "memory_order_release";
    "memory_order_acq_rel", In(Fence), [FenceRelease] => "memory_order_acquire";
    "memory_order_seq_cst", In(Fence), [FenceSeqCst] => "memory_order_acq_rel";
    "memory_order_seq_cst", In(Atomic(Load)), [SeqCstToAcqRel] => "memory_order_acquire";
    "memory_order_seq_cst", In(Atomic(Store)), [SeqCstToAcqRel] => "memory_order_release";
    "memory_order_seq_cst", In(Atomic(ReadModifyWrite)), [SeqCstToAcqRel] => "memory_order_acq_rel";
    "memory_scope_all_svm_devices", Anywhere, [NarrowScopes] => "memory_scope_work_group";
    "memory_scope_all_svm_devices", Anywhere, [ScopeSvmToDevice] => "memory_scope_device";
    "memory_scope_all_devices", Anywhere, [NarrowScopes] => "memory_scope_work_group";
    "memory_scope_all_devices", Anywhere, [ScopeSvmToDevice] => "memory_scope_device";
    "memory_scope_device", Anywhere, [NarrowScopes, ScopeDeviceToWorkGroup] => "memory_scope_work_group";
    "memory_scope_work_group", Anywhere, [ScopeWorkGroupToSubGroup] => "memory_scope_sub_group";
    "CLK_LOCAL_MEM_FENCE", In(Barrier), [BarrierFlags] => "0";
    "CLK_GLOBAL_MEM_FENCE", In(Barrier), [BarrierFlags] => "0";
    "CLK_LOCAL_MEM_FENCE", Anywhere, [SwapFlags, FlagLocalToGlobal] => "CLK_GLOBAL_MEM_FENCE";
    "CLK_GLOBAL_MEM_FENCE", Anywhere, [SwapFlags, FlagGlobalToLocal] => "CLK_LOCAL_MEM_FENCE";
    "CLK_IMAGE_MEM_FENCE", Anywhere, [DropImageFences] => "0";
    "CLK_ENQUEUE_FLAGS_WAIT_KERNEL", Anywhere, [EnqueueWaitKernelGroup] => "CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP";
    "CLK_ENQUEUE_FLAGS_WAIT_KERNEL", Anywhere, [EnqueueWaitKernel] => "CLK_ENQUEUE_FLAGS_NO_WAIT";
    "CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP", Anywhere, [EnqueueWaitGroup] => "CLK_ENQUEUE_FLAGS_NO_WAIT";
    "continue", Anywhere, [ContinueEndsLoop] => "break";
    "static", Anywhere, [InternalNamesShared] => "";
    "sizeof", Anywhere, [SizeofMore] => "1 + sizeof";
    "CLK_ADDRESS_CLAMP", Anywhere, [ImageBorder] => "CLK_ADDRESS_CLAMP_TO_EDGE";
}

struct Rewriter<'a> {
    tokens: Vec<Token<'a>>,
    /// What each token becomes.
    out: Vec<Vec<u8>>,
    active: &'a [SourceMutation],
    /// Whether the source knows sub-groups: another need not have their scope.
    sub_groups: bool,
    /// Whether the source has images of depth: what is read of them has no channels.
    depths: bool,
}

impl Rewriter<'_> {
    fn makes(&self, mutation: SourceMutation) -> bool {
        self.active.contains(&mutation) && !(self.depths && mutation == ImageChannels)
    }

    fn run(&mut self) {
        if self.makes(DropInitializers) {
            self.drop_initializers();
        }
        // The innermost of the calls around a word is the last of those that have not closed.
        let mut around: Vec<(usize, Within)> = Vec::new();
        let mut index = 0;
        while let Some(token) = self.tokens.get(index).copied() {
            while around.last().is_some_and(|(close, _)| *close < index) {
                around.pop();
            }
            if token.kind == Kind::Number && self.makes(DivisionShifts) {
                self.divisor(token.text, index);
            }
            if token.kind == Kind::Word {
                if let Some(site) = call(&self.tokens, index) {
                    if !declares(&self.tokens, index)
                        && let Some(text) = self.instead(token.text, &site)
                    {
                        self.replace(index..site.close + 1, text);
                        index = site.close + 1;
                        continue;
                    }
                    if self.makes(CutLoops)
                        && let Some(changes) = loops::cut(&self.tokens, index, &site)
                    {
                        for (at, text) in changes {
                            self.set(at, text.into_bytes());
                        }
                    }
                    if FENCES.contains(&token.text) {
                        around.push((site.close, Within::Fence));
                    } else if BARRIERS.contains(&token.text) {
                        around.push((site.close, Within::Barrier));
                    } else if let Some((atomic, explicit)) = Atomic::named(token.text) {
                        around.push((site.close, Within::Atomic(atomic.access)));
                        self.atomic(atomic, explicit, index, &site);
                    } else if let Some(other) = self.renamed(token.text) {
                        self.set(index, other.into_bytes());
                    }
                }
                let within = around.last().map_or(Within::Nothing, |(_, within)| *within);
                if let Some(word) = self.word(token.text, within) {
                    self.set(index, word.as_bytes().to_vec());
                }
                if let Some(text) = self.statement(token.text, index) {
                    self.set(index, text.into());
                }
            }
            index += 1;
        }
    }

    fn set(&mut self, index: usize, text: Vec<u8>) {
        // A token that something else has changed already stays so.
        if let (Some(token), Some(place)) = (self.tokens.get(index), self.out.get_mut(index))
            && token.text == place.as_slice()
        {
            *place = text;
        }
    }

    /// A number behind the sign of a division; by a power of two it becomes a shift.
    fn divisor(&mut self, text: &[u8], index: usize) {
        let number = std::str::from_utf8(text).unwrap_or_default();
        let number: Option<u64> = number.trim_end_matches(['u', 'U', 'l', 'L']).parse().ok();
        let Some(number) = number.filter(|number| number.is_power_of_two()) else {
            return;
        };
        let before = self.tokens[..index].iter();
        let sign = before
            .enumerate()
            .rev()
            .find(|(_, t)| t.kind != Kind::Blank);
        if let Some((sign, token)) = sign
            && token.is(b'/')
        {
            self.set(sign, b">>".into());
            self.set(index, number.trailing_zeros().to_string().into_bytes());
        }
    }

    /// What a word becomes.
    fn word(&self, text: &[u8], within: Within) -> Option<&'static str> {
        let makes = |mutation: &SourceMutation| {
            self.makes(*mutation) && (*mutation != ScopeWorkGroupToSubGroup || self.sub_groups)
        };
        REPLACEMENTS
            .iter()
            .find(|row| {
                row.word.as_bytes() == text
                    && row.place.has(within)
                    && row.mutations.iter().any(makes)
            })
            .map(|row| row.becomes)
    }

    /// What the word becomes that a statement begins with.
    fn statement(&self, text: &[u8], index: usize) -> Option<&'static str> {
        let blank = |token: &&Token<'_>| token.kind == Kind::Blank;
        let before = self.tokens[..index].iter().rev().find(|t| !blank(t));
        let behind = self.tokens[index + 1..].iter().find(|t| !blank(t));
        match text {
            b"return" if self.makes(ReturnIgnored) && behind?.is(b';') => Some("(void)0"),
            // Behind another label, or the brace that opens the switch, nothing goes on.
            b"case" | b"default"
                if self.makes(FallThroughLost) && !before?.is(b':') && !before?.is(b'{') =>
            {
                Some(if text == b"case" {
                    "break; case"
                } else {
                    "break; default"
                })
            }
            _ => None,
        }
    }

    /// Another function that takes the place of one, with the same arguments.
    fn renamed(&self, text: &[u8]) -> Option<String> {
        let text = std::str::from_utf8(text).ok()?;
        if text == "get_enqueued_local_size" && self.makes(EnqueuedSize) {
            return Some("get_local_size".to_owned());
        }
        let (group, function) = ["work_group_", "sub_group_"]
            .into_iter()
            .find_map(|group| text.strip_prefix(group).map(|function| (group, function)))?;
        let other = match function {
            "all" if self.makes(AllAny) => "any",
            "any" if self.makes(AllAny) => "all",
            "reduce_add" if self.makes(ReduceAdd) => "reduce_max",
            "reduce_min" if self.makes(ReduceMin) => "reduce_max",
            _ if self.makes(ScanSwapped) => {
                let (from, to) = if function.starts_with("scan_inclusive_") {
                    ("inclusive", "exclusive")
                } else if function.starts_with("scan_exclusive_") {
                    ("exclusive", "inclusive")
                } else {
                    return None;
                };
                return Some(text.replacen(from, to, 1));
            }
            _ => return None,
        };
        Some(format!("{group}{other}"))
    }

    /// Gives an atomic operation the orders and the scope that it does not name, or that it names
    /// in vain.
    fn atomic(&mut self, atomic: &Atomic, explicit: bool, index: usize, site: &CallSite) {
        let count = site.arguments.len();
        if explicit && atomic.orders == 2 {
            self.failure(atomic, site);
        }
        let relaxed = self.makes(RelaxOrders) || self.makes(DefaultOrderRelaxed);
        let weaker = self.makes(SeqCstToAcqRel);
        let narrow = self.makes(NarrowScopes) || self.makes(DefaultScope);
        let failure = self.makes(CasFailureRelaxed) && atomic.orders == 2;
        let mut added = String::new();
        if !explicit && count == atomic.operands && (relaxed || weaker || narrow || failure) {
            let order = |second: bool| match (relaxed, weaker) {
                (true, _) => "memory_order_relaxed",
                (false, _) if second && failure => "memory_order_relaxed",
                // The failure of a compare-exchange only loads.
                (false, true) if second => "memory_order_acquire",
                (false, true) => half(atomic.access),
                (false, false) => "memory_order_seq_cst",
            };
            for place in 0..atomic.orders {
                added.push_str(", ");
                added.push_str(order(place == 1));
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
        if narrow && count == unscoped {
            added.push_str(", memory_scope_work_group");
        }
        if let Some(close) = self.out.get_mut(site.close) {
            close.splice(0..0, added.into_bytes());
        }
    }

    /// Gives a compare-exchange the order of its failure, which must not be a release, nor stronger
    /// than that of its success.
    fn failure(&mut self, atomic: &Atomic, site: &CallSite) {
        let orders = (
            site.arguments.get(atomic.operands),
            site.arguments.get(atomic.operands + 1),
        );
        let (Some(success), Some(failure)) = orders else {
            return;
        };
        let words = |range: &Range<usize>| {
            self.tokens
                .get(range.clone())
                .unwrap_or_default()
                .iter()
                .filter(|token| token.kind == Kind::Word)
                .map(|token| token.text)
                .collect::<Vec<_>>()
        };
        let relaxed = words(success).into_iter().any(|word| {
            self.word(word, Within::Atomic(atomic.access)) == Some("memory_order_relaxed")
        });
        let order = if relaxed || self.makes(CasFailureRelaxed) {
            " memory_order_relaxed"
        } else if self.makes(SeqCstToAcqRel)
            && words(failure).contains(&b"memory_order_seq_cst".as_slice())
        {
            " memory_order_acquire"
        } else {
            return;
        };
        self.replace(failure.clone(), order.to_owned());
    }

    /// What takes the place of a whole call.
    fn instead(&self, name: &[u8], site: &CallSite) -> Option<String> {
        let argument = |index: usize| {
            let range = site.arguments.get(index).cloned().unwrap_or(0..0);
            let line: Vec<u8> = self.tokens[range]
                .iter()
                .flat_map(|token| match token.kind {
                    Kind::Blank => b" ",
                    Kind::Word | Kind::Number | Kind::Quoted | Kind::Mark => token.text,
                })
                .copied()
                .collect();
            String::from_utf8_lossy(&mutate(line.trim_ascii(), self.active)).into_owned()
        };
        let name = std::str::from_utf8(name).ok()?;
        instead(
            name,
            site.arguments.len(),
            |mutation| self.makes(mutation),
            argument,
        )
    }

    /// Puts a text in the place of tokens; the lines that they span stay.
    fn replace(&mut self, range: Range<usize>, text: String) {
        let first = range.start;
        for at in range {
            let (Some(token), Some(place)) = (self.tokens.get(at), self.out.get_mut(at)) else {
                return;
            };
            *place = if token.kind == Kind::Blank {
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
            if at == first {
                place.splice(0..0, text.bytes());
            }
        }
    }

    /// Removes the initializers of variables of program scope in global memory.
    fn drop_initializers(&mut self) {
        let mut depth = 0usize;
        let mut begin = 0;
        let mut index = 0;
        while let Some(token) = self.tokens.get(index) {
            if token.is(b'#') && self.begins_line(index) {
                // A directive, with the lines that are joined to it.
                let end = self.tokens[index..]
                    .iter()
                    .position(|token| token.ends_line());
                index += end.unwrap_or(self.tokens.len());
                begin = index;
                continue;
            }
            if token.is(b'(') || token.is(b'[') || token.is(b'{') {
                depth += 1;
            } else if token.is(b')') || token.is(b']') || token.is(b'}') {
                depth = depth.saturating_sub(1);
                if depth == 0 && token.is(b'}') {
                    begin = index + 1;
                }
            } else if depth == 0 && token.is(b';') {
                begin = index + 1;
            } else if depth == 0 && token.is(b'=') && self.is_global(begin..index) {
                let Some(end) = self.initializer_end(index) else {
                    return;
                };
                self.replace(index..end, String::new());
                index = end;
                continue;
            }
            index += 1;
        }
    }

    fn begins_line(&self, index: usize) -> bool {
        self.tokens[..index]
            .iter()
            .rev()
            .find(|token| token.kind != Kind::Blank || token.ends_line())
            .is_none_or(Token::ends_line)
    }

    /// Whether a declaration is of a variable that lives in global memory: nothing says constant.
    fn is_global(&self, declaration: Range<usize>) -> bool {
        let words = || {
            self.tokens[declaration.clone()]
                .iter()
                .filter(|token| token.kind == Kind::Word)
        };
        let constant = [
            b"constant".as_slice(),
            b"__constant",
            b"const",
            b"typedef",
            b"enum",
            b"sampler_t",
        ];
        words().count() > 1 && !words().any(|token| constant.contains(&token.text))
    }

    /// The comma or semicolon behind an initializer.
    fn initializer_end(&self, from: usize) -> Option<usize> {
        let mut depth = 0usize;
        for (at, token) in self.tokens.iter().enumerate().skip(from) {
            if token.is(b'(') || token.is(b'[') || token.is(b'{') {
                depth += 1;
            } else if token.is(b')') || token.is(b']') || token.is(b'}') {
                depth = depth.checked_sub(1)?;
            } else if depth == 0 && (token.is(b';') || token.is(b',')) {
                return Some(at);
            }
        }
        None
    }
}

/// The strongest order below seq_cst that an access can have.
fn half(access: Access) -> &'static str {
    match access {
        Access::Load => "memory_order_acquire",
        Access::Store => "memory_order_release",
        Access::ReadModifyWrite => "memory_order_acq_rel",
    }
}

fn line_ends(text: &[u8]) -> Vec<u8> {
    text.iter().copied().filter(|byte| *byte == b'\n').collect()
}

#[cfg(test)]
mod tests;
