@side@kernel void watch(cell one, cell two, cell heart, cell other, cell quit, global uint *late, uint rounds) {
    uint come = atomic_inc(&late[2]);
    if (come == 0) side(one, two, heart, other, quit, late, rounds);
    if (come == 1) side(two, one, other, heart, quit, late + 1, rounds);
}
