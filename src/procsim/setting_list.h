/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The keys of the simulator: what figure 5b of Yu07 would say, and each reading of what
 * the paper leaves open.
 *
 * Columns: field (= key), kind, unit, default, lowest, highest, names of a choice,
 * source, text.  The source is a section of Yu07 where its text gives the value; "ours"
 * where it does not.  Of a choice the first name is the default.
 */
#ifndef CS_PROCSIM_SETTING_LIST_H
#define CS_PROCSIM_SETTING_LIST_H

#define CS_SETTING_TABLE(X)                                                    \
	X(nodes, WHOLE, "", "32", 1, 1024, "", "section 4.2",                  \
	  "Nodes of the cluster, of one CPU each.")                            \
	X(mpl, WHOLE, "", "5", 1, 64, "", "section 5.1",                       \
	  "Multiprogramming level: most processes on a node.")                 \
	X(jobs, WHOLE, "", "100", 1, 10000, "", "ours",                        \
	  "Jobs of a run: under heavy load more of them wait longer.")         \
	X(drop, REAL, "%", "10", 0, 49, "", "ours",                            \
	  "Of the first and of the last jobs, so many are left out of the "    \
	  "means.")                                                            \
	X(time_scale, REAL, "", "0.000333333333333", 1e-7, 1, "", "ours",      \
	  "Factor on the jobs' lengths and the times between arrivals.")       \
	X(length_s, REAL, "s", "3228.05", 1e-3, 1e7, "", "section 5.1",        \
	  "Mean execution time of a job alone, before time_scale.")            \
	X(lengths, CHOICE, "", "exponential", 0, 0,                            \
	  "exponential|uniform|fixed", "ours",                                 \
	  "Distribution of the execution times; uniform is 0.1 to 1.9 "        \
	  "times the mean.")                                                   \
	X(interarrival_s, REAL, "s", "0", 0, 1e7, "", "ours",                  \
	  "Mean time between arrivals, before time_scale; 0: that of "         \
	  "--load, of which section 5.1 gives heavy and light.")               \
	X(arrivals, CHOICE, "", "poisson", 0, 0, "poisson|zero", "ours",       \
	  "Arrivals: Poisson, or all jobs at time 0 (section 5.4).")           \
	X(sizes, CHOICE, "", "uniform", 0, 0, "uniform|pow2", "ours",          \
	  "Nodes of a job: any number in the range, or powers of two.")        \
	X(size_min, WHOLE, "", "2", 2, 1024, "", "section 4.2",                \
	  "Fewest nodes of a job.")                                            \
	X(size_max, WHOLE, "", "32", 2, 1024, "", "section 4.2",               \
	  "Most nodes of a job.")                                              \
	X(pattern, CHOICE, "", "mixed", 0, 0, "mixed|nn|aa", "ours",           \
	  "Communication: half of the jobs each, nearest neighbours in a "     \
	  "ring, or all to all.")                                              \
	X(skew, REAL, "%", "10", 0, 100, "", "section 5.1",                    \
	  "v: computation and I/O of a loop vary by so much.")                 \
	X(message_bytes, REAL, "bytes", "16384", 0, 1e9, "", "section 4.2",    \
	  "Size of a message.")                                                \
	X(j1_compute, REAL, "%", "90", 0, 100, "", "ours",                     \
	  "Computation of a job of type J1; the rest is I/O.")                 \
	X(j1_communicate, REAL, "%", "10", .1, 100, "", "ours",                \
	  "Communication of J1.")                                              \
	X(j2_compute, REAL, "%", "50", 0, 100, "", "ours",                     \
	  "Computation of J2.")                                                \
	X(j2_communicate, REAL, "%", "50", .1, 100, "", "ours",                \
	  "Communication of J2.")                                              \
	X(j3_compute, REAL, "%", "25", 0, 100, "", "ours",                     \
	  "Computation of J3.")                                                \
	X(j3_communicate, REAL, "%", "75", .1, 100, "", "ours",                \
	  "Communication of J3.")                                              \
	X(j4_compute, REAL, "%", "20", 0, 100, "", "ours",                     \
	  "Computation of J4.")                                                \
	X(j4_communicate, REAL, "%", "20", .1, 100, "", "ours",                \
	  "Communication of J4.")                                              \
	X(bt_communicate, REAL, "%", "10", .1, 100, "", "ours",                \
	  "Communication of program BT; the rest is computation.")             \
	X(mg_communicate, REAL, "%", "25", .1, 100, "", "ours",                \
	  "Communication of MG.")                                              \
	X(ft_communicate, REAL, "%", "35", .1, 100, "", "ours",                \
	  "Communication of FT.")                                              \
	X(is_communicate, REAL, "%", "50", .1, 100, "", "ours",                \
	  "Communication of IS.")                                              \
	X(cg_communicate, REAL, "%", "60", .1, 100, "", "ours",                \
	  "Communication of CG.")                                              \
	X(switch_us, REAL, "us", "50", 0, 1e6, "", "ours",                     \
	  "CPU time of a context switch.")                                     \
	X(interrupt_us, REAL, "us", "15", 0, 1e6, "", "ours",                  \
	  "CPU time of an interrupt, of the network or of the disk.")          \
	X(block_us, REAL, "us", "10", 0, 1e6, "", "ours",                      \
	  "CPU time to block a process.")                                      \
	X(send_us, REAL, "us", "5", 0, 1e6, "", "ours",                        \
	  "CPU time to send a message.")                                       \
	X(receive_us, REAL, "us", "5", 0, 1e6, "", "ours",                     \
	  "CPU time to read a message.")                                       \
	X(latency_us, REAL, "us", "10", 0, 1e6, "", "ours",                    \
	  "One-way latency of an empty message.")                              \
	X(bandwidth_mb_s, REAL, "MB/s", "200", 1e-3, 1e6, "", "ours",          \
	  "Bandwidth of the network, which is linear in the size (section "    \
	  "4.1).")                                                             \
	X(interface_us, REAL, "us", "2", 0, 1e6, "", "ours",                   \
	  "Time for which a message occupies a network interface, where "      \
	  "messages queue, each way.")                                         \
	X(spin_us, REAL, "us", "0", 0, 1e6, "", "section 4.1",                 \
	  "Spin time of SB; 0: the expected one-way latency.")                 \
	X(period_us, REAL, "us", "1000", 1, 1e6, "", "section 4.1",            \
	  "Period of PB and PROC-S.")                                          \
	X(check_us, REAL, "us", "2", 0, 1e6, "", "ours",                       \
	  "CPU time of a periodic check.")                                     \
	X(check_process_us, REAL, "us", "0.5", 0, 1e6, "", "ours",             \
	  "The same for each process of the node.")                            \
	X(weight, REAL, "", "0.2", 0, 1, "", "section 3.2",                    \
	  "w: share of the last stay in ED.")                                  \
	X(enp_us, REAL, "us", "0.5", 0, 1e6, "", "ours",                       \
	  "CPU time to calculate ENP at a switch, for each process.")          \
	X(upload_us, REAL, "us", "0.5", 0, 1e6, "", "ours",                    \
	  "CPU time to upload a message's rescheduling latency.")              \
	X(compare_us, REAL, "us", "0.5", 0, 1e6, "", "ours",                   \
	  "CPU time of Algorithm 1 for a message.")                            \
	X(requeue_us, REAL, "us", "1", 0, 1e6, "", "ours",                     \
	  "CPU time to change a process's place in the ready queue.")          \
	X(start_level, WHOLE, "", "29", 0, 59, "", "ours",                     \
	  "Level at which a process starts.")                                  \
	X(starvation_s, REAL, "s", "1", 1e-3, 1e6, "", "ours",                 \
	  "Wait in the ready queue after which a process rises to lwait.")     \
	X(quantum_scale, REAL, "", "1", 1e-3, 1, "", "ours",                   \
	  "Factor on the quanta of the dispatch table.")                       \
	X(gs_quantum_ms, REAL, "ms", "500", 1e-3, 1e6, "", "ours",             \
	  "Time slice of a row under GS.")                                     \
	X(gs_switch_ms, REAL, "ms", "4", 0, 1e6, "", "ours",                   \
	  "CPU time on each node to switch the row.")                          \
	X(pending, CHOICE, "", "readable", 0, 0, "readable|awaited|unread",    \
	  "reading",                                                           \
	  "Pending messages: unread ones of a process that need not wait "     \
	  "for another one first, only those for which a process waited, "     \
	  "or all unread ones.")                                               \
	X(cnp, CHOICE, "", "unread", 0, 0, "unread|ready", "reading",          \
	  "CNP counts other processes with unread messages: blocked ones "     \
	  "too, or ready ones only.")                                          \
	X(lowest, CHOICE, "", "sources", 0, 0, "sources|jobs|all", "reading",  \
	  "The least contended node (FDR) is one of: the sources of "          \
	  "pending messages, the nodes of their jobs, or all nodes.")          \
	X(communicates, CHOICE, "", "pending", 0, 0, "pending|peers",          \
	  "reading",                                                           \
	  "The chosen process communicates with the least contended node if "  \
	  "a pending message came from there, or if any peer is there.")       \
	X(oracle, CHOICE, "", "elapsed", 0, 0, "elapsed|latest", "reading",    \
	  "Contention of a node (FDR): its rescheduling latency at its last "  \
	  "switch less the time elapsed since, or that latency alone.")        \
	X(averages, CHOICE, "", "nodes", 0, 0, "nodes|sums", "reading",        \
	  "BCR and FDR: means of the nodes' ratios, or ratios of the sums.")   \
	X(boost_over, CHOICE, "", "any", 0, 0, "any|spinning", "ours",         \
	  "PB and PROC-S boost over any process without pending messages, "    \
	  "or only over one that spins.")                                      \
	X(boost_until, CHOICE, "", "wait", 0, 0, "wait|quantum", "reading",    \
	  "The boost of a ready process lasts until it waits, "                \
	  "or until its quantum ends.")                                        \
	X(sender_wait, CHOICE, "", "taken", 0, 0, "taken|received", "reading", \
	  "A sender waits until its interface has taken the message, or "      \
	  "until the receiver's says that it has arrived.")                    \
	X(horizon, REAL, "", "30", 1, 1e6, "", "ours",                         \
	  "The run is capped after so many times the last arrival and the "    \
	  "time in which all nodes could do the jobs' work.")

#endif
