/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every key of Slurm's configuration that bears on scheduling, and what becomes of it in
 * mode act: a row X(list, key, release, care, test, text), sorted in each list.
 *
 *	list	 whose key it is (enum cs_host_list)
 *	key	 as Slurm spells it; with its '=' where a value follows in a list
 *	release	 BOTH 22.05.8 and 24.11.5, or one of them (OLD, NEW)
 *	care	 enum cs_host_care
 *	test	 the test in test/cluster that shows it and names the key; "": there is none
 *	text	 what happens, as a sentence; of NOT: what happens instead
 *
 * doc/admin/settings.md is made from it (cosched params --slurm).  test/check_settings.sh
 * holds it against the sources of Slurm.
 */
#ifndef CS_PARAMS_HOST_KEY_LIST_H
#define CS_PARAMS_HOST_KEY_LIST_H

#include "params/host_key_conf.h"

#define CS_HOST_KEYS_SCHED(X)                                                \
	X(SCHED, "Ignore_NUMA", BOTH, NONE, "",                              \
	  "Read by slurmd and slurmctld for the nodes' topology.")           \
	X(SCHED, "allow_zero_lic", BOTH, SLURM, "settings",                  \
	  "Checked when a job is submitted.")                                \
	X(SCHED, "assoc_limit_stop", BOTH, NOT, "settings",                  \
	  "A job that a limit of its association keeps waiting never "       \
	  "stops those behind it.")                                          \
	X(SCHED, "batch_sched_delay=", BOTH, HONOURED, "settings",           \
	  "With defer, the least rest before a cycle that only a "           \
	  "change calls for; burst buffers are filled as often.")            \
	X(SCHED, "bb_array_stage_cnt=", BOTH, SLURM, "settings",             \
	  "Slurm splits the tasks off in each look.")                        \
	X(SCHED, "bf_allow_magnetic_slot", NEW, HONOURED, "settings",        \
	  "Always so: a magnetic reservation is one of the places "          \
	  "where a job may be planned.")                                     \
	X(SCHED, "bf_busy_nodes", BOTH, NOT, "settings",                     \
	  "A planned start prefers no busy nodes: it is planned on "         \
	  "counts of nodes of a kind, and nodes are chosen when it "         \
	  "comes.")                                                          \
	X(SCHED, "bf_continue", BOTH, NONE, "",                              \
	  "A cycle of ours that the locks interrupted always goes on.")      \
	X(SCHED, "bf_hetjob_immediate", BOTH, NONE, "",                      \
	  "A heterogeneous job is one entry of our queue and starts "        \
	  "in its turn.")                                                    \
	X(SCHED, "bf_hetjob_prio=", BOTH, NOT, "settings",                   \
	  "A heterogeneous job has the place of its first component, "       \
	  "whose priority alone counts.")                                    \
	X(SCHED, "bf_interval=", BOTH, HONOURED, "burstbuffers",             \
	  "How often burst buffers are filled, unless "                      \
	  "batch_sched_delay is shorter, and the most that that key "        \
	  "and sched_min_interval hold a cycle back. Otherwise of "          \
	  "Slurm's backfill, which does not run in mode act; ours "          \
	  "decides as things change, and each cosched_period_ms.")           \
	X(SCHED, "bf_job_part_count_reserve=", BOTH, NOT, "settings",        \
	  "cosched_planned_starts says how many jobs have a planned start.") \
	X(SCHED, "bf_licenses", BOTH, HONOURED, "settings",                  \
	  "Always so: planned starts count licences.")                       \
	X(SCHED, "bf_max_job_array_resv=", BOTH, NOT, "settings",            \
	  "The tasks of an array are planned together, as many as "          \
	  "cosched_depth lets in.")                                          \
	X(SCHED, "bf_max_job_assoc=", BOTH, NOT, "settings",                 \
	  "No number of jobs of an association is left out; "                \
	  "cosched_depth bounds those of a partition.")                      \
	X(SCHED, "bf_max_job_part=", BOTH, NOT, "settings",                  \
	  "cosched_depth bounds the jobs of a partition that are "           \
	  "looked at.")                                                      \
	X(SCHED, "bf_max_job_start=", BOTH, NOT, "settings",                 \
	  "No number of starts ends a cycle; locks are held for "            \
	  "cosched_lock_ms at a time.")                                      \
	X(SCHED, "bf_max_job_test=", BOTH, NOT, "settings",                  \
	  "cosched_depth bounds the jobs of a partition that are "           \
	  "looked at.")                                                      \
	X(SCHED, "bf_max_job_user=", BOTH, NOT, "settings",                  \
	  "No number of jobs of a user is left out; cosched_depth "          \
	  "bounds those of a partition.")                                    \
	X(SCHED, "bf_max_job_user_part=", BOTH, NOT, "settings",             \
	  "No number of jobs of a user in a partition is left out; "         \
	  "cosched_depth bounds those of a partition.")                      \
	X(SCHED, "bf_max_time=", BOTH, NONE, "",                             \
	  "Of Slurm's backfill; cosched_budget_ms is ours.")                 \
	X(SCHED, "bf_min_age_reserve=", BOTH, HONOURED, "horizon",           \
	  "Until then a planned start keeps nothing.")                       \
	X(SCHED, "bf_min_prio_reserve=", BOTH, HONOURED, "horizon",          \
	  "Below it a planned start keeps nothing.")                         \
	X(SCHED, "bf_node_space_size=", BOTH, NONE, "",                      \
	  "The size of a table of Slurm's backfill.")                        \
	X(SCHED, "bf_one_resv_per_job", BOTH, HONOURED, "settings",          \
	  "Always so: a job has one planned start, in the partition "        \
	  "where it ends first.")                                            \
	X(SCHED, "bf_resolution=", BOTH, NONE, "",                           \
	  "Planned starts are exact to the microsecond.")                    \
	X(SCHED, "bf_running_job_reserve", BOTH, NONE, "",                   \
	  "Planned starts count all running jobs.")                          \
	X(SCHED, "bf_topopt_enable", NEW, NOT, "settings",                   \
	  "A job is not kept waiting for a better place in the "             \
	  "topology; --switches is.")                                        \
	X(SCHED, "bf_topopt_iterations=", NEW, NOT, "settings",              \
	  "See bf_topopt_enable.")                                           \
	X(SCHED, "bf_window=", BOTH, HONOURED, "horizon",                    \
	  "Beyond it a planned start is an estimate and keeps "              \
	  "nothing.")                                                        \
	X(SCHED, "bf_window_linear=", BOTH, NONE, "",                        \
	  "Planned starts are exact; Slurm's forecasts for jobs that "       \
	  "its own test places follow it.")                                  \
	X(SCHED, "bf_yield_interval=", BOTH, NONE, "",                       \
	  "Of Slurm's backfill; cosched_lock_ms is ours.")                   \
	X(SCHED, "bf_yield_sleep=", BOTH, NONE, "",                          \
	  "Of Slurm's backfill; cosched_rest_ms is ours.")                   \
	X(SCHED, "build_queue_timeout=", BOTH, NONE, "",                     \
	  "We look at the queue in steps of cosched_lock_ms.")               \
	X(SCHED, "correspond_after_task_cnt=", BOTH, SLURM, "settings",      \
	  "Slurm splits the tasks off in each look.")                        \
	X(SCHED, "default_queue_depth=", BOTH, NOT, "settings",              \
	  "cosched_depth bounds the jobs of a partition that are "           \
	  "looked at.")                                                      \
	X(SCHED, "defer", BOTH, HONOURED, "gate",                            \
	  "No job starts as it is submitted, in any case, and a "            \
	  "change is reason for a cycle only batch_sched_delay "             \
	  "after the last one; Slurm refuses --immediate.")                  \
	X(SCHED, "defer_batch", NEW, HONOURED, "settings", "As defer.")      \
	X(SCHED, "delay_boot=", BOTH, SLURM, "settings",                     \
	  "A job that may have nodes booted is placed by Slurm's own "       \
	  "test.")                                                           \
	X(SCHED, "disable_hetero_steps", BOTH, NONE, "", "About steps.")     \
	X(SCHED, "disable_hetjob_steps", BOTH, NONE, "", "About steps.")     \
	X(SCHED, "disable_job_shrink", BOTH, NONE, "",                       \
	  "About scontrol update of running jobs, which Slurm does.")        \
	X(SCHED, "enable_hetjob_steps", BOTH, NONE, "", "About steps.")      \
	X(SCHED, "enable_job_state_cache", NEW, NONE, "",                    \
	  "About answers to squeue.")                                        \
	X(SCHED, "enable_user_top", BOTH, HONOURED, "ostrich",               \
	  "A user's scontrol top moves a job where Slurm's priority "        \
	  "or OStrich decides the order.")                                   \
	X(SCHED, "extra_constraints", NEW, SLURM, "settings",                \
	  "Slurm refuses other nodes than --extra allows; after two "        \
	  "refusals its own test places the job.")                           \
	X(SCHED, "ignore_constraint_validation", NEW, SLURM, "settings",     \
	  "Checked when a job is submitted.")                                \
	X(SCHED, "ignore_prefer_validation", BOTH, SLURM, "settings",        \
	  "Checked when a job is submitted.")                                \
	X(SCHED, "interval=", BOTH, NONE, "", "Of sched/builtin.")           \
	X(SCHED, "jobs_per_user_per_hour=", BOTH, NONE, "",                  \
	  "Of job_submit/throttle.")                                         \
	X(SCHED, "max_array_tasks=", BOTH, SLURM, "settings",                \
	  "Checked when a job is submitted.")                                \
	X(SCHED, "max_job_bf=", BOTH, NOT, "",                               \
	  "The old name of bf_max_job_test, of which Slurm's backfill "      \
	  "dies. No test has it.")                                           \
	X(SCHED, "max_rpc_cnt=", BOTH, HONOURED, "rpcs",                     \
	  "While so many requests are in work it neither looks nor "         \
	  "starts.")                                                         \
	X(SCHED, "max_rpc_count=", BOTH, HONOURED, "settings",               \
	  "The old name of max_rpc_cnt.")                                    \
	X(SCHED, "max_sched_time=", BOTH, NONE, "",                          \
	  "Of Slurm's main loop; cosched_budget_ms is ours.")                \
	X(SCHED, "max_script_size=", BOTH, NONE, "",                         \
	  "Checked when a job is submitted.")                                \
	X(SCHED, "max_submit_line_size=", NEW, NONE, "",                     \
	  "Checked when a job is submitted.")                                \
	X(SCHED, "max_switch_wait=", BOTH, SLURM, "settings",                \
	  "Bounds the wait of --switches when a job is submitted.")          \
	X(SCHED, "no_backup_scheduling", BOTH, HONOURED, "settings",         \
	  "A backup slurmctld starts nothing, in no mode.")                  \
	X(SCHED, "no_env_cache", BOTH, NONE, "",                             \
	  "About the environment of launched jobs.")                         \
	X(SCHED, "nohold_on_prolog_fail", BOTH, NONE, "",                    \
	  "Slurm requeues the job; we see it wait again.")                   \
	X(SCHED, "pack_serial_at_end", BOTH, HONOURED, "nodechoice",         \
	  "For jobs that join no group.")                                    \
	X(SCHED, "partition_job_depth=", BOTH, NOT, "settings",              \
	  "cosched_depth bounds the jobs of a partition that are "           \
	  "looked at.")                                                      \
	X(SCHED, "permit_job_expansion", BOTH, NONE, "",                     \
	  "About scontrol update of running jobs, which Slurm does.")        \
	X(SCHED, "preempt_reorder_count=", BOTH, SLURM, "settings",          \
	  "Slurm chooses the jobs to preempt.")                              \
	X(SCHED, "preempt_strict_order", BOTH, SLURM, "settings",            \
	  "Slurm chooses the jobs to preempt.")                              \
	X(SCHED, "preempt_youngest_first", BOTH, SLURM, "settings",          \
	  "Slurm chooses the jobs to preempt.")                              \
	X(SCHED, "reduce_completing_frag", BOTH, NOT, "settings",            \
	  "While jobs complete, for CompleteWait, nothing starts in "        \
	  "any partition.")                                                  \
	X(SCHED, "requeue_setup_env_fail", BOTH, NONE, "",                   \
	  "Slurm requeues the job; we see it wait again.")                   \
	X(SCHED, "salloc_wait_nodes", BOTH, NONE, "", "About salloc.")       \
	X(SCHED, "sbatch_wait_nodes", BOTH, NONE, "",                        \
	  "About the launch of a started job.")                              \
	X(SCHED, "sched_interval=", BOTH, NONE, "",                          \
	  "Of Slurm's main loop, whose starts the gate refuses; "            \
	  "cosched_period_ms is ours.")                                      \
	X(SCHED, "sched_max_job_start=", BOTH, NOT, "settings",              \
	  "No number of starts ends a cycle; locks are held for "            \
	  "cosched_lock_ms at a time.")                                      \
	X(SCHED, "sched_min_interval=", BOTH, HONOURED, "settings",          \
	  "Least rest between two cycles, at most 30 s, beside "             \
	  "cosched_rest_ms.")                                                \
	X(SCHED, "spec_cores_first", BOTH, HONOURED, "settings",             \
	  "Reserved cores are those that Slurm chose.")                      \
	X(SCHED, "step_retry_count=", BOTH, NONE, "", "About steps.")        \
	X(SCHED, "step_retry_time=", BOTH, NONE, "", "About steps.")         \
	X(SCHED, "time_min_as_soft_limit", NEW, NOT, "settings",             \
	  "A job with --time-min starts where that time fits, and "          \
	  "gets as much of its --time as delays no planned start.")          \
	X(SCHED, "whole_hetjob", BOTH, NONE, "",                             \
	  "About scontrol and scancel of heterogeneous jobs.")               \
	X(SCHED, "whole_pack", BOTH, NONE, "", "The old name of whole_hetjob.")

