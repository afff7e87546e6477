/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The agent of a node: its scan of boards (scan.c), its processes (process.c) and ranks
 * (ranks.c), the turns of a core (turn.c, core.c), and its page (node_page.c). */
#include "cs_test.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/core.h"
#include "agent/process.h"
#include "agent/scan.h"
#include "wait/node_page.h"

#define KEY "00000000000000ff"
#define MS INT64_C(1000000)

static char root[] = "/tmp/cosched-agent.XXXXXX";
static struct cs_board board;

static const char *path_of(const char *name)
{
	static char path[160];

	snprintf(path, sizeof path, "%s/cosched-wait.%lu%s%s", root,
		 (unsigned long)geteuid(), *name ? "/" : "", name);
	return path;
}

/* How many ranks boards claim; the first one in @ret, what was refused in @refused. */
static size_t scanned(struct cs_claim *ret, uint64_t *refused)
{
	static struct cs_scan s;

	memset(&s, 0, sizeof s);
	assert_int_equal(cs_scan_boards(&s, root), 0);
	cs_scan_done(&s);
	if (ret && s.n)
		*ret = s.claim[0];
	if (refused)
		*refused = s.refused;
	return s.n;
}

static int join(void **state)
{
	struct cs_board_row row = { .mode = 5, .job = 7 };

	(void)state;
	if (cs_board_join(&board, root, KEY, 3))
		return -1;
	cs_board_post(&board, &row);
	return 0;
}

static int leave(void **state)
{
	char command[256];

	(void)state;
	cs_board_leave(&board);
	snprintf(command, sizeof command, "rm -rf %s/*", root);
	return system(command) ? -1 : 0;
}

static void a_board_claims_its_ranks(void **state)
{
	struct cs_claim c;
	uint64_t refused;

	(void)state;
	assert_int_equal(scanned(&c, &refused), 1);
	assert_int_equal(refused, 0);
	assert_int_equal(c.uid, geteuid());
	assert_string_equal(c.key, KEY);
	assert_int_equal(c.row.pid, getpid());
	assert_int_equal(c.row.slot, 3);
	assert_int_equal(c.row.job, 7);
}

static void a_board_of_another_size_is_refused(void **state)
{
	static const off_t sizes[] = {
		0, 1, 4096, 4 * 4096 + 50, 1025 * 4096 - 1, 1025 * 4096 + 1
	};
	uint64_t refused;

	(void)state;
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		assert_int_equal(truncate(path_of(KEY), sizes[i]), 0);
		assert_int_equal(scanned(NULL, &refused), 0);
		assert_int_equal(refused, 1);
	}
}

static void links_and_pipes_are_refused(void **state)
{
	char other[160];
	uint64_t refused;

	(void)state;
	snprintf(other, sizeof other, "%s/other", root);
	/* a second name */
	assert_int_equal(link(path_of(KEY), other), 0);
	assert_int_equal(scanned(NULL, &refused), 0);
	assert_int_equal(refused, 1);
	/* a link to what would be valid */
	assert_int_equal(unlink(path_of(KEY)), 0);
	assert_int_equal(scanned(NULL, &refused), 0);
	assert_int_equal(symlink(other, path_of(KEY)), 0);
	assert_int_equal(scanned(NULL, &refused), 0);
	assert_int_equal(refused, 1);
	/* a pipe: the scan does not wait for a writer */
	assert_int_equal(unlink(path_of(KEY)), 0);
	assert_int_equal(mkfifo(path_of(KEY), 0600), 0);
	assert_int_equal(scanned(NULL, &refused), 0);
	assert_int_equal(refused, 1);
	/* a folder */
	assert_int_equal(unlink(path_of(KEY)), 0);
	assert_int_equal(mkdir(path_of(KEY), 0700), 0);
	assert_int_equal(scanned(NULL, &refused), 0);
	assert_int_equal(refused, 1);
}

static void a_folder_that_others_may_enter_is_refused(void **state)
{
	uint64_t refused;

	(void)state;
	assert_int_equal(chmod(path_of(""), 0710), 0);
	assert_int_equal(scanned(NULL, &refused), 0);
	assert_int_equal(refused, 1);
	assert_int_equal(chmod(path_of(""), 0700), 0);
	assert_int_equal(scanned(NULL, &refused), 1);
}

