/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parameters: the presets, each a row of values for other keys. */
#include "params/params_parts.h"

#include <errno.h>
#include <stdio.h>

#include "base/textbuf.h"

/* A preset is a list of values as a user would write them. */
struct preset {
	const char *name, *keys;
};

#define NEAR_EDITS 2 /* of a misspelt name, at most */
#define NAME_MAX_BYTES 32

#define GROUPS(layout)                                             \
	"order=fcfs,slice=none,place=group,backfill=conservative," \
	"layout=" layout
#define GROUP GROUPS("model")
/* "Only coscheduling" of Zeng09: reading A of doc/results/glomarc.md. */
#define PAIR(how)                                                         \
	"order=fcfs,slice=none,place=pair-" how ",backfill=conservative," \
	"layout=model,cases=1234,backfill_cases=14"

#define GANG(block, extra, deal)                                        \
	"order=fcfs,slice=gang,place=space,backfill=none,layout=dense," \
	"unprofiled=model,gang_block=" block ",gang_extra=" extra       \
	",gang_deal=" deal

#define SITES(order, rule)                        \
	"order=" order ",slice=none,place=space," \
	"backfill=easy,layout=dense,site_rule=" rule

#define PRESETS(X)                                                           \
	X("fcfs", "order=fcfs,slice=none,place=space,backfill=none,"         \
		  "layout=dense")                                            \
	X("easy", "order=fcfs,slice=none,place=space,backfill=easy,"         \
		  "layout=dense")                                            \
	X("conservative", "order=fcfs,slice=none,place=space,"               \
			  "backfill=conservative,layout=dense")              \
	X("pack", "order=slurm,slice=none,place=pack,backfill=conservative," \
		  "layout=dense")                                            \
	X("stock", "order=slurm,slice=none,place=pack,backfill=stock,"       \
		   "layout=dense,depth=500,depth_of=queue")                  \
	X("ssp", "order=fcfs,slice=none,place=space,backfill=conservative,"  \
		 "layout=model")                                             \
	X("cstws", PAIR("first"))                                            \
	X("cst", PAIR("best"))                                               \
	X("glts", GROUP)                                                     \
	X("fbo", GROUP ",first_block_only=yes")                              \
	X("ns", GROUP ",no_sort=yes")                                        \
	X("nh", GROUP ",no_sort=yes,no_blocks=yes,first_suitable=yes")       \
	X("glts+", GROUPS("gain") ",low_load=layout,"                        \
				  "backfill_cases=12345,early_start=16")     \
	X("pect", "order=fcfs,slice=pect,place=space,backfill=conservative," \
		  "layout=dense")                                            \
	X("bc", GANG("first", "none", "narrow"))                             \
	X("br", GANG("buddy", "none", "narrow"))                             \
	X("brms", GANG("buddy", "kept", "narrow"))                           \
	X("brmms", GANG("buddy", "lent", "narrow"))                          \
	X("brmms+", GANG("any", "lent", "wide"))                             \
	X("balanced", "order=shifted,slice=none,place=cover,backfill=easy,"  \
		      "layout=dense,head_slack=1.2,head_slack_max=0.4,"      \
		      "passing=expansion,passing_lead=0.4,pack_part=1,"      \
		      "cover_wait=0.05")                                     \
	/* the order is the table's: live, the host's */                     \
	X("adaptive", "slice=none,place=group,backfill=conservative,"        \
		      "layout=auto,backfill_cases=12345")                    \
	/* the order is the table's */                                       \
	X("cover", "slice=none,place=cover,backfill=easy,layout=dense,"      \
		   "head_slack=1.2")                                         \
	X("cover+", "order=expansion,slice=none,place=cover,backfill=easy,"  \
		    "layout=dense,head_slack=1.2")                           \
	/* as sites want it; the layout is the table's */                    \
	X("ostrich", "order=ostrich,slice=none,place=space,"                 \
		     "backfill=conservative")                                \
	X("ostrich-paper", "order=ostrich,slice=none,place=space,"           \
			   "backfill=none,layout=dense")                     \
	X("multisite", SITES("fcfs", "split"))                               \
	X("multisite-adaptive", SITES("fcfs", "adaptive"))                   \
	X("multisite+", SITES("work", "look"))

#define AS_ROW(name, keys) { name, keys },
#define AS_NAME(name, keys) name,

static const struct preset presets[] = { PRESETS(AS_ROW) };
static const char *const preset_names[] = { PRESETS(AS_NAME) NULL };

#define N_PRESET (sizeof(presets) / sizeof(presets[0]))

const char *const *cs_params_presets(void)
{
	return preset_names;
}

const char *cs_params_preset_keys(const char *name)
{
	for (size_t i = 0; i < N_PRESET; i++)
		if (!strcmp(presets[i].name, name))
			return presets[i].keys;
	return NULL;
}

/* @before, then the names of the presets. */
static const char *expected(const char *before, char *buf, size_t size)
{
	struct cs_textbuf t = { buf, size, 0 };

	cs_textbuf_print(&t, "%s", before);
	for (size_t i = 0; i < N_PRESET; i++)
		cs_textbuf_print(&t, "%s%s",
				 !i		    ? ""
				 : i + 1 < N_PRESET ? ", "
						    : " or ",
				 presets[i].name);
	return buf;
}

/* "a preset: ", with the one that is meant where one is close. */
static const char *nearest(const struct cs_param_item *it, char *buf,
			   size_t size)
{
	size_t least = NEAR_EDITS + 1;

	snprintf(buf, size, "a preset: ");
	for (size_t i = 0; i < N_PRESET; i++) {
		size_t d;

		if (it->n_value < 2 || it->n_value > NAME_MAX_BYTES)
			break;
		d = cs_param_distance(it->value, it->n_value, presets[i].name);
		if (d >= least || 2 * d >= it->n_value)
			continue;
		least = d;
		snprintf(buf, size,
			 "a preset, perhaps '%s': ", presets[i].name);
	}
	return buf;
}

/* Apply one "key=value" of a preset. */
static int apply_item(struct cs_params *p, const bool *given, const char *text,
		      size_t n)
{
	const char *eq = memchr(text, '=', n);
	size_t n_key = (size_t)(eq - text);
	struct cs_param_item it = { text, eq + 1, n_key, n - n_key - 1 };
	int row = cs_param_find(text, n_key);

	return given[row]
		       ? 0
		       : cs_param_set(p, &cs_param_rows[row], &it, false, NULL);
}

/* Apply the preset of p->policy to the keys that were not @given. */
int cs_param_preset(struct cs_params *p, const bool *given,
		    const struct cs_param_item *it, struct cs_err *err)
{
	char names[CS_ERR_TEXT], near[64];

	for (size_t i = 0; i < N_PRESET; i++) {
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
	return cs_param_refuse(err, it,
			       expected(nearest(it, near, sizeof(near)), names,
					sizeof(names)));
}