#define CS_HOST_KEYS_SELECT(X)                                             \
	X(SELECT, "CR_ALLOCATE_FULL_SOCKET", OLD, NONE, "",                \
	  "Slurm reads it and does nothing.")                              \
	X(SELECT, "CR_Core", BOTH, HONOURED, "requests", "Exact cores.")   \
	X(SELECT, "CR_CORE_DEFAULT_DIST_BLOCK", BOTH, HONOURED, "sockets", \
	  "For jobs that join no group.")                                  \
	X(SELECT, "CR_Core_Memory", BOTH, HONOURED, "requests",            \
	  "Exact cores; memory of the nodes.")                             \
	X(SELECT, "CR_CPU", BOTH, WHOLE, "settings", "")                   \
	X(SELECT, "CR_CPU_Memory", BOTH, WHOLE, "settings", "")            \
	X(SELECT, "CR_LLN", BOTH, HONOURED, "nodechoice",                  \
	  "For jobs that join no group.")                                  \
	X(SELECT, "CR_Memory", BOTH, NONE, "",                             \
	  "slurmctld refuses it alone but with select/linear, with "       \
	  "which there is no mode act.")                                   \
	X(SELECT, "CR_ONE_TASK_PER_CORE", BOTH, HONOURED, "settings", "")  \
	X(SELECT, "CR_PACK_NODES", BOTH, NONE, "",                         \
	  "About the tasks of a step on its nodes.")                       \
	X(SELECT, "CR_Socket", BOTH, WHOLE, "loads", "")                   \
	X(SELECT, "CR_Socket_Memory", BOTH, WHOLE, "loads", "")            \
	X(SELECT, "ENFORCE_BINDING_GRES", NEW, SLURM, "settings",          \
	  "With it Slurm's own test places jobs with GPUs.")               \
	X(SELECT, "LL_SHARED_GRES", NEW, SLURM, "settings",                \
	  "Shared GPUs: all jobs with GPUs are placed by Slurm's test.")   \
	X(SELECT, "MULTIPLE_SHARING_GRES_PJ", NEW, SLURM, "settings",      \
	  "Shared GPUs: all jobs with GPUs are placed by Slurm's test.")   \
	X(SELECT, "ONE_TASK_PER_SHARING_GRES", NEW, SLURM, "settings",     \
	  "Shared GPUs: all jobs with GPUs are placed by Slurm's test.")   \
	X(SELECT, "OTHER_CONS_RES", OLD, NONE, "",                         \
	  "Of select/cray_aries, which slurmctld loads no plugin of "      \
	  "ours for.")                                                     \
	X(SELECT, "OTHER_CONS_TRES", OLD, NONE, "",                        \
	  "Of select/cray_aries, which slurmctld loads no plugin of "      \
	  "ours for.")

