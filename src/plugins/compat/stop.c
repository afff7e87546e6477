/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job_suspend() release by release, and its message to the nodes.
 */
#include "stop.h"

#include "job.h"

#include "src/slurmctld/agent.h"

bool cs_stop_may(const job_record_t *job_ptr)
{
	return IS_JOB_RUNNING(job_ptr) && !IS_JOB_CONFIGURING(job_ptr) &&
	       !IS_JOB_COMPLETING(job_ptr) && !job_ptr->het_job_id &&
	       (job_ptr->priority || cs_stop_held(job_ptr)) && !cs_stop_gang();
}

/* `false`: for a while, as by the gang scheduler. */
static int call(uint32_t job_id, bool stop)
{
	suspend_msg_t msg = {
		.op = stop ? SUSPEND_JOB : RESUME_JOB,
#if CS_SLURM_AT_LEAST(25, 11)
		.step_id = SLURM_STEP_ID_INITIALIZER,
	};

	msg.step_id.job_id = job_id;
#else
		.job_id = job_id,
	};
#endif
#if CS_SLURM_AT_LEAST(24, 11)
	return job_suspend(NULL, &msg, 0, false, NO_VAL16);
#else
	return job_suspend(&msg, 0, -1, false, NO_VAL16);
#endif
}

/*
 * The time that its PrologSlurmctld took is no run time: job_config_fini() counts it as
 * suspended, and lets the limit begin after it. The first suspend counts it as run time
 * nevertheless, so that the job would end so much sooner than without our stop.
 */
static time_t configured_s(const job_record_t *job_ptr)
{
	return job_ptr->suspend_time ? 0 : job_ptr->tot_sus_time;
}

int cs_stop_job(uint32_t job_id, bool stop)
{
	job_record_t *job_ptr = find_job_record(job_id);
	bool held = job_ptr && cs_stop_held(job_ptr);
	time_t none_s = job_ptr && stop ? configured_s(job_ptr) : 0;
	int rc;

	if (held)
		job_ptr->priority = 1; /* a resume would release it */
	rc = call(job_id, stop);
	if (held)
		job_ptr->priority = 0;
	if (!rc && none_s)
		job_ptr->pre_sus_time -= none_s;
	return rc;
}

bool cs_stop_account(job_record_t *job_ptr, int64_t moved_s)
{
	time_t was = job_ptr->suspend_time;
	bool stopped = moved_s > 0;

	if (!moved_s || (stopped ? moved_s : -moved_s) <= (int64_t)was ||
	    stopped == IS_JOB_SUSPENDED(job_ptr))
		return false;
	job_ptr->suspend_time = time(NULL); /* of the message */
	jobacct_storage_g_job_suspend(acct_db_conn, job_ptr);
	job_ptr->suspend_time = was;
	return true;
}

/* The nodes of @job_ptr, and the oldest protocol among them. */
static void address(const job_record_t *job_ptr, agent_arg_t *to)
{
	node_record_t *node_ptr;

	to->hostlist = hostlist_create(NULL);
	to->protocol_version = SLURM_PROTOCOL_VERSION;
	for (int i = 0; (node_ptr = next_node(&i)); i++) {
		if (!bit_test(job_ptr->node_bitmap, i))
			continue;
		if (node_ptr->protocol_version < to->protocol_version)
			to->protocol_version = node_ptr->protocol_version;
		hostlist_push_host(to->hostlist, node_ptr->name);
		to->node_count++;
#if CS_SLURM_AT_LEAST(24, 5)
		if (PACK_FANOUT_ADDRS(node_ptr))
			to->msg_flags |= SLURM_PACK_ADDRS;
#endif
	}
}

void cs_stop_say_again(const job_record_t *job_ptr)
{
	suspend_int_msg_t *msg;
	agent_arg_t *to;

	if (!job_ptr->node_bitmap || bit_ffs(job_ptr->node_bitmap) < 0)
		return;
	msg = xmalloc(sizeof(*msg));
#if CS_SLURM_AT_LEAST(25, 11)
	msg->step_id = job_ptr->step_id;
#else
	msg->job_id = job_ptr->job_id;
#endif
	msg->op = IS_JOB_SUSPENDED(job_ptr) ? SUSPEND_JOB : RESUME_JOB;
	to = xmalloc(sizeof(*to));
	to->msg_type = REQUEST_SUSPEND_INT;
	to->msg_args = msg;
	address(job_ptr, to);
	set_agent_arg_r_uid(to, SLURM_AUTH_UID_ANY);
	agent_queue_request(to);
}
