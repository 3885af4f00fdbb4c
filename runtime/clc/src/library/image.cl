// Images (OpenCL C, Image Read and Write Functions; Image Addressing and Filtering). An image argument points
// to a description of the image, which the host makes of it at each launch. Coordinates come as vectors of
// four, with zeros for those that an image has not.

struct image {
    global uchar *data;
    // Bytes from one element to the next in the second and in the third coordinate.
    ulong row, slice;
    // Elements in each coordinate; one in those that it has not.
    int width, height, depth;
    // Coordinates that addressing applies to; the next one, if there is one, chooses an image of an array.
    int spatial;
    int element;
    int order, type;
};

typedef constant const struct image *image;

#define ADDRESSING 14

// Whether there is an element at a place.
int __image_holds(image i, int4 at) {
    return (uint)at.x < (uint)i->width && (uint)at.y < (uint)i->height && (uint)at.z < (uint)i->depth;
}

static global uchar *element(image i, int4 at) {
    return i->data + (ulong)at.x * (uint)i->element + (ulong)at.y * i->row + (ulong)at.z * i->slice;
}

// Whether colours outside of the image are opaque: those of images without an alpha channel.
static int is_opaque(image i) { return i->order == CLK_R || i->order == CLK_RG || i->order == CLK_LUMINANCE; }

// Whether elements have four channels.
static int has_four(image i) {
    return i->order == CLK_RGBA || i->order == CLK_BGRA || i->order == CLK_ARGB || i->order == CLK_ABGR;
}

// Channels.

static float get_f(image i, global const uchar *p, int n) {
    switch (i->type) {
    case CLK_SNORM_INT8: return max(-1.0f, (float)((global const char *)p)[n] / 127.0f);
    case CLK_SNORM_INT16: return max(-1.0f, (float)((global const short *)p)[n] / 32767.0f);
    case CLK_UNORM_INT8: return (float)p[n] / 255.0f;
    case CLK_UNORM_INT16: return (float)((global const ushort *)p)[n] / 65535.0f;
    case CLK_HALF_FLOAT: return vload_half(n, (global const half *)p);
    default: return ((global const float *)p)[n];
    }
}

static int get_i(image i, global const uchar *p, int n) {
    switch (i->type) {
    case CLK_SIGNED_INT8: return ((global const char *)p)[n];
    case CLK_SIGNED_INT16: return ((global const short *)p)[n];
    default: return ((global const int *)p)[n];
    }
}

static uint get_ui(image i, global const uchar *p, int n) {
    switch (i->type) {
    case CLK_UNSIGNED_INT8: return p[n];
    case CLK_UNSIGNED_INT16: return ((global const ushort *)p)[n];
    default: return ((global const uint *)p)[n];
    }
}

static void put_f(image i, global uchar *p, int n, float v) {
    switch (i->type) {
    case CLK_SNORM_INT8: ((global char *)p)[n] = convert_char_sat_rte(v * 127.0f); break;
    case CLK_SNORM_INT16: ((global short *)p)[n] = convert_short_sat_rte(v * 32767.0f); break;
    case CLK_UNORM_INT8: p[n] = convert_uchar_sat_rte(v * 255.0f); break;
    case CLK_UNORM_INT16: ((global ushort *)p)[n] = convert_ushort_sat_rte(v * 65535.0f); break;
    case CLK_HALF_FLOAT: vstore_half_rte(v, n, (global half *)p); break;
    default: ((global float *)p)[n] = v;
    }
}

static void put_i(image i, global uchar *p, int n, int v) {
    switch (i->type) {
    case CLK_SIGNED_INT8: ((global char *)p)[n] = convert_char_sat(v); break;
    case CLK_SIGNED_INT16: ((global short *)p)[n] = convert_short_sat(v); break;
    default: ((global int *)p)[n] = v;
    }
}

static void put_ui(image i, global uchar *p, int n, uint v) {
    switch (i->type) {
    case CLK_UNSIGNED_INT8: p[n] = convert_uchar_sat(v); break;
    case CLK_UNSIGNED_INT16: ((global ushort *)p)[n] = convert_ushort_sat(v); break;
    default: ((global uint *)p)[n] = v;
    }
}

// Elements of four channels of one byte each are read and written as one word, of which the first channel is the lowest
// byte.

static int is_word(image i) { return i->element == 4 && has_four(i); }

static float from_byte_f(image i, uint byte) {
    return i->type == CLK_SNORM_INT8 ? max(-1.0f, (float)(char)byte / 127.0f) : (float)(uchar)byte / 255.0f;
}

static int from_byte_i(image i, uint byte) { return (char)byte; }
static uint from_byte_ui(image i, uint byte) { return (uchar)byte; }

static uint to_byte_f(image i, float v) {
    return i->type == CLK_SNORM_INT8 ? (uchar)convert_char_sat_rte(v * 127.0f) : convert_uchar_sat_rte(v * 255.0f);
}

static uint to_byte_i(image i, int v) { return (uchar)convert_char_sat(v); }
static uint to_byte_ui(image i, uint v) { return convert_uchar_sat(v); }

