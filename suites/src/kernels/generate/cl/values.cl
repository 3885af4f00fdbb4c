@int64@kernel void each(global @t@ *from, global @t@ *all) {
    size_t item = get_global_id(0);
    global @t@ *out = all + item * @results@u;
    @t@ expected;
@own@@body@    out[@count@] = @held@ @t@ *)p;
}
