kernel void put(global const @ty@ *from, global @ty@ *to, global @ty@ *through) {
    uint n = @n@;
    @ty@@lanes@ value = (@ty@@lanes@)(@values@);
    vstore@lanes@(value, n * @apart@u, to + @first@);
    vstore@lanes@(vload@lanes@(n, from), n * @apart@u, through + @first@);
}
