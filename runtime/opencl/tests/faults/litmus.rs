//! Litmus tests: work-items that pass each other values, in many instances, and the outcomes that
//! the memory model forbids.

use crate::Scenario;
use crate::rig::Rig;
use crate::tools::*;

pub const SCENARIOS: &[Scenario] = &[
    ("message_passing", || passed(DEVICE, false)),
    ("message_passing_all_devices", || passed(ALL_DEVICES, false)),
    ("message_passing_work_group", || passed(WORK_GROUP, true)),
    ("message_passing_sub_group", || passed(SUB_GROUP, true)),
    ("message_passing_mixed", mixed_scopes),
    ("local_passing", || {
        passed_locally("memory_scope_work_group")
    }),
    ("local_passing_wide", || {
        passed_locally("memory_scope_device")
    }),
    ("fences_global", || fences("global", "CLK_GLOBAL_MEM_FENCE")),
    ("fences_local", || fences("local", "CLK_LOCAL_MEM_FENCE")),
    ("fences_both", fences_both),
    ("store_buffering", || store_buffering(EXPLICIT)),
    ("store_buffering_fences", || store_buffering(FENCES)),
    ("seq_cst_both", seq_cst_both),
    ("read_read", read_read),
    ("write_read", write_read),
    ("write_write", write_write),
    ("read_write_coherence", read_write),
    ("modification_order", modification_order),
    ("release_sequence_rmw", release_sequence_rmw),
    ("release_sequence_own", release_sequence_own),
    ("cas_success", cas_success),
    ("read_modify_write", read_modify_write),
    ("visibility", visibility),
    ("barrier_global", || {
        barrier_orders("global", "CLK_GLOBAL_MEM_FENCE")
    }),
    ("barrier_local", || {
        barrier_orders("local", "CLK_LOCAL_MEM_FENCE")
    }),
];

const INSTANCES: usize = 300;

