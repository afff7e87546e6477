/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls into slurmctld whose form depends on the release.
 */
#include "calls.h"

#include "job.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#if CS_SLURM_AT_LEAST(23, 2)
#include "src/interfaces/accounting_storage.h"
#else
#include "src/common/slurm_accounting_storage.h"
#endif
#if __has_include("src/common/job_state_reason.h")
#include "src/common/job_state_reason.h"
#endif
#if __has_include("src/interfaces/cgroup.h")
#include "src/interfaces/cgroup.h"
#else
#include "src/common/cgroup.h"
#endif

slurmctld_lock_t cs_slurm_read_locks(void)
{
	return (slurmctld_lock_t){
		.conf = READ_LOCK,
		.job = READ_LOCK,
		.node = READ_LOCK,
		.part = READ_LOCK,
	};
}

slurmctld_lock_t cs_slurm_write_locks(void)
{
	return (slurmctld_lock_t)
	{
		.conf = READ_LOCK, .job = WRITE_LOCK, .node = WRITE_LOCK,
		.part = READ_LOCK, .fed = READ_LOCK,
#if CS_SLURM_AT_LEAST(26, 5)
		.select_node = WRITE_LOCK,
#endif
	};
}

uint32_t cs_slurm_rpcs(void)
{
	int n;

	slurm_mutex_lock(&slurmctld_config.thread_count_lock);
	n = slurmctld_config.server_thread_count;
	slurm_mutex_unlock(&slurmctld_config.thread_count_lock);
	return n > 0 ? (uint32_t)n : 0;
}

bool cs_slurm_reconfigured(void)
{
	return getenv("SLURMCTLD_RECONF") != NULL;
}

static void stamps(int64_t ret[CS_STAMPS])
{
	ret[0] = last_job_update;
	ret[1] = last_node_update;
	ret[2] = last_part_update;
	ret[3] = last_resv_update;
}

void cs_slurm_look(struct cs_stamps *s)
{
	int64_t now[CS_STAMPS];

	stamps(now);
	cs_stamps_look(s, time(NULL), now);
}

void cs_slurm_locked(struct cs_stamps *s)
{
	int64_t now[CS_STAMPS];

	stamps(now);
	cs_stamps_locked(s, now);
}

void cs_slurm_unlock(struct cs_stamps *s)
{
	int64_t now[CS_STAMPS];

	stamps(now);
	cs_stamps_unlock(s, now);
}

bool cs_slurm_changed(const struct cs_stamps *s)
{
	int64_t now[CS_STAMPS];

	stamps(now);
	return cs_stamps_changed(s, time(NULL), now);
}

static int is_constrain_cores(void *x, void *key)
{
	const config_key_pair_t *pair = x;

	(void)key;
	return !xstrcmp(pair->name, "ConstrainCores");
}

bool cs_slurm_constrains_cores(void)
{
	list_t *pairs = cgroup_get_conf_list();
	const config_key_pair_t *pair =
		pairs ? list_find_first(pairs, is_constrain_cores, NULL) : NULL;
	bool yes = pair && !xstrcasecmp(pair->value, "yes");

	FREE_NULL_LIST(pairs);
	return yes;
}

int cs_slurm_select_nodes(job_record_t *job_ptr, bool test_only)
{
	bool behind = job_ptr->state_reason == WAIT_PRIORITY;
	int rc;
#if CS_SLURM_AT_LEAST(24, 11)
	job_node_select_t select = { .job_ptr = job_ptr };

	rc = select_nodes(&select, test_only, false, SLURMDB_JOB_FLAG_BACKFILL);
#else
	rc = select_nodes(job_ptr, test_only, NULL, NULL, false,
			  SLURMDB_JOB_FLAG_BACKFILL);
#endif
	if (rc && rc != ESLURM_ACCOUNTING_POLICY && behind &&
	    IS_JOB_PENDING(job_ptr) && job_ptr->priority) {
		job_ptr->state_reason = WAIT_PRIORITY;
		xfree(job_ptr->state_desc);
	}
	return rc;
}

void cs_slurm_take_queue_record(job_record_t *job_ptr, job_queue_rec_t *rec)
{
	job_ptr->part_ptr = rec->part_ptr;
#if CS_SLURM_AT_LEAST(24, 11)
	if (rec->qos_ptr)
		cs_job_set_qos(job_ptr, rec->qos_ptr);
#endif
}

void cs_slurm_launch(job_record_t *job_ptr)
{
	last_job_update = time(NULL);
#if !CS_SLURM_AT_LEAST(24, 5)
	power_g_job_start(job_ptr);
#endif
	if (!job_ptr->batch_flag) {
		srun_allocate(job_ptr);
#if CS_SLURM_FROM(26, 5, 3)
		/* the leader has the script, and waits for the last component */
		if (job_ptr->het_job_id)
			launch_het_job_leader(job_ptr);
#endif
	} else if (!IS_JOB_CONFIGURING(job_ptr)) {
		launch_job(job_ptr);
	}
}

void cs_slurm_plan(node_record_t *node_ptr, bool planned, bool full)
{
	bool is = node_ptr->node_state & NODE_STATE_PLANNED;

	if (planned && IS_NODE_ALLOCATED(node_ptr))
		planned = CS_SLURM_AT_LEAST(24, 11) && !full;
	if (planned == is)
		return;
	node_ptr->node_state ^= (uint32_t)NODE_STATE_PLANNED;
	last_node_update = time(NULL);
}

void cs_slurm_unplan(void)
{
	node_record_t *node_ptr;

	for (int i = 0; (node_ptr = next_node(&i)); i++)
		cs_slurm_plan(node_ptr, false, false);
}

const char *cs_slurm_reason_word(uint32_t reason)
{
#if __has_include("src/common/job_state_reason.h")
	return job_state_reason_string(reason);
#else
	return job_reason_string(reason);
#endif
}

bool cs_slurm_accounting(void)
{
	return slurm_with_slurmdbd();
}

uint32_t cs_slurm_accounting_queue(void)
{
	int n = 0;

	if (acct_storage_g_get_data(acct_db_conn, ACCT_STORAGE_INFO_AGENT_COUNT,
				    &n) ||
	    n < 0)
		return 0;
	return (uint32_t)n;
}

bool cs_slurm_hands_over(void)
{
	return slurmctld_config.shutdown_time && slurmctld_config.resume_backup;
}

void cs_slurm_save(void)
{
	if (cs_slurm_hands_over())
		return;
	schedule_node_save();
	schedule_job_save();
}
