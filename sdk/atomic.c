/* libatomic: what the compiler calls for atomic objects that the machine has no instruction for,
   where it can be done without a lock. On RV64 these are objects of one and two bytes; an access to
   the word around them does it. Eight bytes on the Cortex-M3 need a lock, which is the kernel's. */
#include <stddef.h>
#include <stdint.h>

_Bool __atomic_is_lock_free(size_t size, const volatile void *object) {
  return size <= sizeof(void *) && (size & (size - 1)) == 0 && (uintptr_t) object % size == 0;
}

#ifdef __riscv
/* Sets the object at `object`, of the type `type`, to `changed` if `condition` is true. Both may use
   `old`, which is the object's value before. */
#define CHANGE(type, condition, changed)                                               \
  uint32_t *const word = (uint32_t *) ((uintptr_t) object & ~(uintptr_t) 3);           \
  const unsigned shift = (unsigned) ((uintptr_t) object & 3) * 8;                      \
  const uint32_t mask = (uint32_t) (type) -1 << shift;                                 \
  uint32_t now = __atomic_load_n(word, __ATOMIC_SEQ_CST), next;                        \
  type old;                                                                            \
  do {                                                                                 \
    old = (type) (now >> shift);                                                       \
    if (!(condition)) break;                                                           \
    next = (now & ~mask) | (uint32_t) (type) (changed) << shift;                       \
  } while (!__atomic_compare_exchange_n(word, &now, next, 1, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))

#define FETCH(name, type, changed)                               \
  type name(volatile void *object, type value, int order) {      \
    (void) order;                                                \
    CHANGE(type, 1, changed);                                    \
    return old;                                                  \
  }

#define ALL(size, type)                                                                         \
  FETCH(__atomic_exchange_##size, type, value)                                                  \
  FETCH(__atomic_fetch_add_##size, type, old + value)                                           \
  FETCH(__atomic_fetch_sub_##size, type, old - value)                                           \
  FETCH(__atomic_fetch_and_##size, type, old &value)                                            \
  FETCH(__atomic_fetch_or_##size, type, old | value)                                            \
  FETCH(__atomic_fetch_xor_##size, type, old ^ value)                                           \
  FETCH(__atomic_fetch_nand_##size, type, ~(old & value))                                       \
  _Bool __atomic_compare_exchange_##size(volatile void *object, void *expected, type value,     \
                                         _Bool weak, int success, int failure) {                \
    const type wanted = *(type *) expected;                                                     \
    (void) weak, (void) success, (void) failure;                                                \
    CHANGE(type, old == wanted, value);                                                         \
    *(type *) expected = old;                                                                   \
    return old == wanted;                                                                       \
  }

ALL(1, unsigned char)
ALL(2, unsigned short)
#endif
