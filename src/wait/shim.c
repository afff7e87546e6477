// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libcosched-wait.so, preloaded into the ranks of an MPI job: they sleep while they wait
 * for messages, where their library spins.
 *
 * The library's progress loop calls one of the functions below at each pass that found
 * nothing, and idle_pass() decides (idle.c):
 *
 *	Open MPI	sched_yield(), from libopen-pal, with mpi_yield_when_idle, which
 *			the shim sets; its descriptors are those that it polls through
 *			libevent (poll() in 4.x, epoll_wait() in 5.x)
 *	UCX		ucp_worker_progress() that returns 0; the descriptors are its
 *			wake-up events, requested in ucp_init_version(), unless the
 *			mode is yield
 *	libfabric	poll() or epoll_wait() without a timeout that finds nothing
 *
 * Everything else that calls these functions (the program itself, OpenMP, other
 * threads, the child of a fork) gets the functions of libc.
 *
 * The shim has no symbol of MPI, since it is loaded into the shells and launchers of a
 * job, too.  It does nothing there: it joins its job's board at the first idle pass.
 */
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "wait/board.h"
#include "wait/fdset.h"
#include "wait/idle.h"
#include "wait/library.h"
#include "wait/mode.h"
#include "wait/node_page.h"
#include "wait/place.h"
#include "wait/token.h"
#include "wait/ucx.h"

#define ROOT "/dev/shm"
#define POST_NS INT64_C(100000000) /* between two posts of a row */
#define SURE 64 /* sleeps after which what is loaded is what is used */
#define YIELD "OMPI_MCA_mpi_yield_when_idle"
#define OUR_YIELD "01" /* true, and told apart from what a user sets */

static struct {
	bool on;      /* hooks treat the main thread's calls */
	bool busy;    /* inside of the shim */
	bool started; /* since the first idle pass */
	bool spins;  /* turned off: sched_yield() by Open MPI returns at once */
	bool opal;   /* its sched_yield() is the hook, no other */
	bool memory; /* messages may come through shared memory */
	bool seen;   /* descriptors stand for all other messages */
	pid_t pid;
	pthread_t main;
	struct cs_wait_setting setting;
	struct cs_place place;
	struct cs_idle idle;
	struct cs_fdset fds;
	uintptr_t site; /* libfabric's first poll of a pass */
	struct cs_board board;
	struct cs_board_row row;
	bool agent; /* mode proc-b: the node's agent is asked */
	struct cs_token token;
} shim;

static int (*real_poll)(struct pollfd *, nfds_t, int);
static int (*real_epoll_wait)(int, struct epoll_event *, int, int);

static int64_t clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* One line to the job's stderr, of one rank a node. */
static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *format, ...)
{
	char text[256] = "cosched-wait: ";
	size_t at = strlen(text);
	va_list args;
	ssize_t n;

	if (shim.place.slot > 0)
		return;
	va_start(args, format);
	vsnprintf(text + at, sizeof text - at - 1, format, args);
	va_end(args);
	strcat(text, "\n");
	n = write(STDERR_FILENO, text, strlen(text));
	(void)n;
}

/* Does Open MPI yield when idle by the shim's wish alone?  It does so by itself on a node
 * with more ranks than slots. */
static bool yields_for_us(void)
{
	const char *yield = getenv(YIELD);
	const char *crowded = getenv("OMPI_MCA_mpi_oversubscribe");

	return yield && !strcmp(yield, OUR_YIELD) &&
	       !(crowded && atoi(crowded));
}

static void turn_off(void)
{
	shim.on = false;
	shim.spins = yields_for_us();
	if (shim.started) {
		cs_board_leave(&shim.board);
		cs_token_drop(&shim.token);
	}
	shim.agent = false;
}

static bool on_main(void)
{
	return !shim.busy && pthread_equal(pthread_self(), shim.main);
}

static bool treated(void)
{
	return shim.on && on_main();
}

/* --- the wait -------------------------------------------------------------------- */

