/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The end of the table of Slurm's keys (host_key_list.h): lines of slurm.conf, what nodes
 * and partitions have, and flags of reservations.
 */
#ifndef CS_PARAMS_HOST_KEY_CONF_H
#define CS_PARAMS_HOST_KEY_CONF_H

#define CS_HOST_KEYS_CLUSTER(X)                                                \
	X(CLUSTER, "AccountingStorageEnforce", BOTH, HONOURED, "limits",       \
	  "Limits of associations and QOS, by Slurm's own tests.")             \
	X(CLUSTER, "AccountingStorageTRES", BOTH, SLURM, "",                   \
	  "What limits count. No test has it.")                                \
	X(CLUSTER, "AllowSpecResourcesUsage", BOTH, SLURM, "settings",         \
	  "A job with --core-spec is placed by Slurm's own test.")             \
	X(CLUSTER, "BatchStartTimeout", BOTH, NONE, "",                        \
	  "Slurm ends a job that does not begin.")                             \
	X(CLUSTER, "BurstBufferParameters", BOTH, SLURM, "",                   \
	  "Slurm's plugin fills the buffers. No test has it.")                 \
	X(CLUSTER, "BurstBufferType", BOTH, HONOURED, "burstbuffers",          \
	  "A job starts when its buffer is filled; its planned start "         \
	  "is by Slurm's estimate.")                                           \
	X(CLUSTER, "CliFilterPlugins", BOTH, NONE, "",                         \
	  "We see the job as it was let in.")                                  \
	X(CLUSTER, "CompleteWait", BOTH, HONOURED, "settings",                 \
	  "While a job completes nothing starts, at most so long.")            \
	X(CLUSTER, "CoreSpecPlugin", BOTH, NONE, "", "About slurmd.")          \
	X(CLUSTER, "DefCPUPerGPU", BOTH, HONOURED, "gpus",                     \
	  "Of jobs whose tasks share it evenly (limits.md).")                  \
	X(CLUSTER, "DefMemPerCPU", BOTH, HONOURED, "requests", "")             \
	X(CLUSTER, "DefMemPerGPU", BOTH, HONOURED, "gpus",                     \
	  "Not of whole nodes (limits.md).")                                   \
	X(CLUSTER, "DefMemPerNode", BOTH, HONOURED, "requests", "")            \
	X(CLUSTER, "DependencyParameters", BOTH, SLURM, "settings",            \
	  "Slurm judges dependencies.")                                        \
	X(CLUSTER, "DisableRootJobs", BOTH, NONE, "",                          \
	  "Checked when a job is submitted.")                                  \
	X(CLUSTER, "DownNodes", BOTH, SLURM, "",                               \
	  "The state of nodes at the first start. No test has it.")            \
	X(CLUSTER, "EnforcePartLimits", BOTH, SLURM, "settings",               \
	  "Checked when a job is submitted; what is let in waits by "          \
	  "Slurm's own tests.")                                                \
	X(CLUSTER, "EpilogSlurmctld", BOTH, SLURM, "settings",                 \
	  "A job's nodes complete until it has ended.")                        \
	X(CLUSTER, "FairShareDampeningFactor", BOTH, SLURM, "settings",        \
	  "Slurm computes priorities.")                                        \
	X(CLUSTER, "FastSchedule", BOTH, NONE, "",                             \
	  "Slurm refuses or ignores it.")                                      \
	X(CLUSTER, "FederationParameters", BOTH, NONE, "",                     \
	  "About names; jobs of a federation start under its lock, "           \
	  "which no test of ours has.")                                        \
	X(CLUSTER, "FirstJobId", BOTH, NONE, "", "")                           \
	X(CLUSTER, "FrontendName", BOTH, NONE, "",                             \
	  "Of front end builds, for which our plugins are not made.")          \
	X(CLUSTER, "GresTypes", BOTH, HONOURED, "gpus",                        \
	  "GPUs; Slurm's own test places jobs with others.")                   \
	X(CLUSTER, "InactiveLimit", BOTH, NONE, "", "Slurm ends such jobs.")   \
	X(CLUSTER, "JobRequeue", BOTH, SLURM, "settings",                      \
	  "Slurm requeues; we see the job wait again.")                        \
	X(CLUSTER, "JobSubmitPlugins", BOTH, NONE, "",                         \
	  "We see the job as it was let in.")                                  \
	X(CLUSTER, "KillWait", BOTH, HONOURED, "horizon",                      \
	  "A job beyond its limit is expected to take so long to end.")        \
	X(CLUSTER, "Licenses", BOTH, HONOURED, "licences",                     \
	  "Planned starts count them; Slurm's own test decides at the "        \
	  "start.")                                                            \
	X(CLUSTER, "MaxArraySize", BOTH, SLURM, "batch",                       \
	  "Checked when a job is submitted.")                                  \
	X(CLUSTER, "MaxBatchRequeue", NEW, SLURM, "settings",                  \
	  "Slurm holds the job.")                                              \
	X(CLUSTER, "MaxJobCount", BOTH, SLURM, "batch",                        \
	  "Checked when a job is submitted.")                                  \
	X(CLUSTER, "MaxJobId", BOTH, NONE, "", "")                             \
	X(CLUSTER, "MaxMemPerCPU", BOTH, HONOURED, "partitions", "")           \
	X(CLUSTER, "MaxMemPerNode", BOTH, SLURM, "settings",                   \
	  "Checked when a job is submitted.")                                  \
	X(CLUSTER, "MaxNodeCount", BOTH, HONOURED, "dynamic",                  \
	  "Dynamic nodes are followed.")                                       \
	X(CLUSTER, "MaxStepCount", BOTH, NONE, "", "About steps.")             \
	X(CLUSTER, "MaxTasksPerNode", BOTH, SLURM, "settings",                 \
	  "Checked when a job is submitted.")                                  \
	X(CLUSTER, "MCSParameters", BOTH, SLURM, "settings", "See MCSPlugin.") \
	X(CLUSTER, "MCSPlugin", BOTH, WHOLE, "labels",                         \
	  "Set to another than mcs/none.")                                     \
	X(CLUSTER, "MinJobAge", BOTH, NONE, "",                                \
	  "How long Slurm keeps ended jobs.")                                  \
	X(CLUSTER, "NodeFeaturesPlugins", BOTH, SLURM, "",                     \
	  "A job that wants features that a node can change to is placed "     \
	  "by Slurm's own test. No test has it.")                              \
	X(CLUSTER, "NodeName", BOTH, HONOURED, "requests",                     \
	  "Its keys are below.")                                               \
	X(CLUSTER, "NodeSet", BOTH, HONOURED, "dynamic", "")                   \
	X(CLUSTER, "OverTimeLimit", BOTH, HONOURED, "horizon",                 \
	  "A job beyond its limit is expected to end so much later.")          \
	X(CLUSTER, "PartitionName", BOTH, HONOURED, "requests",                \
	  "Its keys are below.")                                               \
	X(CLUSTER, "PowerParameters", BOTH, NONE, "", "Of power/cray_aries.")  \
	X(CLUSTER, "PowerPlugin", BOTH, NONE, "", "Of power/cray_aries.")      \
	X(CLUSTER, "PreemptExemptTime", BOTH, SLURM, "preemptgrace",           \
	  "Slurm chooses the jobs to preempt.")                                \
	X(CLUSTER, "PreemptMode", BOTH, SLURM, "preempt",                      \
	  "Its values are below.")                                             \
	X(CLUSTER, "PreemptParameters", NEW, SLURM, "slicesothers",            \
	  "Its values are below.")                                             \
	X(CLUSTER, "PreemptType", BOTH, SLURM, "preempt",                      \
	  "Slurm chooses the jobs to preempt.")                                \
	X(CLUSTER, "PriorityCalcPeriod", BOTH, SLURM, "settings",              \
	  "Slurm computes priorities.")                                        \
	X(CLUSTER, "PriorityDecayHalfLife", BOTH, SLURM, "",                   \
	  "Slurm computes priorities. No test has it: it counts beside "       \
	  "slurmdbd alone.")                                                   \
	X(CLUSTER, "PriorityFavorSmall", BOTH, SLURM, "settings",              \
	  "Slurm computes priorities.")                                        \
	X(CLUSTER, "PriorityFlags", BOTH, SLURM, "settings",                   \
	  "Its values are below.")                                             \
	X(CLUSTER, "PriorityMaxAge", BOTH, SLURM, "settings",                  \
	  "Slurm computes priorities.")                                        \
	X(CLUSTER, "PriorityParameters", BOTH, SLURM, "settings",              \
	  "Slurm computes priorities.")                                        \
	X(CLUSTER, "PrioritySiteFactorParameters", BOTH, HONOURED,             \
	  "sitefactor", "Those of site_factor/ostrich.")                       \
	X(CLUSTER, "PrioritySiteFactorPlugin", BOTH, HONOURED, "sitefactor",   \
	  "")                                                                  \
	X(CLUSTER, "PriorityType", BOTH, SLURM, "tools",                       \
	  "Slurm computes priorities; `cosched doctor` tells where "           \
	  "our order ignores them.")                                           \
	X(CLUSTER, "PriorityUsageResetPeriod", BOTH, SLURM, "",                \
	  "Slurm computes priorities. No test has it: it counts beside "       \
	  "slurmdbd alone.")                                                   \
	X(CLUSTER, "PriorityWeightAge", BOTH, SLURM, "settings",               \
	  "Slurm computes priorities; `cosched doctor` tells where "           \
	  "our order ignores them.")                                           \
	X(CLUSTER, "PriorityWeightAssoc", BOTH, SLURM, "settings",             \
	  "Slurm computes priorities; `cosched doctor` tells where "           \
	  "our order ignores them.")                                           \
	X(CLUSTER, "PriorityWeightFairshare", BOTH, SLURM, "",                 \
	  "Slurm computes priorities; `cosched doctor` tells where our "       \
	  "order ignores them. No test has it: it counts beside slurmdbd "     \
	  "alone.")                                                            \
	X(CLUSTER, "PriorityWeightJobSize", BOTH, SLURM, "settings",           \
	  "Slurm computes priorities; `cosched doctor` tells where "           \
	  "our order ignores them.")                                           \
	X(CLUSTER, "PriorityWeightPartition", BOTH, SLURM, "settings",         \
	  "Slurm computes priorities; `cosched doctor` tells where "           \
	  "our order ignores them.")                                           \
	X(CLUSTER, "PriorityWeightQOS", BOTH, SLURM, "settings",               \
	  "Slurm computes priorities; `cosched doctor` tells where "           \
	  "our order ignores them.")                                           \
	X(CLUSTER, "PriorityWeightTRES", BOTH, SLURM, "settings",              \
	  "Slurm computes priorities; `cosched doctor` tells where "           \
	  "our order ignores them.")                                           \
	X(CLUSTER, "PrologFlags", BOTH, SLURM, "settings", "")                 \
	X(CLUSTER, "PrologSlurmctld", BOTH, HONOURED, "moved",                 \
	  "A job's time counts from the end of it.")                           \
	X(CLUSTER, "RequeueExit", BOTH, SLURM, "settings",                     \
	  "Slurm requeues; we see the job wait again.")                        \
	X(CLUSTER, "RequeueExitHold", BOTH, SLURM, "settings",                 \
	  "Slurm requeues and holds.")                                         \
	X(CLUSTER, "ResumeFailProgram", BOTH, NONE, "", "Run by Slurm.")       \
	X(CLUSTER, "ResumeProgram", BOTH, HONOURED, "nodes",                   \
	  "A job starts on powered down nodes where no others are "            \
	  "free.")                                                             \
	X(CLUSTER, "ResumeRate", BOTH, NONE, "", "Slurm wakes nodes.")         \
	X(CLUSTER, "ResumeTimeout", BOTH, HONOURED, "nodes",                   \
	  "Slurm judges nodes that do not come.")                              \
	X(CLUSTER, "ResvEpilog", BOTH, NONE, "", "Run by Slurm.")              \
	X(CLUSTER, "ResvOverRun", BOTH, SLURM, "settings",                     \
	  "Slurm ends jobs behind their reservation.")                         \
	X(CLUSTER, "ResvProlog", BOTH, NONE, "", "Run by Slurm.")              \
	X(CLUSTER, "ReturnToService", BOTH, SLURM, "settings",                 \
	  "Slurm judges nodes that come back.")                                \
	X(CLUSTER, "SchedulerParameters", BOTH, HONOURED, "settings",          \
	  "Its keys are below.")                                               \
	X(CLUSTER, "SchedulerTimeSlice", BOTH, SLURM, "settings",              \
	  "Of Slurm's gang scheduler.")                                        \
	X(CLUSTER, "SchedulerType", BOTH, HONOURED, "settings",                \
	  "sched/backfill alone: under this name slurmctld loads "             \
	  "ours.")                                                             \
	X(CLUSTER, "SelectType", BOTH, HONOURED, "loads",                      \
	  "select/cons_tres alone: under this name slurmctld loads "           \
	  "ours.")                                                             \
	X(CLUSTER, "SelectTypeParameters", BOTH, HONOURED, "settings",         \
	  "Its values are below.")                                             \
	X(CLUSTER, "SlurmctldParameters", BOTH, SLURM, "settings",             \
	  "Those that bear on scheduling are below.")                          \
	X(CLUSTER, "SlurmdTimeout", BOTH, NONE, "",                            \
	  "Slurm judges nodes that do not answer.")                            \
	X(CLUSTER, "SuspendExcNodes", BOTH, SLURM, "settings",                 \
	  "Slurm powers nodes down.")                                          \
	X(CLUSTER, "SuspendExcParts", BOTH, SLURM, "settings",                 \
	  "Slurm powers nodes down.")                                          \
	X(CLUSTER, "SuspendExcStates", NEW, SLURM, "settings",                 \
	  "Slurm powers nodes down.")                                          \
	X(CLUSTER, "SuspendProgram", BOTH, HONOURED, "nodes",                  \
	  "Powered down nodes are used last.")                                 \
	X(CLUSTER, "SuspendRate", BOTH, NONE, "", "Slurm powers nodes down.")  \
	X(CLUSTER, "SuspendTime", BOTH, HONOURED, "nodes",                     \
	  "Powered down nodes are used last.")                                 \
	X(CLUSTER, "SuspendTimeout", BOTH, HONOURED, "nodes",                  \
	  "Slurm judges nodes that are being powered down.")                   \
	X(CLUSTER, "TaskPlugin", BOTH, HONOURED, "settings",                   \
	  "`cosched doctor` warns where it keeps no job to its cores.")        \
	X(CLUSTER, "TaskPluginParam", BOTH, NONE, "",                          \
	  "About the tasks of steps.")                                         \
	X(CLUSTER, "TopologyParam", BOTH, HONOURED, "settings",                \
	  "Its values are below.")                                             \
	X(CLUSTER, "TopologyPlugin", BOTH, HONOURED, "requests",               \
	  "topology/tree and topology/block.")                                 \
	X(CLUSTER, "TrackWCKey", BOTH, NONE, "",                               \
	  "Checked when a job is submitted.")                                  \
	X(CLUSTER, "UnkillableStepTimeout", BOTH, NONE, "",                    \
	  "Slurm drains the node.")

