/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The board and its doorbells (board.c): what holds whatever became of the file. */
#include "cs_test.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "wait/board.h"

#define KEY "00000000000000ff"
#define BELLS 2048 /* board.c */

static char root[] = "/tmp/cosched-board.XXXXXX";

static void path_of(char *path, size_t size, const char *name)
{
	snprintf(path, size, "%s/cosched-wait.%lu%s%s", root,
		 (unsigned long)geteuid(), *name ? "/" : "", name);
}

static bool there(const char *name)
{
	char path[128];

	path_of(path, sizeof path, name);
	return !access(path, F_OK);
}

static struct cs_board joined(uint32_t slot)
{
	struct cs_board_row row = { .mode = 2 };
	struct cs_board b;

	assert_int_equal(cs_board_join(&b, root, KEY, slot), 0);
	cs_board_post(&b, &row);
	return b;
}

static bool rung(const struct cs_board *b)
{
	struct pollfd fd = { b->bell, POLLIN, 0 };

	return poll(&fd, 1, 0) == 1;
}

static void only_its_user_may_enter(void **state)
{
	struct cs_board b = joined(0);
	struct stat st;
	char path[128];

	(void)state;
	path_of(path, sizeof path, "");
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	path_of(path, sizeof path, KEY);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	cs_board_leave(&b);
	assert_false(there(""));
}

static void a_foreign_folder_is_refused(void **state)
{
	struct cs_board b;
	char path[128];

	(void)state;
	path_of(path, sizeof path, "");
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(chmod(path, 0770), 0);
	assert_int_equal(cs_board_join(&b, root, KEY, 0), -EPERM);
	assert_int_equal(b.fd, -1);
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(symlink("/tmp", path), 0);
	assert_int_equal(cs_board_join(&b, root, KEY, 0), -EPERM);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(cs_board_join(&b, "/proc/none", KEY, 0), -ENOENT);
	assert_int_equal(cs_board_join(&b, root, KEY, CS_BOARD_SLOTS), -EINVAL);
	cs_board_leave(&b); /* of none */
	if (geteuid())
		return;
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(chown(path, 1, 1), 0);
	assert_int_equal(cs_board_join(&b, root, KEY, 0), -EPERM);
	assert_int_equal(rmdir(path), 0);
}

static void a_row_is_taken_whole_or_not(void **state)
{
	struct cs_board a = joined(0), b = joined(5);
	struct cs_board_row row = { .sleeps = 7, .slept_ns = 9 }, got;

	(void)state;
	cs_board_post(&b, &row);
	assert_int_equal(cs_board_read(a.fd, 5, &got), 0);
	assert_int_equal(got.sleeps, 7);
	assert_int_equal(got.slept_ns, 9);
	assert_int_equal(got.pid, getpid());
	assert_int_equal(cs_board_read(a.fd, 4, &got), -ENOENT);
	assert_int_equal(cs_board_read(a.fd, CS_BOARD_SLOTS, &got), -EBADMSG);
	for (off_t at = 0; at < (off_t)sizeof row; at++) {
		off_t where = 6 * CS_BOARD_PAGE + at;
		unsigned char was, byte;

		assert_int_equal(pread(a.fd, &was, 1, where), 1);
		byte = was ^ 0x40;
		assert_int_equal(pwrite(a.fd, &byte, 1, where), 1);
		assert_int_equal(cs_board_read(a.fd, 5, &got), -EBADMSG);
		assert_int_equal(pwrite(a.fd, &was, 1, where), 1);
	}
	assert_int_equal(cs_board_read(a.fd, 5, &got), 0);
	cs_board_leave(&b);
	assert_int_equal(cs_board_read(a.fd, 5, &got), -ENOENT);
	assert_true(there(KEY));
	cs_board_leave(&a);
	assert_false(there(""));
}

