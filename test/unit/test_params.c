/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of parameters, as in slurm.conf: read, refused, checked across keys. */
#define CS_TEST_ALLOC
#include "paramrig.h"

#include <errno.h>
#include <math.h>

/* ----------------------------------------------------------------- lists */

static void slurms_own_items_are_left_alone(void **state)
{
	struct cs_params p = good("defer,bf_interval=30, cosched_mode=shadow ,"
				  ",,bf_continue,x=y=z");

	(void)state;
	assert_int_equal(p.mode, CS_MODE_SHADOW);
	cs_params_done(&p);
	p = good("");
	assert_int_equal(p.mode, CS_MODE_OFF);
	cs_params_done(&p);
}

static void keys_are_compared_whole(void **state)
{
	(void)state;
	bad("cosched_mod=act", "unknown key 'cosched_mod', expected one of "
			       "`cosched params`, perhaps 'cosched_mode'");
	bad("cosched_modes=act", "perhaps 'cosched_mode'");
	bad("cosched_polcy=cst", "perhaps 'cosched_policy'");
	bad("cosched_jobs_pernode=3", "perhaps 'cosched_jobs_per_node'");
	bad("cosched_=3", "unknown key 'cosched_'");
	bad("cosched_mode =act", "unknown key 'cosched_mode '");
	bad("cosched_interval=3", "unknown key 'cosched_interval'");
}

/* What a typing error would make of the prefix is ours, too. */
static void a_misspelt_prefix_is_refused(void **state)
{
	(void)state;
	bad("Cosched_mode=act", "perhaps 'cosched_mode'");
	bad("cosched-mode=act", "perhaps 'cosched_mode'");
	bad("coschedmode=act", "perhaps 'cosched_mode'");
	bad("cosched=act", "unknown key 'cosched'");
	bad("COSCHED_MODE=act", "perhaps 'cosched_mode'");
}

/* A prefix a little off, before a key of ours: nobody else's, so it is a typing
 * error.  Slurm's own keys and words that only look alike stay alone. */
static void a_prefix_near_ours_is_refused(void **state)
{
	static const char *const near[] = {
		"coshed_mode=act", "cosced_mode=act",	"coschd_mode=act",
		"csched_mode=act", "coshced_polcy=cst", "coshed-mode",
		"Coshed_depth=1",
	};
	static const char *const left[] = {
		"sched_interval=5",
		"sched_min_interval=3",
		"sched_max_job_start=1",
		"batch_sched_delay=3",
		"bf_mode=1",
		"coshed_nothing_of_ours=1",
		"coshed_=1",
		"coshed",
		"_mode=1",
		"cached_items=3",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(near) / sizeof(near[0]); i++)
		bad(near[i], "unknown key '");
	bad(near[0], "unknown key 'coshed_mode', expected one of "
		     "`cosched params`, perhaps 'cosched_mode'");
	bad(near[4], "perhaps 'cosched_policy'");
	for (size_t i = 0; i < sizeof(left) / sizeof(left[0]); i++) {
		struct cs_params p = good(left[i]);

		cs_params_done(&p);
	}
}

struct told {
	char text[4096];
};

static void tell(void *arg, size_t at, const char *text)
{
	struct told *t = arg;
	size_t n = strlen(t->text);

	snprintf(t->text + n, sizeof(t->text) - n, "%zu %s\n", at, text);
}

static int errors_of(const char *list, struct told *ret)
{
	ret->text[0] = '\0';
	return cs_params_errors(CS_HOST_LIVE, list, PREFIX, tell, ret);
}

