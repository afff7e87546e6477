/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * order=shifted: by arrival, but large and long jobs count as having come later.
 *
 * Problem.  By arrival, a job of a minute waits behind jobs of a day.  Shortest first, or
 * by expansion (expansion.c), gives short waits, but lets single jobs wait for very long.
 * Wanted: nearly all of that gain, and for each job an instant from which on no job
 * that comes is before it.
 *
 * Symbols	C name		unit
 *   U		usual_us	us, the usual limit where the job was submitted (usual.c)
 *   a		age_us		us, how long it has been eligible
 *   L		estimate_us	us, its limit
 *   c		cores		hardware threads that it asks for
 *   M		all		hardware threads of its largest partition
 *   s		shift_us	us, how much later a job may come and still be before it
 *   f		discount	1, part of its age that does not count
 *   T		rule_us		us
 *
 * Rule.  Of one precedence and partition tier the largest
 *
 *	s = U min(shift_most, sqrt(L M / (U c)))			(1)
 *	f = shift_long L / (L + shift_long_at U)			(2)
 *	T = a - min(f a, shift_long_most U) - s				(3)
 *
 * is first.  With priorities that the site computes (age_points >= 0, the points that a
 * second of age is worth) the largest
 *
 *	priority - age_points (min(f min(a, age_most_s), shift_long_most U) + s)	(4)
 *
 * is, so that fair share, QOS, size and nice keep their weights; equal ones by (3).  With
 * age_points = 0, where age has no weight, the site's priority alone, equal ones by (3).
 * A job that the site excepts (CS_JOB_UNSHIFTED) has s = f = 0.
 *
 * Pinned.  A job that becomes the head (easy.c) and is older than pin_after U is pinned:
 * until it starts it keeps its planned start and has no shift (s = f = 0), and of those
 * that (4) leaves equal, or without priorities of all in its tier, it is first.  So jobs go
 * before it by a higher tier or priority only.  Any other job has a planned start only while
 * it is the head.
 *
 * By hand: where Slurm's priorities are its order of arrival (age_points = -1) a job whose
 * priority or nice value was set stands directly behind the one that is before it by
 * Slurm's number, the one with the largest number before all.  With (4) a priority that
 * was set has nothing taken off.
 *
 * Bounds, without site priorities.
 *  B1. j is before i only if it came less than s_i + min(f_i a_i, shift_long_most U_i)
 *      after i, or is pinned.
 *  B2. A pinned job starts by its latest planned start, while nodes and limits stay.
 *  B3. No job that came (shift_most + shift_long_most) U_i after i is ever before i.
 *
 * Example: U = 1 h, M = 4.  A job of 1 h on 4 cores has s = 1 h, one on 1 core 2 h, one of
 * a minute on 4 cores .13 h: of three that come together it is the first.
 *
 * Why: no power but the root, which is the same everywhere (real.h).  Wide jobs have less shift than
 * narrow ones, since they alone need the planned start; narrow ones get through by passing
 * (passing.c).  U scales it to the site.
 *
 * Source: ours; the values are of a search over nine workload logs; what they gain: doc/results/orders.md.
 *
 * Differs: M is what the job's largest partition has for it, without nodes that it excludes
 * or that lack its features.  It has a place in the usual limit of its first partition only,
 * from its submission on, though it may not be eligible yet.  Before the first submission U
 * is an hour, whatever DefaultTime says.
 *
 * Cost: O(waiting) a decide, and a sort if a job has moved, or one was placed by hand.
 */
#include "order/shifted.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/idmap.h"
#include "base/textbuf.h"
#include "learn/real.h"
#include "order/order.h"
#include "order/queue.h"
#include "order/usual.h"
#include "state/pass.h"

#define WEIGHT_UNIT 1e6	   /* of a weight in a line kept */
#define FIRST_OF_ALL 1e300 /* us */
#define PINNED_US 1e16	   /* more than any age */

/* What was known of a waiting job before a restart. */
struct kept_job {
	int64_t usual_us, est_us, max_us;
	bool pinned;
};

struct cs_shifted {
	struct cs_usual usual;
	uint64_t *cores; /* [n_cores] hardware threads of each node set */
	size_t n_cores, cap_cores;
	/* of a restart: jobs submitted by then have counted; CS_TIME_NONE: no restart */
	int64_t counted_us;
	int64_t kept_us; /* when the lines came: later what is left of them goes */
	struct cs_idmap kept; /* struct kept_job by id, owned */
};

/* ---- what a job is shifted by --------------------------------------------- */