static void sleepers_are_rung(void **state)
{
	struct cs_board a = joined(0), b = joined(1), c = joined(2);

	(void)state;
	assert_int_equal(cs_board_ring(&a), 0);
	cs_board_sleep(&b, true);
	cs_board_sleep(&a, true); /* it does not ring itself */
	assert_int_equal(cs_board_ring(&a), 1);
	assert_true(rung(&b));
	assert_false(rung(&c));
	assert_int_equal(cs_board_heard(&b), 1);
	assert_false(rung(&b));
	cs_board_sleep(&b, false);
	assert_int_equal(cs_board_ring(&c), 1);
	assert_true(rung(&a));
	for (int i = 0; i < 1000; i++) /* none waits for room */
		cs_board_ring(&c);
	assert_in_range(cs_board_heard(&a), 1, 1000);
	cs_board_leave(&a);
	cs_board_leave(&b);
	cs_board_leave(&c);
}

/* Rule 3: a program that a rank starts has the rank's slot in its environment. */
static void a_slot_that_is_taken_is_refused(void **state)
{
	struct cs_board a = joined(0), b = joined(1), second;

	(void)state;
	assert_int_equal(cs_board_join(&second, root, KEY, 1), -EADDRINUSE);
	assert_int_equal(second.fd, -1);
	assert_int_equal(second.bell, -1);
	cs_board_leave(&second);
	assert_true(there(KEY ".1"));
	cs_board_sleep(&b, true);
	assert_int_equal(cs_board_ring(&a), 1);
	assert_true(rung(&b));
	cs_board_leave(&b);
	second = joined(1);
	cs_board_leave(&second);
	cs_board_leave(&a);
	assert_false(there(""));
}

/* Rule 3, and the sweep: a rank that is killed leaves nothing for ever. */
static void a_killed_rank_is_forgotten(void **state)
{
	struct cs_board a = joined(0);
	int told[2], status;
	char byte;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(told), 0);
	pid = fork();
	if (!pid) {
		struct cs_board b = joined(1);

		cs_board_sleep(&b, true);
		byte = 1;
		if (write(told[1], &byte, 1) == 1)
			pause();
		_exit(1);
	}
	assert_int_equal(read(told[0], &byte, 1), 1);
	assert_int_equal(cs_board_ring(&a), 1);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(pread(a.fd, &byte, 1, BELLS + 1), 1);
	assert_int_equal(byte, 1);
	assert_int_equal(cs_board_ring(&a), 0);
	assert_int_equal(pread(a.fd, &byte, 1, BELLS + 1), 1);
	assert_int_equal(byte, 0);
	assert_true(there(KEY ".1"));
	assert_int_equal(cs_board_sweep(root, CS_BOARD_STALE_S), 0); /* young */
	assert_true(there(KEY ".1"));
	assert_int_equal(cs_board_sweep(root, 0), 0); /* rank 0 lives */
	assert_true(there(KEY));
	assert_true(there(KEY ".0"));
	assert_false(there(KEY ".1"));
	cs_board_leave(&a);
	assert_false(there(""));
	close(told[0]);
	close(told[1]);
}

static void a_board_of_the_dead_is_swept(void **state)
{
	int status;
	pid_t pid = fork();

	(void)state;
	if (!pid) {
		struct cs_board b = joined(3);

		raise(SIGKILL);
		_exit(b.fd);
	}
	/* It has ended; its number stays until it is waited for. */
	assert_int_equal(waitid(P_PID, (id_t)pid, NULL, WEXITED | WNOWAIT), 0);
	assert_int_equal(kill(pid, 0), 0);
	assert_true(there(KEY));
	assert_int_equal(cs_board_sweep(root, CS_BOARD_STALE_S), 0); /* young */
	assert_int_equal(cs_board_sweep(root, 0), 1);
	assert_false(there(KEY));
	assert_false(there(KEY ".3"));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
}

static void a_cut_board_is_given_up(void **state)
{
	struct cs_board a = joined(0), b = joined(1);

	(void)state;
	assert_int_equal(ftruncate(a.fd, 100), 0);
	assert_int_equal(cs_board_ring(&b), 0);
	assert_int_equal(b.fd, -1);
	assert_int_equal(cs_board_ring(&b), 0); /* and is quiet from then on */
	cs_board_sleep(&b, true);
	cs_board_post(&b, &(struct cs_board_row){ .mode = 1 });
	cs_board_leave(&b);
	cs_board_leave(&a);
}