#define CS_HOST_KEYS_PREEMPT(X)                                          \
	X(PREEMPT, "min_exempt_priority=", NEW, SLURM, "settings",       \
	  "Slurm chooses the jobs to preempt.")                          \
	X(PREEMPT, "reclaim_licenses", NEW, NOT, "settings",             \
	  "No job is preempted for the licences that it holds: who "     \
	  "lacks some waits for them.")                                  \
	X(PREEMPT, "reorder_count=", NEW, SLURM, "settings",             \
	  "Slurm chooses the jobs to preempt.")                          \
	X(PREEMPT, "send_user_signal", NEW, SLURM, "settings",           \
	  "Slurm ends the preempted job.")                               \
	X(PREEMPT, "strict_order", NEW, SLURM, "settings",               \
	  "Slurm chooses the jobs to preempt.")                          \
	X(PREEMPT, "suspend_grace_time=", NEW, HONOURED, "slicesothers", \
	  "The time that a job that is stopped may still run; mode "     \
	  "act is refused where time slices leave less.")                \
	X(PREEMPT, "youngest_first", NEW, SLURM, "settings",             \
	  "Slurm chooses the jobs to preempt.")

#define CS_HOST_KEYS_MODE(X)                                           \
	X(MODE, "CANCEL", BOTH, SLURM, "preempt",                      \
	  "Slurm ends the preempted jobs; what they free is the "      \
	  "preempting job's.")                                         \
	X(MODE, "GANG", BOTH, SLURM, "gang",                           \
	  "Slurm suspends and resumes; refused beside time slices of " \
	  "ours.")                                                     \
	X(MODE, "OFF", BOTH, SLURM, "settings", "")                    \
	X(MODE, "REQUEUE", BOTH, SLURM, "preempt",                     \
	  "Slurm requeues the preempted jobs; what they free is the "  \
	  "preempting job's.")                                         \
	X(MODE, "SUSPEND", BOTH, SLURM, "gang",                        \
	  "Slurm suspends the preempted jobs.")                        \
	X(MODE, "WITHIN", BOTH, SLURM, "preemptqos",                   \
	  "Slurm chooses the jobs to preempt.")

