/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nodes: the shape of the machine, and which nodes are usable for a start.
 *
 * An engine node has the index of Slurm's; a hole in Slurm's table is vacant.  Nodes that
 * come and go (dynamic ones) keep to the table, which has its MaxNodeCount places from the
 * start, so the view follows them; what else changes needs a new one.  Specialized cores (CoreSpecCount, CpuSpecList)
 * are left out: the engine numbers the usable cores of such a node, and `map` has
 * Slurm's numbers.  If sockets then differ in size, the node counts as one socket, and
 * jobs are distributed over those that there are.
 *
 * Weights are the site's; those of powered down nodes, which a start boots, are beyond all
 * others: the same for all, as on Slurm 22.05, or by the site's among each other, as on
 * 24.11.  Of the site's weights from CS_WEIGHT_ASLEEP on, half of all that there are,
 * none is told from the next.
 *
 * Usable is what stock's select_nodes() uses: not down, drained, failing or silent;
 * powered down nodes are usable, the start wakes them.  A node where a job is completing
 * takes no start, as under stock, though Slurm has returned the job's resources.  Most complete quickly: for COMPLETING_S jobs are planned there, but not
 * yet (view->unready).  A node not done by then (a hanging epilog or node) is left out.
 *
 * A node that is to reboot and then to resume (scontrol reboot nextstate=RESUME) takes no
 * start, but stock plans there, whatever its state says meanwhile, and so do we
 * (view->rebooting): not before the first job on such nodes ends, or if one of them is
 * idle, the next minute but one.  Slurm gives that up itself after ResumeTimeout.  On
 * 24.11 jobs still start on one until the reboot is issued (stock's main loop does so, its
 * backfill does not), but for --asap.
 *
 * How nodes are joined: view_topology.c; their sites: view_sites.c.
 *
 * A node that comes back from unknown, down or silent, or to the table, takes no start
 * for a while either (settle.h).
 */
#include "compat/gres.h"
#include "compat/job.h"
#include "common/slice/slice.h"
#include "sched/view/view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define COMPLETING_S 4
#define REBOOT_US INT64_C(60000000)
#define POWER_US INT64_C(1000000)

static bool spec_core(const node_record_t *n, int core)
{
	return n->node_spec_bitmap &&
	       core < (int)bit_size(n->node_spec_bitmap) &&
	       !bit_test(n->node_spec_bitmap, core);
}

static bool has_spec_cores(const node_record_t *n)
{
	for (int c = 0; n->node_spec_bitmap && c < n->tot_cores; c++)
		if (spec_core(n, c))
			return true;
	return false;
}

/* Usable cores of a node with specialized ones. */
static int map_cores(struct cs_view_map *map, struct cs_node *to,
		     const node_record_t *n)
{
	uint32_t sockets = n->tot_sockets ? n->tot_sockets : 1;
	uint32_t per = n->tot_cores / sockets, count = 0, least = per, most = 0;
	uint32_t uneven = 0;

	map->core = calloc(n->tot_cores, sizeof(*map->core));
	if (!map->core)
		return -ENOMEM;
	for (uint32_t s = 0; s < sockets; s++) {
		uint32_t before = count;

		for (uint32_t c = s * per; c < (s + 1) * per; c++)
			if (!spec_core(n, (int)c))
				map->core[count++] = (uint16_t)c;
		if (sockets <= CS_NODE_UNEVEN && count - before <= UINT8_MAX) {
			to->uneven[s] = (uint8_t)(count - before);
			uneven++;
		}
		if (count - before < least)
			least = count - before;
		if (count - before > most)
			most = count - before;
	}
	if (!count) { /* never: Slurm refuses that */
		map->core[count++] = 0;
		uneven = 0;
	}
	if (least == most && least) {
		to->sockets = (uint16_t)sockets;
		to->cores_per_socket = (uint16_t)least;
	} else {
		to->sockets = 1;
		to->cores_per_socket = (uint16_t)count;
		to->n_uneven = (uint16_t)(uneven == sockets ? uneven : 0);
	}
	if (!to->n_uneven)
		memset(to->uneven, 0, sizeof(to->uneven));
	return 0;
}

