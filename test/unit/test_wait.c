/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a rank waits: the setting, the decision at an idle pass (idle.c), its place in
 * the job, libraries by their names, descriptors. */
#include "cs_test.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "wait/fdset.h"
#include "wait/idle.h"
#include "wait/library.h"
#include "wait/mode.h"
#include "wait/place.h"

#define US INT64_C(1000)

/* --- the setting ------------------------------------------------------------------ */

static void each_mode_has_a_name(void **state)
{
	(void)state;
	for (int m = 0; m < CS_WAIT_N_MODE; m++) {
		struct cs_wait_setting s = { CS_WAIT_N_MODE, -1 };
		const char *name = cs_wait_mode_name((enum cs_wait_mode)m);

		assert_int_equal(cs_wait_mode_parse(name, &s), 0);
		assert_int_equal(s.mode, m);
		assert_int_equal(s.spin_ns, m == CS_WAIT_SB ? 100 * US : 0);
	}
}

static void only_spin_block_has_a_time(void **state)
{
	static const char *const BAD[] = {
		"",	  "IB",	   "ibx",      "i",
		"ib:5",	  "sb:",   "sb:-1",    "sb:+1",
		"sb: 1",  "sb:1x", "sb:20001", " sb",
		"sb:1:1", "proc",  "proc-b:1", "sb:99999999999999999999",
	};
	struct cs_wait_setting s = { CS_WAIT_YIELD, 7 };

	(void)state;
	for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
		assert_int_equal(cs_wait_mode_parse(BAD[i], &s), -EINVAL);
		assert_int_equal(s.mode, CS_WAIT_YIELD);
		assert_int_equal(s.spin_ns, 7);
	}
	assert_int_equal(cs_wait_mode_parse("sb:0", &s), 0);
	assert_int_equal(s.spin_ns, 0);
	assert_int_equal(cs_wait_mode_parse("sb:20000", &s), 0);
	assert_int_equal(s.spin_ns, 20000 * US);
}

/* --- the decision ------------------------------------------------------------------ */

static struct cs_wait_setting set(const char *mode)
{
	struct cs_wait_setting s;

	assert_int_equal(cs_wait_mode_parse(mode, &s), 0);
	return s;
}

static enum cs_idle_do pass(struct cs_idle *w, const char *mode, int64_t us)
{
	struct cs_wait_setting s = set(mode);
	struct cs_idle_step step = cs_idle_pass(w, &s, us * US, true);

	cs_idle_done(w, us * US);
	return step.what;
}

/* Rule 3: a wait begins with two passes without a sleep. */
static void the_first_passes_return(void **state)
{
	struct cs_idle w = { 0 };

	(void)state;
	assert_int_equal(pass(&w, "ib", 1000), CS_IDLE_RETURN);
	assert_int_equal(pass(&w, "ib", 1001), CS_IDLE_RETURN);
	assert_int_equal(pass(&w, "ib", 1002), CS_IDLE_SLEEP);
	assert_int_equal(pass(&w, "ib", 1003), CS_IDLE_SLEEP);
}

/* Rule 2: the hook may be called in the pass that received. */
static void what_was_received_begins_a_new_wait(void **state)
{
	struct cs_idle w = { 0 };

	(void)state;
	for (int us = 0; us < 3; us++)
		pass(&w, "ib", us);
	for (int us = 10; us < 40; us += 3) {
		cs_idle_received(&w);
		assert_int_equal(pass(&w, "ib", us), CS_IDLE_RETURN);
		assert_int_equal(pass(&w, "ib", us + 1), CS_IDLE_RETURN);
		assert_int_equal(pass(&w, "ib", us + 2), CS_IDLE_SLEEP);
	}
}

/* Rules 1 and 3: a program that computes 150 us between two calls of MPI_Test(). */
static void a_program_that_computes_never_sleeps(void **state)
{
	struct cs_idle w = { 0 };

	(void)state;
	for (int us = 1000; us < 100000; us += 150)
		assert_int_equal(pass(&w, "ib", us), CS_IDLE_RETURN);
}

/* Rule 4: mode sb spins for its time before each sleep. */
static void spin_block_spins_first(void **state)
{
	struct cs_idle w = { 0 };

	(void)state;
	for (int us = 0; us < 100; us++)
		assert_int_equal(pass(&w, "sb", 500 + us), CS_IDLE_RETURN);
	assert_int_equal(pass(&w, "sb", 600), CS_IDLE_SLEEP);
	cs_idle_received(&w);
	for (int us = 0; us < 30; us++)
		assert_int_equal(pass(&w, "sb:30", 610 + us), CS_IDLE_RETURN);
	assert_int_equal(pass(&w, "sb:30", 640), CS_IDLE_SLEEP);
}

