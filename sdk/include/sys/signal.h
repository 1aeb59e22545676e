/* Signals (IEEE 1003.1-2008). newlib's <signal.h> includes this file and adds what is of ISO C. */
#ifndef _SYS_SIGNAL_H
#define _SYS_SIGNAL_H

#include <_ansi.h>
#include <sys/cdefs.h>
#include <sys/features.h>
#include <sys/types.h>
#include <sys/_sigset.h>
#include <sys/_timespec.h>

#ifndef _SIGSET_T_DECLARED
#define _SIGSET_T_DECLARED
typedef __sigset_t sigset_t;
#endif

typedef void (*_sig_func_ptr)(int);

/* Signals of POSIX and of BSD, with their customary numbers. */
#define SIGHUP 1
#define SIGINT 2
#define SIGQUIT 3
#define SIGILL 4
#define SIGTRAP 5
#define SIGABRT 6
#define SIGIOT SIGABRT
#define SIGEMT 7
#define SIGFPE 8
#define SIGKILL 9
#define SIGBUS 10
#define SIGSEGV 11
#define SIGSYS 12
#define SIGPIPE 13
#define SIGALRM 14
#define SIGTERM 15
#define SIGURG 16
#define SIGSTOP 17
#define SIGTSTP 18
#define SIGCONT 19
#define SIGCHLD 20
#define SIGCLD SIGCHLD
#define SIGTTIN 21
#define SIGTTOU 22
#define SIGIO 23
#define SIGPOLL SIGIO
#define SIGXCPU 24
#define SIGXFSZ 25
#define SIGVTALRM 26
#define SIGPROF 27
#define SIGWINCH 28
#define SIGLOST 29
#define SIGUSR1 30
#define SIGUSR2 31

/* Real-time signals. */
#define SIGRTMIN 32
#define SIGRTMAX 63

/* One more than the highest number. */
#define NSIG 64

union sigval {
  int sival_int;
  void *sival_ptr;
};

/* How a timer, a message queue or the like tells that something has happened. */
#define SIGEV_NONE 1
#define SIGEV_SIGNAL 2
#define SIGEV_THREAD 3

struct sigevent {
  int sigev_notify;
  int sigev_signo;
  union sigval sigev_value;
  void (*sigev_notify_function)(union sigval);
  pthread_attr_t *sigev_notify_attributes;
};

typedef struct {
  int si_signo;
  int si_code;
  int si_errno;
  pid_t si_pid;
  uid_t si_uid;
  int si_status;
  void *si_addr;
  union sigval si_value;
} siginfo_t;

/* Where a signal comes from: si_code. */
#define SI_USER 1
#define SI_QUEUE 2
#define SI_TIMER 3
#define SI_ASYNCIO 4
#define SI_MESGQ 5

/* Which error raised it: si_code of SIGILL, SIGFPE, SIGSEGV, SIGBUS, SIGTRAP. */
#define ILL_ILLOPC 16
#define ILL_ILLOPN 17
#define ILL_ILLADR 18
#define ILL_ILLTRP 19
#define ILL_PRVOPC 20
#define ILL_PRVREG 21
#define ILL_COPROC 22
#define ILL_BADSTK 23
#define FPE_INTDIV 32
#define FPE_INTOVF 33
#define FPE_FLTDIV 34
#define FPE_FLTOVF 35
#define FPE_FLTUND 36
#define FPE_FLTRES 37
#define FPE_FLTINV 38
#define FPE_FLTSUB 39
#define SEGV_MAPERR 48
#define SEGV_ACCERR 49
#define BUS_ADRALN 64
#define BUS_ADRERR 65
#define BUS_OBJERR 66
#define TRAP_BRKPT 80
#define TRAP_TRACE 81

#define SA_NOCLDSTOP 0x01
#define SA_ONSTACK 0x02
#define SA_RESETHAND 0x04
#define SA_RESTART 0x08
#define SA_SIGINFO 0x10
#define SA_NOCLDWAIT 0x20
#define SA_NODEFER 0x40

struct sigaction {
  union {
    void (*__handler)(int);
    void (*__action)(int, siginfo_t *, void *);
  } __function;
  sigset_t sa_mask;
  int sa_flags;
};
#define sa_handler __function.__handler
#define sa_sigaction __function.__action

#define SIG_SETMASK 0
#define SIG_BLOCK 1
#define SIG_UNBLOCK 2

#define SS_ONSTACK 1
#define SS_DISABLE 2
#define MINSIGSTKSZ 2048
#define SIGSTKSZ 8192

typedef struct {
  void *ss_sp;
  int ss_flags;
  size_t ss_size;
} stack_t;

#ifdef __cplusplus
extern "C" {
#endif

/* Sets. */
int sigemptyset(sigset_t *__set);
int sigfillset(sigset_t *__set);
int sigaddset(sigset_t *__set, int __signal);
int sigdelset(sigset_t *__set, int __signal);
int sigismember(const sigset_t *__set, int __signal);

/* Sending. */
int kill(pid_t __process, int __signal);
int killpg(pid_t __group, int __signal);
int sigqueue(pid_t __process, int __signal, union sigval __value);
int pthread_kill(pthread_t __thread_id, int __signal);

/* Handling, blocking, waiting. */
int sigaction(int __signal, const struct sigaction *__restrict __action,
              struct sigaction *__restrict __old);
int sigaltstack(const stack_t *__restrict __stack, stack_t *__restrict __old);
int sigprocmask(int __how, const sigset_t *__restrict __set, sigset_t *__restrict __old);
int pthread_sigmask(int __how, const sigset_t *__restrict __set, sigset_t *__restrict __old);
int sigpending(sigset_t *__set);
int sigsuspend(const sigset_t *__set);
int sigwait(const sigset_t *__restrict __set, int *__restrict __signal);
int sigwaitinfo(const sigset_t *__restrict __set, siginfo_t *__restrict __info);
int sigtimedwait(const sigset_t *__restrict __set, siginfo_t *__restrict __info,
                 const struct timespec *__restrict __timeout);
void psiginfo(const siginfo_t *__info, const char *__text);

#ifdef _COMPILING_NEWLIB
int _kill(pid_t __process, int __signal);
#endif

#ifdef __cplusplus
}
#endif

#ifndef _SIGNAL_H_
/* As elsewhere, <sys/signal.h> and <signal.h> are the same. */
#include <signal.h>
#endif

#endif
