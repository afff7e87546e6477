/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Time slices have been switched off, or mode act is over: the jobs that one has stopped
 * resume.
 *
 * Rules.
 *  1. A job resumes as soon as its cores are free; select/cores.c refuses it before.
 *  2. While any job may still run after its stop, none resumes.
 *  3. A slurmctld that was killed may have lost its last records: a job that they have
 *     stopped runs, and another, which they have running, stands still.  So a new one
 *     tells the nodes of its stopped jobs at once, in every mode: until all nodes have
 *     registered nothing else is done.  Then, without slices, again, and
 *     CS_LET_GO_SOON_US later of the jobs that run there, before any resumes.  Nodes
 *     that know ignore it.
 */
#include "sched/apply/let_go.h"

#include "compat/stop.h"

/* The nodes of stopped jobs; *@ret_n jobs. */
static bitstr_t *nodes_of_stopped(unsigned *ret_n)
{
	bitstr_t *nodes = bit_alloc(node_record_count);
	list_itr_t *iter = list_iterator_create(job_list);
	const job_record_t *job_ptr;

	*ret_n = 0;
	while ((job_ptr = list_next(iter))) {
		if (!cs_stopped(job_ptr))
			continue;
		++*ret_n;
		if (job_ptr->node_bitmap)
			bit_or(nodes, job_ptr->node_bitmap);
	}
	list_iterator_destroy(iter);
	return nodes;
}

unsigned cs_let_go_tell(bool running)
{
	unsigned n;
	bitstr_t *nodes = nodes_of_stopped(&n);
	list_itr_t *iter = list_iterator_create(job_list);
	const job_record_t *job_ptr;

	while ((job_ptr = list_next(iter)))
		if (running ? cs_stop_may(job_ptr) && job_ptr->node_bitmap &&
				      bit_overlap_any(nodes,
						      job_ptr->node_bitmap)
			    : cs_stopped(job_ptr))
			cs_stop_say_again(job_ptr);
	list_iterator_destroy(iter);
	FREE_NULL_BITMAP(nodes);
	return n;
}

bool cs_let_go_waits(void)
{
	list_itr_t *iter = list_iterator_create(job_list);
	const job_record_t *job_ptr;
	bool any = false;

	while (!any && (job_ptr = list_next(iter)))
		any = cs_stop_ends(job_ptr);
	list_iterator_destroy(iter);
	return any;
}

unsigned cs_let_go_left(void)
{
	list_itr_t *iter = list_iterator_create(job_list);
	const job_record_t *job_ptr;
	unsigned n = 0;

	while ((job_ptr = list_next(iter)))
		n += cs_stopped(job_ptr);
	list_iterator_destroy(iter);
	return n;
}

bool cs_let_go_resume(bool (*ends)(void))
{
	list_itr_t *iter = list_iterator_create(job_list);
	job_record_t *job_ptr;
	bool any = false;

	while (!ends() && (job_ptr = list_next(iter))) {
		if (!cs_stopped(job_ptr) || cs_stop_job(job_ptr->job_id, false))
			continue;
		any = true;
		info("cosched: %pJ, which a time slice had stopped, goes on",
		     job_ptr);
		cs_stop_say_again(job_ptr);
	}
	list_iterator_destroy(iter);
	return any;
}