static void all_errors_of_a_list_are_told(void **state)
{
	static const char list[] =
		"defer,cosched_mode=on, cosched_polcy=cst,bf_interval=1,"
		"coshed_depth=1,cosched_jobs_per_node=0,cosched_log=here,"
		"cosched_place=group,cosched_backfill=esay,cosched_depth";
	struct told t;

	(void)state;
	assert_int_equal(errors_of("cosched_mode=act,defer", &t), 0);
	assert_string_equal(t.text, "");
	assert_int_equal(errors_of(list, &t), 7);
	assert_contains(t.text, "6 'cosched_mode' is 'on', expected off, "
				"shadow, act\n");
	assert_contains(t.text, "23 unknown key 'cosched_polcy'");
	assert_contains(t.text, "55 unknown key 'coshed_depth'");
	assert_contains(t.text, "70 'cosched_jobs_per_node' is '0', expected");
	assert_contains(t.text, "\n94 'cosched_log' is 'here', expected an "
				"absolute path, such as "
				"'/var/log/slurm/here'\n");
	assert_contains(t.text, "131 'cosched_backfill' is 'esay'");
	assert_contains(t.text, "153 'cosched_depth' has no value");
	/* what keys need of each other, where each is good */
	assert_int_equal(errors_of("cosched_log=/a,cosched_place=group,"
				   "cosched_backfill=easy,cosched_hang_s=10,"
				   "cosched_period_ms=10000,cosched_cases=31",
				   &t),
			 3);
	assert_contains(t.text, "15 'cosched_place' is 'group'");
	assert_contains(t.text, "75 'cosched_period_ms' is 10000");
	assert_contains(t.text, "99 'cosched_cases' is '31'");
	assert_int_equal(errors_of("cosched_policy=cts", &t), 1);
	assert_contains(t.text,
			"0 'cosched_policy' is 'cts', expected a preset");
}

static void an_item_is_good_or_bad_by_itself(void **state)
{
	struct cs_err err = { "" };

	(void)state;
	assert_int_equal(cs_params_item(CS_HOST_SIM, "place=group", "", &err),
			 0);
	assert_int_equal(cs_params_item(CS_HOST_SIM, "policy=cst", "", &err),
			 0);
	assert_int_equal(
		cs_params_item(CS_HOST_SIM, "max_slowdown=0.5", "", &err),
		-EINVAL);
	assert_contains(err.text, "'max_slowdown' is '0.5', expected");
	assert_int_equal(cs_params_item(CS_HOST_SIM, "policy=cts", "", &err),
			 -EINVAL);
	assert_int_equal(cs_params_item(CS_HOST_SIM, "cases=31", "", &err),
			 -EINVAL);
	assert_int_equal(cs_params_item(CS_HOST_SIM, "polcy=cst", "", NULL),
			 -EINVAL);
}

static void a_key_without_a_value_is_refused(void **state)
{
	(void)state;
	bad("cosched_mode", "'cosched_mode' has no value, expected "
			    "'cosched_mode=VALUE'");
	bad("cosched_mode=", "'cosched_mode' is '', expected off, shadow, act");
	bad("cosched_depth=", "'cosched_depth' is '', expected");
}

static void a_key_given_twice_is_refused(void **state)
{
	(void)state;
	bad("cosched_depth=1,cosched_depth=1",
	    "'cosched_depth' is given twice, expected once");
	bad("cosched_policy=cst,cosched_policy=ssp", "given twice");
	bad("cosched_hold=rank,cosched_campaign_hold=rank", "given twice");
}

static void add_line(void *arg, size_t at, const char *text)
{
	size_t used = strlen(arg);

	snprintf((char *)arg + used, 512 - used, "%zu %s\n", at, text);
}

/* As if each key had its new name, and each is told once, where it stands. */
static void old_names_hold_and_are_told(void **state)
{
	const char *old = "bf_interval=30, cosched_hold=strict,"
			  "cosched_inside=spt,cosched_small=model,hold=1";
	const char *now = "cosched_campaign_hold=strict,"
			  "cosched_campaign_order=spt,cosched_unprofiled=model";
	struct cs_params p = { 0 };
	struct cs_err err = { "" };
	char told[512] = "";

	(void)state;
	assert_return_code(
		cs_params_parse(&p, CS_HOST_LIVE, old, "cosched_", &err), 0);
	assert_int_equal(p.campaign_hold, CS_CAMPAIGN_HOLD_STRICT);
	assert_int_equal(p.campaign_order, CS_CAMPAIGN_ORDER_SPT);
	assert_int_equal(p.unprofiled, CS_UNPROFILED_MODEL);
	cs_params_done(&p);
	cs_params_renamed(old, "cosched_", add_line, told);
	assert_string_equal(
		told,
		"16 'cosched_hold' is the old name of cosched_campaign_hold: the next release refuses it\n"
		"36 'cosched_inside' is the old name of cosched_campaign_order: the next release refuses it\n"
		"55 'cosched_small' is the old name of cosched_unprofiled: the next release refuses it\n");
	*told = '\0';
	cs_params_renamed(now, "cosched_", add_line, told);
	assert_string_equal(told, "");
}