/* A board in the making is named apart from doorbells; what a killed rank with this
 * process's number left of one does not hinder. */
static void a_board_left_in_the_making_is_replaced(void **state)
{
	struct cs_board a = joined(0), b;
	char path[128], name[64];
	int fd;

	(void)state;
	path_of(path, sizeof path, KEY);
	assert_int_equal(unlink(path), 0);
	snprintf(name, sizeof name, KEY ".new%ld", (long)getpid());
	path_of(path, sizeof path, name);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0400);
	assert_true(fd >= 0);
	close(fd);
	b = joined(1);
	assert_true(there(KEY));
	assert_false(there(name));
	cs_board_leave(&b);
	cs_board_leave(&a);
	assert_false(there(""));
}

static void a_removed_board_harms_no_rank(void **state)
{
	struct cs_board a = joined(0), b = joined(1), c;
	char path[128];

	(void)state;
	path_of(path, sizeof path, KEY);
	assert_int_equal(unlink(path), 0);
	cs_board_sleep(&b, true);
	assert_int_equal(cs_board_ring(&a), 1); /* both still have the file */
	c = joined(2);				/* a new one */
	assert_int_equal(cs_board_ring(&c), 0);
	cs_board_leave(&a);
	cs_board_leave(&b);
	cs_board_leave(&c);
	cs_board_sweep(root, 0);
	assert_false(there(KEY));
}

/* Rule 4: no write goes into a file that the program opened by our number. */
static void another_file_is_not_written(void **state)
{
	struct cs_board a = joined(0);
	FILE *other = tmpfile();
	struct stat st;
	int fd = a.fd;

	(void)state;
	assert_non_null(other);
	assert_int_equal(dup2(fileno(other), fd), fd);
	cs_board_sleep(&a, true);
	assert_int_equal(a.fd, -1);
	a.fd = fd;
	cs_board_post(&a, &(struct cs_board_row){ .mode = 1 });
	a.fd = fd;
	cs_board_leave(&a);
	assert_int_equal(fstat(fd, &st), 0); /* nor closed */
	assert_int_equal(st.st_size, 0);
	close(fd);
	fclose(other);
	cs_board_sweep(root, 0);
}

/* Rule 4 for the doorbell: nothing is sent or received on a socket that the program
 * opened by its number. */
static void another_socket_is_not_used(void **state)
{
	struct cs_board a = joined(0), b = joined(1);
	int fd = a.bell, two[2];
	char byte = 7;

	(void)state;
	assert_int_equal(
		socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, two), 0);
	assert_int_equal(dup2(two[0], fd), fd);
	cs_board_sleep(&b, true);
	assert_int_equal(cs_board_ring(&a), 0);
	assert_false(rung(&b));
	assert_int_equal(a.bell, -1);
	a.bell = fd;
	assert_int_equal(write(two[1], &byte, 1), 1);
	assert_int_equal(cs_board_heard(&a), 0);
	assert_int_equal(a.bell, -1);
	assert_int_equal(read(fd, &byte, 1), 1);
	assert_true(there(KEY ".0"));
	a.bell = fd;
	cs_board_leave(&a);
	assert_int_equal(write(two[1], &byte, 1), 1); /* it is still open */
	assert_int_equal(read(fd, &byte, 1), 1);
	assert_false(there(KEY ".0"));
	close(fd);
	close(two[0]);
	close(two[1]);
	cs_board_leave(&b);
	assert_false(there(""));
}

/* A program may close descriptors that it has not opened. */
static void a_closed_doorbell_is_given_up(void **state)
{
	struct cs_board a = joined(0);

	(void)state;
	close(a.bell);
	assert_int_equal(cs_board_heard(&a), 0);
	assert_int_equal(a.bell, -1);
	assert_true(there(KEY ".0"));
	cs_board_leave(&a);
	assert_false(there(""));
}

