/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "estimate/arrivals.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"
#include "base/idmap.h"
#include "base/utf8.h"
#include "estimate/numbers.h"
#include "state/jobtable.h"

struct cs_arrivals {
	uint32_t most, cap;
	uint32_t first, n; /* [n] from first on, around the end of the array */
	struct cs_arrival *arrival; /* [cap] */
	struct cs_idmap by_id;	    /* their indexes plus 1 */
	uint64_t **nodes; /* [n_nodes] sets of restored jobs, each once */
	uint32_t n_nodes;
	/* While lines are restored: */
	bool others;   /* they are of a machine with other nodes */
	uint32_t *set; /* [SETS] index into nodes of the lines' set; NO_SET */
};

struct cs_arrivals *cs_arrivals_create(uint32_t most)
{
	struct cs_arrivals *a = calloc(1, sizeof(*a));

	if (a)
		a->most = most;
	return a;
}

static struct cs_arrival *nth(const struct cs_arrivals *a, uint32_t k)
{
	return &a->arrival[(a->first + k) % a->cap];
}

static void forget_oldest(struct cs_arrivals *a)
{
	struct cs_arrival *x = nth(a, 0);
	uintptr_t at = (uintptr_t)cs_idmap_find(&a->by_id, x->job.id);

	if (at == (uintptr_t)(x - a->arrival) + 1)
		cs_idmap_remove(&a->by_id, x->job.id);
	free(x->own);
	x->own = NULL;
	a->first = (a->first + 1) % a->cap;
	a->n--;
}

void cs_arrivals_free(struct cs_arrivals *a)
{
	if (!a)
		return;
	while (a->n)
		forget_oldest(a);
	free(a->arrival);
	for (uint32_t i = 0; i < a->n_nodes; i++)
		free(a->nodes[i]);
	free(a->nodes);
	free(a->set);
	cs_idmap_done(&a->by_id);
	free(a);
}

/* Room for one more: the array grows only while its jobs begin at its first place. */
static int make_room(struct cs_arrivals *a, int64_t now_us)
{
	int64_t since_us = now_us - CS_ARRIVALS_WEEKS * CS_ARRIVALS_WEEK_US;

	/* one older job stays: it says that the weeks after it are whole */
	while (a->n > 1 && nth(a, 1)->at_us < since_us)
		forget_oldest(a);
	if (a->n == a->most)
		forget_oldest(a);
	if (a->n == a->cap) {
		struct cs_arrival *to;
		uint32_t more = a->cap ? 2 * a->cap : CS_ARRAY_FIRST;

		more = more < a->most ? more : a->most;
		to = calloc(more, sizeof(*to));
		if (!to)
			return -ENOMEM;
		for (uint32_t k = 0; k < a->n; k++) {
			to[k] = *nth(a, k);
			if (cs_idmap_remove(&a->by_id, to[k].job.id))
				cs_idmap_add(&a->by_id, to[k].job.id,
					     (void *)((uintptr_t)k + 1));
		}
		free(a->arrival);
		a->arrival = to;
		a->first = 0;
		a->cap = more;
	}
	return cs_idmap_reserve(&a->by_id, a->n + 1);
}

static int add(struct cs_arrivals *a, const struct cs_job *job, int64_t now_us,
	       bool restored)
{
	struct cs_arrival *x;

	if (make_room(a, now_us))
		return -ENOMEM;
	x = nth(a, a->n);
	*x = (struct cs_arrival){ .at_us = now_us, .restored = restored };
	if (cs_jobtable_describe(&x->job, &x->own, job))
		return -ENOMEM;
	a->n++;
	cs_idmap_remove(&a->by_id, job->id);
	cs_idmap_add(&a->by_id, job->id,
		     (void *)((uintptr_t)(x - a->arrival) + 1));
	return 0;
}

int cs_arrivals_add(struct cs_arrivals *a, const struct cs_job *job,
		    int64_t now_us)
{
	return add(a, job, now_us, false);
}