/* Keys that lack the prefix, and what a comma has split off a list of ours. */
static void what_the_site_cannot_mean_is_told(void **state)
{
	static const struct {
		const char *list, *want;
	} row[] = {
		{ "", "" },
		{ "defer,bf_interval=30,no_such_key=1,word", "" },
		{ "cosched_depth=3,word", "" },
		{ "defer, jobs_per_node=2",
		  "7 unknown key 'jobs_per_node', expected "
		  "'cosched_jobs_per_node'\n" },
		{ "Jobs-Per-Node", "0 unknown key 'Jobs-Per-Node', expected "
				   "'cosched_jobs_per_node=VALUE'\n" },
		{ "jobs_per_nod=2,jobs_pr_nod=2,dept=1",
		  "0 unknown key 'jobs_per_nod', expected "
		  "'cosched_jobs_per_node'\n" },
		{ "cosched_learn_accounts=a,b+c,bf_interval=30,d",
		  "25 'b+c' behind 'cosched_learn_accounts=a' is no key: a "
		  "comma ends the value; expected '+' in a list\n" },
		/* an account may be called as a key is; an empty item, a number, or
		 * another key ends what a list may have meant */
		{ "cosched_learn_accounts=a,depth",
		  "25 'depth' behind 'cosched_learn_accounts=a' is no key: a "
		  "comma ends the value; expected '+' in a list\n" },
		{ "cosched_learn_accounts=a,depth=1,b",
		  "25 unknown key 'depth', expected 'cosched_depth'\n" },
		{ "cosched_learn_accounts=a,,b", "" },
		{ "cosched_learn_accounts=a,30,b", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		char told[512] = "";

		cs_params_passed_over(row[i].list, PREFIX, add_line, told);
		assert_string_equal(told, row[i].want);
	}
}

static void without_a_prefix_every_item_is_ours(void **state)
{
	struct cs_err err = { "" };
	struct cs_params p;

	(void)state;
	assert_int_equal(cs_params_parse(&p, CS_HOST_SIM,
					 "policy=cst,profiles=p.json", "",
					 &err),
			 0);
	assert_string_equal(p.profiles, "p.json");
	cs_params_done(&p);
	bad_host(CS_HOST_SIM, "defer", "", "unknown key 'defer'");
	bad_host(CS_HOST_SIM, "cosched_mode=act", "",
		 "unknown key 'cosched_mode'");
}

static void hostile_items_give_one_clean_line(void **state)
{
	char list[9000];
	struct cs_params p;

	(void)state;
	bad("cosched_%n%s=1", "unknown key 'cosched_%n%s'");
	bad("cosched_log=/a\nb", "'cosched_log' is '/a?b', expected no control "
				 "characters");
	bad("cosched_mode=\xff\xfe", "'cosched_mode' is '\?\?', expected");
	memset(list, 'a', sizeof(list) - 1);
	list[sizeof(list) - 1] = '\0';
	memcpy(list, "cosched_", 8);
	bad(list, "unknown key 'cosched_aaa");
	memcpy(list, "cosched_log=/", 13);
	bad(list, "'cosched_log' has 8987 bytes, expected less than 1024");
	list[12 + CS_PATH_MAX] = '\0';
	bad(list, "has 1024 bytes");
	list[11 + CS_PATH_MAX] = '\0';
	for (size_t i = 13; list[i]; i++)
		list[i] = '/';
	p = good(list);
	assert_int_equal(strlen(p.log), CS_PATH_MAX - 1);
	cs_params_done(&p);
}

/* ------------------------------------------------------ checks over keys */

static void shares_go_from_time_to_time(void **state)
{
	struct cs_params p = good("cosched_slice_shares=08:00/0.3+20:30/0.15");
	const char *at = p.slice_shares;
	int64_t from;
	double share;

	(void)state;
	assert_true(cs_params_next_share(&at, &from, &share));
	assert_int_equal(from, 28800);
	assert_close(share, .3, 0);
	assert_true(cs_params_next_share(&at, &from, &share));
	assert_int_equal(from, 73800);
	assert_close(share, .15, 0);
	assert_string_equal(at, "");
	cs_params_done(&p);
	p = good("cosched_slice_shares=load");
	cs_params_done(&p);
	bad("cosched_slice_shares=none",
	    "'cosched_slice_shares' holds 'none', expected fixed, load, or "
	    "HH:MM/SHARE with shares from 0.01 to 0.99 in the order of time, "
	    "joined by '+'");
	bad("cosched_slice_shares=", "holds ''");
	bad("cosched_slice_shares=24:00/0.3", "holds '24:00/0.3'");
	bad("cosched_slice_shares=08:60/0.3", "holds '08:60/0.3'");
	bad("cosched_slice_shares=-1:00/0.3", "holds '-1:00/0.3'");
	bad("cosched_slice_shares=8:00/0.3", "holds '8:00/0.3'");
	bad("cosched_slice_shares=08:00-20:00/0.3", "holds '08:00-20:00/0.3'");
	bad("cosched_slice_shares=08:00/30", "holds '08:00/30'");
	bad("cosched_slice_shares=08:00/0", "holds '08:00/0'");
	bad("cosched_slice_shares=08:00/", "holds '08:00/'");
	bad("cosched_slice_shares=08:00/0.3++20:00/0.1", "holds ''");
	bad("cosched_slice_shares=08:00/0.3+", "ends in '+'");
	bad("cosched_slice_shares=08:00/0.3+08:00/0.4", "in the order of time");
	bad("cosched_slice_shares=08:00/0.3+07:00/0.4", "in the order of time");
	bad("cosched_slice_shares=08:00/0.3,cosched_slice_cycle_s=7000",
	    "'cosched_slice_cycle_s' is 7000, expected a divisor of 86400");
}

/* Of 600 s: 100 s for short jobs, 150 s for medium ones, 350 s for long ones. */
#define PECT "policy=pect,slice_cycle_s=600,slice_short_s=100,slice_medium=0.3"

static void every_slice_is_longer_than_its_overhead(void **state)
{
	static const struct {
		const char *list;
		int most_s; /* overhead */
	} row[] = {
		{ PECT, 99 },
		{ "policy=pect,slice_cycle_s=600,slice_short_s=0", 179 },
		{ "policy=pect,slice_cycle_s=600,slice_short_s=0,"
		  "slice_medium=0.9",
		  59 },
		{ "policy=pect,slice_cycle_s=600,slice_short_s=400", 59 },
		{ PECT ",slice_shares=load", 49 },
		{ PECT ",slice_shares=load,slice_least=0.5", 99 },
		{ "policy=pect,slice_cycle_s=600,slice_short_s=100,"
		  "slice_medium=0.05,slice_shares=load",
		  24 },
		{ PECT ",slice_shares=08:00/0.5+20:00/0.9", 49 },
		{ PECT ",slice_shares=08:00/0.02+20:00/0.5", 9 },
		{ PECT ",slice_shares=08:00/0.5+20:00/0.4", 99 },
	};
	struct cs_params p;

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		char list[256], want[128];

		snprintf(list, sizeof(list), "%s,slice_overhead_s=%d",
			 row[i].list, row[i].most_s);
		assert_int_equal(
			cs_params_parse(&p, CS_HOST_SIM, list, "", NULL), 0);
		cs_params_done(&p);
		snprintf(list, sizeof(list), "%s,slice_overhead_s=%d",
			 row[i].list, row[i].most_s + 1);
		snprintf(want, sizeof(want),
			 "'slice_overhead_s' is %d, expected less than the "
			 "shortest slice (%d s)",
			 row[i].most_s + 1, row[i].most_s + 1);
		bad_host(CS_HOST_SIM, list, "", want);
	}
	bad_host(CS_HOST_SIM, PECT ",slice_overhead_s=86400", "",
		 "expected less than the shortest slice (100 s)");
	bad_host(CS_HOST_SIM, "policy=pect,slice_cycle_s=600", "",
		 "'slice_short_s' is 600, expected less than 'slice_cycle_s' "
		 "(600 s)");
	p = good("cosched_slice_cycle_s=60"); /* there are none */
	cs_params_done(&p);
}

