/* ---- what the host writes and reads ------------------------------------------------------------ */

/* Bytes from a list, with zeros after them. */
static inline void put_list(unsigned char *to, size_t bytes, const void *from, size_t length)
{
    memset(to, 0, bytes);
    memcpy(to, from, length < bytes ? length : bytes);
}

/* The same 32-bit word again and again, or words that count up from it. */
static inline void put_words(unsigned char *to, size_t bytes, cl_uint first, cl_uint step)
{
    for (size_t n = 0; n < bytes; n++)
        to[n] = (unsigned char)((first + (cl_uint)(n / 4) * step) >> (8 * (n % 4)));
}

/* Bytes that look random; none is like the one before. */
static inline void put_noise(unsigned char *to, size_t bytes, cl_uint seed)
{
    cl_uint state = seed * 0x9e3779b9u + 0x7f4a7c15u;
    unsigned char last = 0;
    for (size_t n = 0; n < bytes; n++) {
        state = state * 1664525u + 1013904223u;
        unsigned char byte = (unsigned char)(state >> 24);
        if (byte == last)
            byte++;
        to[n] = last = byte;
    }
}

/* So many stretches of so many bytes, so far apart, as an answer. */
static inline void read_into(unsigned n, const unsigned char *from, size_t count, size_t bytes,
                             size_t pitch)
{
    unsigned char *to = answer(n, count * bytes);
    for (size_t at = 0; at < count; at++)
        memcpy(to + at * bytes, from + at * pitch, bytes);
    answered(n, CL_SUCCESS);
}

/* Rows of slices from one memory to another. */
static inline void copy_rows(unsigned char *to, size_t to_row, size_t to_slice,
                             const unsigned char *from, size_t row, size_t slice, size_t bytes,
                             size_t rows, size_t slices)
{
    for (size_t z = 0; z < slices; z++)
        for (size_t y = 0; y < rows; y++)
            memcpy(to + z * to_slice + y * to_row, from + z * slice + y * row, bytes);
}