static uint64_t memory_of(const struct cs_view *v, const node_record_t *n)
{
	if (!v->memory)
		return 0;
	if (n->mem_spec_limit >= n->real_memory)
		return n->real_memory ? n->real_memory : 1;
	return n->real_memory - n->mem_spec_limit;
}

static uint32_t weight_of(const node_record_t *n)
{
	uint32_t weight = n->config_ptr ? n->config_ptr->weight : 1;

	if (weight >= CS_WEIGHT_ASLEEP)
		weight = CS_WEIGHT_ASLEEP - 1;
	if (!IS_NODE_POWERED_DOWN(n))
		return weight;
	return CS_WEIGHT_ASLEEP + (CS_ASLEEP_BY_WEIGHT ? weight : 0);
}

/* The line of slurm.conf, by its first node: Slurm 22.05 weighs sleeping nodes by lines. */
static uint32_t line_of(const node_record_t *n)
{
	if (CS_ASLEEP_BY_WEIGHT || !slurm_conf.suspend_program ||
	    !n->config_ptr || !n->config_ptr->node_bitmap)
		return 0;
	return (uint32_t)(bit_ffs(n->config_ptr->node_bitmap) + 1);
}

/* Raise the maxima over nodes by those of @n. */
static void take_most(struct cs_view *v, const node_record_t *n)
{
	if (n->tpc > v->threads)
		v->threads = n->tpc;
	if (n->tot_sockets > v->sockets)
		v->sockets = n->tot_sockets;
	for (int i = 0; n->tres_cnt && i < v->n_most; i++)
		if (n->tres_cnt[i] > v->most[i])
			v->most[i] = n->tres_cnt[i];
}

/* Where each job has a place of its own in a slot, slots have no GPUs. */
static enum cs_gres_kind gpus_of(const struct cs_view *v,
				 const node_record_t *n, struct cs_gpus *ret,
				 uint8_t ret_number[CS_GPUS_MOST])
{
	enum cs_gres_kind kind = cs_gres_node(n, ret, ret_number);

	return kind != CS_GRES_NONE && cs_slice_choose(v->params)->seat
		       ? CS_GRES_BEYOND
		       : kind;
}

/* The GPUs of a node, for @gpus to outlast *@to; none that the model does not hold
 * (v->gpus_beyond). */
static int read_gpus(struct cs_view *v, const node_record_t *n,
		     struct cs_node *to, struct cs_gpus *gpus,
		     struct cs_view_map *map)
{
	uint8_t number[CS_GPUS_MOST];
	enum cs_gres_kind kind = gpus_of(v, n, gpus, number);

	v->gpus_beyond |= kind == CS_GRES_BEYOND;
	if (kind != CS_GRES_PLAIN)
		return 0;
	map->gpu = malloc(sizeof(number));
	if (!map->gpu)
		return -ENOMEM;
	memcpy(map->gpu, number, sizeof(number));
	to->gpus = gpus;
	return 0;
}

/* Node @i of Slurm's table into *@to, which gets a name of its own, and *@map; its GPUs
 * are in *@gpus. */
static int read_node(struct cs_view *v, uint32_t i, struct cs_node *to,
		     struct cs_gpus *gpus, struct cs_view_map *map)
{
	const node_record_t *n = node_record_table_ptr[i];

