/* Before they were in the standard these had other names, and glibc's tests call them by those. */
#define PTHREAD_MUTEX_NORMAL_NP PTHREAD_MUTEX_NORMAL
#define PTHREAD_MUTEX_TIMED_NP PTHREAD_MUTEX_NORMAL
#define PTHREAD_MUTEX_ERRORCHECK_NP PTHREAD_MUTEX_ERRORCHECK
#define PTHREAD_MUTEX_RECURSIVE_NP PTHREAD_MUTEX_RECURSIVE
#define PTHREAD_MUTEX_ROBUST_NP PTHREAD_MUTEX_ROBUST
#define PTHREAD_MUTEX_STALLED_NP PTHREAD_MUTEX_STALLED
#define pthread_mutexattr_setrobust_np pthread_mutexattr_setrobust
#define pthread_mutexattr_getrobust_np pthread_mutexattr_getrobust
#define pthread_mutex_consistent_np pthread_mutex_consistent

/* Extensions of glibc that ask for nothing but another name of what there is. The mutexes are as pthread_mutex_init makes
   them (crates/capi/src/mutex.rs). Which thread gets a read-write lock next, the policy says. */
#define PTHREAD_MUTEX_ADAPTIVE_NP PTHREAD_MUTEX_NORMAL
#define PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP PTHREAD_MUTEX_INITIALIZER
#define PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP { { 0, 4, 0 } }
#define PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP { { 0, 8, 0 } }
#define PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP PTHREAD_RWLOCK_INITIALIZER
#define PTHREAD_RWLOCK_PREFER_READER_NP 0
#define PTHREAD_RWLOCK_PREFER_WRITER_NP 1
#define PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP 2
#define pthread_rwlockattr_setkind_np(attributes, kind) ((void) (attributes), (void) (kind), 0)
#define xpthread_rwlockattr_setkind_np(attributes, kind) ((void) pthread_rwlockattr_setkind_np(attributes, kind))

/* These programs have up to 101 threads. */
extern const unsigned __flyball_threads;
const unsigned __flyball_threads = 128;

/* Up to 100 threads have a stack of 1 MB, which they do not need. The Cortex-M3's board has 16 MB for all. The linker calls
   this for pthread_attr_setstacksize (sdk/conformance). */
#ifdef __arm__
int __real_pthread_attr_setstacksize(void *attributes, __SIZE_TYPE__ size);
int __wrap_pthread_attr_setstacksize(void *attributes, __SIZE_TYPE__ size);
int __wrap_pthread_attr_setstacksize(void *attributes, __SIZE_TYPE__ size) {
  return __real_pthread_attr_setstacksize(attributes, size == 1 << 20 ? 1 << 16 : size);
}
#endif

/* Of glibc's <unistd.h>. */
#define TEMP_FAILURE_RETRY(call)                          \
  ({                                                      \
    __typeof__(call) result_;                             \
    do result_ = (call); while (result_ == -1 && errno == EINTR); \
    result_;                                              \
  })