static void partition_modes_are_name_and_mode(void **state)
{
	struct cs_params p = good("cosched_mode=act,cosched_partition_modes="
				  "debug:off+gpu:x:shadow");

	(void)state;
	assert_int_equal(cs_params_mode_of(&p, "debug"), CS_MODE_OFF);
	assert_int_equal(cs_params_mode_of(&p, "gpu:x"), CS_MODE_SHADOW);
	assert_int_equal(cs_params_mode_of(&p, "gpu"), CS_MODE_ACT);
	assert_int_equal(cs_params_mode_of(&p, "debu"), CS_MODE_ACT);
	assert_int_equal(cs_params_mode_of(&p, ""), CS_MODE_ACT);
	cs_params_done(&p);
	bad("cosched_partition_modes=debug",
	    "'cosched_partition_modes' holds 'debug', expected PARTITION:off, "
	    ":shadow or :act, joined by '+'");
	bad("cosched_partition_modes=:off", "holds ':off'");
	bad("cosched_partition_modes=a:on", "holds 'a:on'");
	bad("cosched_partition_modes=a:off+", "ends in '+'");
	bad("cosched_partition_modes=+a:off", "holds ''");
	bad("cosched_partition_modes=a:off++b:off", "holds ''");
	bad("cosched_partition_modes=a:off+b:act+a:act",
	    "names 'a' twice, expected each partition once");
}

