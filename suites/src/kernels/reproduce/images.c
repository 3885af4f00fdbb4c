/* ---- images ------------------------------------------------------------------------------------ */

/* The rows of a mapped region, so many in each of so many slices, and the host's own without gaps. */
static inline void image_rows(unsigned char *mapped, size_t row, size_t slice, unsigned char *mine,
                              size_t bytes, size_t rows, size_t slices, int write)
{
    for (size_t z = 0; z < slices; z++)
        for (size_t y = 0; y < rows; y++) {
            unsigned char *there = mapped + z * slice + y * row, *here = mine + (z * rows + y) * bytes;
            memcpy(write ? there : here, write ? here : there, bytes);
        }
}

/* One element again and again in the rows of a rectangle. */
static inline void elements(unsigned char *to, const size_t at[3], size_t row, size_t slice,
                            const unsigned char *element, size_t length, const size_t region[3])
{
    for (size_t z = 0; z < region[2]; z++)
        for (size_t y = 0; y < region[1]; y++)
            repeated(to + at[0] + (at[1] + y) * row + (at[2] + z) * slice, region[0], element,
                     length);
}