#define CS_HOST_KEYS_NODE(X)                                                  \
	X(NODE, "BcastAddr", BOTH, NONE, "", "About addresses.")              \
	X(NODE, "Boards", BOTH, HONOURED, "settings",                         \
	  "Cores of all boards count.")                                       \
	X(NODE, "CoreSpecCount", BOTH, HONOURED, "settings",                  \
	  "Those cores are for no job.")                                      \
	X(NODE, "CoresPerSocket", BOTH, HONOURED, "requests", "")             \
	X(NODE, "CpuBind", BOTH, NONE, "", "About the tasks of steps.")       \
	X(NODE, "CPUs", BOTH, SLURM, "settings", "Slurm counts cores of it.") \
	X(NODE, "CPUSpecList", BOTH, HONOURED, "settings",                    \
	  "Those cores are for no job.")                                      \
	X(NODE, "Feature", BOTH, HONOURED, "requests",                        \
	  "Counted, alternative and changeable features go by Slurm's "       \
	  "own test.")                                                        \
	X(NODE, "Features", BOTH, HONOURED, "settings",                       \
	  "Another name of Feature.")                                         \
	X(NODE, "Gres", BOTH, HONOURED, "gpus",                               \
	  "GPUs; Slurm's own test places jobs with others.")                  \
	X(NODE, "MemSpecLimit", BOTH, HONOURED, "settings",                   \
	  "That memory is for no job.")                                       \
	X(NODE, "NodeAddr", BOTH, NONE, "", "About addresses.")               \
	X(NODE, "NodeHostname", BOTH, NONE, "", "About addresses.")           \
	X(NODE, "Port", BOTH, NONE, "", "About addresses.")                   \
	X(NODE, "Procs", BOTH, SLURM, "settings", "The old name of CPUs.")    \
	X(NODE, "RealMemory", BOTH, HONOURED, "nodes", "")                    \
	X(NODE, "Reason", BOTH, NONE, "", "")                                 \
	X(NODE, "RestrictedCoresPerGPU", NEW, SLURM, "requests",              \
	  "Slurm's own test places all jobs of their partitions.")            \
	X(NODE, "Sockets", BOTH, HONOURED, "requests", "")                    \
	X(NODE, "SocketsPerBoard", BOTH, SLURM, "",                           \
	  "Slurm counts sockets of it. No test has it.")                      \
	X(NODE, "State", BOTH, HONOURED, "nodes", "")                         \
	X(NODE, "ThreadsPerCore", BOTH, HONOURED, "layouts", "")              \
	X(NODE, "TmpDisk", BOTH, HONOURED, "requests", "")                    \
	X(NODE, "TRESWeights", BOTH, NONE, "",                                \
	  "Slurm reads it and does nothing.")                                 \
	X(NODE, "Weight", BOTH, HONOURED, "nodechoice",                       \
	  "Before room, and before nearness in the topology, as in Slurm.")