	*to = (struct cs_node){ .sockets = 1, .threads = 1 };
	*map = (struct cs_view_map){ NULL, NULL };
	if (!n || !n->tot_cores)
		return 0;
	to->name = strdup(n->name);
	if (!to->name)
		return -ENOMEM;
	to->sockets = n->tot_sockets ? n->tot_sockets : 1;
	to->cores_per_socket = (uint16_t)(n->tot_cores / to->sockets);
	to->threads = n->tpc ? n->tpc : 1;
	to->weight = weight_of(n);
	to->line = line_of(n);
	to->memory_mb = memory_of(v, n);
	return read_gpus(v, n, to, gpus, map)
		       ?: (has_spec_cores(n) ? map_cores(map, to, n) : 0);
}

/* What nodes have at most, and where their cores are in Slurm's map of the system. */
static void look_over(struct cs_view *v)
{
	v->threads = v->sockets = 1;
	memset(v->most, 0, (size_t)v->n_most * sizeof(*v->most));
	for (uint32_t i = 0; i < v->machine->n_node; i++) {
		v->first_core[i] = cr_get_coremap_offset((int)i);
		if (!cs_node_vacant(&v->machine->node[i]))
			take_most(v, node_record_table_ptr[i]);
	}
	v->n_core = cr_get_coremap_offset(node_record_count);
}

int cs_view_machine(struct cs_view *v, struct cs_err *err)
{
	const struct cs_node one = {
		.sockets = 1,
		.cores_per_socket = 1,
		.threads = 1,
		.weight = 1,
	};
	uint32_t n = (uint32_t)node_record_count;
	struct cs_gpus gpus;
	int rc = 0;

	if (node_record_count <= 0)
		return cs_err_set(err, -ENODEV, "slurmctld has no nodes");
	v->memory = slurm_conf.select_type_param & CS_SELECT_MEMORY;
	v->odd = !(slurm_conf.select_type_param & CS_SELECT_CORE);
	v->n_most = slurmctld_tres_cnt;
	v->most = calloc((size_t)v->n_most + 1, sizeof(*v->most));
	v->machine = cs_machine_create(n, &one);
	v->map = calloc(n, sizeof(*v->map));
	v->first_core = calloc(n, sizeof(*v->first_core));
	v->moved = calloc((n + 63) / 64, sizeof(*v->moved));
	v->up = calloc((n + 63) / 64, sizeof(*v->up));
	v->unready = calloc((n + 63) / 64, sizeof(*v->unready));
	v->rebooting = calloc((n + 63) / 64, sizeof(*v->rebooting));
	v->for_gpus = calloc((n + 63) / 64, sizeof(*v->for_gpus));
	if (!v->machine || !v->map || !v->first_core || !v->moved || !v->up ||
	    !v->unready || !v->rebooting || !v->for_gpus || !v->most)
		return cs_err_set(err, -ENOMEM, "no memory for %u nodes", n);
	v->machine->weight_first = true; /* as in stock */
	for (uint32_t i = 0; !rc && i < n; i++) {
		struct cs_node *to = &v->machine->node[i];

		rc = read_node(v, i, to, &gpus, &v->map[i]);
		if (!rc && to->gpus)
			rc = cs_machine_share_gpus(v->machine, &gpus,
						   &to->gpus);
	}
	if (!rc)
		look_over(v);
	if (!rc)
		rc = cs_view_topology(v);
	if (!rc)
		cs_view_sites(v);
	if (!rc)
		rc = cs_settle_fit(&v->settle, v->machine);
	if (rc)
		return cs_err_set(err, rc, "no memory for %u nodes", n);
	return cs_machine_check(v->machine, err);
}

/* Its GPUs now, compared with those of the machine's node. */
struct gpus_now {
	bool beyond;	 /* the model does not hold them */
	bool changed;	 /* other ones */
	bool renumbered; /* the same, but Slurm numbers them otherwise */
};

static struct gpus_now gpus_now(const struct cs_view *v, uint32_t i)
{
	const struct cs_gpus *was = v->machine->node[i].gpus;
	uint8_t number[CS_GPUS_MOST];
	struct cs_gpus gpus;
	struct gpus_now now = { false, false, false };
	enum cs_gres_kind kind;