/// Plays work-items, each a text, with the places `x`, `y` (atomic) and `d` (ordinary) of global
/// memory and two results `r` each; in one group of their own, or in a group each. Gives the
/// results of each instance, and behind them what is in `x` at the end.
fn play(items: &[&str], together: bool) -> Vec<Vec<u32>> {
    let count = items.len();
    let mut source = String::from(
        "kernel void k(global atomic_int *xs, global atomic_int *ys, global int *ds, global int *rs) {
            int role = ROLE, i = INSTANCE;
            global atomic_int *x = xs + i, *y = ys + i;
            global int *d = ds + i, *r = rs + (i * ITEMS + role) * 2;
            local atomic_int lx;
            local int ld;
            if (get_local_id(0) == 0) { atomic_init(&lx, 0); ld = 0; }
            barrier(CLK_LOCAL_MEM_FENCE);
            switch (role) {\n",
    );
    for (role, item) in items.iter().enumerate() {
        source += &format!("case {role}: {{ {item} }} break;\n");
    }
    source += "} }";
    let (role, instance) = if together {
        ("get_local_id(0)".into(), "get_group_id(0)".into())
    } else {
        (
            format!("get_global_id(0) / {INSTANCES}"),
            format!("get_global_id(0) % {INSTANCES}"),
        )
    };
    let source = source
        .replace("ROLE", &role)
        .replace("INSTANCE", &instance)
        .replace("ITEMS", &count.to_string());
    let rig = Rig::new();
    let kernel = kernel(&rig, &source);
    let mut outcomes = Vec::new();
    for _ in 0..2 {
        let places = [(); 3].map(|()| buffer(&rig, &[0; INSTANCES]));
        let results = buffer(&rig, &vec![0; 2 * count * INSTANCES]);
        for (n, place) in places.iter().chain([&results]).enumerate() {
            set(kernel, n as u32, *place);
        }
        let local = if together { count } else { 1 };
        run(&rig, kernel, space(&[count * INSTANCES], &[local]));
        let finals = words(&rig, places[0], INSTANCES);
        let found = words(&rig, results, 2 * count * INSTANCES);
        let each = found.chunks(2 * count).zip(finals);
        outcomes.extend(each.map(|(results, last)| [results, &[last]].concat()));
    }
    outcomes
}

/// Plays work-items and refuses outcomes.
fn never(items: &[&str], together: bool, forbidden: impl Fn(&[u32]) -> bool) {
    for outcome in play(items, together) {
        assert!(!forbidden(&outcome), "{outcome:?} from {items:?}");
    }
}

/// How an atomic store and load are written.
#[derive(Clone, Copy)]
enum Form {
    Scoped(&'static str),
    SeqCst,
    Fences,
}

const DEVICE: Form = Form::Scoped("memory_scope_device");
const ALL_DEVICES: Form = Form::Scoped("memory_scope_all_svm_devices");
const WORK_GROUP: Form = Form::Scoped("memory_scope_work_group");
const SUB_GROUP: Form = Form::Scoped("memory_scope_sub_group");
const EXPLICIT: Form = Form::SeqCst;
const FENCES: Form = Form::Fences;

const RELAXED: &str = "memory_order_relaxed, memory_scope_device";

/// The second result is what was passed; the first, that it was.
const READ: &str = "if (r[0] == 1) r[1] = *d;";

fn is_torn(outcome: &[u32]) -> bool {
    outcome[2] == 1 && outcome[3] != 1
}

fn passed(form: Form, together: bool) {
    let (store, load) = match form {
        Form::Scoped(scope) => (
            format!("atomic_store_explicit(x, 1, memory_order_release, {scope});"),
            format!("atomic_load_explicit(x, memory_order_acquire, {scope});"),
        ),
        Form::SeqCst | Form::Fences => ("atomic_store(x, 1);".into(), "atomic_load(x);".into()),
    };
    let items = [format!("*d = 1; {store}"), format!("r[0] = {load} {READ}")];
    never(&[&items[0], &items[1]], together, is_torn);
}

fn mixed_scopes() {
    let items = [
        "*d = 1; atomic_store_explicit(x, 1, memory_order_release, memory_scope_device);",
        "r[0] = atomic_load_explicit(x, memory_order_acquire, memory_scope_all_svm_devices);
        if (r[0] == 1) r[1] = *d;",
    ];
    never(&items, false, is_torn);
}

fn passed_locally(scope: &str) {
    let items = [
        format!("ld = 1; atomic_store_explicit(&lx, 1, memory_order_release, {scope});"),
        format!(
            "r[0] = atomic_load_explicit(&lx, memory_order_acquire, {scope});
            if (r[0] == 1) r[1] = ld;"
        ),
    ];
    never(&[&items[0], &items[1]], true, is_torn);
}

fn fences(region: &str, flags: &str) {
    let (flag, data) = match region {
        "global" => ("x", "*d"),
        _ => ("&lx", "ld"),
    };
    let items = [
        format!(
            "{data} = 1; atomic_work_item_fence({flags}, memory_order_release, memory_scope_device);
            atomic_store_explicit({flag}, 1, {RELAXED});"
        ),
        format!(
            "r[0] = atomic_load_explicit({flag}, {RELAXED});
            atomic_work_item_fence({flags}, memory_order_acquire, memory_scope_device);
            if (r[0] == 1) r[1] = {data};"
        ),
    ];
    never(&[&items[0], &items[1]], true, is_torn);
}

/// Data of global memory, a flag of local memory.
fn fences_both() {
    let items = [
        "*d = 1; atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE,
            memory_order_release, memory_scope_work_group);
        atomic_store_explicit(&lx, 1, memory_order_relaxed, memory_scope_work_group);",
        "r[0] = atomic_load_explicit(&lx, memory_order_relaxed, memory_scope_work_group);
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE,
            memory_order_acquire, memory_scope_work_group);
        if (r[0] == 1) r[1] = *d;",
    ];
    never(&items, true, is_torn);
}