static void other_modes(void **state)
{
	struct cs_idle local = { 0 }, yield = { 0 }, proc = { 0 };

	(void)state;
	for (int us = 0; us < 10; us++) {
		assert_int_equal(pass(&local, "local", us), CS_IDLE_RETURN);
		assert_int_equal(pass(&yield, "yield", us),
				 us < 2 ? CS_IDLE_RETURN : CS_IDLE_YIELD);
		assert_int_equal(pass(&proc, us & 1 ? "hybrid" : "proc-b", us),
				 us < 2 ? CS_IDLE_RETURN : CS_IDLE_SLEEP);
	}
}

/* Rule 5: no sleep is longer than 20 ms, or than 1 ms where an arrival may be missed. */
static void sleeps_are_bounded(void **state)
{
	struct cs_wait_setting s = set("ib");
	struct cs_idle w = { 0 };

	(void)state;
	for (int us = 0; us < 3; us++)
		pass(&w, "ib", us);
	assert_int_equal(cs_idle_pass(&w, &s, 3 * US, true).max_ns,
			 20 * 1000 * US);
	assert_int_equal(cs_idle_pass(&w, &s, 3 * US, false).max_ns, 1000 * US);
}

static void doorbells_are_rung_after_work(void **state)
{
	struct cs_wait_setting s = set("ib");
	struct cs_idle w = { 0 };

	(void)state;
	assert_true(cs_idle_pass(&w, &s, 50 * US, true).stir);
	cs_idle_done(&w, 50 * US);
	assert_false(cs_idle_pass(&w, &s, 51 * US, true).stir);
	cs_idle_done(&w, 51 * US);
	assert_true(cs_idle_pass(&w, &s, 55 * US, true).stir);
	cs_idle_done(&w, 55 * US);
	cs_idle_received(&w);
	assert_true(cs_idle_pass(&w, &s, 56 * US, true).stir);
}

/* --- the place ---------------------------------------------------------------------- */

static const char *const *env; /* name, value, ..., NULL */

static char *get(const char *name)
{
	for (const char *const *e = env; *e; e += 2)
		if (!strcmp(e[0], name))
			return (char *)(uintptr_t)e[1];
	return NULL;
}

static struct cs_place place(const char *const *with, pid_t parent)
{
	struct cs_place p;

	env = with;
	cs_place_find(&p, get, parent);
	return p;
}

static void launchers_are_known(void **state)
{
	static const char *const MPIRUN[] = { "OMPI_COMM_WORLD_LOCAL_RANK",
					      "3",
					      "OMPI_COMM_WORLD_LOCAL_SIZE",
					      "4",
					      "PMIX_NAMESPACE",
					      "123.1",
					      "SLURM_JOB_ID",
					      "9",
					      "SLURM_STEP_ID",
					      "0",
					      "SLURM_LOCALID",
					      "0",
					      NULL };
	static const char *const HYDRA[] = { "MPI_LOCALRANKID", "1",
					     "MPI_LOCALNRANKS", "2", NULL };
	static const char *const SRUN[] = { "SLURM_JOB_ID",
					    "9",
					    "SLURM_STEP_ID",
					    "0",
					    "SLURM_LOCALID",
					    "2",
					    "SLURM_NTASKS",
					    "8",
					    NULL };
	static const char *const ONE[] = { "SLURM_JOB_ID",
					   "9",
					   "SLURM_STEP_ID",
					   "1",
					   "SLURM_LOCALID",
					   "0",
					   "SLURM_NTASKS",
					   "1",
					   NULL };
	static const char *const OTHER_NODE[] = { "SLURM_JOB_ID",
						  "9",
						  "SLURM_STEP_ID",
						  "0",
						  "SLURM_LOCALID",
						  "2",
						  "SLURMD_NODENAME",
						  "n2",
						  NULL };
	static const char *const NONE[] = { "HOME", "/", NULL };
	static const char *const BAD[] = { "OMPI_COMM_WORLD_LOCAL_RANK",
					   "../../x",
					   "SLURM_LOCALID",
					   "-1",
					   "SLURM_JOB_ID",
					   "x",
					   "SLURM_STEP_ID",
					   "y",
					   NULL };

	(void)state;
	assert_int_equal(place(MPIRUN, 1).slot, 3);
	assert_int_equal(place(MPIRUN, 1).local, 4);
	assert_string_equal(place(MPIRUN, 1).key, place(MPIRUN, 2).key);
	assert_int_equal(place(HYDRA, 1).slot, 1);
	assert_int_equal(place(HYDRA, 1).local, 2);
	assert_string_not_equal(place(HYDRA, 1).key, place(HYDRA, 2).key);
	assert_int_equal(place(SRUN, 1).slot, 2);
	assert_int_equal(place(SRUN, 1).local, 0);
	assert_string_equal(place(SRUN, 1).key, place(SRUN, 2).key);
	assert_string_not_equal(place(SRUN, 1).key, place(ONE, 1).key);
	assert_string_not_equal(place(SRUN, 1).key, place(OTHER_NODE, 1).key);
	assert_int_equal(place(ONE, 1).local, 1);
	assert_int_equal(place(NONE, 1).slot, -1);
	assert_int_equal(place(BAD, 1).slot, -1);
	assert_int_equal(strlen(place(BAD, 1).key), CS_PLACE_KEY - 1);
}

