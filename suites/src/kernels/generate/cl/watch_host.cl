@side@kernel void watch(cell mine, cell theirs, cell heart, cell other, cell quit, global uint *late, uint rounds) {
    side(mine, theirs, heart, other, quit, late, rounds);
}
