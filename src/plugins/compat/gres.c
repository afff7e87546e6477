/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * GPUs as Slurm has them: the lists of generic resources of nodes and jobs.
 *
 * A device's type is that of the line of gres.conf that has its file, known once the node
 * has registered; until then slurm.conf has the types, in the order of its counts.
 */
#include "gres.h"

#include "job.h"

#include <string.h>

#if CS_SLURM_AT_LEAST(23, 2)
#include "src/interfaces/gres.h"
#else
#include "src/common/gres.h"
#endif

static bool is_gpu(const gres_state_t *state)
{
	return !xstrcmp(state->gres_name, "gpu");
}

static int find_gpu(void *x, void *arg)
{
	(void)arg;
	return is_gpu(x);
}

static int find_shared(void *x, void *arg)
{
	const gres_state_t *state = x;
	const gres_node_state_t *ns = state->gres_data;

	(void)arg;
	return state->config_flags & GRES_CONF_SHARED && ns &&
	       ns->gres_cnt_avail;
}

/* ---- nodes ----------------------------------------------------------------- */

static const char *type_of(const gres_node_state_t *ns, uint32_t device)
{
	uint64_t first = 0;

	for (uint32_t i = 0; i < ns->topo_cnt && ns->topo_gres_bitmap; i++) {
		const bitstr_t *files = ns->topo_gres_bitmap[i];

		if (files && (bitoff_t)device < bit_size((bitstr_t *)files) &&
		    bit_test((bitstr_t *)files, device))
			return ns->topo_type_name[i];
	}
	for (uint32_t i = 0; i < ns->type_cnt && !ns->topo_cnt; i++) {
		first += ns->type_cnt_avail[i];
		if (device < first)
			return ns->type_name[i];
	}
	return NULL;
}

static bool same_type(const char *a, const char *b)
{
	return !xstrcmp(a ? a : "", b ? b : "");
}

/* Count the devices by type, in the order in which the types appear, and number them. */
static bool number_by_type(const gres_node_state_t *ns, uint32_t n,
			   struct cs_gpus *ret, uint8_t *ret_number)
{
	const char *type[CS_GPUS_MOST];
	bool counted[CS_GPUS_MOST] = { false };
	uint8_t next = 0;

	for (uint32_t i = 0; i < n; i++)
		type[i] = type_of(ns, i);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t alike = 0;

		if (counted[i])
			continue;
		for (uint32_t k = i; k < n; k++) {
			if (counted[k] || !same_type(type[i], type[k]))
				continue;
			counted[k] = true;
			ret_number[k] = next++;
			alike++;
		}
		if (cs_gpus_add(ret, type[i], alike, NULL))
			return false;
	}
	return true;
}

enum cs_gres_kind cs_gres_node(const node_record_t *node_ptr,
			       struct cs_gpus *ret,
			       uint8_t ret_number[CS_GPUS_MOST])
{
	const gres_state_t *state =
		node_ptr->gres_list
			? list_find_first(node_ptr->gres_list, find_gpu, NULL)
			: NULL;
	const gres_node_state_t *ns = state ? state->gres_data : NULL;

	if (!ns || !ns->gres_cnt_avail)
		return CS_GRES_NONE;
	memset(ret, 0, sizeof(*ret));
	memset(ret_number, 0, CS_GPUS_MOST);
	if (ns->no_consume || ns->gres_cnt_avail > CS_GPUS_MOST ||
	    list_find_first(node_ptr->gres_list, find_shared, NULL))
		return CS_GRES_BEYOND;
	if (ns->gres_cnt_found != NO_VAL64 && !ns->gres_bit_alloc &&
	    !ns->topo_cnt)
		return CS_GRES_BEYOND; /* it has registered, without files */
	return number_by_type(ns, (uint32_t)ns->gres_cnt_avail, ret, ret_number)
		       ? CS_GRES_PLAIN
		       : CS_GRES_BEYOND;
}

/* ---- jobs ------------------------------------------------------------------ */

struct held {
	uint32_t node, n_node; /* by the job's own numbering */
	uint64_t devices;
};

static int add_held(void *x, void *arg)
{
	const gres_state_t *state = x;
	const gres_job_state_t *js = state->gres_data;
	struct held *held = arg;
	bitstr_t *on;

	/* Of a job that gave nodes back Slurm may leave an entry with the nodes of before. */
	if (!is_gpu(state) || !js || !js->gres_bit_alloc ||
	    js->node_cnt != held->n_node || held->node >= held->n_node)
		return 0;
	on = js->gres_bit_alloc[held->node];
	for (bitoff_t i = 0; on && i < bit_size(on) && i < CS_GPUS_MOST; i++)
		if (bit_test(on, i))
			held->devices |= UINT64_C(1) << i;
	return 0;
}

uint64_t cs_gres_held(const job_record_t *job_ptr, uint32_t i)
{
	const job_resources_t *jr = job_ptr->job_resrcs;
	struct held held = { .node = i, .n_node = jr ? jr->nhosts : 0 };

	if (job_ptr->gres_list_alloc)
		list_for_each(job_ptr->gres_list_alloc, add_held, &held);
	return held.devices;
}

static bool given(uint16_t n)
{
	return n && n != NO_VAL16 && n != INFINITE16;
}

/* Does @text ask for GPUs, and besides at most for the CPUs of a task, which we read
 * elsewhere? */
