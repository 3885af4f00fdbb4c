kernel void @name@(global @word@ *from, global @word@ *all) {
    size_t item = get_global_id(0);
    global @word@ *out = all + item * @results@u;
    @t@ expected;
@own@@body@    out[@count@] = @bits_of@(*(volatile @space@ @t@ *)p);
}
