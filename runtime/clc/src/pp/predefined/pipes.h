#define CLK_NULL_RESERVE_ID (__null_reserve_id())