static void share_partitions_are_names(void **state)
{
	struct cs_params p = good("cosched_share_partitions=a+bc");

	(void)state;
	assert_true(cs_params_listed(p.share_partitions, "a", true));
	assert_true(cs_params_listed(p.share_partitions, "bc", true));
	assert_false(cs_params_listed(p.share_partitions, "b", true));
	assert_false(cs_params_listed(p.share_partitions, "c", true));
	assert_false(cs_params_listed(p.share_partitions, "a+bc", true));
	assert_false(cs_params_listed(p.share_partitions, "", true));
	assert_true(cs_params_listed("", "a", true));
	assert_false(cs_params_listed("", "a", false));
	assert_true(cs_params_listed(NULL, "a", true));
	cs_params_done(&p);
	bad("cosched_share_partitions=a++b", "holds an empty name");
	bad("cosched_share_partitions=+", "holds an empty name");
	bad("cosched_share_partitions=a+", "holds an empty name");
}

static void a_socket_is_an_absolute_path_or_a_port(void **state)
{
	static const char *const fine[] = { "", "/run/c.sock", "1", "65535" };
	static const char *const wrong[] = {
		"run/c.sock", "0", "65536", "-1", "80x", "localhost:80"
	};
	char list[128];

	(void)state;
	for (size_t i = 0; i < sizeof(fine) / sizeof(fine[0]); i++) {
		struct cs_params p;

		snprintf(list, sizeof(list), "cosched_socket=%s", fine[i]);
		p = good(list);
		assert_string_equal(p.socket, fine[i]);
		cs_params_done(&p);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		snprintf(list, sizeof(list), "cosched_socket=%s", wrong[i]);
		bad(list, "expected an absolute path or a port from 1 to "
			  "65535");
	}
}

static void live_paths_are_absolute(void **state)
{
	(void)state;
	bad("cosched_log=logs/c.log",
	    "'cosched_log' is 'logs/c.log', expected an absolute path, such as "
	    "'/var/log/slurm/c.log'");
	bad("cosched_profiles=p.json", "'cosched_profiles' is 'p.json', "
				       "expected an absolute path, such as "
				       "'/etc/slurm/p.json'");
	bad("cosched_log=/a,cosched_profiles=/a", "expected two files");
	bad_host(CS_HOST_SIM, "log=a,profiles=a", "", "expected two files");
}

static void the_gate_opens_later_than_a_period(void **state)
{
	struct cs_params p = good("cosched_period_ms=60000,cosched_hang_s=61");

	(void)state;
	cs_params_done(&p);
	bad("cosched_period_ms=60000", "'cosched_period_ms' is 60000, expected "
				       "less than 'cosched_hang_s' (60 s)");
}

/* ---------------------------------------------------------------- memory */

