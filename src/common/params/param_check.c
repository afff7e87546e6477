/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parameters: what keys require of each other, and lists within a value. */
#include "params/params_parts.h"

#include <errno.h>

/* Live. */
#define LEAST_SLOT_S 30
#define LEAST_REST_S 5
#define LEAST_GUARD_S 3

/* Read the next "name:mode" of partition_modes; the name may hold a ':'. */
static bool next_mode(const char **list, const char **ret_name, size_t *ret_n,
		      int *ret_mode)
{
	size_t len = cs_param_len(*list, '+'), colon = len;

	while (colon && (*list)[colon - 1] != ':')
		colon--;
	*ret_name = *list;
	*ret_n = colon ? colon - 1 : 0;
	*ret_mode = colon ? cs_param_name(cs_param_rows[CS_ROW_mode].names,
					  *list + colon, len - colon)
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
			return cs_err_set(
				err, -EINVAL,
				"'%spartition_modes' holds '%.*s', "
				"expected PARTITION:off, :shadow or "
				":act, joined by '+'",
				prefix, cs_param_shown(cs_param_len(from, '+')),
				from);
		for (const char *seen = list; seen < from;) {
			next_mode(&seen, &other, &m, &mode);
			if (m == n && !memcmp(name, other, n))
				return cs_err_set(
					err, -EINVAL,
					"'%spartition_modes' names '%.*s' "
					"twice, expected each partition once",
					prefix, cs_param_shown(n), name);
		}
	}
	if (ends_in_plus(list))
		return cs_err_set(err, -EINVAL,
				  "'%spartition_modes' ends in '+', expected "
				  "PARTITION:MODE behind it",
				  prefix);
	return 0;
}

static int check_list(const char *list, const char *key, const char *prefix,
		      struct cs_err *err)
{
	if (*list == '+' || ends_in_plus(list) || strstr(list, "++"))
		return cs_err_set(err, -EINVAL,
				  "'%s%s' holds an empty name, expected names "
				  "joined by '+'",
				  prefix, key);
	return 0;
}

static int check_socket(const char *value, const char *prefix,
			struct cs_err *err)
{
	int64_t port;

	if (!*value || *value == '/')
		return 0;
	if (cs_param_int(value, strlen(value), &port) && port >= 1 &&
	    port <= 65535)
		return 0;
	return cs_err_set(err, -EINVAL,
			  "'%ssocket' is '%.*s', expected an absolute path or "
			  "a port from 1 to 65535",
			  prefix, CS_PARAM_SHOWN, value);
}

static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static int check_path(const char *value, const char *key, const char *folder,
		      const char *prefix, struct cs_err *err)
{
	if (!*value || *value == '/')
		return 0;
	return cs_err_set(
		err, -EINVAL,
		"'%s%s' is '%.*s', expected an absolute path, such as "
		"'%s/%.*s'",
		prefix, key, CS_PARAM_SHOWN, value, folder, CS_PARAM_SHOWN,
		file_name(value));
}

static bool two_digits(const char *text, int64_t below, int64_t *ret)
{
	return strnlen(text, 2) == 2 && cs_param_int(text, 2, ret) &&
	       *ret >= 0 && *ret < below;
}

bool cs_params_next_share(const char **list, int64_t *ret_from_s,
			  double *ret_share)
{
	const struct cs_param_row *row = &cs_param_rows[CS_ROW_slice_medium];
	const char *at = *list;
	size_t n = cs_param_len(at, '+');
	int64_t hour, minute;

	if (n < 7 || at[2] != ':' || at[5] != '/' ||
	    !two_digits(at, 24, &hour) || !two_digits(at + 3, 60, &minute) ||
	    !cs_param_real(at + 6, n - 6, ret_share) || *ret_share < row->min ||
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
		return cs_err_set(
			err, -EINVAL,
			"'%sslice_shares' holds '%.*s', expected "
			"fixed, load, or HH:MM/SHARE with shares "
			"from 0.01 to 0.99 in the order of time, "
			"joined by '+'",
			prefix, cs_param_shown(cs_param_len(item, '+')), item);
	} while (last = from, *at);
	if (ends_in_plus(p->slice_shares))
		return cs_err_set(err, -EINVAL,
				  "'%sslice_shares' ends in '+', expected "
				  "HH:MM/SHARE behind it",
				  prefix);
	if (86400 % p->slice_cycle_s)
		return cs_err_set(err, -EINVAL,
				  "'%sslice_cycle_s' is %lld, expected a "
				  "divisor of 86400 beside shares by time of "
				  "day",
				  prefix, (long long)p->slice_cycle_s);
	return 0;
}

