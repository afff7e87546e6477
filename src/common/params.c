/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parameters: reading, checking, printing.  The table is in params.h.
 *
 * A value of each kind:
 *	ENUM	one of the names
 *	INT	decimal digits, '-' before them
 *	REAL	at most 15 digits, '-' before and one '.' among them: such a
 *		number is read by one exact division, the same in every locale
 *	TEXT	any bytes but control ones, less than CS_PATH_MAX of them
 */
#include "params.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEY_MAX 128   /* bytes of a key that a message can hold */
#define REAL_DIGITS 15

#define CS_PARAM_ROW(f, k, kd, u, l, s, lo, hi, nm, tx)                        \
	{ .key = k,                                                            \
	  .unit = u,                                                           \
	  .live = l,                                                           \
	  .sim = s,                                                            \
	  .names = nm,                                                         \
	  .text = tx,                                                          \
	  .kind = CS_PARAM_##kd,                                               \
	  .min = lo,                                                           \
	  .max = hi,                                                           \
	  .offset = offsetof(struct cs_params, f) },

static const struct cs_param_row rows[] = { CS_PARAM_TABLE(CS_PARAM_ROW) };

#define N_ROW (sizeof(rows) / sizeof(rows[0]))

/* A preset is a list of values as a user would write them. */
struct preset {
	const char *name, *keys;
};

#define GROUP "order=fcfs,slice=none,place=group,backfill=conservative,layout=model"
/* "Only coscheduling" of 000: reading A of doc/results/glomarc.md. */
#define PAIR(how)                                                              \
	"order=fcfs,slice=none,place=pair-" how ",backfill=conservative,"      \
	"layout=model,cases=1234,backfill_cases=14"

static const struct preset presets[] = {
	{ "fcfs", "order=fcfs,slice=none,place=space,backfill=none,layout=dense" },
	{ "easy", "order=fcfs,slice=none,place=space,backfill=easy,layout=dense" },
	{ "conservative", "order=fcfs,slice=none,place=space,"
			  "backfill=conservative,layout=dense" },
	{ "pack", "order=slurm,slice=none,place=pack,backfill=conservative,"
		  "layout=dense" },
	{ "ssp", "order=fcfs,slice=none,place=space,backfill=conservative,"
		 "layout=model" },
	{ "cstws", PAIR("first") },
	{ "cst", PAIR("best") },
	{ "glts", GROUP },
	{ "fbo", GROUP ",first_block_only=yes" },
	{ "ns", GROUP ",no_sort=yes" },
	{ "nh", GROUP ",no_sort=yes,no_blocks=yes,first_suitable=yes" },
	{ "glts+", GROUP ",layout=gain,low_load=layout,backfill_cases=12345,"
			 "early_start=16" },
	{ "pect", "order=fcfs,slice=pect,place=space,backfill=conservative,"
		  "layout=dense" },
	{ "ostrich", "order=ostrich,slice=none,place=space,backfill=none,"
		     "layout=dense" },
};

#define PRESETS                                                                \
	"fcfs", "easy", "conservative", "pack", "ssp", "cstws", "cst", "glts", \
		"fbo", "ns", "nh", "glts+", "pect", "ostrich"

static const char *const preset_names[] = { PRESETS, NULL };

#define PRESET_TEXT                                                            \
	"fcfs, easy, conservative, pack, ssp, cstws, cst, glts, fbo, ns, nh, " \
	"glts+, pect or ostrich"

/* Presets of the design that need a stage which does not exist yet. */
static const char *const later_presets[] = {
	"bc", "br", "brms", "brmms", "multisite", "multisite-adaptive",
};

/*
 * What Slurm searches SchedulerParameters for, anywhere and in any case, so
 * that it must not stand in a path of ours either.  The union over releases;
 * test/unit/data/slurm_scheduler_keys has their source.
 */
