// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * coschedd-node: the agent of a node for ranks of mode proc-b (doc/admin/mpl.md).
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/agent.h"

#define RESET_SCANS 10000 /* a root of ten million names */

static struct cs_agent agent;

static const char HELP[] =
	"Usage: coschedd-node [OPTION]...\n"
	"Choose which MPI rank of a core runs next, for ranks of mode proc-b.\n\n"
	"  --boost=WAY      how the chosen rank comes before others: fifo, idle or token\n"
	"                   [the first of these that the system allows]\n"
	"  --quantum=MS     how long a rank keeps its turn while others could run, 1 to\n"
	"                   1000 [20]\n"
	"  --boost-share=P  percent of a core's time that fifo may take, 1 to 95 [80]\n"
	"  --any-process    boost also ranks that are in no cgroup of a Slurm job step: any\n"
	"                   user of the node can then have fifo or idle [off]\n"
	"  --dir=DIR        the node page and the users' sockets [" CS_NODE_DIR
	"]\n"
	"  --boards=DIR     where the boards of jobs are [/dev/shm]\n"
	"  --reset          give ranks back the policies that an agent has left them with,\n"
	"                   and end\n"
	"  --help           this text\n";

static int bad(const char *what, const char *text, const char *expected)
{
	cs_agent_say("%s '%.60s', expected %s", what, text, expected);
	return -EINVAL;
}

/* @text whole as a number from @least to @most; -1: it is none. */
static long number(const char *text, long least, long most)
{
	char *end;
	long n;

	if (!isdigit((unsigned char)*text))
		return -1;
	errno = 0;
	n = strtol(text, &end, 10);
	return errno || *end || n < least || n > most ? -1 : n;
}

static int read_boost(const char *text)
{
	for (uint32_t b = 0; b < CS_NODE_N_BOOST; b++)
		if (!strcmp(text, cs_node_boost_name(b))) {
			agent.boost = (enum cs_node_boost)b;
			return 0;
		}
	return bad("--boost", text, "fifo, idle or token");
}

static int read_option(int c, bool *ret_reset)
{
	long n;

	switch (c) {
	case 'b':
		return read_boost(optarg);
	case 'q':
		n = number(optarg, 1, 1000);
		agent.quantum_ns = n * INT64_C(1000000);
		return n < 0 ? bad("--quantum", optarg, "1 to 1000") : 0;
	case 's':
		n = number(optarg, 1, 95);
		agent.share_ns = CS_CORE_WINDOW_NS / 100 * n;
		return n < 0 ? bad("--boost-share", optarg, "1 to 95") : 0;
	case 'a':
		agent.any_process = true;
		return 0;
	case 'd':
		agent.dir = optarg;
		return strlen(optarg) > 80 ? bad("--dir", optarg, "80 bytes")
					   : 0;
	case 'B':
		agent.root = optarg;
		return 0;
	case 'r':
		*ret_reset = true;
		return 0;
	default:
		return -EINVAL;
	}
}

/* Opening a process as an agent does takes back its policy. */
static void reset_claims(const struct cs_scan *s)
{
	struct cs_process p;

	for (size_t i = 0; i < s->n; i++)
		if (!cs_process_open(&p, (pid_t)s->claim[i].row.pid,
				     s->claim[i].uid))
			cs_process_close(&p, -1);
}

static int reset(void)
{
	struct cs_scan *s = &agent.scan;
	size_t read = 0;
	int rc = 0;

	/* Until the whole root is listed and all its folders are read. */
	for (int k = 0; k < RESET_SCANS && !rc; k++) {
		rc = cs_scan_boards(s, agent.root);
		reset_claims(s);
		read += s->passes ? s->n_read : 0;
		if (s->passes && read >= s->n_folder)
			break;
	}
	cs_scan_done(s);
	if (rc)
		cs_agent_say("%s: %s", agent.root, strerror(-rc));
	return rc;
}

/* May a process that is made SCHED_IDLE be given its policy back?  Tried by a child. */
static bool has_idle(void)
{
	const struct sched_param none = { 0 };
	pid_t child = fork();
	int status = -1;

	if (!child)
		_exit(sched_setscheduler(0, SCHED_IDLE, &none) ||
		      sched_setscheduler(0, SCHED_OTHER, &none));
	return child > 0 && waitpid(child, &status, 0) == child && !status;
}

