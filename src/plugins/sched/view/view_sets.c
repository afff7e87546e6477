/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which nodes may a job use: those of its partition and reservation, with the requested
 * features, not excluded, large enough; none if a required node is not among these.
 *
 * Ten thousand jobs have a handful of different wishes, so a set is made once for each
 * wish and found again by its hash, until nodes, partitions or reservations change.
 * (Two wishes with one hash of 64 bits would share a set; then select_nodes() would
 * refuse the start, nothing worse.)
 *
 * The engine gets a reservation's nodes or cores, its time and the flags that decide
 * what it keeps from which jobs (common/job/resv.h).  Slurm decides which jobs may use
 * it.  One with ANY_NODES, for licences and the like, confines its jobs to
 * no nodes, like one with FLEX; one without nodes or cores of its own keeps nothing
 * from any job.
 */
#include "sched/view/view_slurm.h"

#include <stdlib.h>
#include <string.h>

#include "src/slurmctld/reservation.h"

#include "common/base/array.h"
#include "common/base/idmap.h"
#include "common/engine/engine.h"
#include "sched/view/view_table.h"

#define YEAR_MIN (365 * 24 * 60)

struct cs_view_made {
	struct cs_idmap set;	    /* by wish: its number + 1 */
	uint64_t sources;	    /* hash of what they are made of */
	time_t nodes, parts, resvs; /* Slurm's stamps at their making */
	bool young;	  /* a stamp of that second: it may change unnoticed */
	bool parts_young; /* that of partitions is */
	uint64_t *words;  /* scratch */
	uint32_t n_word;
	bool magnetic; /* some reservation is */
};

struct cs_view_made *cs_view_made_create(void)
{
	return calloc(1, sizeof(struct cs_view_made));
}

void cs_view_made_free(struct cs_view_made *m)
{
	if (m) {
		cs_idmap_done(&m->set);
		free(m->words);
	}
	free(m);
}

/* ---- a wish and its nodes ------------------------------------------------- */

struct sizes { /* minimum of a node; 0: any */
	uint32_t cpus, tmp_disk;
	uint16_t sockets, cores, threads, boards;
};

static uint16_t asked(uint16_t n)
{
	return n == NO_VAL16 || n == INFINITE16 ? 0 : n;
}

static struct sizes sizes_of(const job_record_t *job_ptr)
{
	const cs_details_t *d = job_ptr->details;
	struct sizes s;

	memset(&s, 0, sizeof(s));
	s.cpus = cs_view_least_cpus(job_ptr);
	if (s.cpus == 1)
		s.cpus = 0;
	s.tmp_disk = d->pn_min_tmp_disk == NO_VAL ? 0 : d->pn_min_tmp_disk;
	if (d->mc_ptr) {
		s.sockets = asked(d->mc_ptr->sockets_per_node);
		s.cores = asked(d->mc_ptr->cores_per_socket);
		s.threads = asked(d->mc_ptr->threads_per_core);
		s.boards = asked(d->mc_ptr->boards_per_node);
	}
	return s;
}

static bool large_enough(const node_record_t *n, const struct sizes *s)
{
	return n->tmp_disk >= s->tmp_disk && n->cpus >= s->cpus &&
	       n->tot_sockets >= s->sockets && n->cores >= s->cores &&
	       n->tpc >= s->threads && n->boards >= s->boards;
}

static int feature_named(void *x, void *key)
{
	node_feature_t *f = x;

	return !xstrcmp(f->name, key);
}

static int and_feature(void *x, void *arg)
{
	job_feature_t *want = x;
	bitstr_t *nodes = arg;
	node_feature_t *f =
		list_find_first(active_feature_list, feature_named, want->name);

	if (f && f->node_bitmap)
		bit_and(nodes, f->node_bitmap);
	else
		bit_nclear(nodes, 0, bit_size(nodes) - 1);
	return 0;
}

bool cs_view_required_is_all(const job_record_t *job_ptr)
{
	const cs_details_t *d = job_ptr->details;

	uint32_t n, most = d->num_tasks ? d->num_tasks : d->min_cpus;

	if (!d->req_node_bitmap)
		return true;
	/* nodes counted by feature are in addition */
	if (d->feature_list && !cs_job_features_plain(job_ptr))
		return false;
	n = (uint32_t)bit_set_count(d->req_node_bitmap);
	if (d->max_nodes && d->max_nodes < most)
		most = d->max_nodes;
	return n >= d->min_nodes && n >= most;
}