int cs_arrivals_options(const struct cs_arrivals *a, const struct cs_arrival *x,
			struct cs_engine *e, struct cs_job_partition *ret)
{
	for (uint32_t i = 0; i < x->job.n_option; i++) {
		int64_t number;

		ret[i] = x->job.option[i];
		number = cs_engine_nodeset(e, a->nodes[ret[i].nodeset]);
		if (number < 0)
			return (int)number;
		ret[i].nodeset = (uint32_t)number;
	}
	return 0;
}

void cs_arrivals_ended(struct cs_arrivals *a, uint32_t id, int64_t ran_us)
{
	uintptr_t at = (uintptr_t)cs_idmap_find(&a->by_id, id);

	if (at)
		a->arrival[at - 1].ran_us = ran_us > 1 ? ran_us : 1;
}

int64_t cs_arrivals_last_us(const struct cs_arrivals *a)
{
	return a->n ? nth(a, a->n - 1)->at_us : CS_TIME_NONE;
}

uint32_t cs_arrivals_weeks(const struct cs_arrivals *a, int64_t now_us)
{
	int64_t weeks =
		a->n ? (now_us - nth(a, 0)->at_us) / CS_ARRIVALS_WEEK_US : 0;

	return weeks < CS_ARRIVALS_WEEKS ? (uint32_t)weeks : CS_ARRIVALS_WEEKS;
}

struct cs_arrivals_walk cs_arrivals_begin(const struct cs_arrivals *a,
					  int64_t now_us, uint32_t weeks)
{
	struct cs_arrivals_walk w = { .arrivals = a };
	int64_t since_us = now_us - weeks * CS_ARRIVALS_WEEK_US;
	uint32_t from = 0, to = a->n;

	while (from < to) { /* the first one after since_us */
		uint32_t half = from + (to - from) / 2;

		if (nth(a, half)->at_us <= since_us)
			from = half + 1;
		else
			to = half;
	}
	if (!weeks || from == a->n)
		return w;
	w.first = w.at = from;
	w.period_us = w.shift_us = weeks * CS_ARRIVALS_WEEK_US;
	return w;
}

const struct cs_arrival *cs_arrivals_next(const struct cs_arrivals_walk *w,
					  int64_t *ret_at_us)
{
	const struct cs_arrival *x;

	if (!w->period_us)
		return NULL;
	x = nth(w->arrivals, w->at);
	*ret_at_us = x->at_us + w->shift_us;
	return x;
}

void cs_arrivals_pass(struct cs_arrivals_walk *w)
{
	if (!w->period_us || ++w->at < w->arrivals->n)
		return;
	w->at = w->first;
	w->shift_us += w->period_us;
}

/* ---- lines ------------------------------------------------------------------ */

/*
 * "arrivals NODES": begins the lines of a machine with so many nodes.
 * "nodes SET FIRST LAST ...": the nodes of a set, in ranges.
 * "arrival AT RAN OPTIONS JOB... OPTION... =USER =...": a job, the oldest first: its time,
 * its runtime, how many partitions it has; numbers in the order of the tables below; the
 * texts.  An empty text stands for none, too.
 */
#define LINE_BEFORE 64 /* what precedes them, and their names, have at most */
#define NO_SET UINT32_MAX
#define SETS 1024
#define RANGES 128
#define TEXT_MOST 400 /* bytes of a job's texts */

enum form { U32, U64, I32, I64 };

struct number {
	size_t at;
	enum form form;
};

#define JOB(m, f)                             \
	{                                     \
		offsetof(struct cs_job, m), f \
	}
#define OPTION(m, f)                                    \
	{                                               \
		offsetof(struct cs_job_partition, m), f \
	}

static const struct number of_job[] = {
	JOB(id, U32),	      JOB(array_id, U32),    JOB(tasks, U32),
	JOB(flags, U32),      JOB(procs, U32),	     JOB(cpus_per_proc, U32),
	JOB(min_nodes, U32),  JOB(max_nodes, U32),   JOB(procs_per_node, U32),
	JOB(base_procs, U32), JOB(mem_node_mb, U64), JOB(mem_cpu_mb, U64),
	JOB(least_cpus, U32), JOB(threads, U32),     JOB(mem_threads, U32),
	JOB(gpus_node, U32),  JOB(gpus, U32),	     JOB(gpu_share, U32),
	JOB(warn_s, U32),     JOB(wishes, U32),	     JOB(dist, U32),
	JOB(share, U32),      JOB(nice, I32),	     JOB(estimate_us, I64),
};

