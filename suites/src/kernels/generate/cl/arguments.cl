@before@typedef struct { uchar a; ulong b; ushort c; } thing;
typedef struct { uint words[64]; } large;
typedef union { uint words[5]; ulong longs[2]; uchar bytes[3]; } either;
kernel void take(global uchar *all@parameters@) {
    global uchar *out = all + get_global_id(0) * @length@u;
@body@@after@}
