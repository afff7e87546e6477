/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of keys.  Slurm finds its own keys in SchedulerParameters by substring,
 * so no key here may contain one of Slurm's, nor may a value hold one of its flags
 * (test/unit/test_param_values.c runs every key of Slurm over ours).
 *
 * Where a site's cluster and a simulation of Zeng09's machine want different defaults,
 * the table has two; `cosched params --differences` lists them.
 *
 * Columns: field, key, kind, unit, default live, default in the simulator, lowest,
 * highest, names of an enum, text.  Defaults are strings, parsed like a user's.
 */
#ifndef CS_PARAMS_PARAM_LIST_H
#define CS_PARAMS_PARAM_LIST_H

#include "params/param_host.h"
#include "params/param_mpl.h"
#include "params/param_pack.h"
#include "params/param_passing.h"

#define CS_PARAM_TABLE(X)                                                       \
	X(mode, "mode", ENUM, "", "off", "act", 0, 0, "off|shadow|act",         \
	  "Which scheduler decides: off, Slurm's own alone; shadow, "           \
	  "Slurm's own, while the event log holds what cosched would "          \
	  "have done; act, cosched.")                                           \
	X(partition_modes, "partition_modes", TEXT, "", "", "", 0, 0, "",       \
	  "Modes of single partitions, as name:mode joined by '+'. "            \
	  "Such a partition may share no node with one in another "             \
	  "mode; act and shadow cannot be combined: one of them, "              \
	  "beside off.")                                                        \
	X(policy, "policy", TEXT, "", "balanced", "easy", 0, 0, "",             \
	  "Sets order, slice, place, backfill, layout and perhaps more "        \
	  "to the values of a preset (`cosched params policy` lists "           \
	  "them); keys set explicitly take precedence.")                        \
	X(order, "order", ENUM, "", "slurm", "fcfs", 0, 0,                      \
	  "fcfs|slurm|ostrich|expansion|work|shifted",                          \
	  "Order of the queue: fcfs, by eligible time; slurm, by "              \
	  "partition tier and Slurm's priority; ostrich, by the "               \
	  "campaign that would end first if every user had their share "        \
	  "of the machine to themselves (OStrich, Emeras12); "                  \
	  "expansion, by partition tier and the wait over the time "            \
	  "limit (learn=use: over what its group is known to take, if "         \
	  "less), times the cores: short jobs start soon, long ones "           \
	  "are not starved; work, by partition tier and eligible time, "        \
	  "which counts as 16 times what the whole machine would take for "     \
	  "the job earlier, and half a day earlier up to an hour; shifted, "    \
	  "by arrival, but wide and long jobs count as having come later, by "  \
	  "a bounded time (see shift_most and what follows it).")               \
	CS_PARAM_SHIFTED_TABLE(X)                                               \
	X(campaign, "campaign", ENUM, "", "batch", "batch", 0, 0,               \
	  "batch|max|last|arrival|gap|array",                                   \
	  "Which jobs of a user are one campaign (order=ostrich): an "          \
	  "array, jobs with the same --comment=cosched:campaign=NAME, "         \
	  "and of the others those that join the user's last one: batch, "      \
	  "until it begins in the virtual schedule (Emeras12, section "         \
	  "VII); max, while any of its jobs waits or runs; last, while "        \
	  "the last one submitted does; arrival, within think_s after "         \
	  "its last job came; gap, within think_s after all have ended; "       \
	  "array, never.")                                                      \
	X(think_s, "think_s", INT, "s", "1200", "1200", 0, 31536000, "",        \
	  "Longest pause inside a campaign with campaign=arrival or gap.")      \
	X(campaign_hold, "campaign_hold", ENUM, "", "rank", "rank", 0, 0,       \
	  "rank|strict",                                                        \
	  "What a campaign does before it begins in the virtual "               \
	  "schedule, while its user's previous one runs there: rank, "          \
	  "it ranks behind all that have begun; strict, it waits, even "        \
	  "if processors are idle (Emeras12, section IV-B).")                   \
	X(campaign_order, "campaign_order", ENUM, "", "fcfs", "fcfs", 0, 0,     \
	  "fcfs|spt|lpt|mlpt",                                                  \
	  "Order of jobs inside a campaign: fcfs, first submitted; "            \
	  "spt, shortest first; lpt, longest first; mlpt, as lpt, but "         \
	  "considering when cores come free, so that the last job ends "        \
	  "sooner (single-core jobs; examines all jobs each time).")            \
	X(shares, "shares", ENUM, "", "given", "equal", 0, 0, "equal|given",    \
	  "Users' shares in the virtual schedule: equal; given, those of "      \
	  "Slurm's associations, multiplied down the account tree.")            \
	X(slice, "slice", ENUM, "", "none", "none", 0, 0, "none|pect|gang",     \
	  "Time slices: none; pect, short, medium and long jobs take "          \
	  "turns on the machine, and the others are stopped; gang, "            \
	  "jobs on the same nodes take turns in time slots (Zhou00; "           \
	  "the presets brms, brmms+ and so on set what it needs).")             \
	X(place, "place", ENUM, "", "space", "space", 0, 0,                     \
	  "space|pack|pair-first|pair-best|group|cover",                        \
	  "Where a job runs, and with which others: space, on its own "         \
	  "nodes; pack, by core as Slurm does; pair-first, beside the "         \
	  "first suitable job; pair-best, beside the one with the "             \
	  "highest utilisation gain (see min_util_gain); group, in a "          \
	  "group of a primary job and several matched ones; cover, on "         \
	  "full nodes, or spread over more where other jobs cover most "        \
	  "of them and all together do more (see cover, cover_gain, "           \
	  "spare).")                                                            \
	X(backfill, "backfill", ENUM, "", "easy", "easy", 0, 0,                 \
	  "none|easy|conservative|stock",                                       \
	  "Which jobs may pass a waiting one: none; easy, those that do "       \
	  "not delay the estimated start of the head of the queue; "            \
	  "conservative, those that delay no estimated start; stock, those "    \
	  "that sched/backfill would let pass, to compare with (see "           \
	  "stock_every_s and what follows it; place=pack).")                    \
	X(stock_every_s, "stock_every_s", INT, "s", "0", "30", 0, 10800, "",    \
	  "Slurm's bf_interval, with backfill=stock; 0, in slurmctld: that of " \
	  "SchedulerParameters, or 30.")                                        \
	X(stock_resolution_s, "stock_resolution_s", INT, "s", "60", "60", 1,    \
	  3600, "", "Slurm's bf_resolution, with backfill=stock.")              \
	X(stock_linear_s, "stock_linear_s", INT, "s", "0", "0", 0, 3600, "",    \
	  "Slurm's bf_window_linear, with backfill=stock: by how much longer "  \
	  "each group of ends of running jobs is than the one before it; 0: "   \
	  "twice as long.")                                                     \
	X(head_slack, "head_slack", REAL, "", "1", "1", 1, 1000, "",            \
	  "With backfill=easy: how far jobs that pass the head of the "         \
	  "queue may stretch its response time beyond what was predicted "      \
	  "when it got there: 1, not at all; 1.5, by half.")                    \
	CS_PARAM_PASSING_TABLE(X)                                               \
	X(cover, "cover", REAL, "", "0.85", "0.85", 0, 1, "",                   \
	  "Part of a spread job's nodes on which others must start with "       \
	  "it (place=cover).")                                                  \
	X(cover_gain, "cover_gain", REAL, "", "0.05", "0.05", 0, 10, "",        \
	  "How much more work sharing jobs must do on a node than alone "       \
	  "on full nodes (place=cover): 0.05 is 5 %.")                          \
	X(cover_wait, "cover_wait", REAL, "", "0.2", "0.2", 0, 1000, "",        \
	  "The head of the queue waits for the nodes of its cover where "       \
	  "it ends later by at most this part of what all waiting jobs "        \
	  "gain by that, within head_slack (place=cover): 0, never.")           \
	X(spare, "spare", REAL, "", "0.25", "0.25", 0, 1, "",                   \
	  "A job starts spread and alone if this part of the nodes then "       \
	  "stays empty and no other job or task waits (place=cover).")          \
	X(site_rule, "site_rule", ENUM, "", "none", "none", 0, 0,               \
	  "none|single|split|adaptive|look",                                    \
	  "When a job may run over several sites of the machine, where "        \
	  "crossing slows it (see across): none, sites are ignored; "           \
	  "single, when no site could ever hold it; split, when no site "       \
	  "has room now; adaptive, when it then ends sooner than on the "       \
	  "first site that will have room (Ernemann02); look, at the "          \
	  "instant at which it ends soonest, counting twice what "              \
	  "crossing adds, and on the smallest site that holds it. Not with "    \
	  "place=cover or slice=gang; pairs need backfill=conservative.")       \
	X(sites, "sites", TEXT, "", "", "", 0, 0, "",                           \
	  "What a site is, in slurmctld: topology, the nodes below a "          \
	  "leaf switch or in a base block; partitions joined by '+'; or "       \
	  "the absolute path of a file with a line SITE NODES for each. "       \
	  "Nodes in none of them are one more. The simulator has "              \
	  "--sites. Read when slurmctld reads its configuration.")              \
	X(site_lower_bound, "site_lower_bound", INT, "processes", "0", "0", 0,  \
	  100000000, "",                                                        \
	  "Only jobs of more processes are split, except those that no "        \
	  "site could hold (Ernemann02: lower bound).")                         \
	X(site_fragments, "site_fragments", ENUM, "", "unlimited",              \
	  "unlimited", 0, 0, "limited|unlimited",                               \
	  "Over how many sites a job may be split: limited, by table 3 "        \
	  "of Ernemann02, 1 up to 64 processes, 2 up to 128, else 8; "          \
	  "unlimited, any.")                                                    \
	X(across, "across", REAL, "", "0.3", "0.3", 0, 100, "",                 \
	  "How much longer a job runs over several sites than on one: "         \
	  "0.3 is 30 %. A profile or the job's comment overrides it "           \
	  "(Ernemann02: p).")                                                   \
	X(across_grows, "across_grows", ENUM, "", "constant", "constant", 0,    \
	  0, "constant|linear|log",                                             \
	  "How that grows with the number k of sites: constant, not at "        \
	  "all (Ernemann02); linear, by (k - 1) / 3; log, by log2(k) / 2.")     \
	X(backfill_join, "backfill_join", ENUM, "", "yes", "no", 0, 0,          \
	  "no|yes",                                                             \
	  "Whether a backfilled job may also start beside a running one "       \
	  "where that delays no reservation; no: only the head of the "         \
	  "queue may (as in Zeng09). With place=group this is for jobs "        \
	  "of one process, and backfill_cases for the others.")                 \
	X(layout, "layout", ENUM, "", "auto", "dense", 0, 0,                    \
	  "dense|model|gain|auto",                                              \
	  "Processes per node where the user left it open: dense, as "          \
	  "many as it has cores; model, as many as slow the job no more "       \
	  "than max_slowdown and self_slowdown2 allow (Zeng09, eq. 8); "        \
	  "gain, as many as do the most work on a node, however much "          \
	  "they slow the job; auto, by core as Slurm does, on the nodes "       \
	  "whose jobs suit it best, and fewer only where the self "             \
	  "slowdowns in its profile make up for the extra nodes.")              \
	CS_PARAM_PACK_TABLE(X)                                                  \
	CS_PARAM_MPL_TABLE(X)                                                   \
	X(low_load, "low_load", ENUM, "", "layout", "spread", 0, 0,             \
	  "spread|layout",                                                      \
	  "Layout when all jobs, running and waiting, fit with one "            \
	  "process a node: spread, one a node (Zeng09, 4.3); layout, as "       \
	  "at other times.")                                                    \
	X(max_slowdown, "max_slowdown", REAL, "", "1.25", "1.25", 1, 100, "",   \
	  "Largest slowdown that a job may suffer from its neighbours, "        \
	  "or cause to one of them: 1.25 is a quarter longer. Also the "        \
	  "largest self slowdown with processes on all cores of a node. "       \
	  "Larger values let more jobs share (Zeng09: MAX_SL). Jobs "           \
	  "packed by layout=auto prefer nodes where it holds, and take "        \
	  "others when those are full.")                                        \
	X(self_slowdown2, "self_slowdown2", REAL, "", "1.12", "1.12", 1, 100,   \
	  "",                                                                   \
	  "Largest self slowdown with one process a socket; above it, a "       \
	  "job gets fewer a node (Zeng09: SELF_SL2).")                          \
	X(min_util_gain, "min_util_gain", REAL, "", "0.45", "0.45", -1, 1000,   \
	  "",                                                                   \
	  "Least gain for which jobs are put together: the nodes on "           \
	  "which they would do the same work in the same time at one "          \
	  "process a node, over the nodes used, less 1: 0.45 is 45 % "          \
	  "more (Zeng09: MIN_UTILGAIN).")                                       \
	X(matched_larger, "matched_larger", REAL, "", "0.125", "0.125", 0,      \
	  100, "",                                                              \
	  "How much larger a job may be than the one it is put beside, "        \
	  "as a part of that one's nodes; on the excess it is alone "           \
	  "(Zeng09: MATCHED_LARGER).")                                          \
	X(slowdowns, "slowdowns", ENUM, "", "profile", "profile", 0, 0,         \
	  "profile|table4",                                                     \
	  "Where slowdowns come from: profile, the profile file; table4, "      \
	  "drawn for each job and pair from table 4 of Zeng09, by seed "        \
	  "and job number (for simulations).")                                  \
	X(physics, "physics", ENUM, "", "record", "record", 0, 0,               \
	  "record|believed",                                                    \
	  "How long a simulated job takes, where neither the truth nor the "    \
	  "profile file says: record, what its trace says, in every layout "    \
	  "and beside any neighbour; believed, with the slowdowns that "        \
	  "policies assume of unknown jobs, as in Zeng09 (and with "            \
	  "slowdowns=table4 in any case). Live it means nothing.")              \
	X(running_prim_num, "running_prim_num", INT, "jobs", "8", "8", 0,       \
	  100000000, "",                                                        \
	  "How many running jobs, least delayed first, are tried as "           \
	  "partners of a job; 0: all. Larger values find better partners "      \
	  "and take longer. Only jobs that could share with it count, "         \
	  "and a job of one process tries all (Zeng09: RUNNING_PRIM_NUM).")     \
	X(search_steps, "search_steps", INT, "", "100000", "0", 0,              \
	  9007199254740992, "",                                                 \
	  "Most steps that partner searches take in a pass "                    \
	  "(place=pair-first, pair-best, group, cover): one for each "          \
	  "candidate, each promise that a fairness check makes again, "         \
	  "and each job on cores that a partition's OverSubscribe "             \
	  "gives to several. Beyond that, jobs start alone or wait; 0: "        \
	  "unlimited.")                                                         \
	X(cases, "cases", TEXT, "", "12345", "12345", 0, 0, "",                 \
	  "Which of Zeng09's cases (section 4.4) are tried for the head "       \
	  "of the queue, with place=pair-first, pair-best and group: 1, "       \
	  "beside waiting jobs; 2 and 3, beside running jobs, which it "        \
	  "exceeds (2) or not (3); 5, alone on all cores of its nodes. "        \
	  "Case 4, alone as layout says, is always tried; without 5, "          \
	  "layout=model leaves cores of each node free.")                       \
	X(backfill_cases, "backfill_cases", TEXT, "", "145", "145", 0, 0, "",   \
	  "The same for backfilled jobs.")                                      \
	X(early_start, "early_start", INT, "jobs", "0", "0", 0, 100000000, "",  \
	  "How many jobs a pass tries to start, alone, before their "           \
	  "promised start, shortest first, where that takes no job past "       \
	  "its R_max (see slack); with backfill=conservative. Larger "          \
	  "values let more short jobs pass; each costs a plan of the "          \
	  "whole queue.")                                                       \
	X(matched_max, "matched_max", INT, "jobs", "0", "0", 0, 1000, "",       \
	  "Most matched jobs of a group; 0: unlimited; 1 makes pairs.")         \
	X(matched_longer_s, "matched_longer_s", INT, "s", "3000", "3000", 0,    \
	  31536000, "",                                                         \
	  "How much longer a matched job may last than the primary job "        \
	  "(Zeng09: MATCHED_LONGER).")                                          \
	X(block_size, "block_size", INT, "jobs", "16", "16", 1, 1000000, "",    \
	  "Candidates that are sorted together (Zeng09: BLOCK_SIZE).")          \
	X(first_block_only, "first_block_only", ENUM, "", "no", "no", 0, 0,     \
	  "no|yes", "Skip Zeng09's step 4, other blocks (FBO).")                \
	X(no_sort, "no_sort", ENUM, "", "no", "no", 0, 0, "no|yes",             \
	  "Keep the candidates of a block in their order (NS).")                \
	X(no_blocks, "no_blocks", ENUM, "", "no", "no", 0, 0, "no|yes",         \
	  "One block for all candidates (NH).")                                 \
	X(first_suitable, "first_suitable", ENUM, "", "no", "no", 0, 0,         \
	  "no|yes", "Take the first suitable group, not the best (NH).")        \
	X(slack, "slack", REAL, "", "1.5", "1.5", 1, 1000, "",                  \
	  "No decision may raise a predicted response time above this "         \
	  "many times the one estimated at submission (Zeng09: F_slack).")      \
	X(response_scale, "response_scale", REAL, "", "0.75", "0.75", 0.01,     \
	  100, "",                                                              \
	  "Factor on the response time estimated at submission, which "         \
	  "plans each job alone: jobs that share end sooner (Zeng09, "          \
	  "5.1).")                                                              \
	X(class_short_s, "class_short_s", INT, "s", "600", "600", 0, 31536000,  \
	  "", "Longest estimate of a short job.")                               \
	X(class_medium_s, "class_medium_s", INT, "s", "10800", "10800", 0,      \
	  31536000, "", "Longest estimate of a medium job.")                    \
	X(slice_cycle_s, "slice_cycle_s", INT, "s", "3600", "3600", 20,         \
	  31536000, "", "Interval in which every class has one slice.")         \
	X(slice_overhead_s, "slice_overhead_s", INT, "s", "60", "60", 0,        \
	  86400, "",                                                            \
	  "Part of each slice in which jobs are stopped and resumed, "          \
	  "and no job runs.")                                                   \
	X(slice_short_s, "slice_short_s", INT, "s", "600", "600", 0, 31536000,  \
	  "",                                                                   \
	  "Length of the short jobs' slice, overhead included, in "             \
	  "intervals that begin while one waits; 0: none.")                     \
	X(slice_medium, "slice_medium", REAL, "", "0.3", "0.3", 0.01, 0.99,     \
	  "", "Share of the medium jobs; the long ones have the rest.")         \
	X(slice_shares, "slice_shares", TEXT, "", "fixed", "fixed", 0, 0, "",   \
	  "Shares: fixed, slice_medium; load, by the work that is left; "       \
	  "HH:MM/SHARE joined by '+', in increasing order: the medium "         \
	  "jobs' from that time of day until the next. slice_cycle_s "          \
	  "must then divide a day.")                                            \
	X(slice_expect_short, "slice_expect_short", ENUM, "", "yes", "no", 0,   \
	  0, "no|yes",                                                          \
	  "Whether predictions assume a short slice in every interval to "      \
	  "come (slice=pect): response times estimated at submission and "      \
	  "promised starts are then later, and kept more often.")               \
	X(slice_stop, "slice_stop", ENUM, "", "needed", "all", 0, 0,            \
	  "all|needed",                                                         \
	  "Which jobs are stopped at the end of a slice: all; needed, "         \
	  "those whose nodes hold a job of the next slice.")                    \
	X(slice_rest_s, "slice_rest_s", INT, "s", "5", "0", 0, 3600, "",        \
	  "Least time between the stops, resumes and the start of one "         \
	  "job: a node that is told of two at once may do them in any "         \
	  "order. Live at least 5.")                                            \
	X(slice_guard_s, "slice_guard_s", INT, "s", "3", "0", 0, 600, "",       \
	  "How long a job may still run after it is told to stop: "             \
	  "slurmctld waits that long before other jobs use its cores. "         \
	  "At most slice_overhead_s; live at least 3. The simulator's "         \
	  "jobs stop at once, but others wait that long all the same.")         \
	X(swap, "swap", ENUM, "", "no", "yes", 0, 0, "no|yes",                  \
	  "Whether jobs that a time slice stopped leave their memory to "       \
	  "others; no: they keep it, and only jobs that fit beside them "       \
	  "start.")                                                             \
	X(slice_zone_s, "slice_zone_s", INT, "s", "0", "0", -86400, 86400, "",  \
	  "How far the time of day of slice_shares is ahead of UTC: 3600 "      \
	  "is Central European winter time. There is no summer time.")          \
	X(unix_start_s, "unix_start_s", INT, "s", "0", "0", 0, 2e10, "",        \
	  "Unix time at which the clock shows 0, for the time of day: 0 "       \
	  "live; in the simulator, where it is 0, that of the trace "           \
	  "(UnixStartTime), if it has one.")                                    \
	X(slice_least, "slice_least", REAL, "", "0.1", "0.1", 0.01, 0.5, "",    \
	  "Least share of a class with slice_shares=load.")                     \
	X(slot_s, "slot_s", INT, "s", "30", "5", 1, 86400, "",                  \
	  "Length of a time slot (slice=gang); live at least 30: a "            \
	  "stop takes some seconds in which no job runs.")                      \
	X(gang_slots, "gang_slots", INT, "slots", "8", "0", 0, 4096, "",        \
	  "Most time slots in a round (slice=gang): a job that would need "     \
	  "one more waits, so a running job has at least that part of its "     \
	  "nodes' time; 0: any number.")                                        \
	X(gang_rounds, "gang_rounds", ENUM, "", "no", "no", 0, 0, "no|yes",     \
	  "Whether events are handled only at the end of a round of all "       \
	  "slots (slice=gang), as in Zhou00's figures: in the simulator, "      \
	  "on a machine NODESx1x1, without an event log.")                      \
	X(gang_block, "gang_block", ENUM, "", "any", "any", 0, 0,               \
	  "first|buddy|any",                                                    \
	  "Which neighbouring nodes a job gets (slice=gang): first, an "        \
	  "aligned power-of-two block that is idle in the lowest slot; "        \
	  "buddy, the block with the most idle slots, which re-packing "        \
	  "joins; any, those whose most loaded node has the most idle "         \
	  "slots.")                                                             \
	X(gang_extra, "gang_extra", ENUM, "", "lent", "lent", 0, 0,             \
	  "none|kept|kept-one|lent",                                            \
	  "Whether jobs get more than one slot of a round where nodes "         \
	  "are idle (slice=gang): none; kept, one more at each arrival, "       \
	  "until they end; kept-one, only one, on nodes that need no "          \
	  "re-packing; lent, as many as fit, until the next arrival or end.")   \
	X(gang_deal, "gang_deal", ENUM, "", "wide", "wide", 0, 0,               \
	  "narrow|wide",                                                        \
	  "Which job gets such a slot first: narrow, the one with the "         \
	  "fewest nodes; wide, the one with the most.")                         \
	X(unknown_pair, "unknown_pair", REAL, "", "1.5", "1.5", 1, 100, "",     \
	  "Slowdown assumed for two jobs if nothing is known about the "        \
	  "pair of their profiles; above max_slowdown they do not "             \
	  "share.")                                                             \
	X(learn, "learn", ENUM, "", "propose", "off", 0, 0, "off|propose|use",  \
	  "Whether what jobs cost each other is learned from their "            \
	  "runs: off; propose, it is learned and shown, but not used; "         \
	  "use, pairs that the profile file does not describe share if "        \
	  "the 95 % bound on their slowdown is at most max_slowdown.")          \
	X(learn_explore, "learn_explore", REAL, "", "0", "0.05", 0, 1, "",      \
	  "With learn=use: the part of the running jobs that may be in "        \
	  "a trial, beside a job about which too little is known "              \
	  "(place=cover). Larger values learn sooner and slow more "            \
	  "jobs meanwhile; 0: none.")                                           \
	X(learn_accounts, "learn_accounts", TEXT, "", "none", "*", 0, 0, "",    \
	  "Accounts whose jobs may be in trials, joined by '+'; *: "            \
	  "all; none: no trials.")                                              \
	X(learn_half_life_d, "learn_half_life_d", INT, "d", "90", "90", 1,      \
	  36500, "", "Days after which a run counts half of a new one.")        \
	X(learn_least_s, "learn_least_s", INT, "s", "60", "60", 1, 31536000,    \
	  "",                                                                   \
	  "The shortest run that teaches anything: the start and the end of a " \
	  "shorter one say little of its work.")                                \
	X(jobs_per_node, "jobs_per_node", INT, "jobs", "2", "2", 1, 4096, "",   \
	  "Most jobs on a node, and the number of parts into which "            \
	  "groups divide its cores; jobs packed by core (place=pack, "          \
	  "unprofiled=pack, layout=auto) do not count.")                        \
	X(share_scope, "share_scope", ENUM, "", "any", "any", 0, 0,             \
	  "any|account|user",                                                   \
	  "Which jobs may share a node: any; account, those of one "            \
	  "account; user, those of one user. It holds for groups and for "      \
	  "jobs packed by core, which then count as whole nodes in the "        \
	  "promises of others.")                                                \
	X(share_partitions, "share_partitions", TEXT, "", "", "", 0, 0, "",     \
	  "Partitions whose jobs may be in groups, joined by '+'; "             \
	  "empty: all. Jobs without a profile are packed by core in "           \
	  "every partition (unprofiled).")                                      \
	X(share_min_s, "share_min_s", INT, "s", "0", "600", 0, 31536000, "",    \
	  "Shortest time limit of a job in a group; 0: any. Short jobs "        \
	  "may not be worth a match (Zeng09: 600).")                            \
	X(n_high, "n_high", INT, "jobs", "12", "12", 1, 100000000, "",          \
	  "This many waiting jobs are a phase of high load (Zeng09: N_H).")     \
	X(rr_bound_s, "rr_bound_s", INT, "s", "600", "600", 0, 31536000, "",    \
	  "Cut-off of the bounded relative response over all jobs: "            \
	  "shorter runtimes count as this; 0: none.")                           \
	CS_PARAM_HOST_TABLE(X)

#endif
