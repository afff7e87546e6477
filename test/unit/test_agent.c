/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The agent of a node: what it takes from boards and processes (scan.c, process.c), whose
 * turn it is (core.c), and its page (node_page.c). */
#include "cs_test.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/core.h"
#include "agent/process.h"
#include "agent/scan.h"
#include "wait/node_page.h"

#define KEY "00000000000000ff"
#define ROOM 64
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
	static struct cs_claim claim[ROOM];
	struct cs_scan s = { .claim = claim, .room = ROOM };

	assert_int_equal(cs_scan_boards(&s, root), 0);
	if (ret && s.n)
		*ret = claim[0];
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
	/* a pipe: no wait for somebody who writes */
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
	static struct cs_claim claim[2];
	struct cs_scan s = { .claim = claim, .room = 2 };
	char name[40];

	(void)state;
	for (int i = 0; i < 600; i++) {
		snprintf(name, sizeof name, KEY ".%d", 4 + i);
		close(open(path_of(name), O_CREAT | O_WRONLY, 0600));
	}
	assert_int_equal(cs_scan_boards(&s, root), 0);
	assert_true(s.n <= 2);
	assert_true(s.tries <= CS_SCAN_TRIES);
	assert_true(s.tries >= 500);
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
	pid_t child;
	char c;

	(void)state;
	connect_pair(pair);
	child = sleeper();
	close(pair[1]); /* the child's */
	assert_int_equal(cs_process_open(&p, child, geteuid()), 0);
	if (cs_process_sockets(&p, &sources, epoll, 0)) {
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

static void who_waits_too_long_goes_first(void **state)
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
		cmocka_unit_test(a_process_must_be_the_owners),
		cmocka_unit_test(a_policy_is_given_back),
		cmocka_unit_test(a_policy_of_the_users_own_is_left_alone),
		cmocka_unit_test(unread_messages_of_a_process_are_seen),
		cmocka_unit_test(the_token_goes_by_algorithm_1),
		cmocka_unit_test(who_waits_too_long_goes_first),
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