/* The least of @least_s and the medium and long jobs' parts of @rest_s, in whole
 * seconds, with @share for medium ones. */
static int64_t lesser_s(int64_t least_s, double share, int64_t rest_s)
{
	int64_t medium = (int64_t)(share * (double)rest_s * 1e6);
	int64_t other = rest_s * 1000000 - medium;
	int64_t s = (medium < other ? medium : other) / 1000000;

	return s < least_s ? s : least_s;
}

/* The shortest slice, in whole seconds: short jobs may have theirs first. */
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

/* In a slice that is all overhead no job ever runs. */
static int check_slices(const struct cs_params *p, const char *prefix,
			struct cs_err *err)
{
	if (p->slice != CS_SLICE_PECT)
		return 0;
	if (p->slice_short_s >= p->slice_cycle_s)
		return cs_err_set(err, -EINVAL,
				  "'%sslice_short_s' is %lld, expected less "
				  "than '%sslice_cycle_s' (%lld s)",
				  prefix, (long long)p->slice_short_s, prefix,
				  (long long)p->slice_cycle_s);
	if (p->slice_overhead_s >= least_slice_s(p))
		return cs_err_set(err, -EINVAL,
				  "'%sslice_overhead_s' is %lld, expected "
				  "less than the shortest slice (%lld s)",
				  prefix, (long long)p->slice_overhead_s,
				  (long long)least_slice_s(p));
	if (p->slice_guard_s > p->slice_overhead_s)
		return cs_err_set(err, -EINVAL,
				  "'%sslice_guard_s' is %lld, expected at most "
				  "'%sslice_overhead_s' (%lld s)",
				  prefix, (long long)p->slice_guard_s, prefix,
				  (long long)p->slice_overhead_s);
	return 0;
}

static int check_classes(const struct cs_params *p, const char *prefix,
			 struct cs_err *err)
{
	if (p->slice != CS_SLICE_PECT || p->class_medium_s >= p->class_short_s)
		return 0;
	return cs_err_set(err, -EINVAL,
			  "'%sclass_medium_s' is %lld, expected at least "
			  "'%sclass_short_s' (%lld s)",
			  prefix, (long long)p->class_medium_s, prefix,
			  (long long)p->class_short_s);
}

/* Each case at most once, in increasing order. */
static int check_cases(const char *value, const char *key, const char *prefix,
		       struct cs_err *err)
{
	char last = '0';

	for (const char *c = value; *c; last = *c++)
		if (*c <= last || *c > '5')
			return cs_err_set(err, -EINVAL,
					  "'%s%s' is '%.*s', expected digits "
					  "from 1 to 5 in increasing order",
					  prefix, key, CS_PARAM_SHOWN, value);
	return 0;
}

/* ---- one function a rule ------------------------------------------------- */

typedef int rule_fn(const struct cs_params *p, const char *prefix,
		    struct cs_err *err);

static int rule_modes(const struct cs_params *p, const char *prefix,
		      struct cs_err *err)
{
	return check_partition_modes(p->partition_modes, prefix, err);
}

static int rule_share(const struct cs_params *p, const char *prefix,
		      struct cs_err *err)
{
	return check_list(p->share_partitions, "share_partitions", prefix, err);
}

static int rule_site_list(const struct cs_params *p, const char *prefix,
			  struct cs_err *err)
{
	return *p->sites == '/' ? 0
				: check_list(p->sites, "sites", prefix, err);
}

/* Live, a rule without sites does nothing. */
static int rule_sites_given(const struct cs_params *p, const char *prefix,
			    struct cs_err *err)
{
	if (p->site_rule == CS_SITE_RULE_NONE || *p->sites)
		return 0;
	return cs_err_set(
		err, -EINVAL,
		"'%ssites' is not given, expected topology, partitions "
		"joined by '+', or the absolute path of a file beside "
		"%ssite_rule",
		prefix, prefix);
}

static int rule_socket(const struct cs_params *p, const char *prefix,
		       struct cs_err *err)
{
	return check_socket(p->socket, prefix, err);
}

static int rule_cases(const struct cs_params *p, const char *prefix,
		      struct cs_err *err)
{
	return check_cases(p->cases, "cases", prefix, err);
}

static int rule_backfill_cases(const struct cs_params *p, const char *prefix,
			       struct cs_err *err)
{
	return check_cases(p->backfill_cases, "backfill_cases", prefix, err);
}