static void a_folder_of_another_name_than_its_owners_is_refused(void **state)
{
	static const char *const names[] = { "",   "4242424", "00",
					     "1x", "-1",      "99999999999" };
	char path[160];
	uint64_t refused;

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		snprintf(path, sizeof path, "%s/cosched-wait.%s", root,
			 names[i]);
		assert_int_equal(mkdir(path, 0700), 0);
		assert_int_equal(scanned(NULL, &refused), 1);
		assert_int_equal(refused, 1);
		assert_int_equal(rmdir(path), 0);
	}
	snprintf(path, sizeof path, "%s/cosched-wait.4242424", root);
	assert_int_equal(symlink(path_of(""), path), 0);
	assert_int_equal(scanned(NULL, &refused), 1);
	assert_int_equal(refused, 1);
}

static void another_users_file_is_refused(void **state)
{
	uint64_t refused;

	(void)state;
	if (geteuid())
		skip(); /* only root can give files away */
	assert_int_equal(chown(path_of(KEY), 4242424, (gid_t)-1), 0);
	assert_int_equal(scanned(NULL, &refused), 0);
	assert_int_equal(refused, 1);
	assert_int_equal(chown(path_of(KEY), 0, (gid_t)-1), 0);
	assert_int_equal(scanned(NULL, &refused), 1);
}

/* Whatever bytes stand where: the scan ends, and claims are within their bounds. */
static void noise_is_refused(void **state)
{
	uint64_t seed = cs_test_seed();
	struct cs_claim c = { 0 };
	int fd = open(path_of(KEY), O_RDWR);

	(void)state;
	assert_true(fd >= 0);
	for (int i = 0; i < 2000; i++) {
		unsigned char bytes[64];
		off_t at = i % 2 ? 4 * 4096 + (off_t)cs_test_draw(&seed, 128)
				 : (off_t)cs_test_draw(&seed, 4200);
		size_t n = 1 + (size_t)cs_test_draw(&seed, sizeof bytes);

		for (size_t k = 0; k < n; k++)
			bytes[k] =
				i % 3 ? (unsigned char)cs_test_draw(&seed, 256)
				      : 0xff;
		assert_int_equal(pwrite(fd, bytes, n, at), n);
		if (scanned(&c, NULL)) {
			assert_int_equal(c.row.slot, 3);
			assert_in_range(c.row.pid, 1, INT32_MAX);
		}
		cs_board_post(&board, &c.row);
	}
	for (off_t at = 0; at < 5 * 4096; at += 64)
		assert_int_equal(pwrite(fd, "noise noise noise ", 18, at), 18);
	assert_int_equal(scanned(NULL, NULL), 0);
	close(fd);
}

static void names_are_bounded(void **state)
{
	static struct cs_scan s;
	char name[40];

	(void)state;
	for (int i = 0; i < 600; i++) {
		snprintf(name, sizeof name, KEY ".%d", 4 + i);
		close(open(path_of(name), O_CREAT | O_WRONLY, 0600));
	}
	memset(&s, 0, sizeof s);
	assert_int_equal(cs_scan_boards(&s, root), 0);
	cs_scan_done(&s);
	assert_true(s.tries <= CS_SCAN_TRIES);
	assert_true(s.tries >= 500);
}

/* Gives the board doorbells of slots 0 to @n - 1, and the first @rows of them a row. */
static void fill_board(uint32_t n, uint32_t rows)
{
	const uint32_t slot = board.slot;
	struct cs_board_row row = { .mode = 5 };
	char name[40];

	for (uint32_t i = 0; i < n; i++) {
		snprintf(name, sizeof name, KEY ".%u", i);
		close(open(path_of(name), O_CREAT | O_WRONLY, 0600));
		board.slot = i;
		if (i < rows)
			cs_board_post(&board, &row);
	}
	board.slot = slot;
}

/* A copy of this user's folder that belongs to @uid. */
static void copy_folder(unsigned uid)
{
	char command[400];

	snprintf(
		command, sizeof command,
		"cp -a %s %s/cosched-wait.%u && chown -R %u %s/cosched-wait.%u",
		path_of(""), root, uid, uid, root, uid);
	assert_int_equal(system(command), 0);
}

static size_t claims_of(const struct cs_scan *s, unsigned uid)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += s->claim[i].uid == uid;
	return n;
}

static void one_users_rows_leave_room_for_others(void **state)
{
	static struct cs_scan s;

	(void)state;
	if (geteuid())
		skip(); /* only root can give files away */
	fill_board(512, 512);
	for (unsigned uid = 4242; uid < 4245; uid++)
		copy_folder(uid);
	memset(&s, 0, sizeof s);
	assert_int_equal(cs_scan_boards(&s, root), 0);
	cs_scan_done(&s);
	assert_int_equal(claims_of(&s, 0), CS_SCAN_OF_USER);
	for (unsigned uid = 4242; uid < 4245; uid++) {
		assert_int_equal(claims_of(&s, uid), CS_SCAN_OF_USER);
		assert_true(cs_scan_covers(&s, uid));
	}
}

