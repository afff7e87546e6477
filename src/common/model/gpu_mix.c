/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fragments of GPUs.
 *
 * Problem.  Jobs of one GPU, or of a part of one, scattered over the nodes leave on each a
 * few GPUs that no job can use: the jobs that wait ask for more than a node has left, or
 * for cores that are gone.
 *
 * Symbols	C name		unit
 *   M		struct cs_gpu_mix	the requests of this site
 *   p_m	count / total	1, the part of the requests that are like m
 *   R_g	CS_GPU_WHOLE - used	thousandths of GPU g that are free
 *   F_n(m)			thousandths of node n that are a fragment for m
 *
 * Rules.
 *  1. For a request m, all free GPUs of a node on which it cannot run are a fragment:
 *     because cores, memory, GPUs of its type or, of as many, parts large enough are
 *     lacking.  If it can run, those are a fragment of which too little is free for it, or
 *     that are of another type.
 *
 *	F_n(m) = sum of R_g over the GPUs g that m cannot use, or all	(1)
 *	F_n(M) = sum over m of p_m F_n(m)				(2)
 *
 *  2. A job gets the node, and there the GPU, on which its start raises F_n(M) least; of
 *     equal ones by rule 3.
 *  3. Best fit: the node with the least free GPUs, then the fewest free cores; there the
 *     GPU of which most is in use, but enough is free, then the lowest.
 *  4. M is what jobs have asked for at this site, as they were submitted: each counts one
 *     (an array as many as its tasks, at most TASKS_MOST).  When there are more than
 *     CS_GPU_MIX different requests the rarest makes room; at CS_GPU_MIX_COUNT all count
 *     half from then on: what was asked for lately counts more.
 *
 * Source: Weng et al., Beware of Fragmentation: Scheduling GPU-Sharing Workloads with
 * Fragmentation Gradient Descent, USENIX ATC 2023, sections 3 and 4.
 *
 * Differs.
 *  1. Requests without GPUs are left out of M: for them all free GPUs are fragments,
 *     wherever a job goes, and so they favour no node.
 *  2. The paper takes M from a trace beforehand; rule 4 counts.
 *  3. Ties: the paper leaves them open.
 *  4. A job of several GPUs of which it takes parts gets them by rule 3.
 *
 * Example: a node of 4 cores and 4 GPUs, of which jobs use 1 GPU and 3 cores.  For a
 * request of 1 GPU and 1 core nothing is a fragment, for one of 2 GPUs and 2 cores 3,000
 * thousandths are.  If half of all requests are like that, F is 1,500.
 *
 * Invariant: F_n(M) is at most what is free (test_gpu.c).
 * Cost: O(requests * GPUs of a node) a node; nodes like the one before cost a comparison.
 *
 * Known weakness: what is asked for is counted anew after a restart.  A wide job's nodes
 * are chosen one by one.
 */
#include "model/gpu_mix.h"

#include <string.h>

#include "base/bits.h"
#include "model/occupancy.h"
#include "model/shape.h"

#define TASKS_MOST 64

static bool same(const struct cs_gpu_request *a, const struct cs_gpu_request *b)
{
	return a->cores == b->cores && a->gpus == b->gpus &&
	       a->share == b->share && a->id == b->id && a->mem_mb == b->mem_mb;
}

/* Rule 4: all count half; those of which nothing is left are forgotten. */
static void halve(struct cs_gpu_mix *m)
{
	uint32_t k = 0;

	m->total = 0;
	for (uint32_t i = 0; i < m->n; i++) {
		m->kind[i].count /= 2;
		m->total += m->kind[i].count;
		if (m->kind[i].count)
			m->kind[k++] = m->kind[i];
	}
	m->n = k;
}

void cs_gpu_mix_note(struct cs_gpu_mix *m, const struct cs_gpu_request *r,
		     uint32_t n)
{
	uint32_t i = 0, rarest = 0;

	if (n > TASKS_MOST)
		n = TASKS_MOST;
	while (i < m->n && !same(&m->kind[i].of, r)) {
		if (m->kind[i].count < m->kind[rarest].count)
			rarest = i;
		i++;
	}
	if (i == CS_GPU_MIX) {
		i = rarest;
		m->total -= m->kind[i].count;
		m->kind[i].count = 0;
	} else if (i == m->n) {
		m->kind[m->n++].count = 0;
	}
	m->kind[i].of = *r;
	m->kind[i].count += n;
	m->total += n;
	if (m->total >= CS_GPU_MIX_COUNT)
		halve(m);
}

static uint32_t left_of(const struct cs_gpu_room *x, uint32_t i)
{
	return x->used[i] < CS_GPU_WHOLE ? CS_GPU_WHOLE - x->used[i] : 0;
}

/* Thousandths of the node that @r could use; 0 if it cannot run there. */
static uint32_t usable(const struct cs_gpu_request *r,
		       const struct cs_gpu_room *x)
{
	uint64_t may = cs_gpus_of(x->gpus, r->id);
	uint32_t sum = 0, n = 0;

	if (r->cores > x->cores || r->mem_mb > x->mem_mb)
		return 0;
	while (may) {
		uint32_t left = left_of(x, cs_bit_pop(&may));

		if (left < r->share)
			continue;
		sum += left;
		n++;
	}
	return n >= r->gpus ? sum : 0;
}

int64_t cs_gpu_mix_fragment(const struct cs_gpu_mix *m,
			    const struct cs_gpu_room *x)
{
	uint32_t all = 0;
	int64_t sum = 0;

	for (uint32_t i = 0; i < x->gpus->n; i++)
		all += left_of(x, i);
	for (uint32_t i = 0; all && i < m->n; i++)
		sum += (int64_t)m->kind[i].count *
		       (all - usable(&m->kind[i].of, x));
	return sum;
}