#define CS_HOST_KEYS_PRIORITY(X)                                       \
	X(PRIORITY, "ACCRUE_ALWAYS", BOTH, SLURM, "settings",          \
	  "Slurm computes priorities and accrues age.")                \
	X(PRIORITY, "CALCULATE_RUNNING", BOTH, SLURM, "settings",      \
	  "Slurm computes priorities.")                                \
	X(PRIORITY, "DEPTH_OBLIVIOUS", BOTH, SLURM, "settings",        \
	  "Slurm computes priorities.")                                \
	X(PRIORITY, "INCR_ONLY", BOTH, SLURM, "settings",              \
	  "Slurm computes priorities.")                                \
	X(PRIORITY, "MAX_TRES", BOTH, SLURM, "settings",               \
	  "Slurm computes priorities and billing.")                    \
	X(PRIORITY, "NO_FAIR_TREE", BOTH, SLURM, "settings",           \
	  "Slurm computes priorities.")                                \
	X(PRIORITY, "NO_NORMAL_ALL", BOTH, SLURM, "settings",          \
	  "Slurm computes priorities.")                                \
	X(PRIORITY, "NO_NORMAL_ASSOC", BOTH, SLURM, "settings",        \
	  "Slurm computes priorities.")                                \
	X(PRIORITY, "NO_NORMAL_PART", BOTH, SLURM, "settings",         \
	  "Slurm computes priorities.")                                \
	X(PRIORITY, "NO_NORMAL_QOS", BOTH, SLURM, "settings",          \
	  "Slurm computes priorities.")                                \
	X(PRIORITY, "NO_NORMAL_TRES", BOTH, SLURM, "settings",         \
	  "Slurm computes priorities.")                                \
	X(PRIORITY, "SMALL_RELATIVE_TO_TIME", BOTH, SLURM, "settings", \
	  "Slurm computes priorities.")

