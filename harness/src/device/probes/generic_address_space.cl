int get(int *p) { return *p; }
kernel void k(global int *g, local int *l, global int *o) {
  int *p = g[0] != 0 ? (int *)g : (int *)l;
  o[0] = get(p);
}
