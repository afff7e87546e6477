/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values of parameters as text; no key or value of ours is one of Slurm's. */
#include "paramrig.h"

#include <errno.h>
#include <math.h>
#include <strings.h>

#include "params/host_key.h"
#include "params/host_number.h"

/* ---------------------------------------------------------------- values */

static void values_are_parsed_whole(void **state)
{
	static const char *const list[] = {
		"cosched_depth=1x",
		"cosched_depth= 1",
		"cosched_depth=1.0",
		"cosched_depth=+1",
		"cosched_depth=0x10",
		"cosched_depth=1e3",
		"cosched_depth=--1",
		"cosched_depth=-",
		"cosched_depth=99999999999999999999",
		"cosched_depth=9223372036854775808",
		"cosched_max_slowdown=1.2.3",
		"cosched_max_slowdown=1.5x",
		"cosched_max_slowdown=1e1",
		"cosched_max_slowdown=nan",
		"cosched_max_slowdown=inf",
		"cosched_max_slowdown=.",
		"cosched_max_slowdown=-",
		"cosched_max_slowdown=0x2",
		"cosched_max_slowdown=1.2500000000000000",
		"cosched_mode=action",
		"cosched_mode=Act",
		"cosched_mode=off|act",
		"cosched_place=pair",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
		bad(list[i], "expected");
}

static void values_out_of_range_are_refused_with_the_range(void **state)
{
	(void)state;
	bad("cosched_jobs_per_node=0",
	    "'cosched_jobs_per_node' is '0', expected a whole number from 1 to "
	    "4096 jobs");
	bad("cosched_jobs_per_node=4097", "from 1 to 4096");
	bad("cosched_depth=-1", "from 0 to 100000000");
	bad("cosched_max_slowdown=0.99",
	    "'cosched_max_slowdown' is '0.99', expected a number from 1 to "
	    "100");
	bad("cosched_max_slowdown=100.000001", "from 1 to 100");
	bad("cosched_min_util_gain=-1.5", "from -1 to 1000");
	bad("cosched_seed=9007199254740993", "from 0 to 9007199254740992");
	bad("cosched_place=anywhere",
	    "'cosched_place' is 'anywhere', expected space, pack, pair-first, "
	    "pair-best");
}

static void both_ends_of_each_range_are_taken(void **state)
{
	size_t n;
	const struct cs_param_row *row = cs_params_rows(&n);

	(void)state;
	for (size_t i = 0; i < n; i++) {
		for (int end = 0; end < 2; end++) {
			double v = end ? row[i].max : row[i].min;
			char list[128], buf[64];
			struct cs_params p;

			if (row[i].kind != CS_PARAM_INT &&
			    row[i].kind != CS_PARAM_REAL)
				continue;
			/* mpl is refused with other placements */
			snprintf(list, sizeof(list), "place=cover,%s=%.*f",
				 row[i].key,
				 row[i].kind == CS_PARAM_REAL ? 2 : 0, v);
			assert_int_equal(cs_params_parse(&p, CS_HOST_SIM, list,
							 "", NULL),
					 0);
			cs_params_print(&p, &row[i], buf, sizeof(buf));
			assert_close(strtod(buf, NULL), v, 0);
			cs_params_done(&p);
		}
	}
}

static void reals_are_read_exactly(void **state)
{
	static const struct {
		const char *text;
		double v;
	} row[] = {
		{ "1.25", 1.25 },
		{ "0.45", 0.45 },
		{ ".1", 0.1 },
		{ "3.", 3 },
		{ "-0.3", -0.3 },
		{ "-0", 0 },
		{ "0.00000000000001", 1e-14 },
		{ "123.456789012345", 123.456789012345 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		char list[64];
		struct cs_params p;

		snprintf(list, sizeof(list), "cosched_min_util_gain=%s",
			 row[i].text);
		p = good(list);
		assert_close(p.min_util_gain, row[i].v, 0);
		assert_false(signbit(p.min_util_gain) && !(row[i].v < 0));
		cs_params_done(&p);
	}
}

static void what_is_printed_reads_back_the_same(void **state)
{
	uint64_t seed = cs_test_seed();
	const struct cs_param_row *row = row_of("min_util_gain");

	(void)state;
	for (int i = 0; i < 20000; i++) {
		static const double scale[] = { 1, 10, 1e2, 1e4, 1e6, 1e12 };
		double s = scale[cs_test_draw(&seed, 6)];
		double v = (double)cs_test_draw(&seed, (uint64_t)(999 * s)) / s;
		struct cs_params p, q;
		char list[64], buf[32];

		if (cs_test_draw(&seed, 2) && v <= 1)
			v = -v;
		assert_int_equal(cs_params_init(&p, CS_HOST_SIM), 0);
		p.min_util_gain = v;
		cs_params_print(&p, row, buf, sizeof(buf));
		snprintf(list, sizeof(list), "min_util_gain=%s", buf);
		assert_int_equal(
			cs_params_parse(&q, CS_HOST_SIM, list, "", NULL), 0);
		assert_close(q.min_util_gain, v, 0);
		cs_params_done(&p);
		cs_params_done(&q);
	}
}

static void defaults_are_printed_as_they_stand_in_the_table(void **state)
{
	size_t n;
	const struct cs_param_row *row = cs_params_rows(&n);
	char keys[512];
	struct cs_params p;

	(void)state;
	snprintf(keys, sizeof(keys), ",%s",
		 cs_params_preset_keys(cs_params_default_policy(CS_HOST_LIVE)));
	assert_int_equal(cs_params_init(&p, CS_HOST_LIVE), 0);
	for (size_t i = 0; i < n; i++) {
		char buf[CS_PATH_MAX], less[8], item[64];
		int len = cs_params_print(&p, &row[i], buf, sizeof(buf));

		assert_int_equal(len, strlen(buf));
		/* snprintf's way with too little room */
		assert_int_equal(cs_params_print(&p, &row[i], less, 3), len);
		assert_memory_equal(less, buf, len < 2 ? (size_t)len : 2);
		assert_int_equal(cs_params_print(&p, &row[i], NULL, 0), len);
		/* but for those of the default preset */
		snprintf(item, sizeof(item), ",%s=", row[i].key);
		if (!strstr(keys, item)) {
			assert_string_equal(buf, row[i].live);
			continue;
		}
		snprintf(item, sizeof(item), ",%s=%s", row[i].key, buf);
		assert_non_null(strstr(keys, item));
	}
	cs_params_done(&p);
}

static void every_key_set_to_its_own_text_gives_the_same(void **state)
{
	size_t n;
	const struct cs_param_row *row = cs_params_rows(&n);
	struct cs_params p = good("cosched_policy=cstws,cosched_mode=act,"
				  "cosched_log=/var/log/c.log,cosched_depth=5"),
			 q;
	char list[8192], a[CS_PATH_MAX], b[CS_PATH_MAX];
	size_t len = 0;

	(void)state;
	for (size_t i = 0; i < n; i++) {
		cs_params_print(&p, &row[i], a, sizeof(a));
		len += (size_t)snprintf(list + len, sizeof(list) - len,
					"%scosched_%s=%s", i ? "," : "",
					row[i].key, a);
	}
	q = good(list);
	for (size_t i = 0; i < n; i++) {
		cs_params_print(&p, &row[i], a, sizeof(a));
		cs_params_print(&q, &row[i], b, sizeof(b));
		assert_string_equal(a, b);
	}
	cs_params_done(&p);
	cs_params_done(&q);
}

/* --------------------------------------------------- beside Slurm's keys */

/*
 * Calls @check with each of Slurm's keys, as Slurm looks for it, and if @both
 * also with or without its '=', as another release may.  Returns how many there
 * are.
 */
static int each_slurm_key(bool both,
			  void (*check)(const char *key, const char *line),
			  const char *line)
{
	char *text = cs_test_file("slurm_scheduler_keys", NULL), *save = NULL;
	int n = 0;

	for (char *key = strtok_r(text, "\n", &save); key;
	     key = strtok_r(NULL, "\n", &save)) {
		char bare[128];

		if (*key == '#')
			continue;
		n++;
		check(key, line);
		if (!both)
			continue;
		snprintf(bare, sizeof(bare), "%s", key);
		if (strchr(bare, '='))
			*strchr(bare, '=') = '\0';
		else
			strcat(bare, "=");
		check(bare, line);
	}
	free(text);
	return n;
}

static void is_not_in(const char *key, const char *line)
{
	if (strcasestr(line, key))
		fail_msg("Slurm finds its '%s' in our '%s'", key, line);
}

static void no_key_of_slurm_is_found_in_ours(void **state)
{
	size_t n;
	const struct cs_param_row *row = cs_params_rows(&n);
	char line[2 * CS_PATH_MAX];

	(void)state;
	for (size_t i = 0; i < n; i++) {
		snprintf(line, sizeof(line), "cosched_%s=%s", row[i].key,
			 row[i].live);
		assert_true(each_slurm_key(true, is_not_in, line) >= 80);
		snprintf(line, sizeof(line), "cosched_%s=%s", row[i].key,
			 row[i].sim);
		each_slurm_key(true, is_not_in, line);
		/* every name at once: a key of Slurm's holds no '|' */
		each_slurm_key(true, is_not_in, row[i].names);
	}
	for (const char *const *p = cs_params_presets(); *p; p++) {
		snprintf(line, sizeof(line), "cosched_policy=%s", *p);
		each_slurm_key(true, is_not_in, line);
	}
	each_slurm_key(true, is_not_in, PREFIX);
}

static void is_refused_in_a_value(const char *key, const char *format)
{
	struct cs_err err = { "" };
	char list[512];
	struct cs_params p;

	snprintf(list, sizeof(list), format, key);
	if (cs_params_parse(&p, CS_HOST_LIVE, list, PREFIX, &err)) {
		assert_contains(err.text, "looks for that anywhere in "
					  "SchedulerParameters");
		return;
	}
	/* a form in which Slurm does not look for it */
	cs_params_done(&p);
	each_slurm_key(false, is_not_in, list);
}

static void no_value_may_hold_a_key_of_slurm(void **state)
{
	struct cs_params p;

	(void)state;
	bad("cosched_log=/var/log/Deferred.log",
	    "'cosched_log' is '/var/log/Deferred.log', expected a value "
	    "without 'defer': Slurm looks for that anywhere in "
	    "SchedulerParameters");
	bad("cosched_share_partitions=whole_pack", "without 'whole_pack'");
	each_slurm_key(true, is_refused_in_a_value, "cosched_log=/x/%s.1");
	/* the simulator's values never reach Slurm */
	assert_int_equal(
		cs_params_parse(&p, CS_HOST_SIM, "log=defer", "", NULL), 0);
	cs_params_done(&p);
}

/* ------------------------------------------------------ Slurm's own keys */

static void has_a_row(const char *key, const char *unused)
{
	(void)unused;
	if (!cs_host_key_find(CS_HOST_LIST_SCHED, key, strcspn(key, "=")))
		fail_msg("no row for Slurm's '%s'", key);
}

static void every_key_of_slurm_has_one_row(void **state)
{
	size_t n;
	const struct cs_host_key *row = cs_host_key_rows(&n);

	(void)state;
	assert_true(each_slurm_key(false, has_a_row, NULL) >= 80);
	for (size_t i = 0; i < n; i++) {
		assert_ptr_equal(cs_host_key_find(row[i].list, row[i].key,
						  strcspn(row[i].key, "=")),
				 &row[i]);
		/* what is not honoured says what happens instead */
		assert_true(row[i].care != CS_HOST_NOT || *row[i].text);
	}
}

struct told {
	size_t n, at[8];
	char text[8][600];
};

static void note(void *arg, size_t at, const char *text)
{
	struct told *t = arg;

	assert_true(t->n < 8);
	t->at[t->n] = at;
	snprintf(t->text[t->n++], sizeof(t->text[0]), "%s", text);
}

static void what_is_not_honoured_is_told_in_a_line_each(void **state)
{
	struct told t = { 0 };

	(void)state;
	cs_host_key_tell(CS_HOST_LIST_SCHED,
			 "BF_Busy_Nodes, cosched_x=1,bf_window=5 ,,x\ny=2,"
			 "depth=3,my_assoc_limit_stop",
			 PREFIX, note, &t);
	assert_int_equal(t.n, 4);
	assert_int_equal(t.at[0], 0);
	assert_contains(t.text[0], "SchedulerParameters: BF_Busy_Nodes is not "
				   "honoured in mode act. A planned start");
	assert_int_equal(t.at[1], 41);
	assert_string_equal(t.text[1],
			    "SchedulerParameters: 'x?y' is no key of Slurm's "
			    "that cosched knows: it is not honoured in mode "
			    "act");
	assert_string_equal(t.text[2],
			    "SchedulerParameters: 'depth' counts for nothing, "
			    "expected 'cosched_depth'");
	/* Slurm finds its keys anywhere */
	assert_contains(t.text[3], "my_assoc_limit_stop is not honoured");
	t.n = 0;
	cs_host_key_tell(CS_HOST_LIST_CTLD, "enable_configless,x", PREFIX, note,
			 &t);
	cs_host_key_tell(CS_HOST_LIST_SCHED, NULL, PREFIX, note, &t);
	cs_host_key_tell(CS_HOST_LIST_SCHED, "", PREFIX, note, &t);
	assert_int_equal(t.n, 0);
}

/* What decisions go by and what is told of, in both directions. */
static void every_honoured_number_has_one_row(void **state)
{
	size_t n, keys, numbers = 0;
	const struct cs_host_number *number = cs_host_number_rows(&n);
	const struct cs_host_key *row = cs_host_key_rows(&keys);

	(void)state;
	for (size_t i = 0; i < keys; i++) {
		size_t len = strcspn(row[i].key, "=");

		if (row[i].list != CS_HOST_LIST_SCHED || !row[i].key[len] ||
		    row[i].care != CS_HOST_HONOURED)
			continue;
		assert_non_null(cs_host_number_find(row[i].key, len));
		numbers++;
	}
	assert_int_equal(numbers, n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(cs_host_number(NULL, number[i].key),
				 number[i].otherwise);
}

static void numbers_are_read_as_slurm_reads_them(void **state)
{
	static const struct {
		const char *sched, *key;
		int64_t is;
	} of[] = {
		{ "", "bf_window=", 1440 },
		{ "bf_window=60", "bf_window=", 60 },
		{ "defer,xBF_Window=7,bf_window=8", "bf_window=", 7 },
		{ "bf_window_linear=3", "bf_window=", 1440 },
		{ "bf_window", "bf_window=", 1440 },
		{ "bf_window=60m", "bf_window=", 60 },
		{ "bf_window=43200", "bf_window=", 43200 },
		{ "bf_window=43201", "bf_window=", 1440 },
		{ "bf_window=0", "bf_window=", 1440 },
		{ "bf_interval=-1", "bf_interval=", 30 },
		{ "batch_sched_delay=abc", "batch_sched_delay=", 0 },
		{ "batch_sched_delay=-1", "batch_sched_delay=", 3 },
		{ "bf_min_prio_reserve=4294967295",
		  "bf_min_prio_reserve=", 4294967295 },
		{ "bf_min_prio_reserve=4294967296", "bf_min_prio_reserve=", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++)
		assert_int_equal(cs_host_number(of[i].sched, of[i].key),
				 of[i].is);
}

/* Slurm's numbers are those of the site, and in a simulation with slurmctld's defaults those
 * that Slurm takes where none are set; what was given stays. */
static void keys_of_ours_follow_slurms(void **state)
{
	struct cs_params p;

	(void)state;
	assert_int_equal(cs_params_parse(&p, CS_HOST_LIVE, "", "", NULL), 0);
	cs_host_number_take(&p, "bf_window=60,bf_interval=15");
	assert_int_equal(p.horizon_s, 3600);
	assert_int_equal(p.reserve_age_s, 0);
	assert_int_equal(p.stock_every_s, 15);
	cs_params_done(&p);
	assert_int_equal(cs_params_parse(&p, CS_HOST_SIM_LIVE,
					 "reserve_age_s=7", "", NULL),
			 0);
	assert_int_equal(p.horizon_s, 86400);
	assert_int_equal(p.reserve_age_s, 7);
	assert_int_equal(p.stock_every_s, 30);
	cs_params_done(&p);
}

static void a_number_that_slurm_cannot_read_is_told(void **state)
{
	struct told t = { 0 };

	(void)state;
	cs_host_key_tell(CS_HOST_LIST_SCHED,
			 "bf_window=abc,bf_interval=-3,bf_interval=-1,"
			 "bf_min_age_reserve=60,max_rpc_cnt,"
			 "batch_sched_delay=5s,bf_min_prio_reserve=",
			 PREFIX, note, &t);
	assert_int_equal(t.n, 5);
	assert_string_equal(t.text[0], "SchedulerParameters: bf_window is "
				       "'abc', expected a whole number from 1 "
				       "to 43200 min; Slurm's backfill takes "
				       "1440");
	assert_int_equal(t.at[1], 14);
	assert_contains(t.text[1], "bf_interval is '-3', expected a whole "
				   "number from 1 to 10800 s; Slurm's backfill "
				   "takes 30");
	assert_contains(t.text[2], "max_rpc_cnt has no value, expected "
				   "'max_rpc_cnt=N', N a whole number from 0 "
				   "to 1000; Slurm's backfill takes 0");
	assert_contains(t.text[3], "batch_sched_delay is '5s', expected");
	assert_contains(t.text[3], "; Slurm takes 5");
	assert_contains(t.text[4], "bf_min_prio_reserve is '', expected");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_parsed_whole),
		cmocka_unit_test(
			values_out_of_range_are_refused_with_the_range),
		cmocka_unit_test(both_ends_of_each_range_are_taken),
		cmocka_unit_test(reals_are_read_exactly),
		cmocka_unit_test(what_is_printed_reads_back_the_same),
		cmocka_unit_test(
			defaults_are_printed_as_they_stand_in_the_table),
		cmocka_unit_test(every_key_set_to_its_own_text_gives_the_same),
		cmocka_unit_test(no_key_of_slurm_is_found_in_ours),
		cmocka_unit_test(no_value_may_hold_a_key_of_slurm),
		cmocka_unit_test(every_key_of_slurm_has_one_row),
		cmocka_unit_test(what_is_not_honoured_is_told_in_a_line_each),
		cmocka_unit_test(every_honoured_number_has_one_row),
		cmocka_unit_test(numbers_are_read_as_slurm_reads_them),
		cmocka_unit_test(keys_of_ours_follow_slurms),
		cmocka_unit_test(a_number_that_slurm_cannot_read_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
