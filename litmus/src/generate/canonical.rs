//! Canonical forms: two programs that differ only in the numbers and names of their threads,
//! locations, registers, devices, queue families and groups, and in the order of their condition's parts, have the
//! same one.
//!
//! A program's form under an order of its threads numbers everything else by first mention; the
//! canonical form is the least over all orders. Threads that look different on their own are put in
//! the order of what they look like, so only those that look alike are permuted.
//! Queues and commands, of which the generator makes none, keep their names and numbers.

use crate::program::{
    Access, Address, Atom, Atomicity, Expected, Expr, FenceFlags, Instr, LocId, Make, MemOrder,
    MemScope, Observable, Placement, Predicate, Program, RegId, ThreadId, WorkItem,
};
use crate::syntax::DomainWord;

/// A program as bytes, the same for all that are alike.
pub type Canonical = Vec<u8>;

/// The canonical form of a program.
pub fn canonical(program: &Program) -> Canonical {
    let alone: Vec<Vec<u8>> = (0..program.threads.len())
        .map(|t| {
            let mut form = Form::new(program);
            form.thread(t);
            form.out
        })
        .collect();
    let mut order: Vec<usize> = (0..alone.len()).collect();
    order.sort_by(|a, b| alone[*a].cmp(&alone[*b]));
    let mut best = whole(program, &order);
    each_permutation(&mut order, 0, &|a, b| alone[a] == alone[b], &mut |order| {
        let form = whole(program, order);
        if form < best {
            best = form;
        }
    });
    best
}

/// Calls `each` for every order that permutes only neighbours that are alike.
fn each_permutation(
    order: &mut Vec<usize>,
    from: usize,
    alike: &dyn Fn(usize, usize) -> bool,
    each: &mut dyn FnMut(&[usize]),
) {
    if from == order.len() {
        each(order);
        return;
    }
    for i in from..order.len() {
        if alike(order[from], order[i]) {
            order.swap(from, i);
            each_permutation(order, from + 1, alike, each);
            order.swap(from, i);
        }
    }
}

/// The form of a program under an order of its threads.
fn whole(program: &Program, order: &[usize]) -> Vec<u8> {
    let mut form = Form::new(program);
    for &t in order {
        form.thread(t);
    }
    form.order = order.to_vec();
    form.byte(program.api as u8);
    form.predicate(&program.condition.predicate);
    form.byte(program.condition.quantifier as u8);
    if let Some(filter) = &program.filter {
        form.predicate(filter);
    }
    form.locations();
    form.pairs(&program.synchronized);
    form.pairs(&program.contributes);
    if !(program.queues.is_empty() && program.commands.is_empty()) {
        let kernels: Vec<_> = order.iter().map(|t| program.threads[*t].kernel).collect();
        form.as_it_is(&(&program.queues, &program.commands, kernels));
    }
    form.out
}

/// A form as it is written.
struct Form<'p> {
    program: &'p Program,
    out: Vec<u8>,
    order: Vec<usize>,
    /// What has been mentioned so far, in order of first mention.
    locations: Vec<LocId>,
    devices: Vec<u32>,
    families: Vec<(u32, u32)>,
    groups: Vec<(u32, u32, u32)>,
    sub_groups: Vec<WorkItem>,
    labels: Vec<&'p str>,
    registers: Vec<(usize, RegId)>,
    /// The thread that is being written.
    now: usize,
}

/// The number of something by first mention.
fn number<T: PartialEq>(seen: &mut Vec<T>, old: T) -> u32 {
    let at = seen.iter().position(|o| *o == old).unwrap_or_else(|| {
        seen.push(old);
        seen.len() - 1
    });
    at as u32
}