static const char *const slurm_keys[] = {
	"Ignore_NUMA", "allow_zero_lic", "assoc_limit_stop",
	"batch_sched_delay=", "bb_array_stage_cnt=", "bf_allow_magnetic_slot",
	"bf_busy_nodes", "bf_continue", "bf_hetjob_immediate",
	"bf_hetjob_prio=", "bf_interval=", "bf_job_part_count_reserve=",
	"bf_licenses", "bf_max_job_array_resv=", "bf_max_job_assoc=",
	"bf_max_job_part=", "bf_max_job_start=", "bf_max_job_test=",
	"bf_max_job_user=", "bf_max_job_user_part=", "bf_max_time=",
	"bf_min_age_reserve=", "bf_min_prio_reserve=", "bf_node_space_size=",
	"bf_one_resv_per_job", "bf_resolution=", "bf_running_job_reserve",
	"bf_topopt_enable", "bf_topopt_iterations=", "bf_window=",
	"bf_window_linear=", "bf_yield_interval=", "bf_yield_sleep=",
	"build_queue_timeout=", "correspond_after_task_cnt=",
	"default_queue_depth=", "defer", "defer_batch", "delay_boot=",
	"disable_hetero_steps", "disable_hetjob_steps", "disable_job_shrink",
	"enable_hetjob_steps", "enable_job_state_cache", "enable_user_top",
	"extra_constraints", "ignore_constraint_validation",
	"ignore_prefer_validation", "interval=", "jobs_per_user_per_hour=",
	"max_array_tasks=", "max_job_bf=", "max_rpc_cnt=", "max_rpc_count=",
	"max_sched_time=", "max_script_size=", "max_submit_line_size=",
	"max_switch_wait=", "no_backup_scheduling", "no_env_cache",
	"nohold_on_prolog_fail", "pack_serial_at_end", "partition_job_depth=",
	"permit_job_expansion", "preempt_reorder_count=",
	"preempt_strict_order", "preempt_youngest_first",
	"reduce_completing_frag", "requeue_setup_env_fail",
	"salloc_wait_nodes", "sbatch_wait_nodes", "sched_interval=",
	"sched_max_job_start=", "sched_min_interval=", "spec_cores_first",
	"step_retry_count=", "step_retry_time=", "time_min_as_soft_limit",
	"whole_hetjob", "whole_pack",
};

/* ------------------------------------------------------------ small text */

static bool ascii_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static char lower(char c)
{
	return ascii_upper(c) ? (char)(c - 'A' + 'a') : c;
}

static bool same_nocase(const char *a, const char *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (lower(a[i]) != lower(b[i]))
			return false;
	return true;
}

/* Whether @word stands in the @n bytes at @text, in any case. */
static bool holds_nocase(const char *text, size_t n, const char *word)
{
	size_t len = strlen(word);

	for (size_t i = 0; i + len <= n; i++)
		if (same_nocase(text + i, word, len))
			return true;
	return false;
}

static bool is(const char *text, size_t n, const char *word)
{
	return strlen(word) == n && !memcmp(text, word, n);
}

/* Length of the item at @text, up to @sep or the end. */
static size_t item_len(const char *text, char sep)
{
	const char *end = strchr(text, sep);

	return end ? (size_t)(end - text) : strlen(text);
}

/* Index of the @n bytes at @text in the '|'-joined @names, or -1. */
static int name_index(const char *names, const char *text, size_t n)
{
	for (int i = 0;; i++) {
		size_t len = item_len(names, '|');

		if (len == n && !memcmp(names, text, n))
			return i;
		if (!names[len])
			return -1;
		names += len + 1;
	}
}

/* Edits (insert, drop, change a byte) from @a to @b, for "perhaps". */
static size_t distance(const char *a, size_t na, const char *b)
{
	size_t d[KEY_MAX + 1], nb = strlen(b);

	if (nb > KEY_MAX)
		return SIZE_MAX;
	for (size_t j = 0; j <= nb; j++)
		d[j] = j;
	for (size_t i = 1; i <= na; i++) {
		size_t corner = d[0];

		d[0] = i;
		for (size_t j = 1; j <= nb; j++) {
			size_t best = corner +
				      (lower(a[i - 1]) != lower(b[j - 1]));

			corner = d[j];
			if (d[j] + 1 < best)
				best = d[j] + 1;
			if (d[j - 1] + 1 < best)
				best = d[j - 1] + 1;
			d[j] = best;
		}
	}
	return d[nb];
}

