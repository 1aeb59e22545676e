/* What newlib's heap checks (mallocr.c includes this): a block that is freed or changes its size, and one that is taken
   out of a list. A program whose heap is not as it has to be ends, as it could do anything. */

void __flyball_corrupt_heap(const void *block, const void *caller)
  __attribute__((__noreturn__, __cold__));
void __flyball_check_block(const void *block, const void *caller);

#undef check_inuse_chunk
#define check_inuse_chunk(P) __flyball_check_block(P, __builtin_return_address(0))

#undef unlink
#define unlink(P, BK, FD)                                          \
  {                                                                \
    BK = (P)->bk;                                                  \
    FD = (P)->fd;                                                  \
    if ((FD)->bk != (P) || (BK)->fd != (P))                        \
      __flyball_corrupt_heap(P, __builtin_return_address(0));      \
    (FD)->bk = BK;                                                 \
    (BK)->fd = FD;                                                 \
  }

/* The last block is no larger than all of the heap. */
#define check_top() \
  if (chunksize(top) > (INTERNAL_SIZE_T) sbrked_mem) __flyball_corrupt_heap(top, __builtin_return_address(0))

#ifdef DEFINE_FREE
/* Whether a block begins and ends where one can, and the last one knows where it begins. */
static int is_within(mchunkptr p) {
  mchunkptr next = next_chunk(p);
  return (char *) p >= sbrk_base && p < top && next > p && next <= top && aligned_OK(chunk2mem(p));
}

/* The block is in use, and what is before and behind it has not been written by others. */
void __flyball_check_block(const void *block, const void *caller) {
  mchunkptr p = (mchunkptr) block, next, before;
  if (!is_within(p)) __flyball_corrupt_heap(chunk2mem(p), caller);
  next = next_chunk(p);
  /* What follows says that this one is free, or is no block. */
  if (!prev_inuse(next) || (next != top && !is_within(next)))
    __flyball_corrupt_heap(chunk2mem(p), caller);
  if (!prev_inuse(p)) {
    before = prev_chunk(p);
    if ((char *) before < sbrk_base || before > p || next_chunk(before) != p)
      __flyball_corrupt_heap(chunk2mem(p), caller);
  }
}
#endif