/* The hardware threads of node set @set.  -1: no memory. */
static int64_t cores_of(const struct cs_engine *e, uint32_t set)
{
	struct cs_shifted *s = e->shifted;
	uint64_t n = 0;

	if (cs_array_room(&s->cores, &s->cap_cores, (size_t)set + 1))
		return -1;
	for (; s->n_cores <= set; s->n_cores++)
		s->cores[s->n_cores] = 0;
	for (uint32_t i = 0; !s->cores[set] && i < e->machine->n_node; i++)
		if (cs_bit(e->nodeset[set], i))
			n += cs_node_cores(&e->machine->node[i]) *
			     e->machine->node[i].threads;
	s->cores[set] += n;
	return (int64_t)s->cores[set];
}

static int64_t largest(const struct cs_engine *e, const struct cs_job *job)
{
	int64_t most = 0, n;

	for (uint32_t o = 0; o < job->n_option; o++) {
		n = cores_of(e, job->option[o].nodeset);
		if (n < 0)
			return n;
		most = n > most ? n : most;
	}
	return most;
}

static int64_t limit_of(const struct cs_job *job)
{
	int64_t most_us = 0;

	for (uint32_t o = 0; o < job->n_option; o++)
		if (job->option[o].limit_max_us > most_us)
			most_us = job->option[o].limit_max_us;
	return job->estimate_us < most_us ? job->estimate_us : most_us;
}

/* Equations (1) and (2).  0, -ENOMEM. */
static int describe(const struct cs_engine *e, struct cs_ejob *j)
{
	const struct cs_params *p = &e->params;
	double u = (double)j->shift.usual_us, l = (double)limit_of(&j->job);
	double c = (double)j->job.procs * (double)j->job.cpus_per_proc;
	int64_t all = largest(e, &j->job);
	double s;

	if (all < 0)
		return -ENOMEM;
	s = cs_real_root(l * (double)all / (u * c));
	if (j->job.flags & CS_JOB_UNSHIFTED) {
		j->shift.shift_us = j->shift.discount = 0;
		return 0;
	}
	j->shift.shift_us = u * (s < p->shift_most ? s : p->shift_most);
	j->shift.discount = p->shift_long * l / (l + p->shift_long_at * u);
	return 0;
}

static struct kept_job *known(const struct cs_engine *e, uint32_t id)
{
	return cs_idmap_find(&e->shifted->kept, id);
}

/* Has it counted already, before a restart? */
static bool has_counted(const struct cs_shifted *s, const struct cs_job *job)
{
	return s->counted_us != CS_TIME_NONE && job->submit_us <= s->counted_us;
}

static int added(struct cs_engine *e, struct cs_ejob *j)
{
	struct cs_shifted *s = e->shifted;
	struct kept_job *was = known(e, j->job.id);
	const struct cs_usual_job submitted = {
		.nodes = cs_engine_set(e, &j->job.option[0]),
		.at_us = j->job.submit_us,
		.limit_us = limit_of(&j->job),
		.array = j->job.array_id,
	};
	struct cs_usual_group *g =
		cs_usual_group_of(&s->usual, submitted.nodes);

	if (!g)
		return -ENOMEM;
	j->shift.usual_us = was ? was->usual_us : cs_usual_limit_us(g);
	if (describe(e, j))
		return -ENOMEM;
	if (was) {
		j->est_us = was->est_us;
		j->max_us = was->max_us;
		j->shift.pinned = was->pinned;
		free(cs_idmap_remove(&s->kept, j->job.id));
	}
	if (!has_counted(s, &j->job))
		cs_usual_count(&s->usual, g, &submitted);
	return 0;
}

/* Its description has changed, or the host runs it and it waits again. */
static int changed(struct cs_engine *e, struct cs_ejob *j)
{
	j->shift.pinned &= j->state == CS_WAITING;
	return describe(e, j);
}

/* Each task of an array is pinned for itself. */
static void split(struct cs_engine *e, struct cs_ejob *master,
		  struct cs_ejob *task)
{
	(void)e;
	task->shift = master->shift;
	master->shift.pinned = false;
}

static void merged(struct cs_ejob *master, struct cs_ejob *task)
{
	master->shift.pinned |= task->shift.pinned;
}

static int64_t unit_us(const struct cs_ejob *j)
{
	return j->shift.usual_us;
}

/* ---- the order -------------------------------------------------------------- */

static int64_t age_us(const struct cs_engine *e, const struct cs_ejob *j)
{
	return e->now_us > j->job.eligible_us ? e->now_us - j->job.eligible_us
					      : 0;
}