static const struct number of_option[] = {
	OPTION(partition, U32), OPTION(tier, U32),    OPTION(precedence, U32),
	OPTION(priority, U64),	OPTION(nodeset, U32), OPTION(limit_max_us, I64),
	OPTION(flags, U32),	OPTION(over_s, U32),
};

#define N(table) (sizeof(table) / sizeof(*(table)))
#define NUMBERS (3 + N(of_job) + 1 + CS_ARRIVALS_OPTIONS * N(of_option))

static const size_t texts[] = {
	offsetof(struct cs_job, user),	   offsetof(struct cs_job, account),
	offsetof(struct cs_job, name),	   offsetof(struct cs_job, partition),
	offsetof(struct cs_job, profile),  offsetof(struct cs_job, campaign),
	offsetof(struct cs_job, gpu_type),
};

/* No line is cut in a log. */
_Static_assert(LINE_BEFORE + (1 + 2 * RANGES) * CS_NUMBERS_U32 < CS_EVENT_KEPT,
	       "nodes");
_Static_assert(LINE_BEFORE + NUMBERS * CS_NUMBERS_I64 + N(texts) * 2 +
			       TEXT_MOST <
		       CS_EVENT_KEPT,
	       "arrival");

static const char *text_of(const struct cs_job *j, size_t at)
{
	const char *text =
		*(const char *const *)(const void *)((const char *)j + at);

	return text ? text : "";
}

static void put_members(struct cs_textbuf *t, const void *of,
			const struct number *number, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const void *m = (const char *)of + number[i].at;

		switch (number[i].form) {
		case U32:
			cs_numbers_put(t, *(const uint32_t *)m);
			break;
		case U64: /* beyond INT64_MAX negative */
			cs_numbers_put(t, (int64_t) * (const uint64_t *)m);
			break;
		case I32:
			cs_numbers_put(t, *(const int32_t *)m);
			break;
		case I64:
			cs_numbers_put(t, *(const int64_t *)m);
			break;
		}
	}
}

/* @x as the job @j, whose sets have the lines' numbers. */
static void put_arrival(struct cs_textbuf *t, const char *before,
			const struct cs_arrival *x, const struct cs_job *j)
{
	cs_textbuf_add(t, before);
	cs_textbuf_add(t, "arrival");
	cs_numbers_put(t, x->at_us);
	cs_numbers_put(t, x->ran_us);
	cs_numbers_put(t, j->n_option);
	put_members(t, j, of_job, N(of_job));
	cs_numbers_put_real(t, j->across);
	for (uint32_t i = 0; i < j->n_option; i++)
		put_members(t, &j->option[i], of_option, N(of_option));
	for (size_t i = 0; i < N(texts); i++) {
		cs_textbuf_add(t, " =");
		cs_textbuf_add(t, text_of(j, texts[i]));
	}
	cs_textbuf_byte(t, '\n');
}

/* The sets that the lines have: equal ones once, whether the engine's or restored. */
struct saved {
	const struct cs_arrivals *a;
	const struct cs_engine *e;
	const uint64_t *set[SETS]; /* [n] by the lines' number */
	uint32_t n;
	uint32_t number[2]
		       [SETS]; /* plus 1, of engine's sets, restored ones; or */
};
#define LEFT_OUT UINT32_MAX

/* The ranges of @set among @nodes nodes, first and last in turn, into @ret [2 RANGES]; how
 * many numbers, 0: it is empty, or they are too many.  O(nodes). */
static uint32_t ranges_of(const uint64_t *set, uint32_t nodes, int64_t *ret)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < nodes; i++) {
		if (!cs_bit(set, i))
			continue;
		if (!i || !cs_bit(set, i - 1)) {
			if (n == 2 * RANGES)
				return 0;
			ret[n] = i;
			n += 2;
		}
		ret[n - 1] = i;
	}
	return n;
}

