/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The operations of a select plugin, release by release.
 *
 * Slurm looks up each by name and rejects a plugin that lacks one; since 24.05
 * its own table is private, so this one is ours.
 *
 * CS_SELECT_PLAIN(X) lists what the shadow forwards blindly, CS_SELECT_OWN(X)
 * what it handles first (src/plugins/select).  Columns: type returned, name
 * behind select_p_, parameters, the same as arguments.
 */
#ifndef CS_COMPAT_SELECT_OPS_H
#define CS_COMPAT_SELECT_OPS_H

#include "slurm.h"

/* Last parameters of job_test: excluded cores, and from 24.11 a will-run test's
 * data. */
#if CS_SLURM_AT_LEAST(24, 11)
#define CS_JOB_TEST_TAIL_PARAMS resv_exc_t *excluded, will_run_data_t *will_run
#define CS_JOB_TEST_TAIL_ARGS excluded, will_run
typedef resv_exc_t cs_excluded_t;
#elif CS_SLURM_AT_LEAST(23, 11)
#define CS_JOB_TEST_TAIL_PARAMS resv_exc_t *excluded
#define CS_JOB_TEST_TAIL_ARGS excluded
typedef resv_exc_t cs_excluded_t;
#else
#define CS_JOB_TEST_TAIL_PARAMS bitstr_t *excluded
#define CS_JOB_TEST_TAIL_ARGS excluded
typedef bitstr_t cs_excluded_t;
#endif

#define CS_JOB_TEST_PARAMS                                                 \
	job_record_t *job_ptr, bitstr_t *node_bitmap, uint32_t min_nodes,  \
		uint32_t max_nodes, uint32_t req_nodes, uint16_t mode,     \
		list_t *preemptee_candidates, list_t **preemptee_job_list, \
		CS_JOB_TEST_TAIL_PARAMS
#define CS_JOB_TEST_ARGS                                             \
	job_ptr, node_bitmap, min_nodes, max_nodes, req_nodes, mode, \
		preemptee_candidates, preemptee_job_list,            \
		CS_JOB_TEST_TAIL_ARGS

#define CS_SELECT_OWN(X)                                                 \
	X(int, job_test, (CS_JOB_TEST_PARAMS), (CS_JOB_TEST_ARGS))       \
	X(int, job_fini, (job_record_t * job_ptr), (job_ptr))            \
	X(int, job_suspend, (job_record_t * job_ptr, bool indf_susp),    \
	  (job_ptr, indf_susp))                                          \
	X(int, job_resume, (job_record_t * job_ptr, bool indf_susp),     \
	  (job_ptr, indf_susp))                                          \
	X(int, select_nodeinfo_set, (job_record_t * job_ptr), (job_ptr)) \
	X(int, reconfigure, (void), ())

/* In every release. */
#define CS_SELECT_PLAIN_ALL(X)                                              \
	X(int, node_init, (void), ())                                       \
	X(int, job_begin, (job_record_t * job_ptr), (job_ptr))              \
	X(int, job_ready, (job_record_t * job_ptr), (job_ptr))              \
	X(int, job_expand, (job_record_t * from, job_record_t * to),        \
	  (from, to))                                                       \
	X(int, job_resized, (job_record_t * job_ptr, node_record_t * node), \
	  (job_ptr, node))                                                  \
	X(int, select_nodeinfo_set_all, (void), ())