static int rule_group(const struct cs_params *p, const char *prefix,
		      struct cs_err *err)
{
	if (p->place != CS_PLACE_GROUP ||
	    p->backfill == CS_BACKFILL_CONSERVATIVE)
		return 0;
	return cs_err_set(err, -EINVAL,
			  "'%splace' is 'group', expected "
			  "%sbackfill=conservative beside it",
			  prefix, prefix);
}

static int rule_cover(const struct cs_params *p, const char *prefix,
		      struct cs_err *err)
{
	if (p->place != CS_PLACE_COVER ||
	    p->backfill != CS_BACKFILL_CONSERVATIVE)
		return 0;
	return cs_err_set(err, -EINVAL,
			  "'%splace' is 'cover', expected %sbackfill=easy or "
			  "none beside it",
			  prefix, prefix);
}

static int rule_stock(const struct cs_params *p, const char *prefix,
		      struct cs_err *err)
{
	const char *beside = p->slice != CS_SLICE_NONE ? "slice=none"
			     : p->site_rule != CS_SITE_RULE_NONE
				     ? "site_rule=none"
			     : p->place != CS_PLACE_PACK ? "place=pack"
							 : NULL;

	if (p->backfill != CS_BACKFILL_STOCK || !beside)
		return 0;
	return cs_err_set(
		err, -EINVAL,
		"'%sbackfill' is 'stock', expected %s%s beside it, or "
		"%spolicy=stock, which has all it needs",
		prefix, prefix, beside, prefix);
}

static int rule_slack(const struct cs_params *p, const char *prefix,
		      struct cs_err *err)
{
	if (p->head_slack == 1 || p->backfill == CS_BACKFILL_EASY)
		return 0;
	return cs_err_set(err, -EINVAL,
			  "'%shead_slack' is %g, expected 1, or "
			  "%sbackfill=easy beside it",
			  prefix, p->head_slack, prefix);
}

static int rule_planned(const struct cs_params *p, const char *prefix,
			struct cs_err *err)
{
	const char *beside = p->backfill != CS_BACKFILL_EASY ? "backfill=easy"
			     : p->slice != CS_SLICE_NONE     ? "slice=none"
			     : p->site_rule != CS_SITE_RULE_NONE
				     ? "site_rule=none"
				     : NULL;

	if (p->planned_starts == 1 || !beside)
		return 0;
	return cs_err_set(err, -EINVAL,
			  "'%splanned_starts' is %lld, expected 1, or %s%s "
			  "beside it",
			  prefix, (long long)p->planned_starts, prefix, beside);
}

static int rule_passing(const struct cs_params *p, const char *prefix,
			struct cs_err *err)
{
	const char *beside = p->slice == CS_SLICE_GANG ? "slice=none or pect"
			     : p->backfill != CS_BACKFILL_EASY ? "backfill=easy"
							       : NULL;

	if (p->passing == CS_PASSING_QUEUE || !beside)
		return 0;
	return cs_err_set(err, -EINVAL,
			  "'%spassing' is '%s', expected 'queue', or %s%s "
			  "beside it",
			  prefix,
			  p->passing == CS_PASSING_SHORTEST ? "shortest"
							    : "expansion",
			  prefix, beside);
}

static int rule_sites(const struct cs_params *p, const char *prefix,
		      struct cs_err *err)
{
	bool pairs = p->place == CS_PLACE_PAIR_FIRST ||
		     p->place == CS_PLACE_PAIR_BEST;
	const char *beside = p->slice == CS_SLICE_GANG ? "slice=none or pect"
			     : p->place == CS_PLACE_COVER
				     ? "place=space, pack or group"
			     : pairs && p->backfill != CS_BACKFILL_CONSERVATIVE
				     ? "place=space, pack or group, or "
				       "backfill=conservative"
				     : NULL;
	char rule[16];

	if (p->site_rule == CS_SITE_RULE_NONE || !beside)
		return 0;
	cs_params_print(p, &cs_param_rows[CS_ROW_site_rule], rule,
			sizeof(rule));
	return cs_err_set(err, -EINVAL,
			  "'%ssite_rule' is '%s', expected %s%s beside it",
			  prefix, rule, prefix, beside);
}

static int rule_estimates(const struct cs_params *p, const char *prefix,
			  struct cs_err *err)
{
	const char *beside = p->slice != CS_SLICE_NONE	? "slice=none"
			     : p->learn == CS_LEARN_USE ? "learn=off or propose"
							: NULL;

