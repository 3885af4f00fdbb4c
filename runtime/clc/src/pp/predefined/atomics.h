#define ATOMIC_VAR_INIT(value) (value)
#define ATOMIC_FLAG_INIT 0
#define CLK_IMAGE_MEM_FENCE 4u