/* Until 24.11: state, steps, and what goes over the wire. */
#define CS_SELECT_PLAIN_2411(X)                                               \
	X(int, state_save, (char *dir), (dir))                                \
	X(int, state_restore, (char *dir), (dir))                             \
	X(int, job_init, (list_t * jobs), (jobs))                             \
	X(bitstr_t *, step_pick_nodes,                                        \
	  (job_record_t * job_ptr, select_jobinfo_t * info, uint32_t count,   \
	   bitstr_t * *avail),                                                \
	  (job_ptr, info, count, avail))                                      \
	X(int, step_start, (step_record_t * step), (step))                    \
	X(int, step_finish, (step_record_t * step, bool killing),             \
	  (step, killing))                                                    \
	X(int, select_nodeinfo_pack,                                          \
	  (select_nodeinfo_t * info, buf_t * buffer, uint16_t version),       \
	  (info, buffer, version))                                            \
	X(int, select_nodeinfo_unpack,                                        \
	  (select_nodeinfo_t * *info, buf_t * buffer, uint16_t version),      \
	  (info, buffer, version))                                            \
	X(select_nodeinfo_t *, select_nodeinfo_alloc, (void), ())             \
	X(int, select_nodeinfo_free, (select_nodeinfo_t * info), (info))      \
	X(int, select_nodeinfo_get,                                           \
	  (select_nodeinfo_t * info, enum select_nodedata_type type,          \
	   enum node_states state, void *data),                               \
	  (info, type, state, data))                                          \
	X(select_jobinfo_t *, select_jobinfo_alloc, (void), ())               \
	X(int, select_jobinfo_free, (select_jobinfo_t * info), (info))        \
	X(int, select_jobinfo_set,                                            \
	  (select_jobinfo_t * info, enum select_jobdata_type type,            \
	   void *data),                                                       \
	  (info, type, data))                                                 \
	X(int, select_jobinfo_get,                                            \
	  (select_jobinfo_t * info, enum select_jobdata_type type,            \
	   void *data),                                                       \
	  (info, type, data))                                                 \
	X(select_jobinfo_t *, select_jobinfo_copy, (select_jobinfo_t * info), \
	  (info))                                                             \
	X(int, select_jobinfo_pack,                                           \
	  (select_jobinfo_t * info, buf_t * buffer, uint16_t version),        \
	  (info, buffer, version))                                            \
	X(int, select_jobinfo_unpack,                                         \
	  (select_jobinfo_t * *info, buf_t * buffer, uint16_t version),       \
	  (info, buffer, version))                                            \
	X(int, get_info_from_plugin,                                          \
	  (enum select_plugindata_info what, job_record_t * job_ptr,          \
	   void *data),                                                       \
	  (what, job_ptr, data))

/* Until 23.02. */
#define CS_SELECT_PLAIN_2302(X)                                      \
	X(bitstr_t *, resv_test,                                     \
	  (resv_desc_msg_t * resv, uint32_t count, bitstr_t * avail, \
	   bitstr_t * *cores),                                       \
	  (resv, count, avail, cores))

/* 22.05 only. */
#define CS_SELECT_PLAIN_2205(X)                                                \
	X(int, job_signal, (job_record_t * job_ptr, int signal),               \
	  (job_ptr, signal))                                                   \
	X(char *, select_jobinfo_sprint,                                       \
	  (select_jobinfo_t * info, char *buf, size_t size, int mode),         \
	  (info, buf, size, mode))                                             \
	X(char *, select_jobinfo_xstrdup, (select_jobinfo_t * info, int mode), \
	  (info, mode))                                                        \
	X(int, update_node_config, (int index), (index))

#if CS_SLURM_AT_LEAST(25, 5)
#define CS_SELECT_PLAIN(X) CS_SELECT_PLAIN_ALL(X)
#elif CS_SLURM_AT_LEAST(23, 11)
#define CS_SELECT_PLAIN(X) CS_SELECT_PLAIN_ALL(X) CS_SELECT_PLAIN_2411(X)
#elif CS_SLURM_AT_LEAST(23, 2)
#define CS_SELECT_PLAIN(X) \
	CS_SELECT_PLAIN_ALL(X) CS_SELECT_PLAIN_2411(X) CS_SELECT_PLAIN_2302(X)
#else
#define CS_SELECT_PLAIN(X)      \
	CS_SELECT_PLAIN_ALL(X)  \
	CS_SELECT_PLAIN_2411(X) \
	CS_SELECT_PLAIN_2302(X) \
	CS_SELECT_PLAIN_2205(X)
#endif

/* From 26.05; the only one that returns nothing. */
#if CS_SLURM_AT_LEAST(26, 5)
#define CS_SELECT_MEM_REDUCE 1
#else
#define CS_SELECT_MEM_REDUCE 0
#endif

/* fini of a select plugin: its value was never used. */
#if CS_SLURM_AT_LEAST(25, 11)
#define CS_SELECT_FINI void
#define CS_SELECT_FINI_DONE
#else
#define CS_SELECT_FINI int
#define CS_SELECT_FINI_DONE SLURM_SUCCESS
#endif

/* One pointer per operation, filled from the stock plugin. */
struct cs_select_ops {
#define CS_SELECT_FIELD(type, op, params, args) type(*op) params;
	CS_SELECT_PLAIN(CS_SELECT_FIELD)
	CS_SELECT_OWN(CS_SELECT_FIELD)
#undef CS_SELECT_FIELD
#if CS_SELECT_MEM_REDUCE
	void (*job_mem_reduce)(job_record_t *job_ptr);
#endif
};

#endif
