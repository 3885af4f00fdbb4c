//! Names that models of other languages use, so that a reader of an error knows why they are missing.

/// Where names are at home, as its users call that place, and the names.
const HOMES: [(&str, &str); 6] = [
    (
        "Vulkan's memory model",
        "ATOM AV VIS AVDEV VISDEV AVDEVICE VISDEVICE AVSH VISSH AVQF VISQF AVWG VISWG AVSG VISSG \
         SEMAV SEMVIS SEMSC0 SEMSC1 SEMSC01 SC0 SC1 NONPRIV PRIV QF sqf ssw vloc syncfence scta \
         asmo locord chains avinc rdinit",
    ),
    (
        "PTX",
        "CTA GPU CON GEN TEX SUR ALIAS sr scta vloc sync_bar sync_fence PRED WEAK STRONG",
    ),
    (
        "the Linux kernel's model",
        "Once Release Acquire Noreturn Marked Plain Rmb Wmb Mb Rcu-lock Rcu-unlock Sync-rcu \
         Srcu-lock Srcu-unlock rcu-rscsi srcu-rscsi crit rwdep RL LF Before-atomic After-atomic \
         After-spinlock Barrier rcu-gp rcu-fence to-w to-r",
    ),
    (
        "Arm's and Power's models",
        "DMB DSB ISB DMB.SY DMB.LD DMB.ST DSB.SY DSB.LD DSB.ST dmb dsb isb dmb.sy dmb.ld dmb.st \
         dsb.sy dsb.ld dsb.st dmb.full ctrlisb ctrlcfence Q LL sync lwsync eieio isync sm si \
         iico_data iico_ctrl iico_order same-instance",
    ),
    (
        "the models of x86 and RISC-V",
        "MFENCE SFENCE LFENCE mfence sfence lfence X Fence.rw.rw Fence.r.rw Fence.rw.w Fence.tso \
         fence.rw.rw AcqRl Rel",
    ),
    (
        "C11's mutexes and consume operations",
        "LKW LKR Lock Unlock CONSUME consume",
    ),
];

/// Whose name it is, as a sentence continues after "a name of"; none where no other model is known
/// to have it.
pub fn home(name: &str) -> Option<&'static str> {
    let has = |(_, names): &&(&str, &str)| names.split(' ').any(|known| known == name);
    HOMES.iter().find(has).map(|(home, _)| *home)
}