	if (p->start_estimates == CS_NO || !beside)
		return 0;
	return cs_err_set(
		err, -EINVAL,
		"'%sstart_estimates' is 'yes', expected 'no', or %s%s "
		"beside it",
		prefix, prefix, beside);
}

/* A plan by cores counts each of them once, and jobs of a time slice have theirs alone. */
static int rule_mpl(const struct cs_params *p, const char *prefix,
		    struct cs_err *err)
{
	const char *beside = p->place != CS_PLACE_COVER	 ? "place=cover"
			     : p->slice != CS_SLICE_NONE ? "slice=none"
							 : NULL;

	if (p->mpl == 1 || !beside)
		return 0;
	return cs_err_set(err, -EINVAL,
			  "'%smpl' is %lld, expected 1, or %s%s beside it",
			  prefix, (long long)p->mpl, prefix, beside);
}

static int rule_mpl_live(const struct cs_params *p, const char *prefix,
			 struct cs_err *err)
{
	if (p->mpl == 1)
		return 0;
	return cs_err_set(err, -EINVAL,
			  "'%smpl' is %lld, expected 1: jobs share cores in "
			  "the simulator only",
			  prefix, (long long)p->mpl);
}

/* What slots of whole nodes go by. */
static int rule_gang(const struct cs_params *p, const char *prefix,
		     struct cs_err *err)
{
	const char *beside =
		p->place != CS_PLACE_SPACE	       ? "place=space"
		: p->backfill != CS_BACKFILL_NONE      ? "backfill=none"
		: p->unprofiled != CS_UNPROFILED_MODEL ? "unprofiled=model"
		: p->layout != CS_LAYOUT_DENSE && p->layout != CS_LAYOUT_GAIN
			? "layout=dense or gain"
			: NULL;

	if (p->slice != CS_SLICE_GANG || !beside)
		return 0;
	return cs_err_set(err, -EINVAL,
			  "'%sslice' is 'gang', expected %s%s beside it, or "
			  "%spolicy=brmms+, which has all it needs",
			  prefix, prefix, beside, prefix);
}

static int rule_slot(const struct cs_params *p, const char *prefix,
		     struct cs_err *err)
{
	int64_t least = p->slice_guard_s + p->slice_rest_s;

	if (p->slice != CS_SLICE_GANG || p->slot_s > least)
		return 0;
	return cs_err_set(err, -EINVAL,
			  "'%sslot_s' is %lld, expected more than "
			  "'%sslice_guard_s' and '%sslice_rest_s' together "
			  "(%lld s)",
			  prefix, (long long)p->slot_s, prefix, prefix,
			  (long long)least);
}

static int rule_slot_live(const struct cs_params *p, const char *prefix,
			  struct cs_err *err)
{
	if (p->slice != CS_SLICE_GANG || p->slot_s >= LEAST_SLOT_S)
		return 0;
	return cs_err_set(err, -EINVAL,
			  "'%sslot_s' is %lld, expected at least %d s: in "
			  "shorter slots of slice=gang stops take more than a "
			  "tenth of the time",
			  prefix, (long long)p->slot_s, LEAST_SLOT_S);
}

static int rule_rest_live(const struct cs_params *p, const char *prefix,
			  struct cs_err *err)
{
	if (p->slice == CS_SLICE_NONE || p->slice_rest_s >= LEAST_REST_S)
		return 0;
	return cs_err_set(err, -EINVAL,
			  "'%sslice_rest_s' is %lld, expected at least %d s: "
			  "a node that is told sooner may stop and resume a "
			  "job in any order",
			  prefix, (long long)p->slice_rest_s, LEAST_REST_S);
}

static int rule_guard_live(const struct cs_params *p, const char *prefix,
			   struct cs_err *err)
{
	if (p->slice == CS_SLICE_NONE || p->slice_guard_s >= LEAST_GUARD_S)
		return 0;
	return cs_err_set(err, -EINVAL,
			  "'%sslice_guard_s' is %lld, expected at least %d s: "
			  "a job may run for 2 s after it is told to stop",
			  prefix, (long long)p->slice_guard_s, LEAST_GUARD_S);
}

static int rule_rounds(const struct cs_params *p, const char *prefix,
		       struct cs_err *err)
{
	if (p->gang_rounds == CS_NO)
		return 0;
	return cs_err_set(err, -EINVAL,
			  "'%sgang_rounds' is 'yes', expected no: rounds are "
			  "for the simulator",
			  prefix);
}