static void post(int64_t now_ns)
{
	shim.row.posted_ns = (uint64_t)now_ns;
	cs_board_post(&shim.board, &shim.row);
}

static uint32_t number(const char *name)
{
	const char *text = getenv(name);
	unsigned long n = text ? strtoul(text, NULL, 10) : 0;

	return n < UINT32_MAX ? (uint32_t)n : 0;
}

/* Where the agent of the node is: in a folder of root's, or in one that a test names. */
static const char *agent_dir(void)
{
	const char *dir = getenv("COSCHED_WAIT_NODE");

	return dir ? dir : CS_NODE_DIR;
}

static void start(int64_t now_ns)
{
	const char *nolocal = getenv("MPIR_CVAR_NOLOCAL");

	shim.started = true;
	shim.agent =
		shim.setting.mode == CS_WAIT_PROC_B && shim.place.slot >= 0;
	if (shim.setting.mode == CS_WAIT_HYBRID)
		say("hybrid: precedence in collectives is not there, ranks wait as in "
		    "mode ib");
	if (shim.setting.mode == CS_WAIT_PROC_B &&
	    !(shim.agent && cs_token_look(&shim.token, agent_dir(), now_ns)))
		say("proc-b: no coschedd-node here, ranks wait as in mode ib");
	shim.row.job = number("SLURM_JOB_ID");
	shim.row.step = number("SLURM_STEP_ID");
	shim.memory = shim.place.local != 1 && !(nolocal && atoi(nolocal));
	shim.row.mode = shim.setting.mode;
	shim.row.begun_ns = (uint64_t)now_ns;
	if (shim.place.slot < 0 || shim.setting.mode == CS_WAIT_YIELD)
		return;
	if (cs_board_join(&shim.board, ROOT, shim.place.key,
			  (uint32_t)shim.place.slot))
		say("no board in %s: ranks on one node wake each other by the clock",
		    ROOT);
	post(now_ns);
}

/* What the library moves messages with; components come and go while it starts. */
static void look_around(void)
{
	struct cs_library_paths p;

	if (!shim.opal) {
		shim.seen = cs_ucx_any() ? cs_ucx_wakes()
					 : cs_fdset_network(&shim.fds);
		return;
	}
	cs_library_paths_find(&p);
	shim.memory = p.memory && shim.place.local != 1;
	shim.seen = !p.blind[0] && (!cs_ucx_any() || cs_ucx_wakes()) &&
		    (cs_ucx_any() || cs_fdset_network(&shim.fds));
	if (p.blind[0] && shim.row.sleeps >= SURE) {
		say("off: Open MPI's %s has no descriptor that tells of arrivals, ranks "
		    "spin; with Ethernet, --mca pml ob1 --mca btl tcp,vader,self",
		    p.blind);
		turn_off();
	}
}

static void after_poll(const struct pollfd *set, unsigned own, unsigned n,
		       int rc)
{
	if (rc <= 0)
		return;
	shim.row.woken++;
	for (unsigned i = own; i < n; i++) {
		if (!set[i].revents)
			continue;
		if (set[i].fd != shim.board.bell) {
			cs_idle_received(&shim.idle);
			continue;
		}
		/* Nothing is heard if the program closed or reused the descriptor. */
		if (cs_board_heard(&shim.board) > 0)
			cs_idle_received(&shim.idle);
		cs_board_sleep(&shim.board, false);
	}
	cs_fdset_woken(&shim.fds, set);
	if (shim.idle.received)
		cs_token_wake(&shim.token, clock_ns());
}