/* The strongest way that the system and the options allow. */
static void choose_boost(void)
{
	const struct sched_param two = { .sched_priority = 2 };

	if (agent.boost >= CS_NODE_FIFO) {
		agent.boost = CS_NODE_FIFO;
		if (!sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK,
					&two))
			return;
		agent.boost = CS_NODE_IDLE;
	}
	if (agent.boost == CS_NODE_IDLE && !has_idle())
		agent.boost = CS_NODE_TOKEN;
}

/* Can copies of a process's descriptors be had?  Tried with this process. */
static bool has_getfd(void)
{
	int self = (int)syscall(SYS_pidfd_open, getpid(), 0);
	int copy = self < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, self, self, 0);

	if (copy >= 0)
		close(copy);
	if (self >= 0)
		close(self);
	return copy >= 0;
}

/* Removes the users' sockets that a killed agent has left. */
static void clean_folder(void)
{
	DIR *d = opendir(agent.dir);
	struct dirent *e;

	while (d && (e = readdir(d)) != NULL)
		if (!e->d_name[strspn(e->d_name, "0123456789")])
			unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		closedir(d);
}

/* Makes the folder, which only root may write, and locks it: one agent at a time uses it.
 * A descriptor; -errno. */
static int lock_folder(void)
{
	char path[128];
	struct stat st;
	int fd;

	if (mkdir(agent.dir, 0755) && errno != EEXIST)
		return -errno;
	if (lstat(agent.dir, &st))
		return -errno;
	if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid() ||
	    (st.st_mode & 022))
		return -EPERM;
	snprintf(path, sizeof path, "%s/lock", agent.dir);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return -errno;
	if (flock(fd, LOCK_EX | LOCK_NB)) {
		close(fd);
		return -EBUSY;
	}
	return fd;
}

static void more_descriptors(void)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r))
		return;
	r.rlim_cur = r.rlim_max;
	setrlimit(RLIMIT_NOFILE, &r);
}

static int start(void)
{
	static const char *const HOW[CS_NODE_N_BOOST] = {
		[CS_NODE_TOKEN] = "token (ranks wait for their turn)",
		[CS_NODE_IDLE] = "idle (SCHED_IDLE for the others)",
		[CS_NODE_FIFO] = "fifo (SCHED_FIFO 1, the agent 2)",
	};
	int lock = lock_folder();

	if (lock < 0) {
		cs_agent_say("%s: %s", agent.dir,
			     lock == -EBUSY ? "another agent is there"
					    : strerror(-lock));
		return lock;
	}
	clean_folder();
	agent.page = cs_node_page_create(agent.dir);
	if (agent.page < 0) {
		cs_agent_say("%s: no page: %s", agent.dir,
			     strerror(-agent.page));
		return agent.page;
	}
	more_descriptors();
	choose_boost();
	agent.report.head.pid = (uint32_t)getpid();
	agent.report.head.begun_ns = (uint64_t)cs_agent_now_ns();
	cs_agent_say("boost %s, quantum %ld ms, unread messages %s",
		     HOW[agent.boost], (long)(agent.quantum_ns / 1000000),
		     has_getfd() ? "seen" : "not seen: no pidfd_getfd");
	return cs_agent_run(&agent);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "boost", 1, NULL, 'b' },
		{ "quantum", 1, NULL, 'q' },
		{ "boost-share", 1, NULL, 's' },
		{ "dir", 1, NULL, 'd' },
		{ "any-process", 0, NULL, 'a' },
		{ "boards", 1, NULL, 'B' },
		{ "reset", 0, NULL, 'r' },
		{ "help", 0, NULL, 'h' },
		{ 0 }
	};
	bool only_reset = false;
	int c;

	agent.dir = CS_NODE_DIR;
	agent.root = "/dev/shm";
	agent.boost = CS_NODE_N_BOOST; /* the strongest that there is */
	agent.quantum_ns = INT64_C(20000000);
	agent.share_ns = CS_CORE_WINDOW_NS / 100 * 80;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c == 'h') {
			fputs(HELP, stdout);
			return 0;
		}
		if (read_option(c, &only_reset))
			return 2;
	}
	if (optind < argc) {
		bad("unexpected", argv[optind], "options only");
		return 2;
	}
	return (only_reset ? reset() : start()) ? 1 : 0;
}