impl<'p> Form<'p> {
    fn new(program: &'p Program) -> Form<'p> {
        Form {
            program,
            out: Vec::with_capacity(160),
            order: Vec::new(),
            locations: Vec::new(),
            devices: Vec::new(),
            families: Vec::new(),
            groups: Vec::new(),
            sub_groups: Vec::new(),
            labels: Vec::new(),
            registers: Vec::new(),
            now: 0,
        }
    }

    fn byte(&mut self, byte: u8) {
        self.out.push(byte);
    }

    /// A number, short where it is small.
    fn number(&mut self, number: i64) {
        match u8::try_from(number) {
            Ok(small) if small < 255 => self.byte(small),
            Ok(_) | Err(_) => {
                self.byte(255);
                self.out.extend(number.to_le_bytes());
            }
        }
    }

    fn thread(&mut self, t: usize) {
        self.now = t;
        let thread = &self.program.threads[t];
        match thread.placement {
            Placement::Host => self.byte(0),
            Placement::Device(item) => {
                self.byte(1);
                let d = number(&mut self.devices, item.device);
                let f = number(&mut self.families, item.family());
                let g = number(&mut self.groups, item.group());
                self.number(d.into());
                self.number(f.into());
                self.number(g.into());
                let s = item
                    .sub_group
                    .map(|_| 1 + number(&mut self.sub_groups, item));
                self.number(s.unwrap_or(0).into());
            }
        }
        self.block(&thread.body);
        // types and first values, in the order in which the body mentions the registers
        for i in 0..self.registers.len() {
            let (owner, register) = self.registers[i];
            if owner == t {
                let register = &thread.registers[register.0 as usize];
                self.byte(register.ty as u8);
                self.number(register.init);
            }
        }
    }

    fn block(&mut self, block: &'p [Instr]) {
        self.byte(b'{');
        for instr in block {
            match instr {
                Instr::Assign { register, value } => {
                    self.byte(b'=');
                    self.register(*register);
                    self.expr(value);
                }
                Instr::Effect(value) => {
                    self.byte(b'e');
                    self.expr(value);
                }
                Instr::Store { access, value } => {
                    self.byte(b's');
                    self.access(access);
                    self.expr(value);
                }
                Instr::Fence(fence) => {
                    self.byte(if fence.legacy { b'F' } else { b'f' });
                    self.semantics(fence.flags, fence.make);
                    self.ordered(fence.order, fence.scope);
                }
                Instr::Barrier(barrier) => {
                    self.byte(b'b');
                    self.byte(barrier.group as u8);
                    self.semantics(barrier.flags, barrier.make);
                    self.byte(barrier.order as u8);
                    self.scope(barrier.scope);
                    self.number(barrier.quorum.map_or(0, |quorum| 1 + i64::from(quorum)));
                    let label = barrier.label.as_deref();
                    let label = label.map(|l| 1 + number(&mut self.labels, l));
                    self.number(label.unwrap_or(0).into());
                }
                Instr::Domain(operation) => {
                    self.byte(b'd');
                    self.byte(DomainWord::of(*operation) as u8);
                    if let Some(location) = operation.location() {
                        let location = number(&mut self.locations, location);
                        self.number(location.into());
                    }
                }
                Instr::If(branch) => {
                    self.byte(b'?');
                    self.expr(&branch.condition);
                    self.block(&branch.then);
                    self.block(&branch.otherwise);
                }
                Instr::While { condition, body } => {
                    self.byte(b'w');
                    self.expr(condition);
                    self.block(body);
                }
                Instr::Return => self.byte(b'r'),
                Instr::Host(call) => self.as_it_is(call),
            }
        }
        self.byte(b'}');
    }

    /// Something whose numbers are not made canonical.
    fn as_it_is(&mut self, thing: &dyn std::fmt::Debug) {
        self.out.extend(format!("{thing:?};").into_bytes());
    }

    fn expr(&mut self, expr: &'p Expr) {
        match expr {
            Expr::Const(value) => {
                self.byte(b'c');
                self.number(*value);
            }
            Expr::Reg(register) => {
                self.byte(b'r');
                self.register(*register);
            }
            Expr::Unary(op, a) => {
                self.out.extend([b'u', *op as u8]);
                self.expr(a);
            }
            Expr::Binary(op, a, b) => {
                self.out.extend([b'o', *op as u8]);
                self.expr(a);
                self.expr(b);
            }
            Expr::Select(a, b, c) => {
                self.byte(b'?');
                [a, b, c].into_iter().for_each(|part| self.expr(part));
            }
            Expr::Load(access) => {
                self.byte(b'l');
                self.access(access);
            }
            Expr::Rmw(rmw) => {
                self.byte(b'm');
                self.byte(rmw.op as u8);
                self.address(&rmw.address);
                self.atomicity(Atomicity::Atomic(rmw.atomic));
                self.expr(&rmw.operand);
            }
            Expr::Cas(cas) => {
                self.byte(b'x');
                self.byte(cas.strength as u8);
                self.address(&cas.address);
                match &cas.expected {
                    Expected::Location(at) => {
                        self.byte(0);
                        self.address(at);
                    }
                    Expected::Register(register) => {
                        self.byte(1);
                        self.register(*register);
                    }
                }
                self.atomicity(Atomicity::Atomic(cas.atomic));
                self.byte(cas.failure as u8);
                self.expr(&cas.desired);
            }
        }
    }

    fn access(&mut self, access: &'p Access) {
        self.address(&access.address);
        self.atomicity(access.atomicity);
    }

    fn address(&mut self, address: &'p Address) {
        let location = number(&mut self.locations, address.location);
        self.number(location.into());
        match &address.index {
            Some(index) => {
                self.byte(1);
                self.expr(index);
            }
            None => self.byte(0),
        }
    }

    fn atomicity(&mut self, atomicity: Atomicity) {
        match atomicity {
            Atomicity::Plain => self.byte(0),
            Atomicity::Volatile => self.byte(1),
            Atomicity::Atomic(atomic) => {
                self.byte(2);
                self.ordered(atomic.order, atomic.reach());
                self.semantics(atomic.flags, atomic.make);
            }
            Atomicity::NonPrivate(scope) => {
                self.byte(3);
                self.scope(scope);
            }
        }
    }

    fn ordered(&mut self, order: MemOrder, scope: MemScope) {
        self.byte(order as u8);
        self.scope(Some(scope));
    }

    fn scope(&mut self, scope: Option<MemScope>) {
        self.byte(scope.map_or(0, |s| 1 + s as u8));
    }

    fn flags(&mut self, mut flags: FenceFlags) {
        let named = flags.named().into_iter().enumerate();
        self.byte(named.map(|(bit, (_, set))| u8::from(*set) << bit).sum());
    }

    /// What the semantics of Vulkan say beside the order.
    fn semantics(&mut self, flags: FenceFlags, make: Make) {
        self.flags(flags);
        self.byte(u8::from(make.available) + 2 * u8::from(make.visible));
    }

    fn register(&mut self, register: RegId) {
        let now = self.now;
        let before = self.registers.iter().filter(|(t, _)| *t == now).count();
        let at = (self.registers.iter())
            .filter(|(t, _)| *t == now)
            .position(|(_, r)| *r == register);
        let at = at.unwrap_or_else(|| {
            self.registers.push((now, register));
            before
        });
        self.number(at as i64);
    }

    fn observable(&mut self, observable: Observable) {
        match observable {
            Observable::Register(t, register) => {
                self.byte(0);
                let thread = self.order.iter().position(|o| *o == t.index());
                self.number(thread.unwrap_or(0) as i64);
                self.now = t.index();
                self.register(register);
            }
            Observable::Memory(location, element) => {
                self.byte(1);
                let location = number(&mut self.locations, location);
                self.number(location.into());
                self.number(element.into());
            }
        }
    }

    fn predicate(&mut self, predicate: &Predicate) {
        match predicate {
            Predicate::Bool(b) => self.byte(u8::from(*b)),
            Predicate::Compare(relation, a, b) => {
                self.byte(b'c');
                self.byte(*relation as u8);
                for atom in [a, b] {
                    match *atom {
                        Atom::Observe(observable) => {
                            self.byte(b'o');
                            self.observable(observable);
                        }
                        Atom::Const(value) => {
                            self.byte(b'n');
                            self.number(value);
                        }
                    }
                }
            }
            Predicate::Not(inner) => {
                self.byte(b'!');
                self.predicate(inner);
            }
            Predicate::And(parts) => self.parts(b'&', parts),
            Predicate::Or(parts) => self.parts(b'|', parts),
        }
    }

    /// Parts whose order does not matter.
    fn parts(&mut self, sign: u8, parts: &[Predicate]) {
        let before = std::mem::take(&mut self.out);
        let mut forms: Vec<Vec<u8>> = parts
            .iter()
            .map(|part| {
                self.predicate(part);
                std::mem::take(&mut self.out)
            })
            .collect();
        forms.sort_unstable();
        self.out = before;
        self.byte(sign);
        self.number(forms.len() as i64);
        for form in forms {
            self.out.extend(form);
        }
    }

    /// Pairs of threads, by their places in the order, and how many there are.
    fn pairs(&mut self, pairs: &[(ThreadId, ThreadId)]) {
        let order = &self.order;
        let place = |t: ThreadId| order.iter().position(|o| *o == t.index()).unwrap_or(0);
        let mut pairs: Vec<[usize; 2]> = (pairs.iter())
            .map(|(a, b)| [place(*a), place(*b)])
            .collect();
        pairs.sort_unstable();
        self.number(pairs.len() as i64);
        for place in pairs.into_iter().flatten() {
            self.number(place as i64);
        }
    }

    /// What the locations are: those that were mentioned in that order, then the others; aliases reach the
    /// same memory.
    fn locations(&mut self) {
        let mut memories = Vec::new();
        for location in &self.locations {
            number(&mut memories, self.program.memory_behind(*location));
        }
        let memory = |id: LocId| {
            let behind = self.program.memory_behind(id);
            memories.iter().position(|memory| *memory == behind)
        };
        let form = |id: LocId| {
            let location = &self.program.locations[id.index()];
            let mut out = vec![
                location.region as u8,
                location.memory as u8,
                location.ty as u8,
                u8::from(location.atomic),
                u8::from(location.generic),
                u8::from(location.array),
                memory(id).map_or(u8::MAX, |at| at as u8),
            ];
            for value in &location.init {
                out.extend(value.to_le_bytes());
            }
            out
        };
        let known: Vec<Vec<u8>> = self.locations.iter().map(|l| form(*l)).collect();
        let mut others: Vec<Vec<u8>> = (0..self.program.locations.len())
            .map(|l| LocId(l as u32))
            .filter(|l| !self.locations.contains(l))
            .map(form)
            .collect();
        others.sort_unstable();
        for location in known.into_iter().chain(others) {
            self.out.extend(location);
            self.byte(b';');
        }
    }
}