	if (!node_record_table_ptr[i])
		return now;
	kind = gpus_of(v, node_record_table_ptr[i], &gpus, number);
	now.beyond = kind == CS_GRES_BEYOND;
	now.changed = !cs_gpus_same(was, kind == CS_GRES_PLAIN ? &gpus : NULL);
	now.renumbered = !now.changed && was &&
			 memcmp(v->map[i].gpu, number, sizeof(number)) != 0;
	return now;
}

/* Is it another node than before, whatever it weighs? */
static bool is_other(const struct cs_view *v, uint32_t i)
{
	const node_record_t *n = node_record_table_ptr[i];
	const struct cs_node *was = &v->machine->node[i];
	uint32_t sockets, cores;

	if (!n || !n->tot_cores)
		return !cs_node_vacant(was);
	if (cs_node_vacant(was) || strcmp(was->name, n->name) ||
	    was->memory_mb != memory_of(v, n) ||
	    was->threads != (n->tpc ? n->tpc : 1))
		return true;
	if (v->map[i].core || has_spec_cores(n)) {
		/* The usable ones must be the same ones. */
		uint32_t k = 0, known = cs_node_cores(was);

		for (uint32_t c = 0; c < n->tot_cores; c++)
			if (!spec_core(n, (int)c) &&
			    (k >= known || !v->map[i].core ||
			     v->map[i].core[k++] != c))
				return true;
		return k != known;
	}
	sockets = n->tot_sockets ? n->tot_sockets : 1;
	cores = n->tot_cores / sockets;
	return was->sockets != sockets || was->cores_per_socket != cores;
}

/* Has it another weight?  One that Slurm wakes, or puts down, does. */
static bool weighs_other(const struct cs_view *v, uint32_t i)
{
	const node_record_t *n = node_record_table_ptr[i];

	return n && n->tot_cores && v->machine->node[i].weight != weight_of(n);
}

/* What needs another view, as a clause; NULL: nothing. */
static const char *differs(const struct cs_view *v)
{
	if ((uint32_t)node_record_count != v->machine->n_node ||
	    (bool)(slurm_conf.select_type_param & CS_SELECT_MEMORY) !=
		    v->memory)
		return "the nodes have changed";
	if (cs_view_topology_changed(v))
		return "the topology has changed";
	return cs_view_sites_changed(v)
		       ? "the partitions of cosched_sites have changed"
		       : NULL;
}

/* Node @i is another one now. */
static int move(struct cs_view *v, uint32_t i, struct cs_err *err)
{
	struct cs_view_map map;
	struct cs_gpus gpus;
	struct cs_node now;
	int rc = read_node(v, i, &now, &gpus, &map);

	if (rc)
		cs_err_set(err, rc, "no memory for node %u", i);
	else
		rc = cs_machine_put(v->machine, i, &now, err);
	free(now.name);
	if (rc) {
		cs_view_map_done(&map);
		return rc == -ENOMEM ? rc : -ERESTART;
	}
	cs_view_map_done(&v->map[i]);
	v->map[i] = map;
	cs_bit_set(v->moved, i);
	return 0;
}

int cs_view_machine_follow(struct cs_view *v, struct cs_err *err)
{
	const char *why = differs(v);
	bool any = cr_get_coremap_offset(node_record_count) != v->n_core;
	bool describe =
		any; /* a node's size has changed: describe all jobs again */
	bool beyond = false;
	int rc = 0;

	if (why)
		return cs_err_set(err, -ERESTART, "%s", why);
	/* backwards: the first ones are mostly those that stay, and soon found */
	for (uint32_t i = v->machine->n_node; !rc && i--;) {
		struct gpus_now gpus = gpus_now(v, i);
		bool other = gpus.changed || is_other(v, i);

		beyond |= gpus.beyond;
		if (gpus.renumbered)
			return cs_err_set(err, -ERESTART,
					  "the GPUs of a node have changed");
		if (!other && !weighs_other(v, i))
			continue;
		if (v->machine->sites && other)
			return cs_err_set(
				err, -ERESTART,
				"the nodes of the sites have changed");
		any = true;
		describe |= other;
		rc = move(v, i, err);
	}
	describe |= beyond != v->gpus_beyond;
	v->gpus_beyond = beyond;
	if (rc || !(any || describe))
		return rc;
	look_over(v);
	v->round += describe;
	rc = cs_settle_fit(&v->settle, v->machine);
	return rc ? cs_err_set(err, rc, "no memory for the nodes") : 1;
}

