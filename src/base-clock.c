/* Clocks and waiting, by calls that every run-time of a system has: not all on Windows have those of C11 or POSIX. */
#ifdef _WIN32
#include <windows.h>
#else
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L /* a compiler told to know C alone declares no clocks otherwise */
#endif
#include <sched.h>
#include <time.h>
#endif

#include "base.h"

#ifdef _WIN32

double osvm_wall_seconds(void) {
  LARGE_INTEGER ticks, per_second;
  QueryPerformanceCounter(&ticks);
  QueryPerformanceFrequency(&per_second);
  return (double)ticks.QuadPart / (double)per_second.QuadPart;
}

double osvm_cpu_seconds(void) { return osvm_wall_seconds(); }

void osvm_yield(void) { SwitchToThread(); }

void osvm_sleep(double seconds) { Sleep((DWORD)(1000 * seconds) + 1); }

#else

/* WebAssembly has no clock of a thread's time: its wall time. */
static double read_clock(clockid_t clock) {
  struct timespec t = {0};
  if (clock_gettime(clock, &t) != 0) clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double osvm_wall_seconds(void) { return read_clock(CLOCK_MONOTONIC); }

double osvm_cpu_seconds(void) { return read_clock(CLOCK_THREAD_CPUTIME_ID); }

void osvm_yield(void) { sched_yield(); }

void osvm_sleep(double seconds) { nanosleep(&(struct timespec){.tv_nsec = (long)(1e9 * seconds)}, NULL); }

#endif
