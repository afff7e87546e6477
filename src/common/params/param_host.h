/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The end of the table of keys (param_list.h): how hard is tried, files, and how the
 * plugin goes about it.
 */
#ifndef CS_PARAMS_PARAM_HOST_H
#define CS_PARAMS_PARAM_HOST_H

#define CS_PARAM_HOST_TABLE(X)                                                \
	X(start_estimates, "start_estimates", ENUM, "", "no", "no", 0, 0,     \
	  "no|yes",                                                           \
	  "Whether starts of waiting jobs are estimated, from what earlier "  \
	  "jobs of the same users took, each with an interval that holds "    \
	  "nine times in ten. It changes no decision. A simulation "          \
	  "estimates at each submit, by 16 runs of the policy; slurmctld "    \
	  "in mode act shows the estimates as StartTime, and uses up to "     \
	  "2 % of a core. Not with time slices or learn=use.")                \
	X(depth, "depth", INT, "jobs", "10000", "0", 0, 100000000, "",        \
	  "Most queue entries looked at in a pass; 0: all.")                  \
	X(depth_of, "depth_of", ENUM, "", "partition", "partition", 0, 0,     \
	  "partition|queue",                                                  \
	  "Which entries depth counts: partition, of each partition those "   \
	  "whose jobs may start; queue, all from the head of the queue, "     \
	  "so that jobs which may not start keep those behind from being "    \
	  "looked at.")                                                       \
	X(horizon_s, "horizon_s", INT, "s", "-1", "0", -1, 31536000, "",      \
	  "How far ahead a planned start keeps nodes. A job that would "      \
	  "start later has an estimate and keeps nothing, so that others "    \
	  "use what is idle meanwhile. 0: any time ahead; -1, in "            \
	  "slurmctld: bf_window of SchedulerParameters, or a day. Not with "  \
	  "backfill=none.")                                                   \
	X(reserve_age_s, "reserve_age_s", INT, "s", "-1", "0", -1, 31536000,  \
	  "",                                                                 \
	  "How long a job must have been eligible before its planned start "  \
	  "keeps nodes; 0: at once; -1, in slurmctld: bf_min_age_reserve of " \
	  "SchedulerParameters, or at once. Not with backfill=none.")         \
	X(overdue, "overdue", ENUM, "", "end", "end", 0, 0, "end|raise",      \
	  "What becomes of the time limit of a job that has reached it, "     \
	  "and that Slurm has not ended yet, when its neighbours change: "    \
	  "end, it stays; raise, it follows them once more, as in logs that " \
	  "lack this key.")                                                   \
	X(group_factor, "group_factor", ENUM, "", "at_once", "at_once", 0, 0, \
	  "at_once|late",                                                     \
	  "From when on a packed job that was matched counts how its group "  \
	  "slows it down: at_once; late, from the next change on its nodes, " \
	  "as in logs that lack this key.")                                   \
	X(suit_wakes, "suit_wakes", ENUM, "", "no", "no", 0, 0, "no|yes",     \
	  "Whether a packed job wakes a node that suits it better while "     \
	  "awake nodes have room; yes, as in logs that lack this key.")       \
	X(retry_s, "retry_s", INT, "s", "10", "10", 1, 86400, "",             \
	  "Pause before a start that Slurm refused for a passing "            \
	  "reason is tried again; each further refusal doubles it, up "       \
	  "to 30 times. A start refused for a lasting reason waits for "      \
	  "a change, at most 30 times as long.")                              \
	X(host_tries, "host_tries", INT, "starts", "32", "0", 0, 100000, "",  \
	  "Most refusals a second by Slurm's own test, which places jobs "    \
	  "with requests that the model does not hold; 0: unlimited. "        \
	  "Larger values start many such jobs sooner and hold Slurm's "       \
	  "locks longer where it refuses them.")                              \
	X(host_promises, "host_promises", INT, "jobs", "8", "8", 0, 64, "",   \
	  "How many waiting jobs that Slurm's own test places are "           \
	  "promised a start, the first in the queue. Slurm forecasts "        \
	  "when and where; whole nodes are kept for them; 0: none.")          \
	X(seed, "seed", INT, "", "1", "1", 0, 9007199254740992, "",           \
	  "Seed of all random numbers: the same seed draws the same.")        \
	X(profiles, "profiles", TEXT, "path", "", "", 0, 0, "",               \
	  "Profile file (cosched-profiles(5)); empty: every job is "          \
	  "unknown.")                                                         \
	X(log, "log", TEXT, "path", "", "", 0, 0, "",                         \
	  "Event log (cosched-log(5)); empty: none.")                         \
	X(log_mb, "log_mb", INT, "MB", "100", "0", 0, 1048576, "",            \
	  "Size at which the event log is rotated; 0: never.")                \
	X(log_keep, "log_keep", INT, "files", "5", "5", 0, 1000, "",          \
	  "Number of rotated event logs that are kept.")                      \
	X(socket, "socket", TEXT, "path", "", "", 0, 0, "",                   \
	  "Where `cosched status` and the like reach the plugin: an "         \
	  "absolute path, or a TCP port; empty: cosched.sock in "             \
	  "StateSaveLocation, on slurmctld's host, for those who may "        \
	  "enter that folder.")                                               \
	X(period_ms, "period_ms", INT, "ms", "1000", "1000", 50, 3600000, "", \
	  "How often the plugin looks for work when nothing wakes it. Ten "   \
	  "times a second it asks whether anything has changed: then it "     \
	  "looks at once, if cycles take less than a twentieth of the time.") \
	X(rest_ms, "rest_ms", INT, "ms", "100", "100", 1, 60000, "",          \
	  "Least rest between two cycles of the plugin, whatever wakes it. "  \
	  "It also rests as long as a cycle took, to work at most half of "   \
	  "the time.")                                                        \
	X(lock_ms, "lock_ms", INT, "ms", "50", "50", 1, 10000, "",            \
	  "Longest time that a step of the plugin holds Slurm's locks.")      \
	X(budget_ms, "budget_ms", INT, "ms", "10000", "0", 0, 3600000, "",    \
	  "Ends mode act, so that Slurm's own scheduler takes over, when a "  \
	  "cycle needs more processor time than this, counted from its last " \
	  "start of a job; what it waits does not count; 0: never.")          \
	X(hang_s, "hang_s", INT, "s", "60", "60", 5, 86400, "",               \
	  "Lets Slurm start jobs by itself again when the plugin's "          \
	  "thread shows no sign of life for this long. If it worked all "     \
	  "that time, mode act ends.")                                        \
	X(return_s, "return_s", INT, "s", "60", "60", 0, 3600, "",            \
	  "Pause after which mode act (or shadow) is tried again when a "     \
	  "passing cause has ended it, as cosched_budget_ms does. Each "      \
	  "further time in a row doubles it, up to 3600; an hour in the "     \
	  "mode ends the row. Restarts and scontrol reconfigure go on with "  \
	  "the pause; other SchedulerParameters end it. 0: not before "       \
	  "scontrol reconfigure.")

#endif