static void sleep_pass(int64_t now_ns, int64_t max_ns)
{
	static struct pollfd set[CS_FDSET_MAX + CS_UCX_WORKERS + 1];
	unsigned n = shim.fds.n;
	int armed, rc;

	if (shim.memory && shim.board.fd >= 0 && !shim.board.asleep) {
		cs_board_sleep(&shim.board, true);
		return; /* board.c, rule 2: one more pass first */
	}
	if (!(shim.row.sleeps & (shim.row.sleeps - 1)))
		look_around();
	if (!shim.on)
		return;
	memcpy(set, shim.fds.fd, n * sizeof *set);
	armed = cs_ucx_arm(set + n);
	if (armed < 0) {
		cs_idle_received(&shim.idle);
		return;
	}
	n += (unsigned)armed;
	if (shim.board.bell >= 0)
		set[n++] = (struct pollfd){ shim.board.bell, POLLIN, 0 };
	cs_token_sleep(&shim.token);
	rc = real_poll(set, n, (int)(max_ns / 1000000));
	shim.row.sleeps++;
	shim.row.slept_ns += (uint64_t)(clock_ns() - now_ns);
	after_poll(set, shim.fds.n, n, rc);
}

static void idle_pass(void)
{
	int64_t now_ns = clock_ns();
	struct cs_idle_step step;
	int was = errno;

	shim.busy = true;
	if (!shim.started)
		start(now_ns);
	if (shim.idle.passes && now_ns - shim.idle.last_ns < CS_IDLE_GAP_NS)
		shim.row.spun_ns += (uint64_t)(now_ns - shim.idle.last_ns);
	step = cs_idle_pass(&shim.idle, &shim.setting, now_ns,
			    shim.seen && !shim.memory);
	if (step.stir && shim.memory)
		shim.row.rings += cs_board_ring(&shim.board);
	if (step.what == CS_IDLE_YIELD)
		syscall(SYS_sched_yield);
	else if (step.what == CS_IDLE_SLEEP)
		sleep_pass(now_ns, step.max_ns);
	else
		cs_board_sleep(&shim.board, false);
	if (shim.on && now_ns - (int64_t)shim.row.posted_ns > POST_NS) {
		post(now_ns);
		if (shim.agent)
			cs_token_look(&shim.token, agent_dir(), now_ns);
	}
	cs_idle_done(&shim.idle, clock_ns());
	shim.busy = false;
	errno = was;
}

static void received(void)
{
	cs_idle_received(&shim.idle);
	shim.fds.futile = 0;
	if (shim.token.asleep) /* it came after a sleep that nothing ended */
		cs_token_wake(&shim.token, clock_ns());
}

/* --- hooks ----------------------------------------------------------------------- */

static void find_real(void)
{
	*(void **)&real_poll = dlsym(RTLD_NEXT, "poll");
	*(void **)&real_epoll_wait = dlsym(RTLD_NEXT, "epoll_wait");
}

int sched_yield(void)
{
	if (!(shim.on || shim.spins) || !on_main() ||
	    cs_library_of(__builtin_return_address(0)) != CS_LIBRARY_OPAL)
		return (int)syscall(SYS_sched_yield);
	if (shim.spins)
		return 0;
	shim.opal = true;
	idle_pass();
	return 0;
}

/* A poll by @library that ended with @rc.  libfabric polls several sets a pass, by
 * @site; where the first comes again, a pass is over, and all descriptors are known. */
static void polled(enum cs_library library, uintptr_t site,
		   const struct pollfd *fds, nfds_t n, int rc)
{
	bool pass = library == CS_LIBRARY_FABRIC && site == shim.site;

	if (rc > 0)
		received();
	if (library != CS_LIBRARY_FABRIC || pass || !shim.site) {
		shim.site = site;
		if (pass && rc == 0 && !shim.opal)
			idle_pass();
		cs_fdset_clear(&shim.fds);
	}
	cs_fdset_add(&shim.fds, fds, n);
}

static int hooked_poll(struct pollfd *fds, nfds_t n, int timeout_ms,
		       const void *caller)
{
	enum cs_library library;
	int rc;

	if (!real_poll)
		find_real();
	rc = real_poll(fds, n, timeout_ms);
	if (rc < 0 || timeout_ms || !treated())
		return rc;
	library = cs_library_of(caller);
	if (library != CS_LIBRARY_OTHER)
		polled(library, (uintptr_t)fds, fds, n, rc);
	return rc;
}