/* Five folders of 512 doorbells without rows: a scan reads four, the next begins with the
 * fifth. */
static void folders_that_a_scan_leaves_out_come_first_in_the_next(void **state)
{
	static struct cs_scan s;
	size_t first_read, left = 0;

	(void)state;
	if (geteuid())
		skip(); /* only root can give files away */
	fill_board(512, 0);
	for (unsigned uid = 4242; uid < 4246; uid++)
		copy_folder(uid);
	memset(&s, 0, sizeof s);
	assert_int_equal(cs_scan_boards(&s, root), 0);
	first_read = s.n_read;
	assert_int_equal(s.n_folder, 5);
	assert_int_equal(s.tries, CS_SCAN_ALL_TRIES);
	assert_in_range(first_read, 3, 4);
	while (s.folder[left].read)
		left++;
	assert_false(cs_scan_covers(&s, s.folder[left].uid));
	assert_int_equal(cs_scan_boards(&s, root), 0);
	cs_scan_done(&s);
	assert_true(cs_scan_covers(&s, s.folder[left].uid));
	assert_true(cs_scan_covers(&s, 12345));
}

static void a_long_root_is_listed_over_several_scans(void **state)
{
	static struct cs_scan s;
	char path[160];

	(void)state;
	for (int i = 0; i < 3 * CS_SCAN_ROOT_NAMES; i++) {
		snprintf(path, sizeof path, "%s/cosched-wait.%d", root,
			 100000 + i);
		close(open(path, O_CREAT | O_WRONLY, 0600));
	}
	memset(&s, 0, sizeof s);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(cs_scan_boards(&s, root), 0);
		assert_true(s.refused <= CS_SCAN_ROOT_NAMES);
	}
	assert_int_equal(s.passes, 1);
	/* A folder that is known is read in each scan, wherever the pass is. */
	for (int i = 0; i < 4; i++) {
		assert_int_equal(cs_scan_boards(&s, root), 0);
		assert_int_equal(s.n, 1);
	}
	/* A folder that was removed has no ranks at once. */
	cs_board_leave(&board);
	assert_int_equal(cs_scan_boards(&s, root), 0);
	assert_int_equal(s.n, 0);
	assert_true(cs_scan_covers(&s, geteuid()));
	cs_scan_done(&s);
}

/* --- processes ---------------------------------------------------------------------- */

static pid_t sleeper(void)
{
	pid_t child = fork();

	if (!child) {
		pause();
		_exit(0);
	}
	return child;
}