/* The number of @set plus 1, or LEFT_OUT. */
static uint32_t number_of(struct saved *s, const uint64_t *set)
{
	uint32_t nodes = cs_engine_machine(s->e)->n_node;
	int64_t ranges[2 * RANGES];

	for (uint32_t k = 0; k < s->n; k++)
		if (!memcmp(s->set[k], set, cs_bit_words(nodes) * sizeof(*set)))
			return k + 1;
	if (s->n == SETS || !ranges_of(set, nodes, ranges))
		return LEFT_OUT;
	s->set[s->n++] = set;
	return s->n;
}

/* The lines' number of the set of @o, an option of @x.  False: they cannot have it. */
static bool find_set(struct saved *s, const struct cs_arrival *x,
		     struct cs_job_partition *o)
{
	const uint64_t *set;
	uint32_t words, *number;

	if (o->nodeset >= SETS)
		return false;
	number = &s->number[x->restored][o->nodeset];
	if (!*number) {
		set = x->restored ? s->a->nodes[o->nodeset]
				  : cs_engine_nodeset_words(s->e, o->nodeset,
							    &words);
		*number = set ? number_of(s, set) : LEFT_OUT;
	}
	if (*number == LEFT_OUT)
		return false;
	o->nodeset = *number - 1;
	return true;
}

/* Is the limit of a partition one that a line may have? */
static bool is_limit(int64_t us)
{
	return us == CS_TIME_NONE || (us >= 0 && us <= CS_NUMBERS_MOST);
}

/* Bytes of @text; more than TEXT_MOST: a line cannot have it, or a log would change it. */
static size_t bytes_of(const char *text)
{
	size_t n = 0, len;

	for (; n <= TEXT_MOST && text[n]; n += len) {
		len = cs_utf8_len(text + n, strnlen(text + n, 4));
		if (!len || (unsigned char)text[n] <= ' ')
			return TEXT_MOST + 1;
	}
	return n;
}

/* A job as a line has it. */
struct line {
	struct cs_job job;
	struct cs_job_partition option[CS_ARRIVALS_OPTIONS];
};

/* Can @x be restored from a line, and from which?  A name that does not fit is left
 * empty. */
static bool can_save(struct saved *s, const struct cs_arrival *x,
		     struct line *ret)
{
	struct cs_job *j = &ret->job;
	size_t bytes = 0, name;

	*j = x->job;
	if (j->reservation || j->n_option > CS_ARRIVALS_OPTIONS ||
	    j->estimate_us > CS_NUMBERS_MOST || x->ran_us > CS_NUMBERS_MOST)
		return false;
	j->name = NULL;
	for (size_t i = 0; i < N(texts); i++)
		bytes += bytes_of(text_of(j, texts[i]));
	if (bytes > TEXT_MOST)
		return false;
	name = bytes_of(text_of(&x->job, offsetof(struct cs_job, name)));
	if (bytes + name <= TEXT_MOST)
		j->name = x->job.name;
	for (uint32_t i = 0; i < j->n_option; i++) {
		struct cs_job_partition *o = &ret->option[i];

		*o = j->option[i];
		if (o->reservation || !is_limit(o->limit_max_us) ||
		    !find_set(s, x, o))
			return false;
	}
	j->option = ret->option;
	return true;
}

static void put_head(const struct saved *s, const char *before,
		     struct cs_textbuf *t)
{
	cs_textbuf_add(t, before);
	cs_textbuf_add(t, "arrivals");
	cs_numbers_put(t, cs_engine_machine(s->e)->n_node);
	cs_textbuf_byte(t, '\n');
}

/* The sets from number @k on. */
static void put_sets(const struct saved *s, uint32_t k, const char *before,
		     struct cs_textbuf *t)
{
	uint32_t nodes = cs_engine_machine(s->e)->n_node;
	int64_t ranges[2 * RANGES];

	for (; k < s->n; k++) {
		uint32_t n = ranges_of(s->set[k], nodes, ranges);

		cs_textbuf_add(t, before);
		cs_textbuf_add(t, "nodes");
		cs_numbers_put(t, k);
		for (uint32_t i = 0; i < n; i++)
			cs_numbers_put(t, ranges[i]);
		cs_textbuf_byte(t, '\n');
	}
}