/* The key that is nearest to the @n bytes at @key. */
static const char *nearest_key(const char *key, size_t n)
{
	const char *best = rows[0].key;
	size_t least = SIZE_MAX;

	if (n > KEY_MAX)
		n = KEY_MAX;
	for (size_t i = 0; i < N_ROW; i++) {
		size_t d = distance(key, n, rows[i].key);

		if (d < least) {
			least = d;
			best = rows[i].key;
		}
	}
	return best;
}

/* ---------------------------------------------------------------- values */

static bool read_int(const char *text, size_t n, int64_t *ret)
{
	bool minus = n && *text == '-';
	int64_t v = 0;

	if (n == minus)
		return false;
	for (size_t i = minus; i < n; i++) {
		int d = text[i] - '0';

		if (d < 0 || d > 9 || __builtin_mul_overflow(v, 10, &v) ||
		    __builtin_sub_overflow(v, d, &v))
			return false;
	}
	/* built as a negative number, which has the wider range */
	if (!minus && __builtin_sub_overflow(0, v, &v))
		return false;
	*ret = v;
	return true;
}

static bool read_real(const char *text, size_t n, double *ret)
{
	bool minus = n && *text == '-', point = false;
	int64_t v = 0, scale = 1;
	int digits = 0;

	for (size_t i = minus; i < n; i++) {
		if (text[i] == '.' && !point) {
			point = true;
			continue;
		}
		if (text[i] < '0' || text[i] > '9' || ++digits > REAL_DIGITS)
			return false;
		v = v * 10 + (text[i] - '0');
		if (point)
			scale *= 10;
	}
	if (!digits)
		return false;
	/* both below 2^53: the quotient is the nearest double */
	*ret = (double)v / (double)scale;
	if (minus && v)
		*ret = -*ret;
	return true;
}

/* The value of a message: short enough to leave room for the rest. */
#define SHOWN 48
static int shown(size_t n)
{
	return n < SHOWN ? (int)n : SHOWN;
}

/* An item of the list, for messages: the key as the user wrote it. */
struct item {
	const char *key, *value;
	size_t n_key, n_value;
};

static int refuse(struct cs_err *err, const struct item *it, const char *what)
{
	return cs_err_set(err, -EINVAL, "'%.*s' is '%.*s', expected %.120s",
			  shown(it->n_key), it->key, shown(it->n_value),
			  it->value, what);
}

static int refuse_range(struct cs_err *err, const struct item *it,
			const struct cs_param_row *row)
{
	char what[128];

	snprintf(what, sizeof(what), "a%s from %.16g to %.16g%s%s",
		 row->kind == CS_PARAM_INT ? " whole number" : " number",
		 row->min, row->max, *row->unit ? " " : "", row->unit);
	return refuse(err, it, what);
}

static int refuse_name(struct cs_err *err, const struct item *it,
		       const struct cs_param_row *row)
{
	char what[128];
	size_t n = 0;

	/* "off|shadow|act" as "off, shadow, act" */
	for (const char *c = row->names; *c && n + 3 < sizeof(what); c++) {
		what[n++] = *c == '|' ? ',' : *c;
		if (*c == '|')
			what[n++] = ' ';
	}
	what[n] = '\0';
	return refuse(err, it, what);
}

static int set_text(char **field, const struct item *it, bool live,
		    struct cs_err *err)
{
	char *copy;

	if (it->n_value >= CS_PATH_MAX)
		return cs_err_set(err, -EINVAL,
				  "'%.*s' has %zu bytes, expected less than %d",
				  shown(it->n_key), it->key, it->n_value,
				  CS_PATH_MAX);
	for (size_t i = 0; i < it->n_value; i++)
		if ((unsigned char)it->value[i] < ' ' || it->value[i] == 0x7f)
			return refuse(err, it, "no control characters");
	for (size_t i = 0;
	     live && i < sizeof(slurm_keys) / sizeof(slurm_keys[0]); i++)
		if (holds_nocase(it->value, it->n_value, slurm_keys[i]))
			return cs_err_set(err, -EINVAL,
					  "'%.*s' is '%.*s', expected a value "
					  "without '%s': Slurm looks for that "
					  "anywhere in SchedulerParameters",
					  shown(it->n_key), it->key,
					  shown(it->n_value), it->value,
					  slurm_keys[i]);
	copy = strndup(it->value, it->n_value);
	if (!copy)
		return -ENOMEM;
	free(*field);
	*field = copy;
	return 0;
}

