kernel void gather(global @t@ *left, global @word@ *out, global @word@ *all, uint returned, uint cells) {
    for (uint i = 0; i < returned; i++) all[i] = out[i];
    for (uint i = 0; i < cells; i++) all[returned + i] = (@word@)left[i];
}