#define CS_HOST_KEYS_CTLD(X)                                         \
	X(CTLD, "enable_stepmgr", NEW, NONE, "", "About steps.")     \
	X(CTLD, "idle_on_node_suspend", BOTH, SLURM, "settings",     \
	  "Slurm marks nodes that are powered down.")                \
	X(CTLD, "max_powered_nodes=", NEW, SLURM, "settings",        \
	  "Slurm refuses a start that would power up more.")         \
	X(CTLD, "node_reg_mem_percent=", BOTH, SLURM, "settings",    \
	  "Slurm judges the nodes that register.")                   \
	X(CTLD, "power_save_interval=", BOTH, NONE, "",              \
	  "How often Slurm's power saving looks.")                   \
	X(CTLD, "power_save_min_interval=", BOTH, NONE, "",          \
	  "How often Slurm's power saving looks.")                   \
	X(CTLD, "preempt_send_user_signal", BOTH, SLURM, "settings", \
	  "Slurm ends the preempted job.")                           \
	X(CTLD, "reboot_from_controller", BOTH, NONE, "",            \
	  "Where RebootProgram runs.")                               \
	X(CTLD, "user_resv_delete", BOTH, NONE, "",                  \
	  "Who may delete a reservation.")

#define CS_HOST_KEYS_TOPOLOGY(X)                                      \
	X(TOPOLOGY, "Dragonfly", BOTH, NOT, "settings",               \
	  "Leaves are chosen as in a tree, the fewest that hold the " \
	  "job.")                                                     \
	X(TOPOLOGY, "RoutePart", NEW, NONE, "",                       \
	  "About messages between daemons.")                          \
	X(TOPOLOGY, "RouteTree", NEW, NONE, "",                       \
	  "About messages between daemons.")                          \
	X(TOPOLOGY, "SwitchAsNodeRank", NEW, NONE, "",                \
	  "About the order of nodes in messages and names.")          \
	X(TOPOLOGY, "TopoOptional", BOTH, HONOURED, "settings",       \
	  "Jobs without --switches are placed without regard to the " \
	  "topology.")

#define CS_HOST_KEY_TABLE(X)     \
	CS_HOST_KEYS_SCHED(X)    \
	CS_HOST_KEYS_SELECT(X)   \
	CS_HOST_KEYS_PREEMPT(X)  \
	CS_HOST_KEYS_MODE(X)     \
	CS_HOST_KEYS_PRIORITY(X) \
	CS_HOST_KEYS_CTLD(X)     \
	CS_HOST_KEYS_TOPOLOGY(X) \
	CS_HOST_KEYS_CLUSTER(X)  \
	CS_HOST_KEYS_NODE(X)     \
	CS_HOST_KEYS_PART(X)     \
	CS_HOST_KEYS_RESV(X)

#endif