/* The reservation that confines the job to its nodes, or NULL. */
static const slurmctld_resv_t *confining(const slurmctld_resv_t *resv_ptr)
{
	if (!resv_ptr || !resv_ptr->node_bitmap ||
	    (resv_ptr->flags & (RESERVE_FLAG_FLEX | RESERVE_FLAG_ANY_NODES)))
		return NULL;
	return resv_ptr;
}

static bitstr_t *wished(const job_record_t *job_ptr,
			const part_record_t *part_ptr,
			const slurmctld_resv_t *resv_ptr)
{
	const cs_details_t *d = job_ptr->details;
	const struct sizes s = sizes_of(job_ptr);
	const struct sizes any = { 0 };
	bool sized = memcmp(&s, &any, sizeof(s));
	bitstr_t *nodes;

	if (!part_ptr->node_bitmap)
		return NULL;
	nodes = bit_copy(part_ptr->node_bitmap);
	if (confining(resv_ptr))
		bit_and(nodes, resv_ptr->node_bitmap);
	if (d->feature_list && cs_job_features_plain(job_ptr))
		list_for_each(d->feature_list, and_feature, nodes);
	if (d->exc_node_bitmap)
		bit_and_not(nodes, d->exc_node_bitmap);
	for (int i = 0; sized && i < node_record_count; i++) {
		const node_record_t *n = node_record_table_ptr[i];

		if (n && !large_enough(n, &s))
			bit_clear(nodes, i);
	}
	if (d->req_node_bitmap && !bit_super_set(d->req_node_bitmap, nodes))
		bit_nclear(nodes, 0, bit_size(nodes) - 1);
	else if (d->req_node_bitmap && cs_view_required_is_all(job_ptr))
		bit_and(nodes, d->req_node_bitmap);
	return nodes;
}

static uint64_t wish_of(const job_record_t *job_ptr, uint32_t partition,
			const slurmctld_resv_t *resv_ptr)
{
	const cs_details_t *d = job_ptr->details;
	const struct sizes s = sizes_of(job_ptr);
	uint64_t h = cs_view_hash(2, &partition, sizeof(partition));

	h = cs_view_hash(h, &s, sizeof(s));
	if (d->features)
		h = cs_view_hash_text(h + 1, d->features);
	if (d->exc_nodes)
		h = cs_view_hash_text(h + 2, d->exc_nodes);
	if (d->req_nodes) {
		h = cs_view_hash_text(h + 3 + cs_view_required_is_all(job_ptr),
				      d->req_nodes);
	}
	if (confining(resv_ptr))
		h = cs_view_hash(h + 5, &resv_ptr->resv_id,
				 sizeof(resv_ptr->resv_id));
	return h;
}

/* Number of the set with the content of @nodes (NULL: none). */
static uint32_t numbered(struct cs_view *v, const bitstr_t *nodes)
{
	uint32_t words = cs_node_words(v->machine);
	struct cs_view_made *m = v->made;

	if (m->n_word != words) {
		free(m->words);
		m->words = malloc(words * sizeof(*m->words));
		m->n_word = m->words ? words : 0;
		if (!m->words)
			return UINT32_MAX;
	}
	memset(m->words, 0, words * sizeof(*m->words));
	for (uint32_t i = 0; nodes && i < v->machine->n_node; i++)
		if (bit_test((bitstr_t *)nodes, i))
			cs_bit_set(m->words, i);
	return cs_view_set(v->sets, m->words, words);
}

uint32_t cs_view_option_set(struct cs_view *v, const job_record_t *job_ptr,
			    const part_record_t *part_ptr,
			    const slurmctld_resv_t *resv_ptr)
{
	uint32_t part = cs_view_name(v->partitions, part_ptr->name);
	struct cs_view_made *m = v->made;
	uint64_t wish;
	uint32_t set;
	bitstr_t *nodes;

	if (part == UINT32_MAX || cs_idmap_reserve(&m->set, m->set.n + 1))
		return UINT32_MAX;
	wish = wish_of(job_ptr, part, resv_ptr);
	set = (uint32_t)(uintptr_t)cs_idmap_find(&m->set, wish);
	if (set)
		return set - 1;
	nodes = wished(job_ptr, part_ptr, resv_ptr);
	set = numbered(v, nodes);
	FREE_NULL_BITMAP(nodes);
	if (set == UINT32_MAX)
		return set;
	cs_idmap_add(&m->set, wish, (void *)((uintptr_t)set + 1));
	return set;
}

/* ---- reservations --------------------------------------------------------- */