static void each_failed_allocation_is_told_and_leaks_nothing(void **state)
{
	const char *list = "cosched_log=/a,cosched_profiles=/b,"
			   "cosched_policy=ssp";
	struct cs_params p, q, none;
	int rc = 0;

	(void)state;
	CS_TEST_EACH_ALLOC(rc = cs_params_init(&p, CS_HOST_LIVE),
			   rc == -ENOMEM);
	cs_params_done(&p);
	CS_TEST_EACH_ALLOC(
		rc = cs_params_parse(&p, CS_HOST_LIVE, list, PREFIX, NULL),
		rc == -ENOMEM);
	CS_TEST_EACH_ALLOC(rc = cs_params_copy(&q, &p), rc == -ENOMEM);
	cs_params_done(&p);
	assert_string_equal(q.log, "/a");
	cs_params_done(&q);
	cs_params_done(&q);
	cs_params_done(NULL);
	memset(&none, 0, sizeof(none));
	assert_int_equal(cs_params_copy(&p, &none), 0);
	assert_null(p.log);
	cs_params_done(&p);
}

static void random_lists_never_break_it(void **state)
{
	static const char *const part[] = {
		"cosched_",
		"mode",
		"=",
		"act",
		",",
		"policy",
		"cst",
		"depth",
		"-1",
		"1.5",
		"max_slowdown",
		" ",
		"log",
		"/x",
		"defer",
		"+",
		":",
		"\xff",
		"partition_modes",
		"%s",
	};
	uint64_t seed = cs_test_seed();

	(void)state;
	for (int i = 0; i < 20000; i++) {
		struct cs_err err = { "" };
		char list[512] = "";
		struct cs_params p;
		struct told t;
		uint64_t n = cs_test_draw(&seed, 20);
		int rc;

		while (n--)
			strcat(list,
			       part[cs_test_draw(
				       &seed, sizeof(part) / sizeof(part[0]))]);
		rc = cs_params_parse(&p, CS_HOST_LIVE, list, PREFIX, &err);
		assert_true(rc == 0 || (rc == -EINVAL && *err.text));
		/* the list is bad where it has errors, and its first is theirs */
		assert_int_equal(errors_of(list, &t) > 0, rc != 0);
		if (rc)
			assert_contains(t.text, err.text);
		if (!rc)
			cs_params_done(&p);
	}
}

static void off_is_found_in_a_list_that_is_refused(void **state)
{
	static const struct {
		const char *list;
		bool off;
	} row[] = {
		{ "", false },
		{ "cosched_mode", false },
		{ "cosched_mode=off", true },
		{ "defer, cosched_mode=off ,cosched_max_slowdown=0.5", true },
		{ "cosched_mode=act,cosched_nosuch=1,cosched_mode=off", true },
		{ "cosched_mode=off,cosched_mode=act", false },
		{ "cosched_mode=off,cosched_mode=of", false },
		{ "cosched_mode=Off", false },
		{ "cosched_mode=offset", false },
		{ "cosched_mode=", false },
		{ "xcosched_mode=off,mode=off,cosched_mod=off", false },
		{ "cosched_partition_modes=a:off", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		if (cs_params_says_off(row[i].list, PREFIX) != row[i].off)
			fail_msg("'%s'", row[i].list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slurms_own_items_are_left_alone),
		cmocka_unit_test(keys_are_compared_whole),
		cmocka_unit_test(a_misspelt_prefix_is_refused),
		cmocka_unit_test(a_prefix_near_ours_is_refused),
		cmocka_unit_test(all_errors_of_a_list_are_told),
		cmocka_unit_test(an_item_is_good_or_bad_by_itself),
		cmocka_unit_test(a_key_without_a_value_is_refused),
		cmocka_unit_test(a_key_given_twice_is_refused),
		cmocka_unit_test(what_the_site_cannot_mean_is_told),
		cmocka_unit_test(without_a_prefix_every_item_is_ours),
		cmocka_unit_test(hostile_items_give_one_clean_line),
		cmocka_unit_test(shares_go_from_time_to_time),
		cmocka_unit_test(every_slice_is_longer_than_its_overhead),
		cmocka_unit_test(partition_modes_are_name_and_mode),
		cmocka_unit_test(share_partitions_are_names),
		cmocka_unit_test(a_socket_is_an_absolute_path_or_a_port),
		cmocka_unit_test(live_paths_are_absolute),
		cmocka_unit_test(the_gate_opens_later_than_a_period),
		cmocka_unit_test(
			each_failed_allocation_is_told_and_leaks_nothing),
		cmocka_unit_test(old_names_hold_and_are_told),
		cmocka_unit_test(off_is_found_in_a_list_that_is_refused),
		cmocka_unit_test(random_lists_never_break_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
