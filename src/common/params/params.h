/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parameters: one table (param_list.h) gives the parser, the defaults, the ranges,
 * `cosched params`, the manual and the header of the event log.
 *
 * In slurm.conf each key is in SchedulerParameters with the prefix `cosched_`; the
 * simulator's --set takes the same keys without it.  A preset (`policy`) is a row of
 * values; any key given as well overrides it, wherever in the list.
 */
#ifndef CS_PARAMS_PARAMS_H
#define CS_PARAMS_PARAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "params/param_list.h"

#define CS_PATH_MAX 1024 /* bytes of a path or list value, with its 0 */

enum cs_mode { CS_MODE_OFF, CS_MODE_SHADOW, CS_MODE_ACT };
static inline const char *cs_params_mode_name(enum cs_mode m)
{
	return m == CS_MODE_OFF ? "off" : m == CS_MODE_ACT ? "act" : "shadow";
}
enum cs_order {
	CS_ORDER_FCFS,
	CS_ORDER_SLURM,
	CS_ORDER_OSTRICH,
	CS_ORDER_EXPANSION,
	CS_ORDER_WORK,
	CS_ORDER_SHIFTED
};
enum cs_campaigns_by {
	CS_CAMPAIGNS_BATCH,
	CS_CAMPAIGNS_MAX,
	CS_CAMPAIGNS_LAST,
	CS_CAMPAIGNS_ARRIVAL,
	CS_CAMPAIGNS_GAP,
	CS_CAMPAIGNS_ARRAY
};
enum cs_campaign_order {
	CS_CAMPAIGN_ORDER_FCFS,
	CS_CAMPAIGN_ORDER_SPT,
	CS_CAMPAIGN_ORDER_LPT,
	CS_CAMPAIGN_ORDER_MLPT
};
enum cs_campaign_hold { CS_CAMPAIGN_HOLD_RANK, CS_CAMPAIGN_HOLD_STRICT };
enum cs_shares { CS_SHARES_EQUAL, CS_SHARES_GIVEN };
enum cs_slice { CS_SLICE_NONE, CS_SLICE_PECT, CS_SLICE_GANG };
/* As the parameter has it; NULL: none. */
static inline const char *cs_params_slice_name(enum cs_slice s)
{
	return s == CS_SLICE_NONE ? NULL : s == CS_SLICE_PECT ? "pect" : "gang";
}
enum cs_slice_stop { CS_SLICE_STOP_ALL, CS_SLICE_STOP_NEEDED };
enum cs_gang_block {
	CS_GANG_BLOCK_FIRST,
	CS_GANG_BLOCK_BUDDY,
	CS_GANG_BLOCK_ANY
};
enum cs_gang_extra {
	CS_GANG_EXTRA_NONE,
	CS_GANG_EXTRA_KEPT,
	CS_GANG_EXTRA_KEPT_ONE,
	CS_GANG_EXTRA_LENT
};
enum cs_gang_deal { CS_GANG_DEAL_NARROW, CS_GANG_DEAL_WIDE };
enum cs_place {
	CS_PLACE_SPACE,
	CS_PLACE_PACK,
	CS_PLACE_PAIR_FIRST,
	CS_PLACE_PAIR_BEST,
	CS_PLACE_GROUP,
	CS_PLACE_COVER
};
enum cs_backfill {
	CS_BACKFILL_NONE,
	CS_BACKFILL_EASY,
	CS_BACKFILL_CONSERVATIVE,
	CS_BACKFILL_STOCK
};
enum cs_passing { CS_PASSING_QUEUE, CS_PASSING_SHORTEST, CS_PASSING_EXPANSION };
enum cs_backfill_join { CS_BACKFILL_JOIN_NO, CS_BACKFILL_JOIN_YES };
enum cs_layout {
	CS_LAYOUT_DENSE,
	CS_LAYOUT_MODEL,
	CS_LAYOUT_GAIN,
	CS_LAYOUT_AUTO
};
enum cs_learn { CS_LEARN_OFF, CS_LEARN_PROPOSE, CS_LEARN_USE };
enum cs_unprofiled { CS_UNPROFILED_MODEL, CS_UNPROFILED_PACK };
enum cs_no_yes { CS_NO, CS_YES };
enum cs_group_factor { CS_GROUP_FACTOR_AT_ONCE, CS_GROUP_FACTOR_LATE };
enum cs_overdue { CS_OVERDUE_END, CS_OVERDUE_RAISE };
enum cs_depth_of { CS_DEPTH_OF_PARTITION, CS_DEPTH_OF_QUEUE };
enum cs_site_rule {
	CS_SITE_RULE_NONE,
	CS_SITE_RULE_SINGLE,
	CS_SITE_RULE_SPLIT,
	CS_SITE_RULE_ADAPTIVE,
	CS_SITE_RULE_LOOK
};
enum cs_site_fragments {
	CS_SITE_FRAGMENTS_LIMITED,
	CS_SITE_FRAGMENTS_UNLIMITED
};
enum cs_across_grows { CS_ACROSS_CONSTANT, CS_ACROSS_LINEAR, CS_ACROSS_LOG };
enum cs_low_load { CS_LOW_LOAD_SPREAD, CS_LOW_LOAD_LAYOUT };
enum cs_slowdowns { CS_SLOWDOWNS_PROFILE, CS_SLOWDOWNS_TABLE4 };
enum cs_physics { CS_PHYSICS_RECORD, CS_PHYSICS_BELIEVED };
enum cs_scope { CS_SCOPE_ANY, CS_SCOPE_ACCOUNT, CS_SCOPE_USER };