// Coordinates.

// The element that a coordinate of whole numbers means; -1 for the border.
static int resolved(uint sampler, int at, int size) {
    if ((sampler & ADDRESSING) == CLK_ADDRESS_CLAMP) return at < 0 || at >= size ? -1 : at;
    return clamp(at, 0, size - 1);
}

// A coordinate in elements. Repetition is of normalized coordinates.
static float unnormalized(uint sampler, float s, int size) {
    switch (sampler & ADDRESSING) {
    case CLK_ADDRESS_REPEAT: return (s - floor(s)) * (float)size;
    case CLK_ADDRESS_MIRRORED_REPEAT: return fabs(s - 2.0f * rint(0.5f * s)) * (float)size;
    default: return sampler & CLK_NORMALIZED_COORDS_TRUE ? s * (float)size : s;
    }
}

static int nearest(uint sampler, float s, int size) {
    int k = convert_int_sat(floor(unnormalized(sampler, s, size)));
    if ((sampler & ADDRESSING) == CLK_ADDRESS_REPEAT && k > size - 1) k -= size;
    return resolved(sampler, k, size);
}

// The two elements between which a coordinate lies.
static int2 both(uint sampler, float u, int size) {
    int k = convert_int_sat(floor(u - 0.5f));
    int2 pair = (int2)(k, add_sat(k, 1));
    if ((sampler & ADDRESSING) == CLK_ADDRESS_REPEAT) {
        if (pair.x < 0) pair.x += size;
        if (pair.y > size - 1) pair.y -= size;
    }
    return (int2)(resolved(sampler, pair.x, size), resolved(sampler, pair.y, size));
}

static int layer(float w, int size) { return clamp(convert_int_sat(rint(w)), 0, size - 1); }

static int4 place_of_ints(image i, uint sampler, int4 c) {
    uint edge = CLK_ADDRESS_CLAMP_TO_EDGE;
    return (int4)(resolved(sampler, c.x, i->width), resolved(i->spatial > 1 ? sampler : edge, c.y, i->height),
                  resolved(i->spatial > 2 ? sampler : edge, c.z, i->depth), 0);
}

static int4 place_of_floats(image i, uint sampler, float4 c) {
    int4 at = (int4)(nearest(sampler, c.x, i->width), 0, 0, 0);
    at.y = i->spatial > 1 ? nearest(sampler, c.y, i->height) : layer(c.y, i->height);
    at.z = i->spatial > 2 ? nearest(sampler, c.z, i->depth) : layer(c.z, i->depth);
    return at;
}

// Colours. A coordinate of -1 is the border.

#define COLOURS(F, SCALAR, VECTOR)                                                                      \
    /* The colour of four channels as they lie, and the channels of a colour. */                        \
    static VECTOR of_channels_##F(image i, VECTOR e) {                                                  \
        switch (i->order) {                                                                             \
        case CLK_BGRA: return e.zyxw;                                                                   \
        case CLK_ARGB: return e.yzwx;                                                                   \
        case CLK_ABGR: return e.wzyx;                                                                   \
        default: return e;                                                                              \
        }                                                                                               \
    }                                                                                                   \
    static VECTOR channels_##F(image i, VECTOR c) {                                                     \
        switch (i->order) {                                                                             \
        case CLK_A:                                                                                     \
        case CLK_ARGB: return c.wxyz;                                                                   \
        case CLK_RA: return c.xwyz;                                                                     \
        case CLK_BGRA: return c.zyxw;                                                                   \
        case CLK_ABGR: return c.wzyx;                                                                   \
        default: return c;                                                                              \
        }                                                                                               \
    }                                                                                                   \
    VECTOR __read_image##F##_at(image i, int4 at) {                                                     \
        global const uchar *p = element(i, at);                                                         \
        if (is_word(i)) {                                                                               \
            uint word = *(global const uint *)p;                                                        \
            VECTOR e = (VECTOR)(from_byte_##F(i, word), from_byte_##F(i, word >> 8),                    \
                                from_byte_##F(i, word >> 16), from_byte_##F(i, word >> 24));            \
            return of_channels_##F(i, e);                                                               \
        }                                                                                               \
        SCALAR first = get_##F(i, p, 0);                                                                \
        VECTOR c = (VECTOR)(first, 0, 0, 1);                                                            \
        switch (i->order) {                                                                             \
        case CLK_R:                                                                                     \
        case CLK_DEPTH: return c;                                                                       \
        case CLK_A: return (VECTOR)(0, 0, 0, first);                                                    \
        case CLK_INTENSITY: return (VECTOR)(first);                                                     \
        case CLK_LUMINANCE: return (VECTOR)(first, first, first, 1);                                    \
        }                                                                                               \
        c.y = get_##F(i, p, 1);                                                                         \
        if (i->order == CLK_RG) return c;                                                               \
        if (i->order == CLK_RA) return (VECTOR)(first, 0, 0, c.y);                                      \
        c.z = get_##F(i, p, 2);                                                                         \
        c.w = get_##F(i, p, 3);                                                                         \
        return of_channels_##F(i, c);                                                                   \
    }                                                                                                   \
    static VECTOR colour_##F(image i, int4 at) {                                                        \
        if (at.x < 0 || at.y < 0 || at.z < 0) return (VECTOR)(0, 0, 0, is_opaque(i));                   \
        return __read_image##F##_at(i, at);                                                             \
    }                                                                                                   \
    VECTOR __read_image##F##_ints(image i, uint sampler, int4 c) {                                      \
        return colour_##F(i, place_of_ints(i, sampler, c));                                             \
    }                                                                                                   \
    void __write_image##F(image i, int4 at, VECTOR c) {                                                 \
        global uchar *p = element(i, at);                                                               \
        c = channels_##F(i, c);                                                                         \
        if (is_word(i)) {                                                                               \
            *(global uint *)p = to_byte_##F(i, c.x) | to_byte_##F(i, c.y) << 8 |                        \
                                to_byte_##F(i, c.z) << 16 | to_byte_##F(i, c.w) << 24;                  \
            return;                                                                                     \
        }                                                                                               \
        put_##F(i, p, 0, c.x);                                                                          \
        if (i->order != CLK_RG && i->order != CLK_RA && !has_four(i)) return;                           \
        put_##F(i, p, 1, c.y);                                                                          \
        if (!has_four(i)) return;                                                                       \
        put_##F(i, p, 2, c.z);                                                                          \
        put_##F(i, p, 3, c.w);                                                                          \
    }