/* --- libraries ------------------------------------------------------------------------ */

static void libraries_by_name(void **state)
{
	(void)state;
	assert_int_equal(cs_library_named("/usr/lib/libopen-pal.so.40"),
			 CS_LIBRARY_OPAL);
	assert_int_equal(cs_library_named("libmpi.so.12"), CS_LIBRARY_OPAL);
	assert_int_equal(cs_library_named("/x/mca_pml_ob1.so"),
			 CS_LIBRARY_OPAL);
	assert_int_equal(cs_library_named("/x/libevent_core-2.1.so.7"),
			 CS_LIBRARY_EVENT);
	assert_int_equal(cs_library_named("/x/libfabric.so.1"),
			 CS_LIBRARY_FABRIC);
	assert_int_equal(cs_library_named("/x/libgomp.so.1"), CS_LIBRARY_OTHER);
	assert_int_equal(cs_library_named("./libevent/program"),
			 CS_LIBRARY_OTHER);
	assert_int_equal(cs_library_named(""), CS_LIBRARY_OTHER);
	assert_int_equal(cs_library_of((const void *)(uintptr_t)8),
			 CS_LIBRARY_OTHER);
}

static void ways_without_descriptors_are_known(void **state)
{
	struct cs_library_seen s = { .components = false };

	(void)state;
	cs_library_add(&s, "/usr/lib/openmpi/mca_btl_tcp.so");
	assert_true(s.components);
	assert_false(s.paths.memory);
	assert_string_equal(s.paths.blind, "");
	cs_library_add(&s, "/usr/lib/openmpi/mca_btl_vader.so");
	assert_true(s.paths.memory);
	cs_library_add(&s, "/usr/lib/openmpi/mca_mtl_psm2.so");
	assert_string_equal(s.paths.blind, "mca_mtl_psm2");
}

/* --- descriptors ---------------------------------------------------------------------- */

static void only_sockets_are_a_network(void **state)
{
	struct cs_fdset *s = calloc(1, sizeof *s);
	struct pollfd fd = { .events = POLLIN };
	int two[2], ep = epoll_create1(EPOLL_CLOEXEC);

	(void)state;
	assert_non_null(s);
	assert_false(cs_fdset_network(s));
	assert_int_equal(pipe(two), 0);
	fd.fd = two[0];
	cs_fdset_add(s, &fd, 1);
	assert_false(cs_fdset_network(s));
	fd.fd = ep;
	cs_fdset_add(s, &fd, 1);
	assert_true(cs_fdset_network(s));
	close(two[0]);
	close(two[1]);
	close(ep);
	cs_fdset_clear(s);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, two), 0);
	fd.fd = two[0];
	for (int i = 0; i < CS_FDSET_MAX; i++)
		cs_fdset_add(s, &fd, 1);
	assert_true(cs_fdset_network(s));
	cs_fdset_add(s, &fd, 1); /* one too many: not all are seen */
	assert_int_equal(s->n, CS_FDSET_MAX);
	assert_false(cs_fdset_network(s));
	close(two[0]);
	close(two[1]);
	free(s);
}

static void what_wakes_for_nothing_is_left_out(void **state)
{
	struct cs_fdset *s = calloc(1, sizeof *s);
	struct pollfd fd[3] = { { 4, POLLIN, 0 },
				{ 5, POLLIN, POLLNVAL },
				{ 6, POLLIN, POLLIN } };

	(void)state;
	assert_non_null(s);
	cs_fdset_add(s, fd, 3);
	cs_fdset_woken(s, fd);
	assert_int_equal(s->n, 2);
	assert_int_equal(s->fd[1].fd, 6);
	fd[1] = fd[2];
	for (int i = 1; i < CS_FDSET_FUTILE; i++) {
		assert_int_equal(s->n, 2);
		cs_fdset_woken(s, fd);
	}
	assert_int_equal(s->n, 0);
	free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_mode_has_a_name),
		cmocka_unit_test(only_spin_block_has_a_time),
		cmocka_unit_test(the_first_passes_return),
		cmocka_unit_test(what_was_received_begins_a_new_wait),
		cmocka_unit_test(a_program_that_computes_never_sleeps),
		cmocka_unit_test(spin_block_spins_first),
		cmocka_unit_test(other_modes),
		cmocka_unit_test(sleeps_are_bounded),
		cmocka_unit_test(doorbells_are_rung_after_work),
		cmocka_unit_test(launchers_are_known),
		cmocka_unit_test(libraries_by_name),
		cmocka_unit_test(ways_without_descriptors_are_known),
		cmocka_unit_test(only_sockets_are_a_network),
		cmocka_unit_test(what_wakes_for_nothing_is_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
