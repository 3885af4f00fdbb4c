typedef struct node { global struct node *left; global struct node *right; uint value; uint hole; } node;
// Follows the bits of each work-item's number from the node that it is given.
kernel void walk(global node *from, global uint *out, uint steps) {
    global node *at = from;
    uint bits = get_global_id(0), sum = 0;
    for (uint i = 0; i < steps && at; i++, bits >>= 1) {
        sum = sum * 31u + at->value;
        at = bits & 1 ? at->right : at->left;
    }
    out[get_global_id(0)] = sum;
}
// Turns a node around: one work-item for each node of an allocation.
kernel void turn(global node *nodes) {
    global node *own = nodes + get_global_id(0);
    global node *left = own->left;
    own->left = own->right;
    own->right = left;
    own->value += 1000u;
}