/* What @j is put off by at @age. */
static double put_off(const struct cs_engine *e, const struct cs_ejob *j,
		      double age)
{
	double most = e->params.shift_long_most * (double)j->shift.usual_us;
	double off = j->shift.discount * age;

	if (j->shift.pinned)
		return 0;
	return (off < most ? off : most) + j->shift.shift_us;
}

static void rank(const struct cs_engine *e, struct cs_ejob *j)
{
	const struct cs_params *p = &e->params;
	double age = (double)age_us(e, j);
	double most = p->age_most_s ? (double)p->age_most_s * 1e6 : age;

	j->shift.rule_us = age - put_off(e, j, age);
	if (j->shift.pinned)
		j->shift.rule_us += PINNED_US;
	j->shift.hand = 0;
	j->shift.points =
		p->age_points > 0 && !(j->job.flags & CS_JOB_PRIORITY_SET)
			? p->age_points / 1e6 *
				  put_off(e, j, age < most ? age : most)
			: 0;
}

/* A job that is no longer the head has no planned start.  At the end of a walk, which is
 * in the log if that changes anything: what a refresh forgets is not. */
static void walked(struct cs_engine *e)
{
	for (size_t i = 0; i < e->waiting.n; i++) {
		struct cs_ejob *j = e->waiting.job[i];

		if (!j->est_us || j->shift.pinned || cs_sm_of(e, j) != e->sm ||
		    cs_pass_why(e, j) == CS_WHY_HEAD ||
		    cs_pass_why(e, j) == CS_WHY_PLANNED)
			continue;
		j->est_us = j->max_us = 0;
		e->changed = true;
	}
}

static bool by_hand(const struct cs_ejob *j)
{
	return j->job.flags & CS_JOB_PRIORITY_SET || j->job.nice;
}

static int by_number(const void *va, const void *vb)
{
	const struct cs_ejob *a = *(struct cs_ejob *const *)va;
	const struct cs_ejob *b = *(struct cs_ejob *const *)vb;
	const struct cs_entry x = { (struct cs_ejob *)a, 0 };
	const struct cs_entry y = { (struct cs_ejob *)b, 0 };
	uint64_t p = a->job.option[0].priority;
	uint64_t q = b->job.option[0].priority;

	return p != q ? (p > q ? -1 : 1) : cs_order_by_time(&x, &y);
}

/* Jobs whose priority was set by hand get their places; without memory, that of the
 * rule. */
static void place_by_hand(struct cs_engine *e)
{
	const struct cs_list *w = &e->waiting;
	const struct cs_ejob *before = NULL;
	struct cs_ejob **all = NULL;
	uint32_t hand = 0;
	bool any = false;

	for (size_t i = 0; i < w->n; i++)
		any |= by_hand(w->job[i]);
	if (any)
		all = malloc(w->n * sizeof(*all));
	if (!all)
		return;
	memcpy(all, w->job, w->n * sizeof(*all));
	qsort(all, w->n, sizeof(*all), by_number);
	for (size_t i = 0; i < w->n; i++) {
		if (!by_hand(all[i])) {
			before = all[i];
			hand = 0;
			continue;
		}
		all[i]->shift.hand = ++hand;
		all[i]->shift.rule_us =
			before ? before->shift.rule_us : FIRST_OF_ALL;
	}
	free(all);
}

static bool refresh(struct cs_engine *e)
{
	for (size_t i = 0; i < e->waiting.n; i++)
		rank(e, e->waiting.job[i]);
	if (e->params.age_points < 0)
		place_by_hand(e);
	return cs_order_ranked(e);
}

static int by_rule(const struct cs_entry *a, const struct cs_entry *b)
{
	const struct cs_shift *x = &a->job->shift, *y = &b->job->shift;

	if (x->rule_us != y->rule_us)
		return x->rule_us > y->rule_us ? -1 : 1;
	if (x->hand != y->hand)
		return x->hand < y->hand ? -1 : 1;
	return cs_order_by_time(a, b);
}

/* Equation (3). */
static int cmp_age(const void *va, const void *vb)
{
	const struct cs_entry *a = va, *b = vb;

	return cs_order_by_precedence(a, b) ?: by_rule(a, b);
}

/* Equation (4). */
static int cmp_points(const void *va, const void *vb)
{
	const struct cs_entry *a = va, *b = vb;
	double x = (double)a->job->job.option[a->option].priority -
		   a->job->shift.points;
	double y = (double)b->job->job.option[b->option].priority -
		   b->job->shift.points;
	int c = cs_order_by_precedence(a, b);

	if (c)
		return c;
	return x != y ? (x > y ? -1 : 1) : by_rule(a, b);
}