/* Give the field of @row its value. */
static int set_value(struct cs_params *p, const struct cs_param_row *row,
		     const struct item *it, bool live, struct cs_err *err)
{
	void *field = (char *)p + row->offset;
	int64_t whole;
	double real;
	int index;

	switch (row->kind) {
	case CS_PARAM_ENUM:
		index = name_index(row->names, it->value, it->n_value);
		if (index < 0)
			return refuse_name(err, it, row);
		*(int *)field = index;
		return 0;
	case CS_PARAM_INT:
		if (!read_int(it->value, it->n_value, &whole) ||
		    whole < (int64_t)row->min || whole > (int64_t)row->max)
			return refuse_range(err, it, row);
		*(int64_t *)field = whole;
		return 0;
	case CS_PARAM_REAL:
		if (!read_real(it->value, it->n_value, &real) ||
		    real < row->min || real > row->max)
			return refuse_range(err, it, row);
		*(double *)field = real;
		return 0;
	case CS_PARAM_TEXT:
		return set_text((char **)field, it, live, err);
	}
	return -EINVAL;
}

/* --------------------------------------------------------------- presets */

const struct cs_param_row *cs_params_rows(size_t *ret_n)
{
	*ret_n = N_ROW;
	return rows;
}

const char *const *cs_params_presets(void)
{
	return preset_names;
}

const char *cs_params_preset_keys(const char *name)
{
	for (size_t i = 0; i < sizeof(presets) / sizeof(presets[0]); i++)
		if (!strcmp(presets[i].name, name))
			return presets[i].keys;
	return NULL;
}

/* Row number of the key of @n bytes at @key, or -1. */
static int row_index(const char *key, size_t n)
{
	for (size_t i = 0; i < N_ROW; i++)
		if (is(key, n, rows[i].key))
			return (int)i;
	return -1;
}

#define ROW_OF(f, k, kd, u, l, s, lo, hi, nm, tx) ROW_##f,
enum { CS_PARAM_TABLE(ROW_OF) };
#undef ROW_OF

/* Apply one "key=value" of a preset. */
static int apply_item(struct cs_params *p, const bool *given, const char *text,
		      size_t n)
{
	const char *eq = memchr(text, '=', n);
	size_t n_key = (size_t)(eq - text);
	struct item it = { text, eq + 1, n_key, n - n_key - 1 };
	int row = row_index(text, n_key);

	return given[row] ? 0 : set_value(p, &rows[row], &it, false, NULL);
}

/* Apply the preset of p->policy to the keys that were not @given. */
static int apply_preset(struct cs_params *p, const bool *given,
			const struct item *it, struct cs_err *err)
{
	for (size_t i = 0; i < sizeof(presets) / sizeof(presets[0]); i++) {
		const char *at = presets[i].keys;
		int rc = 0;

		if (strcmp(p->policy, presets[i].name))
			continue;
		while (!rc && *at) {
			size_t n = strcspn(at, ",");

			rc = apply_item(p, given, at, n);
			at += n + (at[n] == ',');
		}
		return rc;
	}
	for (size_t i = 0;
	     i < sizeof(later_presets) / sizeof(later_presets[0]); i++)
		if (!strcmp(p->policy, later_presets[i]))
			return cs_err_set(err, -EINVAL,
					  "'%.*s' is '%s', which this release "
					  "lacks, expected " PRESET_TEXT,
					  shown(it->n_key), it->key,
					  p->policy);
	return refuse(err, it, "a preset: " PRESET_TEXT);
}

/* The table's defaults, before any preset. */
static int init_table(struct cs_params *p, enum cs_param_host host)
{
	int rc = 0;

	memset(p, 0, sizeof(*p));
	for (size_t i = 0; !rc && i < N_ROW; i++) {
		const char *v = host == CS_HOST_LIVE ? rows[i].live
						     : rows[i].sim;
		const struct item it = { rows[i].key, v, strlen(rows[i].key),
					 strlen(v) };

		rc = set_value(p, &rows[i], &it, true, NULL);
	}
	if (rc)
		cs_params_done(p);
	return rc;
}