static bool only_gpus(const char *text)
{
	for (const char *c = text; c && *c; c++) {
		if (!strncmp(c, "gres:", 5) || !strncmp(c, "gres/", 5))
			c += 5;
		if (strncmp(c, "gpu", 3) && strncmp(c, "cpu", 3))
			return false;
		if (!strchr(":=,", c[3]))
			return false;
		c += strcspn(c, ",");
		if (!*c)
			break;
	}
	return true;
}

/* What a partition gives a job for each GPU, by itself or else as the cluster does. */
struct by_gpu {
	uint64_t cpus, mem_mb; /* 0: nothing */
};

static struct by_gpu defaults(const part_record_t *part_ptr)
{
	return (struct by_gpu){
		cs_compat_part_default(part_ptr, JOB_DEF_CPU_PER_GPU),
		cs_compat_part_default(part_ptr, JOB_DEF_MEM_PER_GPU),
	};
}

static int differs(void *x, void *arg)
{
	const struct by_gpu a = defaults(x), *b = arg;

	return a.cpus != b->cpus || a.mem_mb != b->mem_mb;
}

/* What @job_ptr, whose list of requests has @js, gets for each GPU: by its own word, or by
 * default unless it says how many CPUs a task has, and how much memory.  false: it depends
 * on the partition. */
static bool by_gpu(const job_record_t *job_ptr, const gres_job_state_t *js,
		   struct by_gpu *ret)
{
	struct by_gpu d = { 0 };

	if (!job_ptr->part_ptr)
		return false;
	d = defaults(job_ptr->part_ptr);
	if (job_ptr->part_ptr_list &&
	    list_find_first(job_ptr->part_ptr_list, differs, &d))
		return false;
	if (job_ptr->details->orig_cpus_per_task != NO_VAL16)
		d.cpus = 0;
	ret->cpus = js->cpus_per_gres ? js->cpus_per_gres : d.cpus;
	ret->mem_mb = js->mem_per_gres ? js->mem_per_gres : d.mem_mb;
	if (job_ptr->bit_flags & JOB_MEM_SET)
		ret->mem_mb = 0;
	return true;
}

/* On each node, by the one count that it gives; 0: that does not say.  Slurm itself makes
 * a total of a count for each task. */
static uint64_t count_of(const job_record_t *job_ptr,
			 const gres_job_state_t *js)
{
	const cs_details_t *d = job_ptr->details;
	bool one_node = d->min_nodes <= 1 && d->max_nodes == 1;
	uint64_t tasks = d->overcommit ? 0 : d->num_tasks;

	if (js->gres_per_node)
		return js->gres_per_job || js->gres_per_task
			       ? 0
			       : js->gres_per_node;
	if (!js->gres_per_task)
		return one_node ? js->gres_per_job : 0;
	if (js->gres_per_job && js->gres_per_job != js->gres_per_task * tasks)
		return 0;
	if (one_node)
		return js->gres_per_task * tasks;
	return given(d->ntasks_per_node) && d->min_nodes == d->max_nodes &&
			       (uint64_t)d->ntasks_per_node * d->min_nodes ==
				       tasks
		       ? js->gres_per_task * d->ntasks_per_node
		       : 0;
}

bool cs_gres_asks(const job_record_t *job_ptr, struct cs_gres_ask *ret)
{
	const gres_state_t *state;
	const gres_job_state_t *js;
	struct by_gpu each;
	uint64_t n;

	if (!job_ptr->gres_list_req || list_count(job_ptr->gres_list_req) != 1)
		return false;
	state = list_peek(job_ptr->gres_list_req);
	js = state->gres_data;
	if (!is_gpu(state) || !js || js->gres_per_socket ||
	    given(js->ntasks_per_gres) ||
	    job_ptr->bit_flags & (GRES_ENFORCE_BIND | GRES_DISABLE_BIND) ||
	    !only_gpus(job_ptr->tres_per_job) ||
	    !only_gpus(job_ptr->tres_per_node) || job_ptr->tres_per_socket ||
	    !only_gpus(job_ptr->tres_per_task) || !by_gpu(job_ptr, js, &each))
		return false;
#ifdef GRES_NO_CONSUME
	if (js->flags & GRES_NO_CONSUME)
		return false;
#endif
	n = count_of(job_ptr, js);
	if (!n || n > CS_GPUS_MOST || each.cpus > UINT16_MAX ||
	    each.mem_mb > UINT64_MAX / CS_GPUS_MOST ||
	    (js->type_name && strlen(js->type_name) >= CS_GPU_NAME))
		return false;
	ret->per_node = (uint32_t)n;
	ret->cpus = (uint32_t)each.cpus;
	ret->mem_mb = each.mem_mb;
	ret->type = js->type_name && *js->type_name ? js->type_name : NULL;
	return true;
}

/* From 23.02 -c also puts "cpu=2" here, or "cpu:2"; we read cpus_per_task. */
static bool only_cpus(const char *tres_per_task)
{
	return !tres_per_task || (!strncmp(tres_per_task, "cpu", 3) &&
				  !strchr(tres_per_task, ','));
}

bool cs_gres_beyond(const job_record_t *job_ptr)
{
	struct cs_gres_ask ask;

	if (cs_job_wants_gres(job_ptr))
		return !cs_gres_asks(job_ptr, &ask);
	return job_ptr->tres_per_job || job_ptr->tres_per_node ||
	       job_ptr->tres_per_socket || !only_cpus(job_ptr->tres_per_task);
}
