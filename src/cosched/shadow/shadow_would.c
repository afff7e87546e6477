/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The proposals in a log of mode shadow: moments and neighbours, rules 2 and 3 of
 * shadow_read.c. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"
#include "common/log/read_field.h"
#include "common/log/read_line.h"
#include "shadow/shadow_reader.h"

void cs_shadow_now_clear(struct cs_shadow_reader *r)
{
	for (size_t i = 0; i < r->n_now; i++)
		free(r->now[i].node);
	r->n_now = 0;
}

void cs_shadow_instant_ends(struct cs_shadow_reader *r)
{
	cs_shadow_now_clear(r);
	r->now_us = CS_TIME_NONE;
	for (struct cs_shadow_known *k = r->all.waiting.next;
	     k != &r->all.waiting; k = k->next)
		k->asked_us = CS_TIME_NONE;
}

struct cs_shadow_would cs_shadow_take_first(struct cs_shadow_reader *r,
					    struct cs_shadow_known *k)
{
	struct cs_shadow_would w = { .at_us = CS_TIME_NONE };

	if (!k->n_would)
		return w;
	w = k->would[0];
	k->n_would--;
	memmove(k->would, k->would + 1, k->n_would * sizeof(*k->would));
	for (size_t i = 0; i < r->n_now; i++)
		if (r->now[i].id == k->id && r->now[i].moment != SIZE_MAX)
			r->now[i].moment = r->now[i].moment
						   ? r->now[i].moment - 1
						   : SIZE_MAX;
	return w;
}

bool cs_shadow_counts(const struct cs_shadow *s,
		      const struct cs_shadow_known *k)
{
	return !k->left &&
	       (s->since_us == CS_IMPORT_NONE || k->since_us >= s->since_us);
}

static int count_pair(struct cs_shadow *s, const struct cs_shadow_who *of,
		      const struct cs_shadow_who *beside, bool grouped)
{
	int32_t a = of->name[CS_SHADOW_PROFILE];
	int32_t b = beside->name[CS_SHADOW_PROFILE];
	size_t i = 0;

	while (i < s->n_pair && (s->pair[i].of != a || s->pair[i].beside != b))
		i++;
	if (i == s->n_pair) {
		if (cs_array_room(&s->pair, &s->cap_pair, i + 1))
			return -ENOMEM;
		s->pair[s->n_pair++] = (struct cs_shadow_pair){ a, b, 0, 0 };
	}
	s->pair[i].n++;
	s->pair[i].grouped += grouped;
	return 0;
}

static int put_beside(struct cs_shadow *s, const struct cs_shadow_known *k,
		      struct cs_shadow_would *w, uint32_t id,
		      const struct cs_shadow_who *who)
{
	if (w->n_beside < CS_SHADOW_BESIDE) {
		w->beside[w->n_beside] = id;
		w->beside_user[w->n_beside] = who->name[CS_SHADOW_USER];
	}
	w->n_beside++;
	return cs_shadow_counts(s, k) ? count_pair(s, &k->who, who, w->grouped)
				      : 0;
}

/* Rule 3, the running jobs. */
static int beside_running(struct cs_shadow_reader *r,
			  const struct cs_shadow_known *k,
			  const struct cs_shadow_proposed *p,
			  struct cs_shadow_would *w)
{
	int rc = 0;

	for (struct cs_shadow_known *x = r->all.running.next;
	     !rc && x != &r->all.running; x = x->next)
		if (cs_shadow_meet(p->node, p->n_node, x->node, x->n_node))
			rc = put_beside(r->s, k, w, x->id, &x->who);
	return rc;
}

/* The moment that proposal @p created; NULL: none. */
static struct cs_shadow_would *moment_of(struct cs_shadow_reader *r,
					 const struct cs_shadow_proposed *p,
					 struct cs_shadow_known **ret)
{
	struct cs_shadow_known *k = cs_shadow_find(&r->all, p->id);

	*ret = k;
	if (!k || k->runs || p->moment >= k->n_would ||
	    k->would[p->moment].at_us != r->now_us)
		return NULL;
	return &k->would[p->moment];
}

/* Rule 3, the jobs proposed along with @p: both are neighbours. */
static int beside_proposed(struct cs_shadow_reader *r,
			   const struct cs_shadow_proposed *p)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < r->n_now; i++) {
		const struct cs_shadow_proposed *q = &r->now[i];
		struct cs_shadow_known *of_p, *of_q;
		struct cs_shadow_would *w = moment_of(r, p, &of_p);
		struct cs_shadow_would *v = moment_of(r, q, &of_q);

		if (!cs_shadow_meet(p->node, p->n_node, q->node, q->n_node))
			continue;
		if (w)
			rc = put_beside(r->s, of_p, w, q->id, &q->who);
		if (!rc && v)
			rc = put_beside(r->s, of_q, v, p->id, &p->who);
	}
	return rc;
}

static uint32_t cores_of(const struct cs_log_alloc *a)
{
	uint64_t n = 0;

	for (size_t i = 0; i < a->n_part; i++) {
		const struct cs_log_part *p = &a->part[i];
		uint64_t each = 0;

		for (size_t c = 0; c < p->n_core; c++)
			each += (uint64_t)a->core[p->core + c].last -
				a->core[p->core + c].first + 1;
		n += each * ((uint64_t)p->nodes.last - p->nodes.first + 1);
	}
	return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

/* Add a moment to @k: its first, or for an array the next task's. */
static int moment(struct cs_shadow_reader *r, struct cs_shadow_known *k,
		  const struct cs_log_line *l,
		  const struct cs_shadow_proposed *p)
{
	struct cs_shadow_would w = {
		.at_us = r->now_us,
		.cores = l->alloc ? cores_of(l->alloc) : 0,
		.grouped = l->action.group,
	};
	int rc;

	if (k->estimate_us > 0 && l->action.limit_us != CS_TIME_NONE &&
	    l->action.limit_us > k->estimate_us)
		w.raised_us = l->action.limit_us - k->estimate_us;
	rc = cs_array_room(&k->would, &k->cap_would, k->n_would + 1);
	if (!rc)
		rc = beside_running(r, k, p, &w);
	if (!rc)
		k->would[k->n_would++] = w;
	return rc;
}

/* Rule 2. */
int cs_shadow_propose(struct cs_shadow_reader *r, const struct cs_log_line *l)
{
	struct cs_shadow_known *k = cs_shadow_find(&r->all, l->job);
	struct cs_shadow_proposed p;
	int rc;

	if (!k || k->runs ||
	    (!cs_log_says(l->json, "do", "start") &&
	     !cs_log_says(l->json, "do", "host_start")))
		return 0;
	r->s->proposals++;
	if (l->event.t_us != r->now_us)
		cs_shadow_now_clear(r);
	r->now_us = l->event.t_us;
	if (k->asked_us != r->now_us)
		k->asked = 0;
	k->asked_us = r->now_us;
	p = (struct cs_shadow_proposed){ k->id, k->who, NULL, 0, SIZE_MAX };
	rc = l->alloc ? cs_shadow_nodes(l->alloc, &p.node, &p.n_node) : 0;
	if (!rc && k->asked++ >= k->n_would && k->n_would < k->tasks) {
		p.moment = k->n_would;
		rc = moment(r, k, l, &p);
	}
	if (!rc)
		rc = beside_proposed(r, &p);
	if (!rc)
		rc = cs_array_room(&r->now, &r->cap_now, r->n_now + 1);
	if (rc)
		free(p.node);
	else
		r->now[r->n_now++] = p;
	return rc;
}