int cs_params_init(struct cs_params *p, enum cs_param_host host)
{
	const bool given[N_ROW] = { false };
	const struct item it = { "policy", "", 6, 0 };
	int rc = init_table(p, host);

	if (!rc) {
		rc = apply_preset(p, given, &it, NULL);
		if (rc)
			cs_params_done(p);
	}
	return rc;
}

void cs_params_done(struct cs_params *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < N_ROW; i++) {
		char **field;

		if (rows[i].kind != CS_PARAM_TEXT)
			continue;
		field = (char **)(void *)((char *)p + rows[i].offset);
		free(*field);
		*field = NULL;
	}
}

int cs_params_copy(struct cs_params *to, const struct cs_params *from)
{
	struct cs_params p = *from;
	bool nomem = false;

	for (size_t i = 0; i < N_ROW; i++) {
		char **field;

		if (rows[i].kind != CS_PARAM_TEXT)
			continue;
		field = (char **)(void *)((char *)&p + rows[i].offset);
		if (!*field)
			continue;
		/* also after a failure: what is left must be ours to free */
		*field = nomem ? NULL : strdup(*field);
		nomem |= !*field;
	}
	if (nomem) {
		cs_params_done(&p);
		return -ENOMEM;
	}
	*to = p;
	return 0;
}

/* ------------------------------------------------------ checks over keys */

/* Read the next "name:mode" of partition_modes; the name may hold a ':'. */
static bool next_mode(const char **list, const char **ret_name, size_t *ret_n,
		      int *ret_mode)
{
	size_t len = item_len(*list, '+'), colon = len;

	while (colon && (*list)[colon - 1] != ':')
		colon--;
	*ret_name = *list;
	*ret_n = colon ? colon - 1 : 0;
	*ret_mode = colon ? name_index(rows[ROW_mode].names, *list + colon,
				       len - colon)
			  : -1;
	*list += len + ((*list)[len] == '+');
	return *ret_n && *ret_mode >= 0;
}

static bool ends_in_plus(const char *list)
{
	size_t n = strlen(list);

	return n && list[n - 1] == '+';
}

static int check_partition_modes(const char *list, const char *prefix,
				 struct cs_err *err)
{
	const char *at = list, *name, *other;
	size_t n, m;
	int mode;

	while (*at) {
		const char *from = at;

		if (!next_mode(&at, &name, &n, &mode))
			return cs_err_set(err, -EINVAL,
					  "'%spartition_modes' holds '%.*s', "
					  "expected PARTITION:off, :shadow or "
					  ":act, joined by '+'", prefix,
					  shown(item_len(from, '+')), from);
		for (const char *seen = list; seen < from;) {
			next_mode(&seen, &other, &m, &mode);
			if (m == n && !memcmp(name, other, n))
				return cs_err_set(
					err, -EINVAL,
					"'%spartition_modes' names '%.*s' "
					"twice, expected each partition once",
					prefix, shown(n), name);
		}
	}
	if (ends_in_plus(list))
		return cs_err_set(err, -EINVAL,
				  "'%spartition_modes' ends in '+', expected "
				  "PARTITION:MODE behind it", prefix);
	return 0;
}

static int check_list(const char *list, const char *key, const char *prefix,
		      struct cs_err *err)
{
	if (*list == '+' || ends_in_plus(list) || strstr(list, "++"))
		return cs_err_set(err, -EINVAL,
				  "'%s%s' holds an empty name, expected names "
				  "joined by '+'", prefix, key);
	return 0;
}

static int check_socket(const char *value, const char *prefix,
			struct cs_err *err)
{
	int64_t port;

	if (!*value || *value == '/')
		return 0;
	if (read_int(value, strlen(value), &port) && port >= 1 && port <= 65535)
		return 0;
	return cs_err_set(err, -EINVAL,
			  "'%ssocket' is '%.*s', expected an absolute path or "
			  "a port from 1 to 65535", prefix, SHOWN, value);
}

static int check_path(const char *value, const char *key, const char *prefix,
		      struct cs_err *err)
{
	if (!*value || *value == '/')
		return 0;
	return cs_err_set(err, -EINVAL,
			  "'%s%s' is '%.*s', expected an absolute path", prefix,
			  key, SHOWN, value);
}