static void end_child(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static void a_process_must_be_the_owners(void **state)
{
	struct cs_process p;
	pid_t child = sleeper();

	(void)state;
	assert_int_equal(cs_process_open(&p, child, geteuid() + 1), -EPERM);
	assert_true(p.fd < 0 && p.proc < 0);
	assert_int_equal(cs_process_open(&p, child, geteuid()), 0);
	cs_process_close(&p, -1);
	end_child(child);
	assert_int_equal(cs_process_open(&p, child, geteuid()), -ESRCH);
	assert_int_equal(cs_process_open(&p, INT32_MAX, geteuid()), -ESRCH);
}

static void a_policy_is_given_back(void **state)
{
	struct cs_process p, again;
	pid_t child = sleeper();

	(void)state;
	assert_int_equal(cs_process_open(&p, child, geteuid()), 0);
	assert_int_equal(cs_process_set_policy(&p, SCHED_IDLE), 0);
	assert_int_equal(sched_getscheduler(child),
			 SCHED_IDLE | SCHED_RESET_ON_FORK);
	/* The next agent finds it so, after the first was killed. */
	if (!cs_process_open(&again, child, geteuid()) && geteuid() == 0)
		assert_int_equal(sched_getscheduler(child), SCHED_OTHER);
	cs_process_close(&again, -1);
	cs_process_close(&p, -1);
	end_child(child);
}

static void a_policy_of_the_users_own_is_left_alone(void **state)
{
	const struct sched_param none = { 0 };
	struct cs_process p;
	pid_t child = sleeper();

	(void)state;
	assert_int_equal(sched_setscheduler(child, SCHED_IDLE, &none), 0);
	assert_int_equal(cs_process_open(&p, child, geteuid()), 0);
	assert_true(p.fixed);
	assert_int_equal(cs_process_set_policy(&p, SCHED_OTHER), 0);
	assert_int_equal(sched_getscheduler(child), SCHED_IDLE);
	cs_process_close(&p, -1);
	assert_int_equal(sched_getscheduler(child), SCHED_IDLE);
	end_child(child);
}

static void a_cgroup_of_a_job_step_is_known(void **state)
{
	static const struct {
		const char *text;
		bool is_step;
	} cases[] = {
		{ "5:cpuset:/slurm/uid_1001/job_7/step_0/task_0\n", true },
		{ "9:name=systemd:/\n5:cpuset:/slurm_n1/uid_1001/job_7/step_batch",
		  true },
		{ "0::/system.slice/slurmstepd.scope/job_7/step_0/user/task_0\n",
		  true },
		{ "0::/system.slice/n1_slurmstepd.scope/job_7/step_extern\n",
		  true },
		{ "", false },
		{ "0::/\n", false },
		{ "0::/system.slice/slurmd.service\n", false },
		{ "0::/system.slice/slurmstepd.scope/system\n", false },
		{ "0::/system.slice/slurmstepd.scope/job_7/slurm\n", false },
		{ "0::/system.slice/slurmstepd.scope/job_x/step_0\n", false },
		{ "0::/system.slice/myslurmstepd.scope/job_7/step_0\n", false },
		{ "5:cpuset:/slurm/uid_1002/job_7/step_0\n", false },
		{ "5:cpuset:/slurm/uid_1001/job_7/step_\n", false },
		{ "5:cpuset:/slurm/uid_1001/job_7\n", false },
		/* A user can make these in a folder that systemd has delegated. */
		{ "0::/user.slice/user-1001.slice/user@1001.service/system.slice/"
		  "slurmstepd.scope/job_7/step_0\n",
		  false },
		{ "1:name=systemd:/user.slice/slurm/uid_1001/job_7/step_0\n",
		  false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (cs_process_names_step(cases[i].text, 1001) !=
		    cases[i].is_step)
			fail_msg("%s", cases[i].text);
}

/* A child of another user than root that may be dumped until a byte comes, and writes one
 * after each step. */
static pid_t child_that_changes(int to_child[2], int from_child[2], uid_t *ret)
{
	pid_t child;
	char c;

	assert_int_equal(pipe(to_child), 0);
	assert_int_equal(pipe(from_child), 0);
	*ret = geteuid() ? geteuid() : 4242;
	child = fork();
	if (!child) {
		if ((!geteuid() && setuid(4242)) || prctl(PR_SET_DUMPABLE, 1) ||
		    write(from_child[1], "x", 1) != 1 ||
		    read(to_child[0], &c, 1) != 1 ||
		    prctl(PR_SET_DUMPABLE, 0) ||
		    write(from_child[1], "x", 1) != 1)
			_exit(1);
		pause();
		_exit(0);
	}
	assert_int_equal(read(from_child[0], &c, 1), 1);
	return child;
}

/* /proc/PID belongs to root then, as after a set-user-id program was executed. */
static void a_process_that_left_its_user_is_not_touched(void **state)
{
	static struct cs_sources sources;
	int to_child[2], from_child[2];
	unsigned links = 0;
	struct cs_process p;
	uid_t uid;
	char c;
	pid_t child = child_that_changes(to_child, from_child, &uid);

	(void)state;
	assert_int_equal(cs_process_open(&p, child, uid), 0);
	assert_true(cs_process_is_owned(&p));
	assert_int_equal(write(to_child[1], "x", 1), 1);
	assert_int_equal(read(from_child[0], &c, 1), 1);
	assert_false(cs_process_is_owned(&p));
	assert_int_equal(cs_process_set_policy(&p, SCHED_IDLE), -ESRCH);
	assert_int_equal(sched_getscheduler(child), SCHED_OTHER);
	assert_true(cs_process_sockets(&p, &sources, -1, 0, &links) < 0);
	assert_int_equal(links, 0);
	cs_process_close(&p, -1);
	end_child(child);
	for (int i = 0; i < 2; i++) {
		close(to_child[i]);
		close(from_child[i]);
	}
}

static void looks_at_descriptors_are_bounded(void **state)
{
	static struct cs_sources sources;
	struct rlimit all;
	struct cs_process p;
	unsigned links = 0;
	pid_t child;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &all), 0);
	if (all.rlim_max < 2 * CS_PROCESS_FDS)
		skip();
	child = fork();
	if (!child) {
		all.rlim_cur = all.rlim_max;
		setrlimit(RLIMIT_NOFILE, &all);
		for (int i = 0; i < CS_PROCESS_FDS + 100; i++)
			(void)!dup(0);
		raise(SIGSTOP);
		_exit(0);
	}
	assert_int_equal(waitpid(child, NULL, WUNTRACED), child);
	assert_int_equal(cs_process_open(&p, child, geteuid()), 0);
	cs_process_sockets(&p, &sources, -1, 0, &links);
	assert_int_equal(links, CS_PROCESS_FDS);
	cs_process_close(&p, -1);
	end_child(child);
}

/* A connection of two sockets on this node. */
static void connect_pair(int ret[2])
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof at;
	int door = socket(AF_INET, SOCK_STREAM, 0);

	assert_int_equal(bind(door, (struct sockaddr *)&at, sizeof at), 0);
	assert_int_equal(listen(door, 1), 0);
	assert_int_equal(getsockname(door, (struct sockaddr *)&at, &len), 0);
	ret[0] = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(connect(ret[0], (struct sockaddr *)&at, sizeof at), 0);
	ret[1] = accept(door, NULL, NULL);
	assert_true(ret[1] >= 0);
	close(door);
}