fn store_buffering(form: Form) {
    let item = |write: &str, read: &str| match form {
        Form::Scoped(_) | Form::SeqCst => format!(
            "atomic_store_explicit({write}, 1, memory_order_seq_cst, memory_scope_device);
            r[0] = atomic_load_explicit({read}, memory_order_seq_cst, memory_scope_device);"
        ),
        Form::Fences => format!(
            "atomic_store_explicit({write}, 1, {RELAXED});
            atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst,
                memory_scope_device);
            r[0] = atomic_load_explicit({read}, {RELAXED});"
        ),
    };
    let items = [item("x", "y"), item("y", "x")];
    never(&[&items[0], &items[1]], false, |outcome| {
        outcome[0] == 0 && outcome[2] == 0
    });
}

/// Two sequentially consistent operations on a flag of local memory order global memory, too.
fn seq_cst_both() {
    let items = [
        "*d = 1; atomic_store_explicit(&lx, 1, memory_order_seq_cst, memory_scope_work_group);",
        "r[0] = atomic_load_explicit(&lx, memory_order_seq_cst, memory_scope_work_group);
        if (r[0] == 1) r[1] = *d;",
    ];
    never(&items, true, is_torn);
}

fn read_read() {
    let read = format!("atomic_load_explicit(x, {RELAXED});");
    let items = [
        format!("atomic_store_explicit(x, 1, {RELAXED});"),
        format!("r[0] = {read} r[1] = {read}"),
    ];
    never(&[&items[0], &items[1]], false, |outcome| {
        outcome[2] == 1 && outcome[3] == 0
    });
}

fn write_read() {
    let item = format!(
        "atomic_store_explicit(x, 1, {RELAXED}); r[0] = atomic_load_explicit(x, {RELAXED});"
    );
    never(&[&item], false, |outcome| outcome[0] != 1);
}

fn write_write() {
    let item =
        format!("atomic_store_explicit(x, 1, {RELAXED}); atomic_store_explicit(x, 2, {RELAXED});");
    never(&[&item], false, |outcome| outcome[2] != 2);
}

fn read_write() {
    let items = [
        format!("atomic_store_explicit(x, 1, {RELAXED});"),
        format!(
            "r[0] = atomic_load_explicit(x, {RELAXED});
            if (r[0] == 1) atomic_store_explicit(x, 2, {RELAXED});"
        ),
    ];
    never(&[&items[0], &items[1]], false, |outcome| {
        outcome[2] == 1 && outcome[4] != 2
    });
}

/// Two readers of two writes, of which one is done before the other, do not disagree.
fn modification_order() {
    let write = |value: u32| format!("atomic_store_explicit(x, {value}, {RELAXED});");
    // A reader's result: the values in the order in which it first saw them.
    let read = format!(
        "int last = 0;
        for (int n = 0; n < 12; ++n) {{
            int v = atomic_load_explicit(x, {RELAXED});
            if (v != last && v != 0) {{ r[0] = r[0] * 10 + v; last = v; }}
        }}"
    );
    let items = [write(1), write(2), read.clone(), read];
    let items = [&*items[0], &*items[1], &*items[2], &*items[3]];
    never(&items, true, |outcome| {
        let seen = [outcome[4], outcome[6]];
        seen == [12, 21] || seen == [21, 12]
    });
}

fn release_sequence_rmw() {
    let items = [
        "*d = 1; atomic_store_explicit(x, 1, memory_order_release, memory_scope_device);".into(),
        format!("atomic_fetch_add_explicit(x, 2, {RELAXED});"),
        "r[0] = atomic_load_explicit(x, memory_order_acquire, memory_scope_device);
        if (r[0] == 3) r[1] = *d;"
            .to_owned(),
    ];
    let items = [&*items[0], &*items[1], &*items[2]];
    never(&items, false, |outcome| outcome[4] == 3 && outcome[5] != 1);
}