static bool two_digits(const char *text, int64_t below, int64_t *ret)
{
	return strnlen(text, 2) == 2 && read_int(text, 2, ret) && *ret >= 0 &&
	       *ret < below;
}

bool cs_params_next_share(const char **list, int64_t *ret_from_s,
			  double *ret_share)
{
	const struct cs_param_row *row = &rows[ROW_slice_medium];
	const char *at = *list;
	size_t n = item_len(at, '+');
	int64_t hour, minute;

	if (n < 7 || at[2] != ':' || at[5] != '/' ||
	    !two_digits(at, 24, &hour) || !two_digits(at + 3, 60, &minute) ||
	    !read_real(at + 6, n - 6, ret_share) || *ret_share < row->min ||
	    *ret_share > row->max)
		return false;
	*ret_from_s = hour * 3600 + minute * 60;
	*list += n + (at[n] == '+');
	return true;
}

static int check_shares(const struct cs_params *p, const char *prefix,
			struct cs_err *err)
{
	const char *at = p->slice_shares;
	int64_t last = -1, from = 0;
	double share;

	if (!strcmp(at, "fixed") || !strcmp(at, "load"))
		return 0;
	do {
		const char *item = at;

		if (cs_params_next_share(&at, &from, &share) && from > last)
			continue;
		return cs_err_set(err, -EINVAL,
				  "'%sslice_shares' holds '%.*s', expected "
				  "fixed, load, or HH:MM/SHARE with shares "
				  "from 0.01 to 0.99 in the order of time, "
				  "joined by '+'",
				  prefix, shown(item_len(item, '+')), item);
	} while (last = from, *at);
	if (ends_in_plus(p->slice_shares))
		return cs_err_set(err, -EINVAL,
				  "'%sslice_shares' ends in '+', expected "
				  "HH:MM/SHARE behind it", prefix);
	if (86400 % p->slice_cycle_s)
		return cs_err_set(err, -EINVAL,
				  "'%sslice_cycle_s' is %lld, expected a "
				  "divisor of 86400 beside shares by time of "
				  "day", prefix, (long long)p->slice_cycle_s);
	return 0;
}

/* The less of @least_s and of what medium and long jobs have of @rest_s, in whole
 * seconds, where medium ones have @share. */
static int64_t lesser_s(int64_t least_s, double share, int64_t rest_s)
{
	int64_t medium = (int64_t)(share * (double)rest_s * 1e6);
	int64_t other = rest_s * 1000000 - medium;
	int64_t s = (medium < other ? medium : other) / 1000000;

	return s < least_s ? s : least_s;
}

/* The shortest slice, in whole seconds: short jobs may have theirs before. */
static int64_t least_slice_s(const struct cs_params *p)
{
	int64_t rest = p->slice_cycle_s - p->slice_short_s, from;
	int64_t s = p->slice_short_s ? p->slice_short_s : p->slice_cycle_s;
	const char *at = p->slice_shares;
	double share;

	if (!strcmp(at, "load"))
		s = lesser_s(s, p->slice_least, rest);
	if (!strcmp(at, "load") || !strcmp(at, "fixed"))
		return lesser_s(s, p->slice_medium, rest);
	while (*at && cs_params_next_share(&at, &from, &share))
		s = lesser_s(s, share, rest);
	return s;
}

/* In a slice that is all overhead nobody ever runs. */
static int check_slices(const struct cs_params *p, const char *prefix,
			struct cs_err *err)
{
	if (p->slice == CS_SLICE_NONE)
		return 0;
	if (p->slice_short_s >= p->slice_cycle_s)
		return cs_err_set(err, -EINVAL,
				  "'%sslice_short_s' is %lld, expected less "
				  "than '%sslice_cycle_s' (%lld s)", prefix,
				  (long long)p->slice_short_s, prefix,
				  (long long)p->slice_cycle_s);
	if (p->slice_overhead_s >= least_slice_s(p))
		return cs_err_set(err, -EINVAL,
				  "'%sslice_overhead_s' is %lld, expected "
				  "less than the shortest slice (%lld s)",
				  prefix, (long long)p->slice_overhead_s,
				  (long long)least_slice_s(p));
	return 0;
}

/* Each of the cases once, in increasing order. */
static int check_cases(const char *value, const char *key, const char *prefix,
		       struct cs_err *err)
{
	char last = '0';