static void unread_messages_of_a_process_are_seen(void **state)
{
	static struct cs_sources sources;
	int pair[2], epoll = epoll_create1(0);
	struct cs_process p;
	unsigned links = 0;
	pid_t child;
	char c;

	(void)state;
	connect_pair(pair);
	child = sleeper();
	close(pair[1]); /* the child's */
	assert_int_equal(cs_process_open(&p, child, geteuid()), 0);
	if (cs_process_sockets(&p, &sources, epoll, 0, &links)) {
		cs_process_close(&p, epoll);
		end_child(child);
		skip(); /* no pidfd_getfd here */
	}
	/* Both ends are the child's; nothing is unread until this end sends. */
	for (uint32_t i = 0; i < CS_PROCESS_SOCKETS; i++)
		assert_false(cs_process_unread(&p, i));
	assert_int_equal(write(pair[0], "x", 1), 1);
	usleep(10000);
	{
		unsigned unread = 0;

		for (uint32_t i = 0; i < CS_PROCESS_SOCKETS; i++)
			if (cs_process_unread(&p, i)) {
				unread++;
				assert_int_equal(p.socket[i].source, 0);
				assert_int_equal(read(p.socket[i].fd, &c, 1),
						 1);
			}
		assert_int_equal(unread, 1);
	}
	cs_process_close(&p, epoll);
	end_child(child);
	/* No copy is left that would keep the connection. */
	assert_int_equal(read(pair[0], &c, 1), 0);
	close(pair[0]);
	close(epoll);
}

/* --- the token ---------------------------------------------------------------------- */

struct rig {
	struct cs_core core;
	struct cs_proc_tables t;
};

static void rig_init(struct rig *r)
{
	cs_core_init(&r->core, 0);
	assert_int_equal(cs_proc_tables_init(&r->t, 3, 4), 0);
}

static void arrive(struct rig *r, struct cs_proc_pending m, double ed,
		   double enp)
{
	struct cs_proc_latency l = { ed, enp };

	assert_int_equal(cs_proc_tables_arrived(&r->t, &m, &l), 0);
}

/* The example of proc/reorder.c, in milliseconds. */
static void the_token_goes_by_algorithm_1(void **state)
{
	struct cs_proc_pending m[2] = { { 0, 1, 0 }, { 1, 1, 8 * MS } };
	struct rig r;

	(void)state;
	rig_init(&r);
	arrive(&r, m[0], 4e6, 3);
	arrive(&r, m[1], 4e6, 2);
	assert_int_equal(cs_core_switch(&r.core, &r.t, m, 2, 10 * MS), 0);
	assert_int_equal(r.core.counts.switches, 1);
	assert_int_equal(r.core.counts.conflicts, 1);
	assert_int_equal(r.core.counts.falses, 0);
	assert_close(r.core.l.enp, 1, 1e-9);
	/* The holder's stay of 5 ms is ED's first part. */
	assert_int_equal(cs_core_switch(&r.core, &r.t, m + 1, 1, 15 * MS), 1);
	assert_close(r.core.l.ed_ns, .2 * 5e6, 1e-9);
	assert_int_equal(r.core.counts.conflicts, 1);
	assert_int_equal(cs_core_switch(&r.core, &r.t, NULL, 0, 16 * MS),
			 CS_PROC_NONE);
	assert_int_equal(r.core.counts.switches, 2);
	cs_proc_tables_done(&r.t);
}