static cs_cmp_fn *cmp(const struct cs_params *p)
{
	return p->age_points < 0 ? cmp_age : cmp_points;
}

static bool pin(struct cs_engine *e, struct cs_ejob *j)
{
	if (j->shift.pinned ||
	    (double)age_us(e, j) <
		    e->params.pin_after * (double)j->shift.usual_us)
		return false;
	j->shift.pinned = true;
	e->changed = true;
	return true;
}

/* ---- over a restart --------------------------------------------------------- */

static void forget_kept(struct cs_shifted *s)
{
	for (size_t i = 0; i < s->kept.cap; i++)
		free(s->kept.at[i].thing);
	cs_idmap_clear(&s->kept);
}

/* Jobs that have not come by now have left. */
static void forget_left(struct cs_engine *e)
{
	struct cs_shifted *s = e->shifted;

	if (s->kept.n && e->now_us > s->kept_us)
		forget_kept(s);
}

/* " FIRST LAST" of each run of nodes. */
static void put_nodes(struct cs_textbuf *t, const struct cs_usual *u,
		      const uint64_t *nodes)
{
	uint32_t n = u->words * 64;

	for (uint32_t i = 0, end; i < n; i = end + 1) {
		for (end = i; end < n && cs_bit(nodes, end); end++)
			;
		if (end > i)
			cs_textbuf_print(t, " %u %u", i, end - 1);
	}
}

static void put_group(struct cs_textbuf *t, const struct cs_usual *u,
		      const struct cs_usual_group *g)
{
	cs_textbuf_print(t, "usual %" PRId64 " %" PRId64 " %" PRId64 " %u",
			 cs_usual_limit_us(g),
			 (int64_t)(g->weight * WEIGHT_UNIT), g->at_us,
			 g->array);
	put_nodes(t, u, g->nodes);
	cs_textbuf_print(t, "\n");
}

void cs_shifted_keep(const struct cs_engine *e, struct cs_textbuf *t)
{
	const struct cs_usual *u = e->shifted ? &e->shifted->usual : NULL;

	for (size_t i = 0; u && i < u->n; i++)
		if (u->group[i].weight > 0)
			put_group(t, u, &u->group[i]);
	for (size_t i = 0; u && i < e->waiting.n; i++) {
		const struct cs_ejob *j = e->waiting.job[i];

		if (j->job.id)
			cs_textbuf_print(t,
					 "shift %u %" PRId64 " %d %" PRId64
					 " %" PRId64 "\n",
					 j->job.id, j->shift.usual_us,
					 j->shift.pinned, j->est_us, j->max_us);
	}
}

/* The next @n numbers, each behind a blank: what follows them; NULL: other text. */
static const char *numbers(const char *at, int64_t *ret, int n)
{
	char *end;

	for (int i = 0; i < n; i++, at = end) {
		if (*at != ' ' || at[1] == ' ')
			return NULL;
		errno = 0;
		ret[i] = strtoll(at + 1, &end, 10);
		if (errno || end == at + 1)
			return NULL;
	}
	return at;
}

static bool within(int64_t x, int64_t least, int64_t most)
{
	return x >= least && x <= most;
}

/* The nodes of runs " FIRST LAST ...", at least one; false: other text. */
static bool read_nodes(const struct cs_engine *e, const char *at,
		       uint64_t *nodes)
{
	int64_t most = (int64_t)e->machine->n_node - 1, run[2];

	memset(nodes, 0, e->shifted->usual.words * sizeof(*nodes));
	do {
		at = numbers(at, run, 2);
		if (!at || !within(run[0], 0, most) ||
		    !within(run[1], run[0], most))
			return false;
		for (int64_t i = run[0]; i <= run[1]; i++)
			cs_bit_set(nodes, (uint32_t)i);
	} while (*at);
	return true;
}

static int read_usual(struct cs_engine *e, const char *line, struct cs_err *err)
{
	enum { MEAN, WEIGHT, AT, ARRAY, N };
	struct cs_shifted *s = e->shifted;
	uint64_t *nodes = e->mask;
	struct cs_usual_group *g;
	int64_t x[N];
	const char *rest = numbers(line + strlen("usual"), x, N);

	if (!rest || !read_nodes(e, rest, nodes) ||
	    !within(x[MEAN], CS_USUAL_LEAST_US, CS_USUAL_MOST_US) ||
	    !within(x[WEIGHT], 1, CS_TIME_NONE / 4) ||
	    !within(x[AT], -(CS_TIME_NONE / 4), CS_TIME_NONE / 4) ||
	    !within(x[ARRAY], 0, UINT32_MAX))
		return cs_err_set(err, -EINVAL,
				  "'%.80s' is no usual limit, expected 'usual "
				  "MEAN WEIGHT TIME ARRAY FIRST LAST ...'",
				  line);
	g = cs_usual_group_of(&s->usual, nodes);
	if (!g)
		return -ENOMEM;
	g->weight = (double)x[WEIGHT] / WEIGHT_UNIT;
	g->sum_us = g->weight * (double)x[MEAN];
	g->at_us = x[AT];
	g->array = (uint32_t)x[ARRAY];
	if (s->counted_us == CS_TIME_NONE || s->counted_us < x[AT])
		s->counted_us = x[AT];
	return 0;
}

