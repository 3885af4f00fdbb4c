kernel void k(read_only pipe int p, global int *o) {
  int v;
  if (read_pipe(p, &v) == 0) o[0] = v;
}