#define CS_PARAM_TYPE_ENUM int
#define CS_PARAM_TYPE_INT int64_t
#define CS_PARAM_TYPE_REAL double
#define CS_PARAM_TYPE_TEXT char *

struct cs_params {
#define CS_PARAM_FIELD(f, key, kind, ...) CS_PARAM_TYPE_##kind f;
	CS_PARAM_TABLE(CS_PARAM_FIELD)
#undef CS_PARAM_FIELD
};

enum cs_param_host {
	CS_HOST_LIVE,
	CS_HOST_SIM,
	CS_HOST_SIM_LIVE, /* a simulation with slurmctld's defaults, except
			     mode and learn, where SchedulerParameters is empty */
};
enum cs_param_kind {
	CS_PARAM_ENUM,
	CS_PARAM_INT,
	CS_PARAM_REAL,
	CS_PARAM_TEXT
};

/* One row of the table, for printing and documentation. */
struct cs_param_row {
	const char *key, *unit, *live, *sim, *names, *text;
	enum cs_param_kind kind;
	double min, max;
	size_t offset; /* of the field in struct cs_params */
};

/* The rows, in the table's order; @ret_n their number. */
const struct cs_param_row *cs_params_rows(size_t *ret_n);
/* The preset of a host whose settings name none. */
const char *cs_params_default_policy(enum cs_param_host host);

/* Names of the presets, NULL after the last. */
const char *const *cs_params_presets(void);

/* What preset @name sets, as "key=value,key=value"; NULL: no such preset. */
const char *cs_params_preset_keys(const char *name);

/* Defaults of @host, with the preset that is its default applied. 0, -ENOMEM */
int cs_params_init(struct cs_params *p, enum cs_param_host host);
void cs_params_done(struct cs_params *p); /* NULL and zeroed ones too */
int cs_params_copy(struct cs_params *to, const struct cs_params *from);

/*
 * Read @list ("key=value,key=value"; items whose key does not start with
 * @prefix are left alone, so Slurm's SchedulerParameters can be given whole)
 * over the defaults of @host into a fresh @ret, presets first, then single
 * keys, then checks across keys.  Blanks around an item are ignored; an item of ours
 * without '=' is an error, as is a key given twice, or a slightly different prefix
 * before a key close to one of ours.
 *
 * 0; -EINVAL with @err set (the key, the value, what was expected): @ret is unchanged;
 * -ENOMEM.
 */
int cs_params_parse(struct cs_params *ret, enum cs_param_host host,
		    const char *list, const char *prefix, struct cs_err *err);

/* The same; where @host is CS_HOST_SIM_LIVE, at a site whose SchedulerParameters are
 * @sched (NULL: empty), from which keys of ours that follow Slurm's have their values. */
int cs_params_parse_at(struct cs_params *ret, enum cs_param_host host,
		       const char *sched, const char *list, const char *prefix,
		       struct cs_err *err);

/*
 * Report each item of @list whose key is an old name.  It counts as the new one; an
 * item under each is a key given twice.
 */
void cs_params_renamed(const char *list, const char *prefix,
		       void (*tell)(void *arg, size_t at, const char *text),
		       void *arg);

/* Is @item ("key=value") valid by itself?  0; -EINVAL with @err set; -ENOMEM. */
int cs_params_item(enum cs_param_host host, const char *item,
		   const char *prefix, struct cs_err *err);

/*
 * All errors of @list, as cs_params_parse() words them: @tell gets the offset of the
 * item in @list, and the text.  First the items in order; then the valid ones, each by
 * itself and with other keys; the last only if all items are valid, so that no error
 * causes others.
 *
 * Returns their number; -ENOMEM.
 */
int cs_params_errors(enum cs_param_host host, const char *list,
		     const char *prefix,
		     void (*tell)(void *arg, size_t at, const char *text),
		     void *arg);

/*
 * Report what cs_params_parse() passes over, as Slurm does, and the site cannot mean: a
 * key of ours without the prefix, and behind a list the items that a comma has split off.
 */
void cs_params_passed_over(const char *list, const char *prefix,
			   void (*tell)(void *arg, size_t at, const char *text),
			   void *arg);

/* The value of a row as text, as it would be written; returns its length as
 * snprintf does. */
int cs_params_print(const struct cs_params *p, const struct cs_param_row *row,
		    char *buf, size_t size);

/* Is @word an item of the '+'-joined @list?  Empty list: @if_empty. */
bool cs_params_listed(const char *list, const char *word, bool if_empty);

/*
 * The next item, HH:MM/SHARE, of a list of slice_shares; *@list is "" after the last.
 * False: not an item.
 */
bool cs_params_next_share(const char **list, int64_t *ret_from_s,
			  double *ret_share);

/*
 * Does the last `mode` of @list say "off"?  For a list that cs_params_parse() refuses:
 * turning off must not depend on the rest being right.
 */
bool cs_params_says_off(const char *list, const char *prefix);

/*
 * The mode of partition @name: its own of `partition_modes`, else `mode`.
 */
enum cs_mode cs_params_mode_of(const struct cs_params *p, const char *name);

/* Set the enum of @key (or its old name) to its value @text.  0; -ENOENT: no such enum;
 * -EINVAL: no such value. */
int cs_params_set_enum(struct cs_params *p, const char *key, const char *text);

/* From now on slice=none.  The name of what there was; NULL: none; static. */
const char *cs_params_no_slices(struct cs_params *p);

#endif