static void a_message_that_waits_too_long_goes_first(void **state)
{
	struct cs_proc_pending m[2] = { { 0, 1, 200 * MS },
					{ 1, 2, 101 * MS } };
	struct rig r;

	(void)state;
	rig_init(&r);
	arrive(&r, m[0], 0,
	       0); /* of an empty node: least ERL but for the wait */
	arrive(&r, m[1], 1e9, 5);
	assert_int_equal(cs_core_switch(&r.core, &r.t, m, 2, 200 * MS), 0);
	assert_int_equal(cs_core_switch(&r.core, &r.t, m, 2, 201 * MS), 1);
	assert_int_equal(r.core.counts.falses, 1);
	cs_proc_tables_done(&r.t);
}

static void a_boost_has_its_share_of_a_window(void **state)
{
	struct cs_core c;

	(void)state;
	cs_core_init(&c, 0);
	assert_int_equal(cs_core_boost_left(&c, 80 * MS, 0), 80 * MS);
	cs_core_boosted(&c, 50 * MS, 50 * MS);
	assert_int_equal(cs_core_boost_left(&c, 80 * MS, 60 * MS), 30 * MS);
	cs_core_boosted(&c, 35 * MS, 99 * MS);
	assert_int_equal(cs_core_boost_left(&c, 80 * MS, 99 * MS), 0);
	assert_int_equal(cs_core_boost_left(&c, 80 * MS, 100 * MS), 80 * MS);
}

/* --- ranks ---------------------------------------------------------------------------- */

static struct cs_agent agent;

static void agent_init(enum cs_node_boost boost)
{
	memset(&agent, 0, sizeof agent);
	agent.dir = agent.root = root;
	agent.boost = boost;
	agent.any_process = true;
	agent.page = -1;
	agent.epoll = epoll_create1(EPOLL_CLOEXEC);
	for (int cpu = 0; cpu < CS_NODE_CPUS; cpu++)
		cs_core_init(&agent.core[cpu], 0);
	assert_int_equal(cs_proc_tables_init(&agent.tables, CS_CORE_SOURCES,
					     CS_AGENT_RANKS),
			 0);
}

static void agent_done(void)
{
	while (agent.rows)
		cs_agent_remove(&agent, agent.rows - 1);
	for (int i = 0; i < CS_SCAN_USERS; i++)
		if (agent.user[i].used)
			cs_agent_close_user(&agent, &agent.user[i]);
	cs_scan_done(&agent.scan);
	cs_proc_tables_done(&agent.tables);
	close(agent.epoll);
}

/* A child that is a rank on the board, in the next mode after each byte. */
static pid_t child_rank(int to_child[2], int from_child[2])
{
	struct cs_board_row row = { .mode = CS_WAIT_PROC_B };
	struct cs_board own;
	pid_t child;
	char c;

	assert_int_equal(pipe(to_child), 0);
	assert_int_equal(pipe(from_child), 0);
	child = fork();
	if (!child) {
		if (cs_board_join(&own, root, KEY, 9))
			_exit(1);
		do {
			cs_board_post(&own, &row);
			row.mode = CS_WAIT_IB;
		} while (write(from_child[1], "x", 1) == 1 &&
			 read(to_child[0], &c, 1) == 1);
		_exit(0);
	}
	assert_int_equal(read(from_child[0], &c, 1), 1);
	return child;
}

/* Rank @row, as after its HELLO, held back by boost idle. */
static void hold_back(uint32_t row)
{
	struct cs_rank *r = &agent.rank[row];

	r->address_len = sizeof(sa_family_t);
	assert_int_equal(cs_process_set_policy(&r->p, SCHED_IDLE), 0);
	assert_int_equal(sched_getscheduler(r->p.pid),
			 SCHED_IDLE | SCHED_RESET_ON_FORK);
}

