/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "check/check_gpus.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/bits.h"
#include "common/log/log_alloc.h"
#include "common/log/read_field.h"

int cs_check_gpus_init(struct cs_check_gpus *g, const struct cs_machine *m)
{
	*g = (struct cs_check_gpus){ .n_node = m->n_node,
				     .most = m->gpus_most };
	if (!g->most)
		return 0;
	g->has = calloc(m->n_node, sizeof(*g->has));
	g->used = calloc((size_t)m->n_node * g->most, sizeof(*g->used));
	if (!g->has || !g->used) {
		cs_check_gpus_done(g);
		return -ENOMEM;
	}
	for (uint32_t n = 0; n < m->n_node; n++)
		g->has[n] = m->node[n].gpus ? m->node[n].gpus->n : 0;
	return 0;
}

void cs_check_gpus_done(struct cs_check_gpus *g)
{
	free(g->has);
	free(g->used);
	*g = (struct cs_check_gpus){ 0 };
}

int cs_check_gpus_become(struct cs_check_gpus *g, uint32_t n,
			 const struct cs_node *now, struct cs_err *err)
{
	uint32_t has = now->gpus ? now->gpus->n : 0;

	if (has > g->most)
		return cs_err_set(err, -EINVAL,
				  "node %u has %u GPUs from now on, expected "
				  "at most %u as in the header",
				  n, has, g->most);
	if (g->has)
		g->has[n] = has;
	return 0;
}

static void move(struct cs_check_gpus *g, const struct cs_check_gpu_part *p,
		 uint32_t share, bool take)
{
	for (uint32_t n = p->first; n <= p->last && n < g->n_node; n++)
		for (uint64_t set = p->set; set;) {
			uint32_t i = cs_bit_pop(&set);

			if (i < g->most)
				g->used[(size_t)n * g->most + i] +=
					take ? share : -share;
		}
}

void cs_check_gpus_give(struct cs_check_gpus *g, struct cs_check_gpu_hold *h)
{
	for (size_t i = 0; g->used && i < h->n; i++)
		move(g, &h->part[i], h->share, false);
	free(h->part);
	h->part = NULL;
	h->n = 0;
}

/* Is so much of the GPUs of @p there and free? */
static int check(const struct cs_check_gpus *g,
		 const struct cs_check_gpu_part *p, uint32_t job,
		 uint32_t share, struct cs_err *err)
{
	for (uint32_t n = p->first; n <= p->last; n++) {
		uint32_t has = g->has && n < g->n_node ? g->has[n] : 0;

		for (uint64_t set = p->set; set;) {
			uint32_t i = cs_bit_pop(&set), used;

			if (i >= has)
				return cs_err_set(err, -EINVAL,
						  "job %u on GPU %u of node "
						  "%u, expected one of the %u "
						  "that it has",
						  job, i, n, has);
			used = g->used[(size_t)n * g->most + i];
			if (used + share > CS_GPU_WHOLE)
				return cs_err_set(
					err, -EINVAL,
					"job %u takes %u thousandths of GPU "
					"%u of node %u, of which jobs hold "
					"%u, expected at most %d in all",
					job, share, i, n, used, CS_GPU_WHOLE);
		}
	}
	return 0;
}

/* Take one entry, "0-3":"0,2", of which there may be several nodes; "" holds none. */
static int take_entry(struct cs_check_gpus *g, const char *nodes,
		      const char *gpus, uint32_t job,
		      struct cs_check_gpu_hold *h, struct cs_err *err)
{
	struct cs_range *r = NULL;
	struct cs_check_gpu_part *part;
	size_t n = 0;
	uint64_t set = 0;
	int rc = cs_log_ranges_read(nodes, "nodes", &r, &n, err)
			 ?: cs_log_gpus_read(gpus, &set, err);

	part = rc ? NULL : realloc(h->part, (h->n + n) * sizeof(*part));
	if (!rc && !part)
		rc = cs_err_set(err, -ENOMEM, "no memory");
	h->part = part ? part : h->part;
	for (size_t i = 0; !rc && i < n; i++) {
		struct cs_check_gpu_part p = { r[i].first, r[i].last, set };

		rc = check(g, &p, job, h->share, err);
		if (rc)
			break;
		move(g, &p, h->share, true);
		h->part[h->n++] = p;
	}
	free(r);
	return rc;
}

int cs_check_gpus_take(struct cs_check_gpus *g, struct json_object *line,
		       uint32_t job, uint32_t share,
		       struct cs_check_gpu_hold *ret, struct cs_err *err)
{
	struct cs_check_gpu_hold h = { .share = share ? share : CS_GPU_WHOLE };
	struct json_object *v;
	int rc = 0;

	if (!json_object_object_get_ex(line, "node_gpus", &v))
		return 0;
	if (!json_object_is_type(v, json_type_object))
		return cs_log_wrong(v, "node_gpus", "an object", err);
	json_object_object_foreach(v, nodes, x) {
		if (!json_object_is_type(x, json_type_string))
			rc = cs_log_wrong(x, "node_gpus",
					  "lists such as \"0-2,5\"", err);
		else
			rc = take_entry(g, nodes, json_object_get_string(x),
					job, &h, err);
		if (rc)
			break;
	}
	if (rc)
		cs_check_gpus_give(g, &h);
	else
		*ret = h;
	return rc;
}

int cs_check_gpus_enough(const struct cs_check_gpu_hold *h, uint64_t nodes,
			 const struct cs_check_gpu_ask *asks, uint32_t job,
			 struct cs_err *err)
{
	uint64_t want = asks->node ? asks->node * nodes : asks->all, n = 0;

	for (size_t i = 0; i < h->n; i++)
		n += (uint64_t)cs_popcount(h->part[i].set) *
		     (h->part[i].last - h->part[i].first + 1);
	if (n == want || (asks->nodes_whole && n > want))
		return 0;
	return cs_err_set(err, -EINVAL,
			  "start of job %u with GPUs: %llu, expected %llu as "
			  "it asks for",
			  job, (unsigned long long)n, (unsigned long long)want);
}
