//! The kernel in the making: instructions, jumps to be filled in, side tables.

use super::provenance::{InstanceId, Root};
use super::slot_number;
use super::slots::SlotPool;
use crate::error::PrepareError;
use crate::interp::code::{
    FIRST_SITE, Fill, Ins, Kernel, Meeting, Object, ObjectId, ParamPlace, Pc, Printing, Site,
    SiteInfo, Slot, SwitchTable, local_site, private_site,
};
use crate::interp::device::DeviceCall;
use crate::scalar::convert::Conversion;
use crate::scalar::math::{Function, Meaning};
use std::collections::HashMap;
use touchstone_ir::{AddressSpace, KernelInfo, Loc, LocalId, RmwOp};

/// A place in the code that is not known yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Label(usize);

/// A kernel in the making.
pub(super) struct Emitter {
    kernel: Kernel,
    loc: Loc,
    pub(super) pool: SlotPool,
    fill_slots: HashMap<Fill, Slot>,
    labels: Vec<Pc>,
    entries: HashMap<InstanceId, Label>,
    /// Sites of known objects, which instructions share.
    shared_sites: HashMap<SiteInfo, Site>,
    object_ids: HashMap<Root, ObjectId>,
    locals: HashMap<LocalId, u64>,
    /// How words are changed that nobody looks at meanwhile.
    counting: Option<RmwOp>,
    /// The first thing that did not fit, how much was needed, how much fits.
    overflow: Option<(&'static str, usize)>,
}

/// What an index into a side table, a slot or a site may be at most.
const LIMIT: usize = i16::MAX as usize;

impl Emitter {
    pub(super) fn new(name: &str) -> Emitter {
        let mut sites = Vec::new();
        for space in [AddressSpace::Private, AddressSpace::Local] {
            for log in 0..4 {
                sites.push(SiteInfo {
                    space,
                    size: 1 << log,
                    write: true,
                    object: None,
                });
            }
        }
        debug_assert_eq!(sites.len(), FIRST_SITE);
        Emitter {
            kernel: Kernel {
                name: name.to_owned(),
                sites,
                ..Kernel::default()
            },
            loc: Loc::NONE,
            pool: SlotPool::default(),
            fill_slots: HashMap::new(),
            labels: Vec::new(),
            entries: HashMap::new(),
            shared_sites: HashMap::new(),
            object_ids: HashMap::new(),
            locals: HashMap::new(),
            counting: None,
            overflow: None,
        }
    }

    /// Begins a function: instructions are its from now on.
    /// It returns to where the slot says, if it is called.
    pub(super) fn begin_function(&mut self, name: &str, link: Option<Slot>) {
        self.kernel.functions.push(name.to_owned());
        self.kernel.links.push(link);
    }

    /// Begins a block, with its number in the order of [`super::order`].
    pub(super) fn begin_block(&mut self, order: u32) {
        let at = self.kernel.code.len() as Pc;
        self.kernel.blocks.push((at, order));
    }

    pub(super) fn set_loc(&mut self, loc: Loc) {
        self.loc = loc;
    }

    /// The kernel does what work-items may synchronize with.
    pub(super) fn synchronizes(&mut self) {
        self.kernel.synchronizes = true;
    }

    /// The kernel changes a word by a relaxed operation and does not look at what was there. Where all
    /// such operations of a kernel are of one kind, it is the same for the words in which order they are made, so that
    /// nobody learns from them what others have done.
    pub(super) fn counts(&mut self, op: RmwOp) {
        let kind = match op {
            RmwOp::Add | RmwOp::Sub => Some(RmwOp::Add),
            RmwOp::And
            | RmwOp::Or
            | RmwOp::Xor
            | RmwOp::SMin
            | RmwOp::SMax
            | RmwOp::UMin
            | RmwOp::UMax => Some(op),
            // What remains depends on the order.
            RmwOp::Exchange | RmwOp::FAdd | RmwOp::FSub | RmwOp::FMin | RmwOp::FMax => None,
        };
        match kind {
            Some(kind) if self.counting.is_none_or(|counting| counting == kind) => {
                self.counting = Some(kind);
            }
            _ => self.synchronizes(),
        }
    }