static int read_job(struct cs_engine *e, const char *line, struct cs_err *err)
{
	enum { JOB, USUAL, PINNED, RESPONSE, LATEST, N };
	struct cs_shifted *s = e->shifted;
	struct kept_job *k;
	int64_t x[N];
	const char *rest = numbers(line + strlen("shift"), x, N);

	if (!rest || *rest || !within(x[JOB], 1, UINT32_MAX) ||
	    known(e, (uint32_t)x[JOB]) ||
	    !within(x[USUAL], CS_USUAL_LEAST_US, CS_USUAL_MOST_US) ||
	    !within(x[PINNED], 0, 1) ||
	    !within(x[RESPONSE], 0, CS_TIME_NONE / 4) ||
	    !within(x[LATEST], x[RESPONSE], CS_TIME_NONE / 4))
		return cs_err_set(err, -EINVAL,
				  "'%.80s' is no job's shift, expected 'shift "
				  "JOB USUAL PINNED RESPONSE LATEST'",
				  line);
	k = malloc(sizeof(*k));
	if (!k || cs_idmap_reserve(&s->kept, s->kept.n + 1)) {
		free(k);
		return -ENOMEM;
	}
	*k = (struct kept_job){ .usual_us = x[USUAL],
				.est_us = x[RESPONSE],
				.max_us = x[LATEST],
				.pinned = x[PINNED] };
	cs_idmap_add(&s->kept, (uint64_t)x[JOB], k);
	return 0;
}

bool cs_shifted_is_line(const char *line)
{
	return !strncmp(line, "usual ", 6) || !strncmp(line, "shift ", 6);
}

/* Lines of another order, from before the policy changed, say nothing here. */
static int restore(struct cs_engine *e, const char *line, struct cs_err *err)
{
	e->shifted->kept_us = e->now_us;
	if (!strncmp(line, "usual ", 6))
		return read_usual(e, line, err);
	if (!strncmp(line, "shift ", 6))
		return read_job(e, line, err);
	return 0;
}

/* ---- life ------------------------------------------------------------------- */

static int init(struct cs_engine *e)
{
	struct cs_shifted *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->usual.words = cs_node_words(e->machine);
	s->usual.half_jobs = (double)e->params.usual_jobs;
	s->usual.half_us = (double)e->params.usual_s * 1e6;
	s->counted_us = CS_TIME_NONE;
	e->shifted = s;
	return 0;
}

static void done(struct cs_engine *e)
{
	struct cs_shifted *s = e->shifted;

	if (!s)
		return;
	cs_usual_done(&s->usual);
	free(s->cores);
	forget_kept(s);
	cs_idmap_done(&s->kept);
	free(s);
}

static int copy(struct cs_engine *to, const struct cs_engine *from)
{
	const struct cs_idmap *kept = &from->shifted->kept;
	struct cs_shifted *s = to->shifted;

	s->counted_us = from->shifted->counted_us;
	s->kept_us = from->shifted->kept_us;
	if (cs_usual_copy(&s->usual, &from->shifted->usual) ||
	    cs_idmap_reserve(&s->kept, kept->n))
		return -ENOMEM;
	for (size_t i = 0; i < kept->cap; i++) {
		struct kept_job *k;

		if (!kept->at[i].thing)
			continue;
		k = malloc(sizeof(*k));
		if (!k)
			return -ENOMEM;
		*k = *(const struct kept_job *)kept->at[i].thing;
		cs_idmap_add(&s->kept, kept->at[i].id, k);
	}
	return 0;
}

const struct cs_order_ops cs_order_shifted = {
	.cmp = cmp,
	.priority = true,
	.by_hand = true,
	.shifts = true,
	.init = init,
	.done = done,
	.copy = copy,
	.clock = forget_left,
	.refresh = refresh,
	.added = added,
	.changed = changed,
	.split = split,
	.merged = merged,
	.walked = walked,
	.unit_us = unit_us,
	.pin = pin,
	.restore = restore,
};