/* The cores of node @i in @map, Slurm's of all cores, into @cores; false: none.  Most
 * nodes of a large reservation lend all cores or the first ones: a bit costs a call. */
static bool cores_in(const struct cs_view *v, uint32_t i, bitstr_t *map,
		     uint64_t *cores)
{
	uint32_t n = cs_view_system_cores(v, i), first, end, left;
	bool all, any = false;

	if (!n)
		return false;
	first = cs_view_system_core(v, i, 0);
	end = cs_view_system_core(v, i, n - 1) + 1;
	if (end > (uint32_t)bit_size(map))
		return false;
	left = (uint32_t)bit_set_count_range(map, (int)first, (int)end);
	all = left == end - first;
	for (uint32_t c = 0; c < n && left; c++) {
		if (!all && !bit_test(map, cs_view_system_core(v, i, c)))
			continue;
		cs_bit_set(cores, c);
		any = true;
		left--;
	}
	return any;
}

/* The cores of @r that the machine knows, node by node; NULL: none, or no memory. */
static struct cs_alloc *cores_of(struct cs_view *v, const slurmctld_resv_t *r)
{
	int first = bit_ffs(r->node_bitmap), last = bit_fls(r->node_bitmap);
	struct cs_alloc *a;
	uint32_t n = 0;

	if (!r->core_bitmap)
		return NULL;
	a = cs_alloc_create((uint32_t)bit_set_count(r->node_bitmap),
			    v->machine->words);
	if (!a)
		v->nomem = true;
	for (int i = first; a && i <= last; i++)
		if (bit_test(r->node_bitmap, i) &&
		    cores_in(v, (uint32_t)i, r->core_bitmap,
			     cs_alloc_cores(a, n)))
			a->node[n++].node = (uint32_t)i;
	if (!n) {
		cs_alloc_free(a);
		return NULL;
	}
	a->n_node = n;
	return a;
}

static uint32_t flags_of(const slurmctld_resv_t *r)
{
	return (r->flags & RESERVE_FLAG_MAINT ? CS_RESV_MAINT : 0) |
	       (r->flags & RESERVE_FLAG_OVERLAP ? CS_RESV_OVERLAP : 0) |
	       (r->flags & (RESERVE_FLAG_FLEX | RESERVE_FLAG_ANY_NODES)
			? CS_RESV_FLEX
			: 0) |
	       (r->flags & RESERVE_FLAG_TIME_FLOAT ? CS_RESV_FLOAT : 0) |
	       (cs_compat_resv_lends(r) ? CS_RESV_LENDS : 0);
}

/* Its time; a floating one, with its begin in seconds, counts from now. */
static void time_of(const slurmctld_resv_t *r, struct cs_view_resv *to)
{
	int64_t minutes = YEAR_MIN;

	to->start_us = (int64_t)r->start_time * 1000000;
	to->end_us = (int64_t)r->end_time * 1000000;
	if (r->flags & RESERVE_FLAG_TIME_FLOAT) {
		if (r->duration && r->duration < YEAR_MIN)
			minutes = r->duration;
		to->end_us = to->start_us + minutes * 60000000;
	} else {
		to->start_us += CS_VIEW_TICK_US;
	}
	if (to->end_us <= to->start_us)
		to->end_us = to->start_us + 60000000;
}

/* Number of the set of its nodes, with @cores only of those. */
static uint32_t nodes_of(struct cs_view *v, const slurmctld_resv_t *r,
			 const struct cs_alloc *cores)
{
	bitstr_t *nodes;
	uint32_t set;

	if (!cores)
		return numbered(v, r->node_bitmap);
	nodes = bit_alloc(v->machine->n_node);
	for (uint32_t i = 0; i < cores->n_node; i++)
		bit_set(nodes, cores->node[i].node);
	set = numbered(v, nodes);
	FREE_NULL_BITMAP(nodes);
	return set;
}

bool cs_view_any_magnetic(const struct cs_view *v)
{
	return v->made->magnetic;
}

/* Slurm would look up a missing association, under the lock that the view holds. */
list_t *cs_view_magnetic(const struct cs_view *v, job_record_t *job_ptr)
{
	job_queue_req_t of = {
		.job_ptr = job_ptr,
		.part_ptr = job_ptr->part_ptr,
	};

	if (!v->made->magnetic ||
	    (accounting_enforce & ACCOUNTING_ENFORCE_ASSOCS &&
	     !job_ptr->assoc_ptr))
		return NULL;
	of.job_queue = list_create(xfree_ptr);
	job_resv_append_magnetic(&of);
	return of.job_queue;
}