    pub(super) fn emit(&mut self, ins: Ins) {
        self.kernel.code.push(ins);
        let function = self.kernel.functions.len().saturating_sub(1) as u32;
        self.kernel.places.push((function, self.loc));
    }

    fn too_many(&mut self, what: &'static str, needed: usize) {
        if self.overflow.is_none() {
            self.overflow = Some((what, needed));
        }
    }

    /// A number of the frame as a slot. Past the limit the kernel fails to
    /// compile in the end; until then it gets some slot.
    pub(super) fn slot(&mut self, n: usize) -> Slot {
        slot_number(n).unwrap_or_else(|| {
            self.too_many("register slots", n);
            0
        })
    }

    /// Slots of the frame so far.
    pub(super) fn frame(&self) -> usize {
        self.pool.frame()
    }

    /// The slot below the frame with a value that an item starts with.
    pub(super) fn fill(&mut self, fill: Fill) -> Slot {
        if let Some(&slot) = self.fill_slots.get(&fill) {
            return slot;
        }
        let n = self.kernel.fills.len();
        let slot = if n < LIMIT {
            -1 - n as Slot
        } else {
            self.too_many("constants", n);
            0
        };
        self.kernel.fills.push(fill);
        self.fill_slots.insert(fill, slot);
        slot
    }

    pub(super) fn constant(&mut self, bits: u64) -> Slot {
        self.fill(Fill::Const(bits))
    }

    pub(super) fn label(&mut self) -> Label {
        self.labels.push(Pc::MAX);
        Label(self.labels.len() - 1)
    }

    /// A label as the target of an instruction; replaced in the end.
    pub(super) fn target(&self, label: Label) -> Pc {
        label.0 as Pc
    }

    /// Puts a label here.
    pub(super) fn place(&mut self, label: Label) {
        self.labels[label.0] = self.kernel.code.len() as Pc;
    }

    /// The label of the first instruction of a function's instance.
    pub(super) fn entry(&mut self, function: InstanceId) -> Label {
        if let Some(&label) = self.entries.get(&function) {
            return label;
        }
        let label = self.label();
        self.entries.insert(function, label);
        label
    }

    fn index<T>(&mut self, what: &'static str, table: fn(&mut Kernel) -> &mut Vec<T>, x: T) -> u16 {
        let table = table(&mut self.kernel);
        let n = table.len();
        table.push(x);
        u16::try_from(n).unwrap_or_else(|_| {
            self.too_many(what, n);
            0
        })
    }

    /// A switch whose targets are labels.
    pub(super) fn switch(&mut self, table: SwitchTable) -> u16 {
        self.index("switches", |k| &mut k.switches, table)
    }

    pub(super) fn conversion(&mut self, conversion: Conversion) -> u16 {
        match self
            .kernel
            .conversions
            .iter()
            .position(|&c| c == conversion)
        {
            Some(n) => n as u16,
            None => self.index("conversions", |k| &mut k.conversions, conversion),
        }
    }

    pub(super) fn function(&mut self, function: Function, meaning: Meaning) -> u16 {
        let what = "calls of built-in functions";
        match function {
            Function::One(f) => {
                self.kernel.meanings1.push(meaning);
                self.index(what, |k| &mut k.fns1, f)
            }
            Function::Two(f) => {
                self.kernel.meanings2.push(meaning);
                self.index(what, |k| &mut k.fns2, f)
            }
            Function::Three(f) => {
                self.kernel.meanings3.push(meaning);
                self.index(what, |k| &mut k.fns3, f)
            }
        }
    }

    /// The number of a call of a collective function.
    pub(super) fn meeting(&mut self, meeting: Meeting) -> u16 {
        self.index(
            "calls of collective functions",
            |k| &mut k.meetings,
            meeting,
        )
    }