COLOURS(f, float, float4)
COLOURS(i, int, int4)
COLOURS(ui, uint, uint4)

// Integers between elements are undefined: they are those of the nearest one.
int4 __read_imagei_floats(image i, uint sampler, float4 c) {
    return colour_i(i, place_of_floats(i, sampler, c));
}

uint4 __read_imageui_floats(image i, uint sampler, float4 c) {
    return colour_ui(i, place_of_floats(i, sampler, c));
}

static float fraction(float u) { return (u - 0.5f) - floor(u - 0.5f); }

float4 __read_imagef_floats(image i, uint sampler, float4 c) {
    if (!(sampler & CLK_FILTER_LINEAR)) return colour_f(i, place_of_floats(i, sampler, c));
    float u = unnormalized(sampler, c.x, i->width);
    int2 x = both(sampler, u, i->width), y = layer(c.y, i->height), z = layer(c.z, i->depth);
    float a = fraction(u), b = 0.0f, d = 0.0f;
    if (i->spatial > 1) {
        u = unnormalized(sampler, c.y, i->height);
        y = both(sampler, u, i->height);
        b = fraction(u);
    }
    if (i->spatial > 2) {
        u = unnormalized(sampler, c.z, i->depth);
        z = both(sampler, u, i->depth);
        d = fraction(u);
    }
    float4 sum = 0.0f;
    for (int corner = 0; corner < 1 << i->spatial; ++corner) {
        int3 far = (int3)(corner & 1, corner >> 1 & 1, corner >> 2);
        float weight = (far.x ? a : 1.0f - a) * (far.y ? b : 1.0f - b) * (far.z ? d : 1.0f - d);
        int4 at = (int4)(far.x ? x.y : x.x, far.y ? y.y : y.x, far.z ? z.y : z.x, 0);
        sum += weight * colour_f(i, at);
    }
    return sum;
}

// Depths, which are the first channel of their images.

float __read_imaged_at(image i, int4 at) { return __read_imagef_at(i, at).x; }
float __read_imaged_ints(image i, uint sampler, int4 c) { return __read_imagef_ints(i, sampler, c).x; }
float __read_imaged_floats(image i, uint sampler, float4 c) { return __read_imagef_floats(i, sampler, c).x; }
void __write_imaged(image i, int4 at, float depth) { __write_imagef(i, at, (float4)(depth, 0, 0, 0)); }

// Questions.

int __get_image_width(image i) { return i->width; }
int __get_image_height(image i) { return i->height; }
int __get_image_depth(image i) { return i->depth; }
int __get_image_channel_data_type(image i) { return i->type; }
int __get_image_channel_order(image i) { return i->order; }
int2 __get_image_dim2(image i) { return (int2)(i->width, i->height); }
int4 __get_image_dim4(image i) { return (int4)(i->width, i->height, i->depth, 0); }
ulong __get_image_array_size(image i) { return (ulong)(i->spatial == 1 ? i->height : i->depth); }

// Halves.

half4 __read_imageh_at(image i, int4 at) { return convert_half4(__read_imagef_at(i, at)); }
half4 __read_imageh_ints(image i, uint sampler, int4 c) { return convert_half4(__read_imagef_ints(i, sampler, c)); }
half4 __read_imageh_floats(image i, uint sampler, float4 c) { return convert_half4(__read_imagef_floats(i, sampler, c)); }
void __write_imageh(image i, int4 at, half4 c) { __write_imagef(i, at, convert_float4(c)); }
