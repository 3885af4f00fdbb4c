    uint inside = (uint)get_local_linear_id();
    uint size = (uint)(get_local_size(0) * get_local_size(1) * get_local_size(2));
    for (uint pass = 0; pass < 3; pass++) {
        own[inside] = me * 4u + pass;
        if (inside == pass % size) *shared = pass + 8u;
        barrier(CLK_LOCAL_MEM_FENCE);
        uint other = own[(inside + 1u) % size];
        bad@bad@ += other % 4u != pass || (inside + 1u < size && other / 4u <= me) || *shared != pass + 8u;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