/* @until_us: the engine's time. */
static void unready_until(struct cs_view *v, int64_t until_us)
{
	if (until_us > v->unready_us)
		v->unready_us = until_us;
	cs_view_wake(v, until_us);
}

/* The nodes on which @job_ptr completes go to @recent, unless it does so for long. */
static void note_completing(struct cs_view *v, const job_record_t *job_ptr,
			    bitstr_t *recent)
{
	int64_t end_us = (int64_t)job_ptr->end_time * 1000000;
	int64_t until_us = end_us + COMPLETING_S * INT64_C(1000000);

	/* With no end, or one ahead, its age is unknown. */
	if (until_us <= v->now_us || end_us > v->now_us + 1000000)
		return;
	unready_until(v, until_us + v->ahead_us);
	bit_or(recent, job_ptr->node_bitmap_cg);
}

/* Split the completing nodes: recent ones go to v->unready, others are out. */
static void completing_nodes(struct cs_view *v)
{
	uint32_t n = v->machine->n_node;
	job_record_t *job_ptr;
	bitstr_t *recent;
	list_itr_t *it;

	memset(v->unready, 0, (n + 63) / 64 * sizeof(*v->unready));
	v->unready_us = 0;
	if (!cg_node_bitmap || bit_size(cg_node_bitmap) < (bitoff_t)n ||
	    bit_ffs(cg_node_bitmap) < 0)
		return;
	recent = bit_alloc(bit_size(cg_node_bitmap));
	it = list_iterator_create(job_list);
	while ((job_ptr = list_next(it)))
		if (IS_JOB_COMPLETING(job_ptr) && job_ptr->node_bitmap_cg)
			note_completing(v, job_ptr, recent);
	list_iterator_destroy(it);
	for (uint32_t i = 0; i < n; i++) {
		uint64_t bit = UINT64_C(1) << (i % 64);

		if (!bit_test(cg_node_bitmap, i) || !cs_bit(v->up, i))
			continue;
		if (bit_test(recent, i))
			v->unready[i / 64] |= bit;
		else
			v->up[i / 64] &= ~bit;
	}
	FREE_NULL_BITMAP(recent);
}

static bool to_resume(uint32_t i)
{
	return rs_node_bitmap && (bitoff_t)i < bit_size(rs_node_bitmap) &&
	       bit_test(rs_node_bitmap, i) &&
	       !cs_compat_starts_before_reboot((int)i);
}

/* When the first of the jobs on nodes that are to resume should end, by the engine's
 * time; 0: one of these nodes has no job. */
static int64_t first_end(const struct cs_view *v)
{
	bitstr_t *busy = bit_alloc(bit_size(rs_node_bitmap));
	job_record_t *job_ptr;
	list_itr_t *it = list_iterator_create(job_list);
	int64_t end_us = INT64_MAX;

	while ((job_ptr = list_next(it))) {
		int64_t us = (int64_t)job_ptr->end_time * 1000000;

		if (!(IS_JOB_RUNNING(job_ptr) || IS_JOB_SUSPENDED(job_ptr)) ||
		    !job_ptr->node_bitmap ||
		    !bit_overlap_any(job_ptr->node_bitmap, rs_node_bitmap))
			continue;
		bit_or(busy, job_ptr->node_bitmap);
		end_us = us < end_us ? us : end_us;
	}
	list_iterator_destroy(it);
	if (!bit_super_set(rs_node_bitmap, busy))
		end_us = 0;
	FREE_NULL_BITMAP(busy);
	return end_us ? end_us + v->ahead_us : 0;
}

