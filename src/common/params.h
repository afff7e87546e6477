/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parameters: one table gives the parser, the defaults, the ranges, `cosched
 * params`, the manual and the header of the event log.
 *
 * In slurm.conf each key stands in SchedulerParameters under the prefix
 * `cosched_`; the simulator's --set takes the same keys without it.  Slurm
 * finds its own keys in that string by substring, so no key here may contain
 * one of Slurm's, nor may a value hold one of its flags
 * (test/unit/test_params.c runs every key of Slurm over ours).
 *
 * A preset (`policy`) is a row of values; any key given beside it overrides it,
 * wherever it stands in the list.  Where a site's cluster and a simulation of
 * 000's machine want different defaults, the table has two.
 */
#ifndef CS_PARAMS_H
#define CS_PARAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"

#define CS_PATH_MAX 1024 /* bytes of a path or list value, with its 0 */

enum cs_mode { CS_MODE_OFF, CS_MODE_SHADOW, CS_MODE_ACT };
enum cs_order { CS_ORDER_FCFS, CS_ORDER_SLURM };
enum cs_slice { CS_SLICE_NONE };
enum cs_place {
	CS_PLACE_SPACE,
	CS_PLACE_PACK,
	CS_PLACE_PAIR_FIRST,
	CS_PLACE_PAIR_BEST
};
enum cs_backfill { CS_BACKFILL_NONE, CS_BACKFILL_EASY };
enum cs_backfill_join { CS_BACKFILL_JOIN_NO, CS_BACKFILL_JOIN_YES };
enum cs_layout { CS_LAYOUT_DENSE, CS_LAYOUT_MODEL };
enum cs_small { CS_SMALL_MODEL, CS_SMALL_PACK };
enum cs_low_load { CS_LOW_LOAD_SPREAD, CS_LOW_LOAD_LAYOUT };
enum cs_scope { CS_SCOPE_ANY, CS_SCOPE_ACCOUNT, CS_SCOPE_USER };

/*
 * The table.  Columns: field, key, kind, unit, default live, default in the
 * simulator, lowest, highest, names of an enum, text.  Defaults are strings,
 * parsed like a user's.
 */
#define CS_PARAM_TABLE(X)                                                      \
	X(mode, "mode", ENUM, "", "off", "act", 0, 0, "off|shadow|act",        \
	  "Whether the plugin decides: off, Slurm's own scheduler alone; "     \
	  "shadow, Slurm's own scheduler decides and the event log holds "     \
	  "what this one would have done; act, this one decides.")             \
	X(partition_modes, "partition_modes", TEXT, "", "", "", 0, 0, "",      \
	  "Partitions with a mode of their own, as name:mode joined by '+'. "  \
	  "Such a partition may share no node with one in another mode.")      \
	X(policy, "policy", TEXT, "", "cst", "easy", 0, 0, "",                 \
	  "Preset: a row of the keys order, slice, place, backfill and "       \
	  "layout; a key that is given too wins.")                             \
	X(order, "order", ENUM, "", "fcfs", "fcfs", 0, 0, "fcfs|slurm",        \
	  "Who is next: fcfs, by eligible time; slurm, by partition tier and " \
	  "priority as Slurm computed them.")                                  \
	X(slice, "slice", ENUM, "", "none", "none", 0, 0, "none",              \
	  "Time slices: none.")                                                \
	X(place, "place", ENUM, "", "space", "space", 0, 0,                    \
	  "space|pack|pair-first|pair-best",                                   \
	  "Where and with whom: space, a node for one job; pack, by core as "  \
	  "Slurm does; pair-first, beside the first suitable job; pair-best, " \
	  "beside the one with the highest utilisation gain.")                 \
	X(backfill, "backfill", ENUM, "", "easy", "easy", 0, 0, "none|easy",   \
	  "Who may pass a waiting head: none, nobody; easy, a job that does "  \
	  "not delay the head's estimated start.")                             \
	X(backfill_join, "backfill_join", ENUM, "", "yes", "no", 0, 0,         \
	  "no|yes",                                                            \
	  "Whether a job may backfill beside a running one where no "          \
	  "reservation suffers (000 tries that for the head alone: no).")      \
	X(layout, "layout", ENUM, "", "model", "dense", 0, 0, "dense|model",   \
	  "Processes a node where the user left it open: dense, all cores; "   \
	  "model, by the self slowdown (000, eq. 8).")                         \
	X(small, "small", ENUM, "", "pack", "model", 0, 0, "model|pack",       \
	  "Jobs without a profile: pack, laid out densely, and by core beside "\
	  "others of their kind where one needs less than a node; model, "     \
	  "like any other job.")                                               \
	X(low_load, "low_load", ENUM, "", "layout", "spread", 0, 0,            \
	  "spread|layout",                                                     \
	  "When every job fits with one process a node (000, 4.3): spread, "   \
	  "so; layout, as at other times.")                                    \
	X(max_slowdown, "max_slowdown", REAL, "", "1.25", "1.25", 1, 100, "",  \
	  "MAX_SL of 000: the largest coscheduling slowdown that a job may "   \
	  "suffer or cause, and the largest self slowdown on all cores.")      \
	X(self_slowdown2, "self_slowdown2", REAL, "", "1.12", "1.12", 1, 100,  \
	  "", "SELF_SL2 of 000: the largest self slowdown with one process a " \
	  "socket.")                                                           \
	X(min_util_gain, "min_util_gain", REAL, "", "0.45", "0.45", -1, 1000,  \
	  "", "MIN_UTILGAIN of 000: the least utilisation gain of a group.")   \
	X(matched_larger, "matched_larger", REAL, "", "0.125", "0.125", 0,     \
	  100, "", "MATCHED_LARGER of 000: by which part of the primary job's "\
	  "nodes the matched jobs may exceed it.")                             \
	X(unknown_pair, "unknown_pair", REAL, "", "1.5", "1.5", 1, 100, "",    \
	  "Slowdown assumed for a pair of which nothing is known.")            \
	X(jobs_per_node, "jobs_per_node", INT, "jobs", "2", "2", 1, 4096, "",  \
	  "Most jobs on a node; jobs packed by small=pack are not counted.")   \
	X(share_scope, "share_scope", ENUM, "", "any", "any", 0, 0,            \
	  "any|account|user",                                                  \
	  "Who may share a node: anybody, jobs of one account, of one user.")  \
	X(share_partitions, "share_partitions", TEXT, "", "", "", 0, 0, "",    \
	  "Partitions whose jobs may share, joined by '+'; empty: all.")       \
	X(share_min_s, "share_min_s", INT, "s", "0", "600", 0, 31536000, "",   \
	  "Shortest estimate of a job that may share; 0: any (000: 600, "      \
	  "short jobs are not worth a match).")                                \
	X(depth, "depth", INT, "jobs", "10000", "0", 0, 100000000, "",         \
	  "Most queue entries looked at in a pass; 0: all.")                   \
	X(retry_s, "retry_s", INT, "s", "10", "10", 1, 86400, "",              \
	  "When a start that the host refused for a passing reason is "        \
	  "proposed again.")                                                   \
	X(seed, "seed", INT, "", "1", "1", 0, 9007199254740992, "",            \
	  "Seed of all that is drawn.")                                        \
	X(profiles, "profiles", TEXT, "path", "", "", 0, 0, "",                \
	  "Profile file (doc/profiles); empty: every job is unknown.")         \
	X(log, "log", TEXT, "path", "", "", 0, 0, "",                          \
	  "Event log (doc/eventlog); empty: none.")                            \
	X(log_mb, "log_mb", INT, "MB", "100", "0", 0, 1048576, "",             \
	  "Size at which the event log is rotated; 0: never.")                 \
	X(log_keep, "log_keep", INT, "files", "5", "5", 0, 1000, "",           \
	  "Rotated event logs that are kept.")                                 \
	X(socket, "socket", TEXT, "path", "", "", 0, 0, "",                    \
	  "Where `cosched status` and the like reach the plugin: an absolute " \
	  "path, or a TCP port; empty: cosched.sock in StateSaveLocation.")    \
	X(period_ms, "period_ms", INT, "ms", "1000", "1000", 50, 3600000, "",  \
	  "How often the thread looks when nothing wakes it.")                 \
	X(lock_ms, "lock_ms", INT, "ms", "50", "50", 1, 10000, "",             \
	  "Longest time that a step of the thread holds Slurm's locks.")       \
	X(budget_ms, "budget_ms", INT, "ms", "10000", "0", 0, 3600000, "",     \
	  "A cycle that lasts longer turns mode act off; 0: never.")           \
	X(hang_s, "hang_s", INT, "s", "60", "60", 5, 86400, "",                \
	  "The gate opens by itself when the thread gives no sign of life "    \
	  "for so long.")

