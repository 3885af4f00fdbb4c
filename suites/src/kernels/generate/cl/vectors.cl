@pragma@kernel void put(@parameter@ @ty@ *from, global @ty@ *to, global @ty@ *through) {
    uint n = @n@;
    @ty@@lanes@ value = (@ty@@lanes@)(@values@);
    vstore@lanes@(value, n * @apart@u, to + @first@);
@body@}