	for (const char *c = value; *c; last = *c++)
		if (*c <= last || *c > '5')
			return cs_err_set(err, -EINVAL,
					  "'%s%s' is '%.*s', expected digits "
					  "from 1 to 5 in increasing order",
					  prefix, key, SHOWN, value);
	return 0;
}

/* What stages need of each other, and of the host. */
static int check_stages(const struct cs_params *p, enum cs_param_host host,
			const char *prefix, struct cs_err *err)
{
	if (p->place == CS_PLACE_GROUP &&
	    p->backfill != CS_BACKFILL_CONSERVATIVE)
		return cs_err_set(err, -EINVAL,
				  "'%splace' is 'group', expected "
				  "%sbackfill=conservative beside it",
				  prefix, prefix);
	if (p->slice == CS_SLICE_PECT && host == CS_HOST_LIVE)
		return cs_err_set(err, -EINVAL,
				  "'%sslice' is 'pect', expected none: "
				  "slurmctld's side does not stop jobs yet",
				  prefix);
	return 0;
}

static int check_across(const struct cs_params *p, enum cs_param_host host,
			const char *prefix, struct cs_err *err)
{
	int rc = check_partition_modes(p->partition_modes, prefix, err);

	if (!rc)
		rc = check_list(p->share_partitions, "share_partitions", prefix,
				err);
	if (!rc)
		rc = check_socket(p->socket, prefix, err);
	if (!rc)
		rc = check_cases(p->cases, "cases", prefix, err);
	if (!rc)
		rc = check_cases(p->backfill_cases, "backfill_cases", prefix,
				 err);
	if (!rc)
		rc = check_shares(p, prefix, err);
	if (!rc)
		rc = check_stages(p, host, prefix, err);
	if (!rc)
		rc = check_slices(p, prefix, err);
	if (!rc && *p->log && !strcmp(p->log, p->profiles))
		rc = cs_err_set(err, -EINVAL,
				"'%slog' and '%sprofiles' are both '%.*s', "
				"expected two files", prefix, prefix, SHOWN,
				p->log);
	if (rc || host != CS_HOST_LIVE)
		return rc;
	rc = check_path(p->profiles, "profiles", prefix, err);
	if (!rc)
		rc = check_path(p->log, "log", prefix, err);
	if (!rc && p->period_ms >= p->hang_s * 1000)
		rc = cs_err_set(err, -EINVAL,
				"'%speriod_ms' is %lld, expected less than "
				"'%shang_s' (%lld s), or the gate would open "
				"in each pause",
				prefix, (long long)p->period_ms, prefix,
				(long long)p->hang_s);
	return rc;
}

/* ----------------------------------------------------------------- lists */

/* Whether the item is ours: it starts with the prefix, or with a misspelling
 * of it that differs in case or in the '_' behind it. */
static bool ours(const char *key, size_t n, const char *prefix)
{
	size_t len = strlen(prefix);

	if (len && prefix[len - 1] == '_')
		len--;
	return n >= len && same_nocase(key, prefix, len);
}

/* Read the item of @n bytes at @text into @p. */
static int read_item(struct cs_params *p, bool *given, struct item *policy,
		     const char *text, size_t n, const char *prefix, bool live,
		     struct cs_err *err)
{
	size_t key = item_len(text, '='), skip = strlen(prefix);
	struct item it;
	int row, rc;

	if (key > n)
		key = n;
	if (!ours(text, key, prefix))
		return 0;
	row = key >= skip && !memcmp(text, prefix, skip)
		      ? row_index(text + skip, key - skip)
		      : -1;
	if (row < 0) {
		size_t from = key < skip ? key : skip;

		return cs_err_set(err, -EINVAL,
				  "unknown key '%.*s', expected one of "
				  "`cosched params`, perhaps '%s%s'",
				  shown(key), text, prefix,
				  nearest_key(text + from, key - from));
	}
	if (key == n)
		return cs_err_set(err, -EINVAL,
				  "'%.*s' has no value, expected '%.*s=VALUE'",
				  shown(key), text, shown(key), text);
	if (given[row])
		return cs_err_set(err, -EINVAL,
				  "'%.*s' is given twice, expected once",
				  shown(key), text);
	it = (struct item){ text, text + key + 1, key, n - key - 1 };
	rc = set_value(p, &rows[row], &it, live, err);
	if (rc)
		return rc;
	given[row] = true;
	if (row == ROW_policy)
		*policy = it;
	return 0;
}