static int add_reservation(void *x, void *arg)
{
	slurmctld_resv_t *r = x;
	struct cs_view *v = arg;
	bool whole = r->ctld_flags & RESV_CTLD_FULL_NODE;
	struct cs_view_resv *to;

	v->made->magnetic |= (r->flags & RESERVE_FLAG_MAGNETIC) != 0;
	if (!r->node_bitmap || bit_ffs(r->node_bitmap) < 0 ||
	    (!(r->flags & RESERVE_FLAG_TIME_FLOAT) &&
	     r->end_time <= v->now_us / 1000000))
		return 0;
	if (cs_array_room(&v->resv, &v->cap_resv, (size_t)v->n_resv + 1)) {
		v->nomem = true;
		return 0;
	}
	to = &v->resv[v->n_resv];
	*to = (struct cs_view_resv){
		.id = r->resv_id,
		.flags = flags_of(r),
		.delay_s = cs_compat_resv_lends(r) ? r->max_start_delay : 0,
		.cores = whole ? NULL : cores_of(v, r),
	};
	if (!whole && !to->cores)
		return 0;
	time_of(r, to);
	to->set = nodes_of(v, r, to->cores);
	v->n_resv++;
	if (to->set == UINT32_MAX)
		v->nomem = true;
	return 0;
}

/* ---- what sets are made of -------------------------------------------------- */

#define BITSTR_HEAD 2 /* words before the bits; 24.11 does not tell */

static uint64_t hash_nodes(uint64_t h, const bitstr_t *nodes)
{
	size_t bits = nodes ? (size_t)bit_size((bitstr_t *)nodes) : 0;

	return cs_view_hash(
		h + bits, nodes,
		bits ? (BITSTR_HEAD + (bits + 63) / 64) * sizeof(bitstr_t) : 0);
}

static int hash_partition(void *x, void *arg)
{
	const part_record_t *part_ptr = x;
	uint64_t *h = arg;

	*h = cs_view_hash_text(*h, part_ptr->name);
	*h = hash_nodes(*h, part_ptr->node_bitmap);
	return 0;
}

static int hash_feature(void *x, void *arg)
{
	const node_feature_t *f = x;
	uint64_t *h = arg;

	*h = cs_view_hash_text(*h, f->name);
	*h = hash_nodes(*h, f->node_bitmap);
	return 0;
}

static int hash_reservation(void *x, void *arg)
{
	const slurmctld_resv_t *r = x;
	uint64_t *h = arg;

	*h = cs_view_hash(*h + r->flags, &r->resv_id, sizeof(r->resv_id));
	*h = hash_nodes(*h, r->node_bitmap);
	return 0;
}

static uint64_t sources_of(const struct cs_view *v)
{
	uint64_t h = 5;

	list_for_each(part_list, hash_partition, &h);
	list_for_each(active_feature_list, hash_feature, &h);
	if (resv_list)
		list_for_each(resv_list, hash_reservation, &h);
	for (uint32_t i = 0; i < v->machine->n_node; i++) {
		const node_record_t *n = node_record_table_ptr[i];
		const uint64_t size[] = {
			n ? n->tmp_disk : 0,	n ? n->cpus : 0,
			n ? n->tot_sockets : 0, n ? n->cores : 0,
			n ? n->tpc : 0,		n ? n->boards : 0,
		};

		h = cs_view_hash(h, size, sizeof(size));
	}
	return h;
}

/* Discard the sets if they would be others now.  A start or an end stamps the nodes, but
 * changes none. */
static void renew_sets(struct cs_view *v)
{
	struct cs_view_made *m = v->made;
	uint64_t sources = sources_of(v);

	if (sources != m->sources) {
		cs_idmap_clear(&m->set);
		v->round++;
	}
	m->sources = sources;
}

void cs_view_reservations(struct cs_view *v)
{
	struct cs_view_made *m = v->made;

	/* The stamps are whole seconds, and time(2) may lag by a tick. */
	time_t now = (time_t)(v->now_us / 1000000) - 1;

	if (m->parts_young || m->parts != last_part_update)
		v->round++;
	if (m->young || m->nodes != last_node_update ||
	    m->parts != last_part_update || m->resvs != last_resv_update) {
		renew_sets(v);
		m->nodes = last_node_update;
		m->parts = last_part_update;
		m->resvs = last_resv_update;
		m->parts_young = m->parts >= now;
		m->young = m->nodes >= now || m->parts_young || m->resvs >= now;
	}
	m->magnetic = false;
	if (resv_list)
		list_for_each(resv_list, add_reservation, v);
}