#define CS_PARAM_TYPE_ENUM int
#define CS_PARAM_TYPE_INT int64_t
#define CS_PARAM_TYPE_REAL double
#define CS_PARAM_TYPE_TEXT char *

struct cs_params {
#define CS_PARAM_FIELD(f, key, kind, ...) CS_PARAM_TYPE_##kind f;
	CS_PARAM_TABLE(CS_PARAM_FIELD)
#undef CS_PARAM_FIELD
};

enum cs_param_host { CS_HOST_LIVE, CS_HOST_SIM };
enum cs_param_kind {
	CS_PARAM_ENUM,
	CS_PARAM_INT,
	CS_PARAM_REAL,
	CS_PARAM_TEXT
};

/* One row of the table, for those who print or document it. */
struct cs_param_row {
	const char *key, *unit, *live, *sim, *names, *text;
	enum cs_param_kind kind;
	double min, max;
	size_t offset; /* of the field in struct cs_params */
};

/* The rows, in the table's order; @ret_n their number. */
const struct cs_param_row *cs_params_rows(size_t *ret_n);

/* Names of the presets, NULL behind the last. */
const char *const *cs_params_presets(void);

/* Defaults of @host, with the preset that is its default applied. 0, -ENOMEM */
int cs_params_init(struct cs_params *p, enum cs_param_host host);
void cs_params_done(struct cs_params *p); /* NULL and zeroed ones are fine */
int cs_params_copy(struct cs_params *to, const struct cs_params *from);

/*
 * Read @list ("key=value,key=value"; items whose key does not start with
 * @prefix are left alone, so Slurm's SchedulerParameters can be given whole)
 * over the defaults of @host into a fresh @ret, presets first, then single
 * keys, then checks across keys.  Blanks around an item are not part of it; an
 * item of ours without '=' is an error; a key given twice is an error.
 *
 * 0; -EINVAL with @err set (the key, the value, what was expected): @ret is
 * then untouched; -ENOMEM.
 */
int cs_params_parse(struct cs_params *ret, enum cs_param_host host,
		    const char *list, const char *prefix, struct cs_err *err);

/* The value of a row as text, as it would be written; returns its length as
 * snprintf does. */
int cs_params_print(const struct cs_params *p, const struct cs_param_row *row,
		    char *buf, size_t size);

/* Whether @word is an item of the '+'-joined @list; empty list: @if_empty. */
bool cs_params_listed(const char *list, const char *word, bool if_empty);

/*
 * The mode of partition @name: its own of `partition_modes`, else `mode`.
 */
enum cs_mode cs_params_mode_of(const struct cs_params *p, const char *name);

#endif
