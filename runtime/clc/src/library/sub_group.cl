// Functions of those work-items of a sub-group that are present: that come to the function on the same way (OpenCL C,
// Built-in Sub-Group Ballot, Non-Uniform and Clustered Functions). All of them are made of shuffles, which give zero for
// an item that takes no part. Those that are present go through each loop together.

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

// Bits of a ballot: more work-items than these no sub-group has.
#define BITS 128u

static uint most(void) { return min(get_max_sub_group_size(), BITS); }

// Of a ballot the word with a bit, and the bit in it.
static uint word(uint4 bits, uint n) {
    uint words[4] = {bits.x, bits.y, bits.z, bits.w};
    return words[n / 32 % 4];
}

static int bit(uint4 bits, uint n) { return word(bits, n) >> n % 32 & 1; }

// The bits from one to before another.
static uint4 run(uint from, uint to) {
    uint words[4] = {0, 0, 0, 0};
    for (uint n = from; n < to && n < BITS; ++n) words[n / 32] |= 1u << n % 32;
    return (uint4)(words[0], words[1], words[2], words[3]);
}

static uint count(uint4 bits) {
    uint4 each = popcount(bits);
    return each.x + each.y + each.z + each.w;
}

uint4 __sub_group_ballot(int predicate) {
    uint words[4] = {0, 0, 0, 0};
    for (uint n = 0; n < most(); ++n) words[n / 32] |= (uint)sub_group_shuffle(predicate != 0, n) << n % 32;
    return (uint4)(words[0], words[1], words[2], words[3]);
}

int __sub_group_inverse_ballot(uint4 bits) { return bit(bits, get_sub_group_local_id()); }

int __sub_group_ballot_bit_extract(uint4 bits, uint n) { return bit(bits, n); }

uint __sub_group_ballot_bit_count(uint4 bits) { return count(bits & run(0, most())); }

uint __sub_group_ballot_inclusive_scan(uint4 bits) { return count(bits & run(0, get_sub_group_local_id() + 1)); }

uint __sub_group_ballot_exclusive_scan(uint4 bits) { return count(bits & run(0, get_sub_group_local_id())); }

uint __sub_group_ballot_find_lsb(uint4 bits) {
    for (uint n = 0; n < most(); ++n)
        if (bit(bits, n)) return n;
    return 0;
}

uint __sub_group_ballot_find_msb(uint4 bits) {
    for (uint n = most(); n > 0; --n)
        if (bit(bits, n - 1)) return n - 1;
    return 0;
}

uint4 __sub_group_eq_mask(void) { return run(get_sub_group_local_id(), get_sub_group_local_id() + 1); }

uint4 __sub_group_ge_mask(void) { return run(get_sub_group_local_id(), most()); }

uint4 __sub_group_gt_mask(void) { return run(get_sub_group_local_id() + 1, most()); }

uint4 __sub_group_le_mask(void) { return run(0, get_sub_group_local_id() + 1); }

uint4 __sub_group_lt_mask(void) { return run(0, get_sub_group_local_id()); }

// The least id of those that are present.
uint __sub_group_first(void) { return __sub_group_ballot_find_lsb(__sub_group_ballot(1)); }

int __sub_group_elect(void) { return get_sub_group_local_id() == __sub_group_first(); }

int __sub_group_non_uniform_any(int predicate) { return count(__sub_group_ballot(predicate)) != 0; }

int __sub_group_non_uniform_all(int predicate) { return !__sub_group_non_uniform_any(!predicate); }

// How far a value goes: to all of the sub-group or the cluster, to the own one and those behind, to those behind.
#define TO_ALL 0
#define INCLUSIVE 1
#define EXCLUSIVE 2

// The values of those that are present, joined in the order of their ids: of the cluster, which is the whole sub-group where
// it has the size 0.
#define JOIN(name, type, none, joined) \
    type __sub_group_##name##_##type(type own, uint form, uint cluster) { \
        uint id = get_sub_group_local_id(); \
        uint from = cluster == 0 ? 0 : id / cluster * cluster; \
        uint to = form == INCLUSIVE ? id + 1 : form == EXCLUSIVE ? id : cluster == 0 ? most() : from + cluster; \
        type all = none; \
        bool some = false; \
        for (uint n = 0; n < most(); ++n) { \
            type x = sub_group_shuffle(own, n); \
            if (sub_group_shuffle(1, n) && n >= from && n < to) { \
                all = some ? (type)(joined) : x; \
                some = true; \
            } \
        } \
        return all; \
    }

#define EQUAL(type) \
    int __sub_group_all_equal_##type(type own) { \
        type first = sub_group_shuffle(own, __sub_group_first()); \
        return __sub_group_non_uniform_all(own == first); \
    }

#define NUMBERS(type, least, most, lesser, greater) \
    JOIN(add, type, 0, all + x) \
    JOIN(mul, type, 1, all *x) \
    JOIN(min, type, most, lesser(all, x)) \
    JOIN(max, type, least, greater(all, x)) \
    EQUAL(type)

#define INTEGERS(type, least, most) \
    NUMBERS(type, least, most, min, max) \
    JOIN(and, type, ~(type)0, all &x) \
    JOIN(or, type, 0, all | x) \
    JOIN(xor, type, 0, all ^ x)

INTEGERS(char, CHAR_MIN, CHAR_MAX)
INTEGERS(uchar, 0, UCHAR_MAX)
INTEGERS(short, SHRT_MIN, SHRT_MAX)
INTEGERS(ushort, 0, USHRT_MAX)
INTEGERS(int, INT_MIN, INT_MAX)
INTEGERS(uint, 0, UINT_MAX)
INTEGERS(long, LONG_MIN, LONG_MAX)
INTEGERS(ulong, 0, ULONG_MAX)
NUMBERS(half, -INFINITY, INFINITY, fmin, fmax)
NUMBERS(float, -INFINITY, INFINITY, fmin, fmax)
NUMBERS(double, -INFINITY, INFINITY, fmin, fmax)