static void a_rank_that_takes_part_no_more_has_its_policy(void **state)
{
	int to_child[2], from_child[2];
	cpu_set_t all, one;
	pid_t child;
	uint32_t row;
	char c;

	(void)state;
	sched_getaffinity(0, sizeof all, &all);
	if (geteuid() || CPU_COUNT(&all) < 2)
		skip(); /* to leave SCHED_IDLE may need a right */
	child = child_rank(to_child, from_child);
	CPU_ZERO(&one);
	for (int cpu = 0; !CPU_COUNT(&one); cpu++)
		if (CPU_ISSET(cpu, &all))
			CPU_SET(cpu, &one);
	sched_setaffinity(child, sizeof one, &one);
	agent_init(CS_NODE_IDLE);
	cs_agent_scan(&agent, 1);
	row = cs_agent_find(&agent, (uint32_t)child);
	assert_int_not_equal(row, CS_PROC_NONE);
	hold_back(row);
	cs_agent_scan(&agent, 2); /* nothing has changed */
	assert_int_equal(sched_getscheduler(child),
			 SCHED_IDLE | SCHED_RESET_ON_FORK);
	sched_setaffinity(child, sizeof all, &all);
	cs_agent_scan(&agent, 3);
	assert_int_equal(agent.rank[row].p.cpu, -1);
	assert_int_equal(sched_getscheduler(child), SCHED_OTHER);
	sched_setaffinity(child, sizeof one, &one);
	cs_agent_scan(&agent, 4);
	hold_back(row);
	assert_int_equal(write(to_child[1], "x", 1), 1);
	assert_int_equal(read(from_child[0], &c, 1), 1);
	cs_agent_scan(&agent, 5);
	assert_int_equal(agent.rank[row].row.mode, CS_WAIT_IB);
	assert_int_equal(sched_getscheduler(child), SCHED_OTHER);
	agent_done();
	end_child(child);
	for (int i = 0; i < 2; i++) {
		close(to_child[i]);
		close(from_child[i]);
	}
}

/* A user whose socket is one end of @pair. */
static struct cs_user *open_pair(int pair[2])
{
	struct cs_user *u = &agent.user[0];
	int one = 1;

	assert_int_equal(
		socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, pair), 0);
	assert_int_equal(
		setsockopt(pair[0], SOL_SOCKET, SO_PASSCRED, &one, sizeof one),
		0);
	*u = (struct cs_user){ .used = true, .uid = geteuid(), .fd = pair[0] };
	return u;
}

static void send_word(struct cs_user *u, int fd, enum cs_token_word word)
{
	const struct cs_token_note note = { .magic = CS_TOKEN_MAGIC,
					    .word = word };

	assert_int_equal(send(fd, &note, sizeof note, 0), sizeof note);
	cs_agent_note(&agent, u);
}

/* As the ranks of a PID namespace do ten times a second each. */
static void datagrams_of_unknown_ranks_bring_few_scans_forward(void **state)
{
	struct cs_user *u;
	int64_t now_ns;
	int pair[2];

	(void)state;
	agent_init(CS_NODE_TOKEN);
	u = open_pair(pair);
	send_word(u, pair[1], CS_TOKEN_HELLO);
	assert_true(agent.rescan);
	u->used = false; /* without a folder the scan would close it */
	now_ns = cs_agent_now_ns();
	cs_agent_scan(&agent, now_ns);
	assert_false(agent.rescan);
	assert_int_equal(agent.early_ns, now_ns + CS_AGENT_EARLY_NS);
	send_word(u, pair[1], CS_TOKEN_HELLO);
	assert_false(agent.rescan);
	agent_done();
	close(pair[0]);
	close(pair[1]);
}

/* A rank alone on a core that falls asleep and wakes all the time. */
static void switches_of_a_tick_are_bounded(void **state)
{
	struct cs_rank *r = &agent.rank[0];
	struct cs_user *u;
	int pair[2];

	(void)state;
	agent_init(CS_NODE_TOKEN);
	u = open_pair(pair);
	assert_int_equal(cs_process_open(&r->p, getpid(), geteuid()), 0);
	r->used = true;
	r->uid = geteuid();
	r->row.pid = (uint32_t)getpid();
	r->row.mode = CS_WAIT_PROC_B;
	r->p.cpu = 0;
	r->address_len = sizeof(sa_family_t);
	agent.rows = 1;
	for (int i = 0; i < CS_AGENT_SWITCHES; i++) {
		send_word(u, pair[1], CS_TOKEN_READY);
		send_word(u, pair[1], CS_TOKEN_SLEEP);
	}
	assert_int_equal(agent.core[0].counts.switches, CS_AGENT_SWITCHES / 2);
	send_word(u, pair[1], CS_TOKEN_READY);
	assert_int_equal(agent.core[0].holder, CS_PROC_NONE);
	/* The next tick gives it its turn. */
	memset(agent.switches, 0, sizeof agent.switches);
	cs_agent_quantum(&agent, cs_agent_now_ns());
	assert_int_equal(agent.core[0].holder, 0);
	u->used = false;
	agent_done();
	close(pair[0]);
	close(pair[1]);
}

/* --- the page ------------------------------------------------------------------------ */