void cs_gpu_mix_room(const struct cs_occ *o, uint32_t n, struct cs_gpu_room *x)
{
	x->gpus = o->machine->node[n].gpus;
	x->cores = o->node[n].free_cores;
	x->mem_mb = cs_occ_free_mb(o, n);
	memcpy(x->used, cs_occ_gpu_used(o, n), x->gpus->n * sizeof(*x->used));
}

/* Rule 3: of the GPUs @may the one for @share; -1: none has so much free. */
static int fullest(const struct cs_gpu_room *x, uint64_t may, uint32_t share)
{
	int best = -1;

	while (may) {
		uint32_t i = cs_bit_pop(&may);

		if (left_of(x, i) >= share &&
		    (best < 0 || x->used[i] > x->used[best]))
			best = (int)i;
	}
	return best;
}

bool cs_gpu_mix_same_room(const struct cs_gpu_room *a,
			  const struct cs_gpu_room *b)
{
	return a->gpus == b->gpus && a->cores == b->cores &&
	       a->mem_mb == b->mem_mb &&
	       !memcmp(a->used, b->used, a->gpus->n * sizeof(*a->used));
}

/* Rule 2: the GPU of @may on which @share leaves the least fragment, -1: none has room. */
static int least_fragment(const struct cs_gpu_mix *m, struct cs_gpu_room *x,
			  uint64_t may, uint32_t share)
{
	int best = fullest(x, may, share);
	uint64_t set = may;
	int64_t least = INT64_MAX;

	while (best >= 0 && set) {
		/* the fullest first; of equally full ones the lowest will do */
		int i = fullest(x, set, share);
		int64_t then;

		if (i < 0)
			break;
		x->used[i] += share;
		then = cs_gpu_mix_fragment(m, x);
		x->used[i] -= share;
		if (then < least) {
			least = then;
			best = i;
		}
		for (uint64_t left = set; left;) {
			uint32_t k = cs_bit_pop(&left);

			if (x->used[k] == x->used[i])
				set &= ~(UINT64_C(1) << k);
		}
	}
	return best;
}

uint64_t cs_gpu_mix_take(const struct cs_occ *o, uint32_t n,
			 const struct cs_shape *s, uint32_t cores,
			 uint64_t mem_mb, int64_t *ret_more)
{
	const struct cs_gpu_mix *m = o->mix;
	bool fragments = m && m->pick == CS_GPU_FRAGMENTS;
	struct cs_gpu_room x;
	uint64_t may, set = 0;
	int64_t before = 0;

	if (!o->gpus || !o->machine->node[n].gpus)
		return 0;
	cs_gpu_mix_room(o, n, &x);
	may = cs_gpus_of(x.gpus, s->gpu_id);
	if (fragments && ret_more)
		before = cs_gpu_mix_fragment(m, &x);
	x.cores -= cores < x.cores ? cores : x.cores;
	x.mem_mb -= mem_mb < x.mem_mb ? mem_mb : x.mem_mb;
	for (uint32_t k = 0; k < s->gpus; k++) {
		bool part = s->gpu_share < CS_GPU_WHOLE && s->gpus == 1;
		int i = fragments && part
				? least_fragment(m, &x, may, s->gpu_share)
				: fullest(&x, may, s->gpu_share);

		if (i < 0)
			return 0;
		may &= ~(UINT64_C(1) << i);
		set |= UINT64_C(1) << i;
		x.used[i] += s->gpu_share;
	}
	if (ret_more)
		*ret_more = fragments ? cs_gpu_mix_fragment(m, &x) - before : 0;
	return set;
}

/* Rule 3 of nodes: lower is first. */
static uint32_t best_fit(const struct cs_gpu_room *x)
{
	const uint32_t cores_most = (1 << 15) - 1;
	uint32_t left = 0;

	for (uint32_t i = 0; i < x->gpus->n; i++)
		left += left_of(x, i);
	return left << 15 | (x->cores < cores_most ? x->cores : cores_most);
}

/* A growth of the fragment, at most CS_GPU_MIX_COUNT times all GPUs of a node, as a number
 * of 32 bits. */
static uint64_t as_key(int64_t more)
{
	_Static_assert((int64_t)CS_GPU_MIX_COUNT * CS_GPUS_MOST * CS_GPU_WHOLE <
			       INT32_MAX,
		       "a growth has 31 bits and a sign");
	return (uint64_t)(more + INT32_MAX);
}

uint64_t cs_gpu_mix_key(const struct cs_occ *o, uint32_t n,
			const struct cs_shape *s, uint32_t procs,
			struct cs_gpu_memo *memo)
{
	const struct cs_node *node = &o->machine->node[n];
	const uint32_t *used = cs_occ_gpu_used(o, n);
	uint32_t cores = o->node[n].free_cores;
	uint64_t mem_mb = cs_occ_free_mb(o, n);
	struct cs_gpu_room x;
	int64_t more = 0;

	if (memo->gpus == node->gpus && memo->cores == cores &&
	    memo->procs == procs && memo->mem_mb == mem_mb &&
	    !memcmp(memo->used, used, node->gpus->n * sizeof(*used)))
		return memo->key;
	cs_gpu_mix_room(o, n, &x);
	if (o->mix->pick == CS_GPU_FRAGMENTS)
		cs_gpu_mix_take(o, n, s, cs_shape_cores(s, node, procs),
				cs_layout_memory(node, s, procs), &more);
	*memo = (struct cs_gpu_memo){
		node->gpus, used,   cores,
		procs,	    mem_mb, as_key(more) << 32 | best_fit(&x)
	};
	return memo->key;
}