#define CS_HOST_KEYS_PART(X)                                            \
	X(PART, "AllocNodes", BOTH, SLURM, "settings",                  \
	  "Checked when a job is submitted, and by Slurm's own tests "  \
	  "before it starts.")                                          \
	X(PART, "AllowAccounts", BOTH, SLURM, "limits",                 \
	  "Checked when a job is submitted, and by Slurm's own tests "  \
	  "before it starts.")                                          \
	X(PART, "AllowGroups", BOTH, SLURM, "settings",                 \
	  "Checked when a job is submitted, and by Slurm's own tests "  \
	  "before it starts.")                                          \
	X(PART, "AllowQos", BOTH, SLURM, "settings",                    \
	  "Checked when a job is submitted, and by Slurm's own tests "  \
	  "before it starts.")                                          \
	X(PART, "Alternate", BOTH, SLURM, "top",                        \
	  "Slurm moves the job when it is submitted.")                  \
	X(PART, "CpuBind", BOTH, NONE, "", "About the tasks of steps.") \
	X(PART, "Default", BOTH, SLURM, "requests", "")                 \
	X(PART, "DefaultTime", BOTH, HONOURED, "jobs", "")              \
	X(PART, "DefCPUPerGPU", BOTH, HONOURED, "gpus",                 \
	  "Of jobs whose tasks share it evenly (limits.md).")           \
	X(PART, "DefMemPerCPU", BOTH, HONOURED, "requests", "")         \
	X(PART, "DefMemPerGPU", BOTH, HONOURED, "gpus",                 \
	  "Not of whole nodes (limits.md).")                            \
	X(PART, "DefMemPerNode", BOTH, HONOURED, "requests", "")        \
	X(PART, "DenyAccounts", BOTH, SLURM, "settings",                \
	  "Checked when a job is submitted, and by Slurm's own tests "  \
	  "before it starts.")                                          \
	X(PART, "DenyQos", BOTH, SLURM, "settings",                     \
	  "Checked when a job is submitted, and by Slurm's own tests "  \
	  "before it starts.")                                          \
	X(PART, "DisableRootJobs", BOTH, SLURM, "settings",             \
	  "Checked when a job is submitted, and by Slurm's own tests "  \
	  "before it starts.")                                          \
	X(PART, "ExclusiveTopo", NEW, SLURM, "settings",                \
	  "Slurm's own test places its jobs.")                          \
	X(PART, "ExclusiveUser", BOTH, HONOURED, "requests",            \
	  "Its nodes count as whole for a user's jobs.")                \
	X(PART, "GraceTime", BOTH, HONOURED, "preemptgrace",            \
	  "What the preempted jobs free is the preempting job's, "      \
	  "through that time.")                                         \
	X(PART, "Hidden", BOTH, NONE, "", "About squeue and sinfo.")    \
	X(PART, "LLN", BOTH, HONOURED, "nodechoice",                    \
	  "For jobs that join no group; with a topology Slurm's own "   \
	  "test places its jobs.")                                      \
	X(PART, "MaxCPUsPerNode", BOTH, SLURM, "requests",              \
	  "Slurm's own test places its jobs.")                          \
	X(PART, "MaxCPUsPerSocket", NEW, SLURM, "settings",             \
	  "Slurm's own test places its jobs.")                          \
	X(PART, "MaxMemPerCPU", BOTH, HONOURED, "partitions", "")       \
	X(PART, "MaxMemPerNode", BOTH, SLURM, "settings",               \
	  "Checked when a job is submitted.")                           \
	X(PART, "MaxNodes", BOTH, HONOURED, "requests", "")             \
	X(PART, "MaxTime", BOTH, HONOURED, "requests", "")              \
	X(PART, "MinNodes", BOTH, HONOURED, "requests", "")             \
	X(PART, "Nodes", BOTH, HONOURED, "requests", "")                \
	X(PART, "OverSubscribe", BOTH, HONOURED, "oversubscribe",       \
	  "EXCLUSIVE and NO by the plan, FORCE and YES above 1 by "     \
	  "Slurm's own test.")                                          \
	X(PART, "OverTimeLimit", BOTH, HONOURED, "horizon", "")         \
	X(PART, "PowerDownOnIdle", NEW, SLURM, "settings",              \
	  "Slurm powers nodes down.")                                   \
	X(PART, "PreemptMode", BOTH, SLURM, "preemptoptions", "")       \
	X(PART, "Priority", BOTH, HONOURED, "settings",                 \
	  "The old name of PriorityJobFactor and PriorityTier.")        \
	X(PART, "PriorityJobFactor", BOTH, SLURM, "ostrich",            \
	  "Slurm computes priorities.")                                 \
	X(PART, "PriorityTier", BOTH, HONOURED, "preempt",              \
	  "Not where a paper's preset orders by time, without "         \
	  "cosched_order=slurm.")                                       \
	X(PART, "QOS", BOTH, HONOURED, "requests", "")                  \
	X(PART, "ReqResv", BOTH, SLURM, "settings",                     \
	  "Checked when a job is submitted, and by Slurm's own tests "  \
	  "before it starts.")                                          \
	X(PART, "ResumeTimeout", BOTH, SLURM, "settings",               \
	  "Slurm judges nodes that do not come.")                       \
	X(PART, "RootOnly", BOTH, SLURM, "settings",                    \
	  "Checked when a job is submitted, and by Slurm's own tests "  \
	  "before it starts.")                                          \
	X(PART, "SelectTypeParameters", BOTH, SLURM, "labels",          \
	  "Without CR_Core, Slurm's own test places its jobs: a "       \
	  "warning says so.")                                           \
	X(PART, "Shared", BOTH, HONOURED, "settings",                   \
	  "The old name of OverSubscribe.")                             \
	X(PART, "State", BOTH, HONOURED, "settings", "")                \
	X(PART, "SuspendTime", BOTH, SLURM, "settings",                 \
	  "Slurm powers nodes down.")                                   \
	X(PART, "SuspendTimeout", BOTH, SLURM, "settings",              \
	  "Slurm judges nodes that are being powered down.")            \
	X(PART, "TRESBillingWeights", BOTH, HONOURED, "settings",       \
	  "What limits on billing count.")