fn release_sequence_own() {
    let items = [
        format!(
            "*d = 1; atomic_store_explicit(x, 1, memory_order_release, memory_scope_device);
            atomic_store_explicit(x, 2, {RELAXED});"
        ),
        "r[0] = atomic_load_explicit(x, memory_order_acquire, memory_scope_device);
        if (r[0] == 2) r[1] = *d;"
            .to_owned(),
    ];
    let items = [&*items[0], &*items[1]];
    never(&items, false, |outcome| outcome[2] == 2 && outcome[3] != 1);
}

const RELEASE: &str =
    "*d = 1; atomic_store_explicit(x, 1, memory_order_release, memory_scope_device);";

fn cas_success() {
    let items = [
        RELEASE,
        "int e = 1;
        r[0] = atomic_compare_exchange_strong_explicit(x, &e, 5, memory_order_acquire,
            memory_order_relaxed, memory_scope_device);
        if (r[0] == 1) r[1] = *d;",
    ];
    never(&items, false, is_torn);
}

fn read_modify_write() {
    let item = format!("atomic_fetch_add_explicit(x, 1, {RELAXED});");
    let items = [&*item; 4];
    never(&items, true, |outcome| outcome[8] != 4);
}

fn visibility() {
    let items = [
        format!("atomic_store_explicit(x, 1, {RELAXED});"),
        format!(
            "for (int n = 0; n < 5000; ++n)
                if (atomic_load_explicit(x, {RELAXED})) {{ r[0] = 1; break; }}"
        ),
    ];
    never(&[&items[0], &items[1]], true, |outcome| outcome[2] != 1);
}

fn barrier_orders(region: &str, flags: &str) {
    let data = match region {
        "global" => "*d",
        _ => "ld",
    };
    let rig = Rig::new();
    let source = format!(
        "kernel void k(global int *x, global int *ds) {{
            local int ld;
            global int *d = ds + get_group_id(0);
            int i = get_local_id(0);
            if (i == 0) {data} = 1;
            barrier({flags});
            if (i == 1) x[get_group_id(0)] = {data};
        }}"
    );
    let kernel = kernel(&rig, &source);
    let (out, data) = (buffer(&rig, &[0; INSTANCES]), buffer(&rig, &[0; INSTANCES]));
    set(kernel, 0, out);
    set(kernel, 1, data);
    run(&rig, kernel, space(&[2 * INSTANCES], &[2]));
    assert_eq!(words(&rig, out, INSTANCES), [1; INSTANCES]);
}

/// Under relaxed orders the outcomes that are no interleaving's are seen.
pub fn weak_outcomes() {
    let store = |place: &str| format!("atomic_store_explicit({place}, 1, {RELAXED});");
    let load = |place: &str, n: u32| format!("r[{n}] = atomic_load_explicit({place}, {RELAXED});");
    let seen = |items: &[String], together: bool, weak: &dyn Fn(&[u32]) -> bool| {
        let items: Vec<&str> = items.iter().map(String::as_str).collect();
        let outcomes = play(&items, together);
        assert!(outcomes.iter().any(|o| weak(o)), "not seen: {items:?}");
        assert!(!outcomes.iter().all(|o| weak(o)), "nothing else: {items:?}");
    };
    for together in [false, true] {
        let passing = [store("y") + &store("x"), load("x", 0) + &load("y", 1)];
        seen(&passing, together, &|o| o[2] == 1 && o[3] == 0);
        let buffering = [store("x") + &load("y", 0), store("y") + &load("x", 0)];
        seen(&buffering, together, &|o| o[0] == 0 && o[2] == 0);
        let independent = [
            store("x"),
            store("y"),
            load("x", 0) + &load("y", 1),
            load("y", 0) + &load("x", 1),
        ];
        let disagree = |o: &[u32]| o[4..8] == [1, 0, 1, 0];
        seen(&independent, together, &disagree);
    }
}