static void make_noise(int fd, uint64_t *seed)
{
	unsigned n = (unsigned)cs_test_draw(seed, 400);
	unsigned char byte[64];

	if (!cs_test_draw(seed, 4) &&
	    ftruncate(fd, (off_t)cs_test_draw(seed, 40 * CS_BOARD_PAGE)))
		fail();
	while (n--) {
		off_t at = (off_t)cs_test_draw(
			seed, cs_test_draw(seed, 2) ? CS_BOARD_PAGE
						    : 40 * CS_BOARD_PAGE);

		for (unsigned i = 0; i < sizeof byte; i++)
			byte[i] = (unsigned char)cs_test_draw(seed, 256);
		assert_int_equal(pwrite(fd, byte, sizeof byte, at),
				 sizeof byte);
	}
}

/* Two ranks go on whatever noise their board holds; a third that joins has one that
 * works. */
static void live_with_noise(uint64_t *seed)
{
	struct cs_board a = joined(0), b = joined(1), c;
	struct cs_board_row row;
	int fd = dup(a.fd);

	make_noise(fd, seed);
	for (int k = 0; k < 4; k++) {
		cs_board_sleep(&b, cs_test_draw(seed, 2));
		assert_in_range(cs_board_ring(&a), 0, 1);
		assert_in_range(cs_board_ring(&b), 0, 1);
		cs_board_post(&a, &(struct cs_board_row){ .mode = 1 });
	}
	for (uint32_t slot = 0; slot < 40; slot++)
		if (!cs_board_read(fd, slot, &row))
			assert_int_equal(row.pid, getpid());
	c = joined(2);
	assert_int_equal(cs_board_read(c.fd, 2, &row), 0);
	cs_board_leave(&c);
	cs_board_leave(&a);
	cs_board_leave(&b);
	close(fd);
}

static void noise_costs_doorbells_only(void **state)
{
	uint64_t seed = cs_test_seed();
	uint64_t rounds = cs_test_worlds(300);
	int status;
	pid_t pid;

	(void)state;
	print_message("seed %llu\n", (unsigned long long)seed);
	pid = fork();
	if (!pid) {
		while (rounds--)
			live_with_noise(&seed);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	cs_board_sweep(root, 0); /* rows that the noise kept from being wiped */
	assert_false(there(KEY));
}

/* Jobs of a user end while others begin: each has a board, and none is left. */
static void many_join_and_leave_at_once(void **state)
{
	int status, failures = 0;

	(void)state;
	for (int p = 0; p < 4; p++) {
		if (fork())
			continue;
		for (int i = 0; i < 200; i++) {
			struct cs_board b;
			char key[17];

			snprintf(key, sizeof key, "%016x", p / 2);
			if (cs_board_join(&b, root, key, (uint32_t)p % 2))
				_exit(1);
			cs_board_post(&b, &(struct cs_board_row){ .mode = 1 });
			cs_board_leave(&b);
		}
		_exit(0);
	}
	for (int p = 0; p < 4; p++) {
		assert_true(wait(&status) > 0);
		failures += status != 0;
	}
	assert_int_equal(failures, 0);
	cs_board_sweep(root, 0);
	if (there("")) {
		char path[128];

		path_of(path, sizeof path, "");
		assert_int_equal(rmdir(path), 0); /* it is empty */
	}
}

static int teardown(void **state)
{
	(void)state;
	return rmdir(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_its_user_may_enter),
		cmocka_unit_test(a_foreign_folder_is_refused),
		cmocka_unit_test(a_row_is_taken_whole_or_not),
		cmocka_unit_test(sleepers_are_rung),
		cmocka_unit_test(a_slot_that_is_taken_is_refused),
		cmocka_unit_test(a_killed_rank_is_forgotten),
		cmocka_unit_test(a_board_of_the_dead_is_swept),
		cmocka_unit_test(a_cut_board_is_given_up),
		cmocka_unit_test(a_board_left_in_the_making_is_replaced),
		cmocka_unit_test(a_removed_board_harms_no_rank),
		cmocka_unit_test(another_file_is_not_written),
		cmocka_unit_test(another_socket_is_not_used),
		cmocka_unit_test(a_closed_doorbell_is_given_up),
		cmocka_unit_test(noise_costs_doorbells_only),
		cmocka_unit_test(many_join_and_leave_at_once),
	};

	if (!mkdtemp(root))
		return 1;
	return cmocka_run_group_tests(tests, NULL, teardown);
}
