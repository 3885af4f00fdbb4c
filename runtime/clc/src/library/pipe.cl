// Pipes (OpenCL C, Pipe Functions). A pipe argument points to the state of the pipe, behind which there are its
// slots and the packets, one each. The host makes them, all zero but for the three constants.
//
// A reservation is a run of slots. Reserving moves an end of the pipe on: `tail` for those who write, `head` for
// those who read. The ends only grow, and go around the slots lap by lap. Each slot counts its commits: before lap n
// is written there it has 2n, before it is read 2n + 1. What has another number is reserved by somebody else, or not
// there yet. So packets come out in the order of the reservations for writing, whatever the order of the commits, and
// what is reserved is nobody else's before its commit. A compare-exchange that finds an end where it was knows that
// nobody reserved meanwhile.
//
// What the writer of a packet did happens before what its reader does: the commit for writing releases each slot,
// and the reservation for reading acquires it. The same holds from a commit for reading to the next writer of the slot.

struct slot {
    atomic_uint commits;
    // How many slots the reservation has that begins here.
    uint count;
};

struct state {
    atomic_ulong head, tail;
    uint packet_bytes, capacity;
    // Bytes from the start of the state to the first packet.
    uint packets;
    uint unused;
};

typedef global struct state *pipe_state;

static global struct slot *slot_of(pipe_state p, ulong at) {
    return (global struct slot *)(p + 1) + at % p->capacity;
}

static global uchar *packet_of(pipe_state p, ulong at) {
    return (global uchar *)p + p->packets + at % p->capacity * p->packet_bytes;
}

// Commits of a slot before it is written, and before it is read.
#define FREE 0
#define FULL 1

static uint commits(pipe_state p, ulong at, uint state) { return (uint)(at / p->capacity) * 2 + state; }

static bool is(pipe_state p, ulong at, uint state) {
    uint now = atomic_load_explicit(&slot_of(p, at)->commits, memory_order_acquire, memory_scope_device);
    return now == commits(p, at, state);
}

// Commits what was reserved in a state.
static void commit_one(pipe_state p, ulong at, uint state) {
    uint next = commits(p, at, state) + 1;
    atomic_store_explicit(&slot_of(p, at)->commits, next, memory_order_release, memory_scope_device);
}

// Reserves slots that are all in a state; the first of them and one more, or zero.
static ulong reserved(pipe_state p, global atomic_ulong *end, uint count, uint state) {
    if (count == 0 || count > p->capacity) return 0;
    ulong from = atomic_load_explicit(end, memory_order_relaxed, memory_scope_device);
    for (;;) {
        uint fit = 0;
        while (fit != count && is(p, from + fit, state)) ++fit;
        if (fit != count) {
            // A slot that does not fit may be one that somebody else has reserved since.
            ulong now = atomic_load_explicit(end, memory_order_relaxed, memory_scope_device);
            if (now == from) return 0;
            from = now;
        } else if (atomic_compare_exchange_strong_explicit(end, &from, from + count, memory_order_acq_rel,
                                                           memory_order_relaxed, memory_scope_device)) {
            slot_of(p, from)->count = count;
            return from + 1;
        }
    }
}

static void commit(pipe_state p, ulong id, uint state) {
    if (id == 0) return;
    uint count = slot_of(p, id - 1)->count;
    for (uint i = 0; i != count; ++i) commit_one(p, id - 1 + i, state);
}

// One work-item of a group reserves or commits for all of them. What each of them did to the packets happens before
// the commit, and the reservation before what they do next.
static ulong shared_by_group(ulong id) {
    work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);
    return work_group_broadcast(id, 0, 0, 0);
}

static ulong shared_by_sub_group(ulong id) {
    sub_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);
    return sub_group_broadcast(id, 0);
}

static bool leads_group(void) { return get_local_linear_id() == 0; }

static bool leads_sub_group(void) { return get_sub_group_local_id() == 0; }

static void move(uchar *to, const uchar *from, uint bytes) {
    for (uint i = 0; i != bytes; ++i) to[i] = from[i];
}

int __pipe_read(pipe_state p, uchar *to) {
    ulong id = reserved(p, &p->head, 1, FULL);
    if (id == 0) return -1;
    move(to, packet_of(p, id - 1), p->packet_bytes);
    commit_one(p, id - 1, FULL);
    return 0;
}

int __pipe_write(pipe_state p, const uchar *from) {
    ulong id = reserved(p, &p->tail, 1, FREE);
    if (id == 0) return -1;
    move(packet_of(p, id - 1), from, p->packet_bytes);
    commit_one(p, id - 1, FREE);
    return 0;
}

int __pipe_read_reserved(pipe_state p, ulong id, uint index, uchar *to) {
    if (id == 0 || index >= slot_of(p, id - 1)->count) return -1;
    move(to, packet_of(p, id - 1 + index), p->packet_bytes);
    return 0;
}

int __pipe_write_reserved(pipe_state p, ulong id, uint index, const uchar *from) {
    if (id == 0 || index >= slot_of(p, id - 1)->count) return -1;
    move(packet_of(p, id - 1 + index), from, p->packet_bytes);
    return 0;
}

ulong __pipe_reserve_read(pipe_state p, uint count) { return reserved(p, &p->head, count, FULL); }

ulong __pipe_reserve_write(pipe_state p, uint count) { return reserved(p, &p->tail, count, FREE); }

void __pipe_commit_read(pipe_state p, ulong id) { commit(p, id, FULL); }

void __pipe_commit_write(pipe_state p, ulong id) { commit(p, id, FREE); }

ulong __pipe_work_group_reserve_read(pipe_state p, uint count) {
    return shared_by_group(leads_group() ? reserved(p, &p->head, count, FULL) : 0);
}

ulong __pipe_work_group_reserve_write(pipe_state p, uint count) {
    return shared_by_group(leads_group() ? reserved(p, &p->tail, count, FREE) : 0);
}

void __pipe_work_group_commit_read(pipe_state p, ulong id) {
    work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);
    if (leads_group()) commit(p, id, FULL);
}

void __pipe_work_group_commit_write(pipe_state p, ulong id) {
    work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);
    if (leads_group()) commit(p, id, FREE);
}

ulong __pipe_sub_group_reserve_read(pipe_state p, uint count) {
    return shared_by_sub_group(leads_sub_group() ? reserved(p, &p->head, count, FULL) : 0);
}

ulong __pipe_sub_group_reserve_write(pipe_state p, uint count) {
    return shared_by_sub_group(leads_sub_group() ? reserved(p, &p->tail, count, FREE) : 0);
}

void __pipe_sub_group_commit_read(pipe_state p, ulong id) {
    sub_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);
    if (leads_sub_group()) commit(p, id, FULL);
}

void __pipe_sub_group_commit_write(pipe_state p, ulong id) {
    sub_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);
    if (leads_sub_group()) commit(p, id, FREE);
}

// Packets that can be read now.
uint __pipe_packets(pipe_state p) {
    ulong from = atomic_load_explicit(&p->head, memory_order_relaxed, memory_scope_device);
    uint count = 0;
    while (count != p->capacity && is(p, from + count, FULL)) ++count;
    return count;
}

uint __pipe_capacity(pipe_state p) { return p->capacity; }

bool __pipe_is_valid(ulong id) { return id != 0; }

ulong __pipe_no_reservation(void) { return 0; }