static bool blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The item of @list behind @at without blanks, in @ret; how many bytes. */
static size_t next_item(const char **at, const char **ret)
{
	size_t len = item_len(*at, ','), n = len;

	*ret = *at;
	*at += len + ((*at)[len] == ',');
	for (; n && blank((*ret)[n - 1]); n--)
		;
	for (; n && blank(**ret); n--)
		(*ret)++;
	return n;
}

int cs_params_parse(struct cs_params *ret, enum cs_param_host host,
		    const char *list, const char *prefix, struct cs_err *err)
{
	struct item policy = { "policy", "", 6, 0 };
	bool given[N_ROW] = { false };
	struct cs_params p;
	int rc = init_table(&p, host);

	if (rc)
		return rc;
	while (!rc && *list) {
		const char *text;
		size_t n = next_item(&list, &text);

		if (n)
			rc = read_item(&p, given, &policy, text, n, prefix,
				       host == CS_HOST_LIVE, err);
	}
	if (!rc)
		rc = apply_preset(&p, given, &policy, err);
	if (!rc)
		rc = check_across(&p, host, prefix, err);
	if (rc) {
		cs_params_done(&p);
		return rc;
	}
	*ret = p;
	return 0;
}

bool cs_params_says_off(const char *list, const char *prefix)
{
	size_t skip = strlen(prefix), n;
	const char *text;
	bool off = false;

	while (*list) {
		n = next_item(&list, &text);
		if (n > skip + 5 && !memcmp(text, prefix, skip) &&
		    !memcmp(text + skip, "mode=", 5))
			off = is(text + skip + 5, n - skip - 5, "off");
	}
	return off;
}

/* -------------------------------------------------------------- printing */

/* As few digits behind the point as give the number back. */
static int print_real(double v, char *buf, size_t size)
{
	const char *minus = v < 0 ? "-" : "";
	double a = v < 0 ? -v : v;
	int64_t n = 0, scale = 1;
	int digits = 0;

	for (;; digits++, scale *= 10) {
		n = (int64_t)(a * (double)scale + .5);
		if ((double)n / (double)scale == a || digits == 12)
			break;
	}
	if (!digits)
		return snprintf(buf, size, "%s%lld", minus, (long long)n);
	return snprintf(buf, size, "%s%lld.%0*lld", minus,
			(long long)(n / scale), digits, (long long)(n % scale));
}

int cs_params_print(const struct cs_params *p, const struct cs_param_row *row,
		    char *buf, size_t size)
{
	const void *field = (const char *)p + row->offset;
	const char *name = row->names, *text;

	switch (row->kind) {
	case CS_PARAM_ENUM:
		for (int i = *(const int *)field; i > 0; i--)
			name += item_len(name, '|') + 1;
		return snprintf(buf, size, "%.*s", (int)item_len(name, '|'),
				name);
	case CS_PARAM_INT:
		return snprintf(buf, size, "%lld",
				(long long)*(const int64_t *)field);
	case CS_PARAM_REAL:
		return print_real(*(const double *)field, buf, size);
	case CS_PARAM_TEXT:
		text = *(char *const *)field;
		return snprintf(buf, size, "%s", text ? text : "");
	}
	return 0;
}

/* ----------------------------------------------------------------- lists */

bool cs_params_listed(const char *list, const char *word, bool if_empty)
{
	if (!list || !*list)
		return if_empty;
	for (;;) {
		size_t len = item_len(list, '+');

		if (is(list, len, word))
			return true;
		if (!list[len])
			return false;
		list += len + 1;
	}
}

enum cs_mode cs_params_mode_of(const struct cs_params *p, const char *name)
{
	const char *at = p->partition_modes ? p->partition_modes : "", *other;
	size_t n;
	int mode;

	while (*at)
		if (next_mode(&at, &other, &n, &mode) && is(other, n, name))
			return (enum cs_mode)mode;
	return (enum cs_mode)p->mode;
}