static void rebooting_nodes(struct cs_view *v)
{
	uint32_t n = v->machine->n_node;
	int64_t now_us = v->now_us + v->ahead_us;
	bool any = false;

	memset(v->rebooting, 0, (n + 63) / 64 * sizeof(*v->rebooting));
	v->rebooting_us = 0;
	if (!rs_node_bitmap || bit_ffs(rs_node_bitmap) < 0)
		return;
	for (uint32_t i = 0; i < n; i++)
		if (to_resume(i) && cs_bit(v->up, i)) {
			cs_bit_set(v->rebooting, i);
			any = true;
		}
	if (!any)
		return;
	v->rebooting_us = first_end(v);
	if (v->rebooting_us <= now_us)
		v->rebooting_us = now_us - now_us % REBOOT_US + 2 * REBOOT_US;
}

static void settling_nodes(struct cs_view *v)
{
	for (uint32_t i = 0; i < v->machine->n_node; i++) {
		const node_record_t *n = node_record_table_ptr[i];
		bool absent = n && (IS_NODE_UNKNOWN(n) || IS_NODE_DOWN(n) ||
				    IS_NODE_NO_RESPOND(n));
		int64_t until_us = cs_settle_look(
			&v->settle, i, cs_bit(v->up, i) && !to_resume(i),
			absent, v->now_us + v->ahead_us);

		if (!until_us)
			continue;
		cs_bit_set(v->unready, i);
		unready_until(v, until_us);
	}
}

/* Slurm stamps no change when a node has powered down, or is about to: look soon again. */
static void wake_for_power(struct cs_view *v)
{
	for (uint32_t i = 0; i < v->machine->n_node; i++) {
		const node_record_t *n = node_record_table_ptr[i];

		if (n && (IS_NODE_POWER_DOWN(n) || IS_NODE_POWERING_DOWN(n))) {
			cs_view_wake(v, v->now_us + v->ahead_us + POWER_US);
			return;
		}
	}
}

/* Cores of usable nodes that are powered down, or powering down. */
static uint32_t asleep_cores(const struct cs_view *v)
{
	uint32_t cores = 0;

	for (uint32_t i = 0; i < v->machine->n_node; i++) {
		const node_record_t *n = node_record_table_ptr[i];

		if (n && cs_bit(v->up, i) &&
		    (IS_NODE_POWERED_DOWN(n) || IS_NODE_POWERING_DOWN(n)))
			cores += cs_node_cores(&v->machine->node[i]);
	}
	return cores;
}

void cs_view_usable(struct cs_view *v)
{
	uint32_t n = v->machine->n_node;

	memset(v->up, 0, (n + 63) / 64 * sizeof(*v->up));
	memset(v->for_gpus, 0, (n + 63) / 64 * sizeof(*v->for_gpus));
	for (uint32_t i = 0; i < n; i++)
		if (node_record_table_ptr[i] &&
		    cs_compat_node_keeps_cores(node_record_table_ptr[i]))
			cs_bit_set(v->for_gpus, i);
	if (!avail_node_bitmap || bit_size(avail_node_bitmap) < (bitoff_t)n)
		return;
	for (uint32_t i = 0; i < n; i++)
		if (!cs_node_vacant(&v->machine->node[i]) &&
		    (bit_test(avail_node_bitmap, i) || to_resume(i)))
			cs_bit_set(v->up, i);
	v->asleep_cores = asleep_cores(v);
	wake_for_power(v);
	completing_nodes(v);
	rebooting_nodes(v);
	settling_nodes(v);
}
