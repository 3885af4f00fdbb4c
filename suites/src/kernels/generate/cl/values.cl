kernel void @name@(global @word@ *from, global @word@ *all@more@) {
    size_t item = get_global_id(0);
    global @word@ *out = all + item * @results@u;
@expected@@own@@body@    out[@count@] = @bits_of@(*(volatile @space@ @t@ *)p);
}
