/* A disk that takes its time: loaded before the C library (LD_PRELOAD), every wait for the disk
 * lasts SPNB_SYNC_US microseconds longer.  The data still goes there: durable is durable.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void take_time(void)
{
    const char *given = getenv("SPNB_SYNC_US");
    const long us = given ? atol(given) : 0;
    const struct timespec pause = {us / 1000000, us % 1000000 * 1000};
    nanosleep(&pause, NULL);
}

int fsync(int file)
{
    take_time();
    return (int)syscall(SYS_fsync, file);
}

int fdatasync(int file)
{
    take_time();
    return (int)syscall(SYS_fdatasync, file);
}