static int rule_files(const struct cs_params *p, const char *prefix,
		      struct cs_err *err)
{
	if (!*p->log || strcmp(p->log, p->profiles))
		return 0;
	return cs_err_set(err, -EINVAL,
			  "'%slog' and '%sprofiles' are both '%.*s', "
			  "expected two files",
			  prefix, prefix, CS_PARAM_SHOWN, p->log);
}

static int rule_profiles(const struct cs_params *p, const char *prefix,
			 struct cs_err *err)
{
	return check_path(p->profiles, "profiles", "/etc/slurm", prefix, err);
}

static int rule_log(const struct cs_params *p, const char *prefix,
		    struct cs_err *err)
{
	return check_path(p->log, "log", "/var/log/slurm", prefix, err);
}

static int rule_period(const struct cs_params *p, const char *prefix,
		       struct cs_err *err)
{
	if (p->period_ms < p->hang_s * 1000)
		return 0;
	return cs_err_set(err, -EINVAL,
			  "'%speriod_ms' is %lld, expected less than "
			  "'%shang_s' (%lld s), or the gate would open "
			  "in each pause",
			  prefix, (long long)p->period_ms, prefix,
			  (long long)p->hang_s);
}

static const struct {
	rule_fn *look;
	int row;     /* the key it is about */
	bool across; /* it also needs others */
	bool live;   /* in slurmctld only */
} rules[] = {
	{ rule_modes, CS_ROW_partition_modes, false, false },
	{ rule_share, CS_ROW_share_partitions, false, false },
	{ rule_socket, CS_ROW_socket, false, false },
	{ rule_cases, CS_ROW_cases, false, false },
	{ rule_backfill_cases, CS_ROW_backfill_cases, false, false },
	{ check_shares, CS_ROW_slice_shares, false, false },
	{ rule_group, CS_ROW_place, true, false },
	{ rule_cover, CS_ROW_place, true, false },
	{ rule_stock, CS_ROW_backfill, true, false },
	{ rule_slack, CS_ROW_head_slack, true, false },
	{ rule_planned, CS_ROW_planned_starts, true, false },
	{ rule_passing, CS_ROW_passing, true, false },
	{ rule_site_list, CS_ROW_sites, false, false },
	{ rule_sites, CS_ROW_site_rule, true, false },
	{ rule_sites_given, CS_ROW_sites, true, true },
	{ rule_mpl, CS_ROW_mpl, true, false },
	{ rule_mpl_live, CS_ROW_mpl, false, true },
	{ rule_gang, CS_ROW_slice, true, false },
	{ rule_slot, CS_ROW_slot_s, true, false },
	{ rule_slot_live, CS_ROW_slot_s, true, true },
	{ rule_rest_live, CS_ROW_slice_rest_s, true, true },
	{ rule_guard_live, CS_ROW_slice_guard_s, true, true },
	{ rule_rounds, CS_ROW_gang_rounds, false, true },
	{ check_slices, CS_ROW_slice, true, false },
	{ check_classes, CS_ROW_class_medium_s, true, false },
	{ rule_estimates, CS_ROW_start_estimates, true, false },
	{ rule_files, CS_ROW_log, false, false },
	{ rule_profiles, CS_ROW_profiles, false, true },
	{ rule_log, CS_ROW_log, false, true },
	{ rule_period, CS_ROW_period_ms, true, true },
};

int cs_param_check(const struct cs_params *p, enum cs_param_host host,
		   const char *prefix, struct cs_param_check *c,
		   struct cs_err *err)
{
	while (c->next < sizeof(rules) / sizeof(rules[0])) {
		size_t i = c->next++;
		int rc;

		if ((rules[i].live && host != CS_HOST_LIVE) ||
		    (rules[i].across && c->alone))
			continue;
		c->row = rules[i].row;
		c->across = rules[i].across;
		rc = rules[i].look(p, prefix, err);
		if (rc)
			return rc;
	}
	return 0;
}

/* ---- lists --------------------------------------------------------------- */

bool cs_params_listed(const char *list, const char *word, bool if_empty)
{
	if (!list || !*list)
		return if_empty;
	for (;;) {
		size_t len = cs_param_len(list, '+');

		if (cs_param_is(list, len, word))
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
		if (next_mode(&at, &other, &n, &mode) &&
		    cs_param_is(other, n, name))
			return (enum cs_mode)mode;
	return (enum cs_mode)p->mode;
}