/* The first of the jobs whose lines, and those of their sets, are not too many. */
static uint32_t first_saved(struct saved *s, const char *before)
{
	struct cs_textbuf length = { 0 };
	uint32_t from = s->a->n, jobs = 0;
	struct line line;

	put_head(s, before, &length);
	for (; from && jobs < CS_ARRIVALS_SAVED; from--) {
		const struct cs_arrival *x = nth(s->a, from - 1);
		uint32_t sets = s->n;
		bool can = can_save(s, x, &line);

		put_sets(s, sets, before, &length);
		if (can)
			put_arrival(&length, before, x, &line.job);
		if (length.len > CS_ARRIVALS_BYTES) {
			s->n = sets;
			break;
		}
		jobs += can;
	}
	return jobs ? from : s->a->n;
}

void cs_arrivals_save(const struct cs_arrivals *a, const struct cs_engine *e,
		      const char *before, struct cs_textbuf *t)
{
	struct saved s = { .a = a, .e = e };
	uint32_t from = first_saved(&s, before);
	struct line line;

	if (from == a->n)
		return;
	put_head(&s, before, t);
	put_sets(&s, 0, before, t);
	for (; from < a->n; from++)
		if (can_save(&s, nth(a, from), &line))
			put_arrival(t, before, nth(a, from), &line.job);
}

/* Keep @set [@words], which is ours from then on; its index.  -ENOMEM; -EINVAL: too many
 * sets. */
static int64_t keep_nodes(struct cs_arrivals *a, uint64_t *set, size_t words)
{
	uint32_t at = 0;

	while (at < a->n_nodes &&
	       memcmp(a->nodes[at], set, words * sizeof(*set)))
		at++;
	if (at == a->n_nodes && at < SETS) {
		a->nodes[a->n_nodes++] = set;
		return at;
	}
	free(set);
	return at < SETS ? (int64_t)at : -EINVAL;
}

static int restore_nodes(struct cs_arrivals *a, uint32_t nodes,
			 const char *text)
{
	int64_t v[1 + 2 * RANGES], number;
	int n = cs_numbers_read(text, v, N(v));
	uint64_t *set;

	if (n < 3 || n % 2 == 0 || v[0] < 0 || v[0] >= SETS)
		return -EINVAL;
	for (int i = 1; i < n; i++)
		if (v[i] < 0 || v[i] >= nodes ||
		    (i % 2 == 0 && v[i] < v[i - 1]))
			return -EINVAL;
	set = calloc(cs_bit_words(nodes), sizeof(*set));
	if (!set)
		return -ENOMEM;
	for (int i = 1; i < n; i += 2)
		for (int64_t node = v[i]; node <= v[i + 1]; node++)
			cs_bit_set(set, (uint32_t)node);
	number = keep_nodes(a, set, cs_bit_words(nodes));
	if (number < 0)
		return (int)number;
	a->set[v[0]] = (uint32_t)number;
	return 0;
}

/* Members @number [@n] of @of from @v.  0, -EINVAL: one is out of range. */
static int read_members(void *of, const struct number *number, size_t n,
			const int64_t *v)
{
	for (size_t i = 0; i < n; i++) {
		void *m = (char *)of + number[i].at;

		switch (number[i].form) {
		case U32:
			if (v[i] < 0 || v[i] > UINT32_MAX)
				return -EINVAL;
			*(uint32_t *)m = (uint32_t)v[i];
			break;
		case U64:
			*(uint64_t *)m = (uint64_t)v[i];
			break;
		case I32:
			if (v[i] < INT32_MIN || v[i] > INT32_MAX)
				return -EINVAL;
			*(int32_t *)m = (int32_t)v[i];
			break;
		case I64:
			if (v[i] < 0)
				return -EINVAL;
			*(int64_t *)m = v[i];
			break;
		}
	}
	return 0;
}

