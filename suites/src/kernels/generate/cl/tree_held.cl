@pragma@typedef struct { uchar a; uint b; short c[3]; } held_t;
uint has_lost(char c, short s, long l, @real@ r, uint4 v, held_t h, uint n) {
    return c != (char)n || s != (short)(n * 77u) || l != (long)n * 0x100000001l || r != (@real@)n ||
           any(v != (uint4)(n, n + 1u, n * 3u, ~n)) || h.a != (uchar)n || h.b != n * 5u || h.c[0] != (short)n ||
           h.c[1] != 7 || h.c[2] != (short)~n;
}