    pub(super) fn device_call(&mut self, call: DeviceCall) -> u16 {
        self.index(
            "calls of device-side enqueue",
            |k| &mut k.device_calls,
            call,
        )
    }

    pub(super) fn printing(&mut self, printing: Printing) -> u16 {
        self.index("calls of printf", |k| &mut k.printings, printing)
    }

    /// The site of accesses of a kind. Accesses of one kind to one known object share a
    /// site, so do those to private or local memory whose object is not known.
    pub(super) fn site(&mut self, info: SiteInfo) -> Site {
        let size = u32::from(info.size.max(1));
        match (info.object, info.space) {
            (Some(_), _) => {
                if let Some(&site) = self.shared_sites.get(&info) {
                    return site;
                }
                let site = self.index("memory accesses", |k| &mut k.sites, info);
                self.shared_sites.insert(info, site);
                site
            }
            (None, AddressSpace::Private) => private_site(size),
            (None, AddressSpace::Local) => local_site(size),
            (None, AddressSpace::Constant | AddressSpace::Global | AddressSpace::Generic) => {
                self.index("memory accesses", |k| &mut k.sites, info)
            }
        }
    }

    /// The number of an object, which `make` describes when it is met first.
    pub(super) fn object(
        &mut self,
        root: Root,
        make: impl FnOnce(&mut Emitter) -> Object,
    ) -> ObjectId {
        if let Some(&id) = self.object_ids.get(&root) {
            return id;
        }
        let object = make(self);
        let id = ObjectId(self.index("objects", |k| &mut k.objects, object));
        self.object_ids.insert(root, id);
        id
    }

    /// Room in the private memory of an item; its offset.
    pub(super) fn reserve_private(&mut self, size: u32, align: u32) -> u64 {
        let offset = self
            .kernel
            .private_bytes
            .next_multiple_of(u64::from(align.max(1)));
        self.kernel.private_bytes = offset + u64::from(size);
        offset
    }

    /// The place of a static local variable in local memory.
    pub(super) fn local(&mut self, id: LocalId, size: u64, align: u32) -> u64 {
        if let Some(&offset) = self.locals.get(&id) {
            return offset;
        }
        let offset = self
            .kernel
            .local_bytes
            .next_multiple_of(u64::from(align.max(1)));
        self.kernel.local_bytes = offset.saturating_add(size);
        self.locals.insert(id, offset);
        offset
    }

    /// Fills in jumps and gives the kernel.
    pub(super) fn finish(
        mut self,
        info: KernelInfo,
        params: Vec<ParamPlace>,
        params_end: usize,
    ) -> Result<Kernel, PrepareError> {
        if self.kernel.code.len() > Pc::MAX as usize {
            self.too_many("instructions", self.kernel.code.len());
        }
        if let Some((what, needed)) = self.overflow {
            return Err(PrepareError::TooLarge {
                kernel: self.kernel.name,
                what,
                needed: needed + 1,
                limit: LIMIT,
            });
        }
        let labels = &self.labels;
        for ins in &mut self.kernel.code {
            if let Ins::Jump { to }
            | Ins::JumpBack { to }
            | Ins::JumpIf { to, .. }
            | Ins::JumpIfNot { to, .. }
            | Ins::JumpEq { to, .. }
            | Ins::JumpNe { to, .. }
            | Ins::JumpULt { to, .. }
            | Ins::JumpULe { to, .. }
            | Ins::JumpSLt32 { to, .. }
            | Ins::JumpSLe32 { to, .. }
            | Ins::JumpSLt64 { to, .. }
            | Ins::JumpSLe64 { to, .. }
            | Ins::Call { to, .. } = ins
            {
                *to = labels[*to as usize];
            }
        }
        for table in &mut self.kernel.switches {
            for (_, to) in &mut table.cases {
                *to = labels[*to as usize];
            }
            table.default = labels[table.default as usize];
            table.cases.sort_unstable_by_key(|c| c.0);
        }
        Ok(Kernel {
            info,
            params,
            params_end,
            frame: self.pool.frame(),
            ..self.kernel
        })
    }
}