/* Cut @text into its parts, each after " =". */
static int read_texts(struct cs_job *j, char *text)
{
	for (size_t i = 0; i < N(texts); i++) {
		if (strncmp(text, " =", 2))
			return -EINVAL;
		*text = '\0'; /* the end of the one before */
		text += 2;
		*(const char **)(void *)((char *)j + texts[i]) = text;
		text += strcspn(text, " ");
	}
	return *text ? -EINVAL : 0;
}

/* The numbers @v [@n] of a line. */
static int read_numbers(const struct cs_arrivals *a, const int64_t *v, int n,
			struct cs_job *j, struct cs_job_partition *option)
{
	const int64_t *at = v + 3 + N(of_job) + 1;

	if (n < 3 || v[0] < 0 || v[1] < 0 || v[1] > CS_NUMBERS_MOST ||
	    v[2] < 1 || v[2] > CS_ARRIVALS_OPTIONS ||
	    n != at - v + v[2] * (int)N(of_option) ||
	    read_members(j, of_job, N(of_job), v + 3))
		return -EINVAL;
	j->across = cs_numbers_real(at[-1]);
	j->n_option = (uint32_t)v[2];
	j->option = option;
	if (!j->id || !j->procs || j->dist > CS_DIST_LAST ||
	    j->estimate_us > CS_NUMBERS_MOST)
		return -EINVAL;
	for (uint32_t i = 0; i < j->n_option; i++, at += N(of_option)) {
		if (read_members(&option[i], of_option, N(of_option), at) ||
		    !is_limit(option[i].limit_max_us) ||
		    option[i].nodeset >= SETS ||
		    a->set[option[i].nodeset] == NO_SET)
			return -EINVAL;
		option[i].nodeset = a->set[option[i].nodeset];
	}
	return 0;
}

static int restore_arrival(struct cs_arrivals *a, int64_t now_us,
			   const char *text)
{
	struct cs_job_partition option[CS_ARRIVALS_OPTIONS] = { 0 };
	struct cs_job job = { 0 };
	int64_t v[NUMBERS];
	char *copy = strdup(text), *rest;
	int rc = -EINVAL, n;

	if (!copy)
		return -ENOMEM;
	rest = strstr(copy, " =");
	if (rest && !read_texts(&job, rest)) {
		n = cs_numbers_read(copy, v, NUMBERS);
		rc = read_numbers(a, v, n, &job, option);
	}
	if (!rc && (v[0] > now_us || (a->n && v[0] < nth(a, a->n - 1)->at_us)))
		rc = -EINVAL;
	if (!rc)
		rc = add(a, &job, v[0], true);
	if (!rc && v[1])
		cs_arrivals_ended(a, job.id, v[1]);
	free(copy);
	return rc;
}

static int restore_head(struct cs_arrivals *a, const struct cs_engine *e,
			const char *text)
{
	int64_t nodes;

	if (cs_numbers_read(text, &nodes, 1) != 1)
		return -EINVAL;
	if (!a->set)
		a->set = malloc(SETS * sizeof(*a->set));
	if (!a->nodes)
		a->nodes = calloc(SETS, sizeof(*a->nodes));
	if (!a->set || !a->nodes)
		return -ENOMEM;
	for (uint32_t k = 0; k < SETS; k++)
		a->set[k] = NO_SET;
	a->others = nodes != cs_engine_machine(e)->n_node;
	return 0;
}

bool cs_arrivals_is_line(const char *text)
{
	return cs_numbers_behind(text, "arrivals") ||
	       cs_numbers_behind(text, "arrival") ||
	       cs_numbers_behind(text, "nodes");
}

int cs_arrivals_restore(struct cs_arrivals *a, const struct cs_engine *e,
			int64_t now_us, const char *text)
{
	const char *rest = cs_numbers_behind(text, "arrivals");
	bool job;

	if (rest)
		return restore_head(a, e, rest);
	rest = cs_numbers_behind(text, "arrival");
	job = rest;
	if (!rest)
		rest = cs_numbers_behind(text, "nodes");
	if (!rest || !a->set || !a->nodes)
		return -EINVAL;
	if (a->others)
		return 0;
	return job ? restore_arrival(a, now_us, rest)
		   : restore_nodes(a, cs_engine_machine(e)->n_node, rest);
}