int poll(struct pollfd *fds, nfds_t n, int timeout_ms)
{
	return hooked_poll(fds, n, timeout_ms, __builtin_return_address(0));
}

int __poll_chk(struct pollfd *fds, nfds_t n, int timeout_ms, size_t size);
int __poll_chk(struct pollfd *fds, nfds_t n, int timeout_ms, size_t size)
{
	if (size / sizeof *fds < n)
		abort(); /* as libc does */
	return hooked_poll(fds, n, timeout_ms, __builtin_return_address(0));
}

int epoll_wait(int epfd, struct epoll_event *events, int max, int timeout_ms)
{
	struct pollfd fd = { epfd, POLLIN, 0 };
	enum cs_library library;
	int rc;

	if (!real_epoll_wait)
		find_real();
	rc = real_epoll_wait(epfd, events, max, timeout_ms);
	if (rc < 0 || timeout_ms || !treated())
		return rc;
	library = cs_library_of(__builtin_return_address(0));
	if (library != CS_LIBRARY_OTHER)
		polled(library, (uintptr_t)epfd + 1, &fd, 1, rc);
	return rc;
}

unsigned ucp_worker_progress(void *worker);
unsigned ucp_worker_progress(void *worker)
{
	static unsigned (*real)(void *);
	unsigned n;

	if (!real)
		*(void **)&real = cs_ucx_real("ucp_worker_progress");
	if (!real)
		return 0;
	n = real(worker);
	if (!treated())
		return n;
	cs_ucx_saw(worker);
	if (n)
		received();
	else if (!shim.opal)
		idle_pass();
	return n;
}

void ucp_worker_destroy(void *worker);
void ucp_worker_destroy(void *worker)
{
	void (*real)(void *);

	cs_ucx_forget(worker);
	*(void **)&real = cs_ucx_real("ucp_worker_destroy");
	if (real)
		real(worker);
}

int ucp_init_version(unsigned major, unsigned minor, const void *params,
		     const void *config, void *context);
int ucp_init_version(unsigned major, unsigned minor, const void *params,
		     const void *config, void *context)
{
	int (*real)(unsigned, unsigned, const void *, const void *, void *);

	/* Waking up has a price at each message, and mode yield never sleeps. */
	if (shim.on && shim.setting.mode != CS_WAIT_YIELD)
		return cs_ucx_init(major, minor, params, config, context);
	*(void **)&real = cs_ucx_real("ucp_init_version");
	return real ? real(major, minor, params, config, context) : -1;
}

/* --- life ------------------------------------------------------------------------ */

static void in_child(void)
{
	shim.on = shim.spins = false;
	if (shim.started)
		cs_board_drop(&shim.board);
	cs_token_drop(&shim.token);
	shim.started = shim.agent = false;
}

__attribute__((constructor)) static void load(void)
{
	const char *text = getenv("COSCHED_WAIT");

	find_real();
	if (!text)
		return;
	cs_place_find(&shim.place, getenv, getppid());
	if (cs_wait_mode_parse(text, &shim.setting)) {
		if (!shim.place.slot)
			say("off: COSCHED_WAIT is '%.40s', expected local, yield, ib, sb, "
			    "sb:US (0 to %d), hybrid or proc-b",
			    text, CS_WAIT_SPIN_MAX_US);
		return;
	}
	if (shim.setting.mode == CS_WAIT_LOCAL)
		return;
	shim.board.fd = shim.board.bell = -1;
	shim.token.fd = shim.token.page = -1;
	shim.pid = getpid();
	shim.main = pthread_self();
	shim.on = true;
	/* It is Open MPI's switch for the hook: ranks, and what launches them. */
	setenv(YIELD, OUR_YIELD, 0);
	pthread_atfork(NULL, NULL, in_child);
}

__attribute__((destructor)) static void unload(void)
{
	if (shim.on && shim.started && getpid() == shim.pid)
		cs_board_leave(&shim.board);
}
