/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Preloaded into slurmctld: where it crashes.  A signal that ends it appends to the file
 * $COSCHED_CRASH the signal, the process, the name of the thread and its stack, a line each;
 * then the signal takes its course.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define FRAMES 40

static const char *file;

static void tell(int sig)
{
	void *frame[FRAMES];
	char name[32] = "", line[128];
	int fd = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	int len;

	if (fd < 0)
		return;
	prctl(PR_GET_NAME, name);
	len = snprintf(line, sizeof(line), "signal %d, process %d, thread %s\n",
		       sig, (int)getpid(), name);
	if (write(fd, line, (size_t)len) == len)
		backtrace_symbols_fd(frame, backtrace(frame, FRAMES), fd);
	close(fd);
}

__attribute__((constructor)) static void watch(void)
{
	static const int fatal[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
	struct sigaction act = { .sa_handler = tell, .sa_flags = SA_RESETHAND };
	void *frame[1];

	file = getenv("COSCHED_CRASH");
	/* not what slurmctld starts */
	if (!file || !strstr(program_invocation_short_name, "slurmctld"))
		return;
	(void)backtrace(frame, 1); /* loads what it needs now */
	for (size_t i = 0; i < sizeof(fatal) / sizeof(*fatal); i++)
		sigaction(fatal[i], &act, NULL);
}