static void the_page_is_read_as_written(void **state)
{
	static struct cs_node_report out, in;
	int write_fd, read_fd;

	(void)state;
	write_fd = cs_node_page_create(root);
	assert_true(write_fd >= 0);
	out.n_core = 1;
	out.core[0] = (struct cs_node_core){ .cpu = 9, .switches = 4 };
	out.n_job = 1;
	memset(out.job[0].key, 'k', sizeof out.job[0].key);
	assert_int_equal(cs_node_page_write(write_fd, &out), 0);
	assert_int_equal(cs_node_page_set_token(write_fd, 9, 77), 0);
	assert_int_equal(cs_node_page_set_token(write_fd, CS_NODE_CPUS, 77),
			 -EINVAL);
	read_fd = cs_node_page_open(root);
	assert_true(read_fd >= 0);
	assert_int_equal(cs_node_page_read(read_fd, &in), 0);
	assert_int_equal(in.n_core, 1);
	assert_int_equal(in.core[0].cpu, 9);
	assert_int_equal(strlen(in.job[0].key), sizeof in.job[0].key - 1);
	assert_int_equal(cs_node_page_token(read_fd, 9), 77);
	assert_int_equal(cs_node_page_token(read_fd, 8), 0);
	assert_int_equal(cs_node_page_token(read_fd, -1), 0);
	assert_int_equal(cs_node_page_token(read_fd, CS_NODE_CPUS), 0);
	/* An agent that was killed while it wrote. */
	out.head.round |= 1;
	assert_int_equal(pwrite(write_fd, &out.head, sizeof out.head, 0),
			 sizeof out.head);
	assert_int_equal(cs_node_page_read(read_fd, &in), -EAGAIN);
	assert_int_equal(ftruncate(write_fd, 100), 0);
	assert_int_equal(cs_node_page_read(read_fd, &in), -EBADMSG);
	close(write_fd);
	close(read_fd);
}

static void a_page_that_others_may_write_is_refused(void **state)
{
	char path[160];

	(void)state;
	close(cs_node_page_create(root));
	snprintf(path, sizeof path, "%s/" CS_NODE_PAGE, root);
	assert_int_equal(chmod(path, 0666), 0);
	assert_int_equal(cs_node_page_open(root), -EPERM);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(cs_node_page_open(root), -ENOENT);
	assert_int_equal(symlink("/etc/passwd", path), 0);
	assert_int_equal(cs_node_page_open(root), -ELOOP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_board_claims_its_ranks, join,
						leave),
		cmocka_unit_test_setup_teardown(
			a_board_of_another_size_is_refused, join, leave),
		cmocka_unit_test_setup_teardown(links_and_pipes_are_refused,
						join, leave),
		cmocka_unit_test_setup_teardown(
			a_folder_that_others_may_enter_is_refused, join, leave),
		cmocka_unit_test_setup_teardown(
			a_folder_of_another_name_than_its_owners_is_refused,
			join, leave),
		cmocka_unit_test_setup_teardown(another_users_file_is_refused,
						join, leave),
		cmocka_unit_test_setup_teardown(noise_is_refused, join, leave),
		cmocka_unit_test_setup_teardown(names_are_bounded, join, leave),
		cmocka_unit_test_setup_teardown(
			one_users_rows_leave_room_for_others, join, leave),
		cmocka_unit_test_setup_teardown(
			folders_that_a_scan_leaves_out_come_first_in_the_next,
			join, leave),
		cmocka_unit_test_setup_teardown(
			a_long_root_is_listed_over_several_scans, join, leave),
		cmocka_unit_test(a_process_must_be_the_owners),
		cmocka_unit_test(a_policy_is_given_back),
		cmocka_unit_test(a_policy_of_the_users_own_is_left_alone),
		cmocka_unit_test(a_cgroup_of_a_job_step_is_known),
		cmocka_unit_test(a_process_that_left_its_user_is_not_touched),
		cmocka_unit_test(looks_at_descriptors_are_bounded),
		cmocka_unit_test(unread_messages_of_a_process_are_seen),
		cmocka_unit_test_teardown(
			a_rank_that_takes_part_no_more_has_its_policy, leave),
		cmocka_unit_test_teardown(
			datagrams_of_unknown_ranks_bring_few_scans_forward,
			leave),
		cmocka_unit_test_teardown(switches_of_a_tick_are_bounded,
					  leave),
		cmocka_unit_test(the_token_goes_by_algorithm_1),
		cmocka_unit_test(a_message_that_waits_too_long_goes_first),
		cmocka_unit_test(a_boost_has_its_share_of_a_window),
		cmocka_unit_test_teardown(the_page_is_read_as_written, leave),
		cmocka_unit_test_teardown(
			a_page_that_others_may_write_is_refused, leave),
	};

	if (!mkdtemp(root))
		return 1;
	board.fd = board.bell = -1;
	return cmocka_run_group_tests(tests, NULL, NULL) | rmdir(root);
}