#define CS_HOST_KEYS_RESV(X)                                               \
	X(RESV, "ANY_NODES", BOTH, HONOURED, "reservations",               \
	  "It confines jobs to no nodes; no start is promised before "     \
	  "it begins.")                                                    \
	X(RESV, "DAILY", BOTH, HONOURED, "reservations",                   \
	  "The next of them counts.")                                      \
	X(RESV, "FIRST_CORES", OLD, SLURM, "settings",                     \
	  "Slurm chooses the cores when it is made.")                      \
	X(RESV, "FLEX", BOTH, HONOURED, "reservations",                    \
	  "Nodes outside come after those inside.")                        \
	X(RESV, "HOURLY", BOTH, HONOURED, "settings",                      \
	  "The next of them counts.")                                      \
	X(RESV, "IGNORE_JOBS", BOTH, HONOURED, "explain", "")              \
	X(RESV, "LICENSE_ONLY", BOTH, SLURM, "settings", "See ANY_NODES.") \
	X(RESV, "MAGNETIC", BOTH, HONOURED, "reservations", "")            \
	X(RESV, "MAINT", BOTH, HONOURED, "reservations", "")               \
	X(RESV, "NO_HOLD_JOBS_AFTER_END", BOTH, SLURM, "settings",         \
	  "Slurm lets the jobs go.")                                       \
	X(RESV, "OVERLAP", BOTH, HONOURED, "reservations", "")             \
	X(RESV, "PART_NODES", BOTH, SLURM, "settings",                     \
	  "Slurm chooses its nodes.")                                      \
	X(RESV, "PROMISCUOUS", BOTH, SLURM, "settings",                    \
	  "Slurm's own tests let its jobs in.")                            \
	X(RESV, "PURGE_COMP", BOTH, SLURM, "settings", "Slurm ends it.")   \
	X(RESV, "REPLACE", BOTH, SLURM, "settings",                        \
	  "Slurm chooses its nodes.")                                      \
	X(RESV, "REPLACE_DOWN", BOTH, SLURM, "settings",                   \
	  "Slurm chooses its nodes.")                                      \
	X(RESV, "STATIC_ALLOC", BOTH, SLURM, "settings",                   \
	  "Slurm chooses its nodes.")                                      \
	X(RESV, "TIME_FLOAT", BOTH, HONOURED, "reservations", "")          \
	X(RESV, "USER_DELETE", NEW, NONE, "", "Who may delete it.")        \
	X(RESV, "WEEKDAY", BOTH, HONOURED, "settings",                     \
	  "The next of them counts.")                                      \
	X(RESV, "WEEKEND", BOTH, HONOURED, "settings",                     \
	  "The next of them counts.")                                      \
	X(RESV, "WEEKLY", BOTH, HONOURED, "settings",                      \
	  "The next of them counts.")

#endif
