/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The event log's lines.
 *
 * A line is written byte by byte behind one check of the room that is left;
 * numbers by integer arithmetic, so that neither a locale nor a libm changes a
 * byte.  A member whose value is its default (cosched-log(5)) is left out.
 */
#include "log/write_line.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "order/ostrich.h"
#include "model/sites.h"
#include "model/topology.h"
#include "base/utf8.h"

#define STRING_MAX 256 /* bytes kept of a user's string */

/* ----------------------------------------------------------------- bytes */

struct out {
	char *buf;
	size_t size;
	size_t n;   /* bytes the line has so far, written or not */
	bool comma; /* the next element needs one before it */
};

static void put_byte(struct out *o, char c)
{
	if (o->n < o->size)
		o->buf[o->n] = c;
	o->n++;
}

static void put_text(struct out *o, const char *text)
{
	while (*text)
		put_byte(o, *text++);
}

static void put_unsigned(struct out *o, uint64_t v)
{
	char digit[20];
	int n = 0;

	do
		digit[n++] = (char)('0' + v % 10);
	while (v /= 10);
	while (n)
		put_byte(o, digit[--n]);
}

static uint64_t magnitude(int64_t v)
{
	return v < 0 ? -(uint64_t)v : (uint64_t)v;
}

/* @v millionths with six decimals. */
static void put_millionths(struct out *o, int64_t v)
{
	uint64_t m = magnitude(v);

	if (v < 0)
		put_byte(o, '-');
	put_unsigned(o, m / 1000000);
	put_byte(o, '.');
	for (uint64_t d = 100000; d; d /= 10)
		put_byte(o, (char)('0' + m / d % 10));
}

/* Microseconds as seconds, with decimals where they are not whole. */
static void put_seconds(struct out *o, int64_t us)
{
	if (us % 1000000) {
		put_millionths(o, us);
		return;
	}
	if (us < 0)
		put_byte(o, '-');
	put_unsigned(o, magnitude(us) / 1000000);
}

static void put_real(struct out *o, double v)
{
	if (v > -9e12 && v < 9e12)
		put_millionths(o, (int64_t)(v * 1e6 + (v < 0 ? -.5 : .5)));
	else
		put_text(o, "null");
}

/* A string in quotes, cut before the character that would pass @most bytes. */
static void put_string(struct out *o, const char *text, size_t most)
{
	static const char hex[] = "0123456789abcdef";
	size_t all = strnlen(text, most + 4);

	put_byte(o, '"');
	for (size_t i = 0; i < all;) {
		const unsigned char *s = (const unsigned char *)text + i;
		size_t len = cs_utf8_len(text + i, all - i);

		i += len ? len : 1;
		if (i > most)
			break;
		if (!len) {
			put_byte(o, '?');
		} else if (*s < ' ' || *s == 0x7f) {
			put_text(o, "\\u00");
			put_byte(o, hex[*s >> 4]);
			put_byte(o, hex[*s & 15]);
		} else {
			if (*s == '"' || *s == '\\')
				put_byte(o, '\\');
			for (size_t k = 0; k < len; k++)
				put_byte(o, (char)s[k]);
		}
	}
	put_byte(o, '"');
}

/* ------------------------------------------------------------- structure */

static void put_element(struct out *o)
{
	if (o->comma)
		put_byte(o, ',');
	o->comma = true;
}

static void put_key(struct out *o, const char *key)
{
	put_element(o);
	put_byte(o, '"');
	put_text(o, key);
	put_text(o, "\":");
}

static void put_open(struct out *o, char bracket)
{
	put_byte(o, bracket);
	o->comma = false;
}

static void put_close(struct out *o, char bracket)
{
	put_byte(o, bracket);
	o->comma = true;
}

static void member_unsigned(struct out *o, const char *key, uint64_t v)
{
	put_key(o, key);
	put_unsigned(o, v);
}

/* Left out where it is @usual. */
static void member_unless(struct out *o, const char *key, uint64_t v,
			  uint64_t usual)
{
	if (v != usual)
		member_unsigned(o, key, v);
}

static void member_int_unless(struct out *o, const char *key, int64_t v,
			      int64_t usual)
{
	if (v == usual)
		return;
	put_key(o, key);
	if (v < 0)
		put_byte(o, '-');
	put_unsigned(o, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

static void member_seconds(struct out *o, const char *key, int64_t us)
{
	put_key(o, key);
	put_seconds(o, us);
}

static void member_seconds_unless(struct out *o, const char *key, int64_t us,
				  int64_t usual)
{
	if (us != usual)
		member_seconds(o, key, us);
}

static void member_real(struct out *o, const char *key, double v)
{
	put_key(o, key);
	put_real(o, v);
}

/* All digits, so that a reader gets the same number; @v is finite. */
static void member_exact(struct out *o, const char *key, double v)
{
	char text[32], *comma;

	snprintf(text, sizeof(text), "%.17g", v);
	comma = strchr(text, ','); /* the locale's */
	if (comma)
		*comma = '.';
	put_key(o, key);
	put_text(o, text);
}

/* Left out where it is NULL or empty. */
static void member_string(struct out *o, const char *key, const char *text)
{
	if (!text || !*text)
		return;
	put_key(o, key);
	put_string(o, text, STRING_MAX);
}

static void member_true(struct out *o, const char *key, bool v)
{
	if (!v)
		return;
	put_key(o, key);
	put_text(o, "true");
}

static void put_line_start(struct out *o, int64_t t_us, const char *ev)
{
	put_open(o, '{');
	put_key(o, "t");
	put_millionths(o, t_us);
	put_key(o, "ev");
	put_string(o, ev, STRING_MAX);
}

/* End the line; returns what the caller has to. */
static int put_line_end(struct out *o)
{
	put_text(o, "}\n");
	if (o->size)
		o->buf[o->n < o->size ? o->n : 0] = '\0';
	return o->n < INT_MAX ? (int)o->n : INT_MAX;
}

/* ------------------------------------------------------------------ sets */

static void put_range(struct out *o, uint32_t from, uint32_t to)
{
	put_unsigned(o, from);
	if (to > from) {
		put_byte(o, '-');
		put_unsigned(o, to);
	}
}

/* A set of bits as "0-3,7". */
static void put_set(struct out *o, const uint64_t *set, uint32_t words)
{
	uint32_t n = words * 64;
	bool first = true;

	put_byte(o, '"');
	for (uint32_t i = 0; i < n; i++) {
		uint32_t from = i;

		if (!set[i / 64]) {
			i |= 63;
			continue;
		}
		if (!cs_bit(set, i))
			continue;
		while (i + 1 < n && cs_bit(set, i + 1))
			i += (i + 1) % 64 || ~set[(i + 1) / 64] ? 1 : 64;
		if (!first)
			put_byte(o, ',');
		put_range(o, from, i);
		first = false;
	}
	put_byte(o, '"');
}

/* A list of indexes, as they come, as "0-3,7". */
static void put_list(struct out *o, const uint32_t *index, uint32_t n)
{
	put_byte(o, '"');
	for (uint32_t i = 0; i < n; i++) {
		uint32_t from = index[i];

		if (i)
			put_byte(o, ',');
		while (i + 1 < n && index[i + 1] == index[i] + 1)
			i++;
		put_range(o, from, index[i]);
	}
	put_byte(o, '"');
}

/* The nodes of @a in the same way. */
static void put_nodes(struct out *o, const struct cs_alloc *a)
{
	put_byte(o, '"');
	for (uint32_t i = 0; i < a->n_node; i++) {
		uint32_t from = a->node[i].node;

		if (i)
			put_byte(o, ',');
		while (i + 1 < a->n_node &&
		       a->node[i + 1].node == a->node[i].node + 1)
			i++;
		put_range(o, from, a->node[i].node);
	}
	put_byte(o, '"');
}

/* What is equal in the nodes of a range of an allocation. */
enum alike { ALIKE_CORES, ALIKE_PROCS, ALIKE_MEMORY };

static bool is_alike(const struct cs_alloc *a, uint32_t i, uint32_t k,
		     enum alike what)
{
	switch (what) {
	case ALIKE_CORES:
		return !memcmp(cs_alloc_cores(a, i), cs_alloc_cores(a, k),
			       a->words * sizeof(*a->cores));
	case ALIKE_PROCS:
		return a->node[i].procs == a->node[k].procs;
	case ALIKE_MEMORY:
		return a->node[i].mem_mb == a->node[k].mem_mb;
	}
	return false;
}

/* {"0-7":..,"8":..}: ranges of nodes in which @what is equal. */
static void member_by_node(struct out *o, const char *key,
			   const struct cs_alloc *a, enum alike what)
{
	put_key(o, key);
	put_open(o, '{');
	for (uint32_t i = 0, k; i < a->n_node; i = k) {
		for (k = i + 1; k < a->n_node; k++)
			if (a->node[k].node != a->node[k - 1].node + 1 ||
			    !is_alike(a, i, k, what))
				break;
		put_element(o);
		put_byte(o, '"');
		put_range(o, a->node[i].node, a->node[k - 1].node);
		put_text(o, "\":");
		if (what == ALIKE_CORES)
			put_set(o, cs_alloc_cores(a, i), a->words);
		else
			put_unsigned(o, what == ALIKE_PROCS
						? a->node[i].procs
						: a->node[i].mem_mb);
	}
	put_close(o, '}');
}

/* ppn, alloc, and what its nodes do not have in common. */
static void put_alloc(struct out *o, const struct cs_alloc *a, uint32_t ppn)
{
	bool even = true, memory = false, count = !ppn;

	if (!a)
		return;
	for (uint32_t i = 0; count && i < a->n_node; i++)
		if (a->node[i].procs > ppn)
			ppn = a->node[i].procs;
	for (uint32_t i = 0; i < a->n_node; i++) {
		even &= a->node[i].procs == ppn;
		memory |= a->node[i].mem_mb != 0;
	}
	member_unsigned(o, "ppn", ppn);
	member_by_node(o, "alloc", a, ALIKE_CORES);
	if (!even)
		member_by_node(o, "node_procs", a, ALIKE_PROCS);
	if (memory)
		member_by_node(o, "node_mem_mb", a, ALIKE_MEMORY);
}

/* What was proposed, where @got is something else. */
static void put_planned(struct out *o, const struct cs_action *a,
			const struct cs_alloc *got)
{
	const struct cs_alloc *p = a->alloc;

	if (!p || p == got)
		return;
	if (a->type == CS_ACT_HOST_START) {
		put_key(o, "within");
		put_nodes(o, p);
	} else if (!cs_alloc_equal(p, got)) {
		member_by_node(o, "planned", p, ALIKE_CORES);
		member_by_node(o, "planned_procs", p, ALIKE_PROCS);
		member_by_node(o, "planned_mem_mb", p, ALIKE_MEMORY);
	}
}

/* ---------------------------------------------------------------- header */

static void put_shape(struct out *o, const struct cs_node *n)
{
	member_unsigned(o, "sockets", n->sockets);
	member_unsigned(o, "cores", n->cores_per_socket);
	member_unless(o, "threads", n->threads, 1);
	member_unless(o, "memory_mb", n->memory_mb, 0);
	member_unless(o, "weight", n->weight, 0);
}

static bool same_shape(const struct cs_node *a, const struct cs_node *b)
{
	return a->sockets == b->sockets &&
	       a->cores_per_socket == b->cores_per_socket &&
	       a->threads == b->threads && a->memory_mb == b->memory_mb &&
	       a->weight == b->weight;
}

/* Where nodes differ: the largest counts, and each run of equal nodes. */
static void put_types(struct out *o, const struct cs_machine *m)
{
	uint32_t sockets = 0, cores = 0;

	for (uint32_t n = 0; n < m->n_node; n++) {
		if (m->node[n].sockets > sockets)
			sockets = m->node[n].sockets;
		if (m->node[n].cores_per_socket > cores)
			cores = m->node[n].cores_per_socket;
	}
	member_unsigned(o, "sockets", sockets);
	member_unsigned(o, "cores", cores);
	put_key(o, "types");
	put_open(o, '[');
	for (uint32_t n = 0, k; n < m->n_node; n = k) {
		for (k = n + 1; k < m->n_node; k++)
			if (!same_shape(&m->node[n], &m->node[k]))
				break;
		put_element(o);
		put_open(o, '{');
		put_key(o, "nodes");
		put_byte(o, '"');
		put_range(o, n, k - 1);
		put_byte(o, '"');
		put_shape(o, &m->node[n]);
		put_close(o, '}');
	}
	put_close(o, ']');
}

/* The groups that the others are made of, or all switches. */
static void put_topology(struct out *o, const struct cs_topology *t)
{
	uint32_t n = t->block ? t->level[0].n : t->n_group;

	put_key(o, "topology");
	put_open(o, '{');
	if (t->block) {
		member_unsigned(o, "block", t->block);
		put_key(o, "sizes");
		put_open(o, '[');
		for (uint32_t i = 0; i < t->n_level; i++) {
			put_element(o);
			put_unsigned(o, t->level[i].size);
		}
		put_close(o, ']');
	}
	put_key(o, "groups");
	put_open(o, '[');
	for (uint32_t i = 0; i < n; i++) {
		put_element(o);
		put_open(o, '{');
		member_string(o, "name", t->group[i].name);
		member_unless(o, "level", t->group[i].level, 0);
		if (t->group[i].end) {
			put_key(o, "nodes");
			put_set(o, t->group[i].nodes, t->words);
		}
		put_close(o, '}');
	}
	put_close(o, ']');
	put_close(o, '}');
}

static void put_sites(struct out *o, const struct cs_sites *s)
{
	put_key(o, "sites");
	put_open(o, '[');
	for (uint32_t i = 0; i < s->n; i++) {
		put_element(o);
		put_open(o, '{');
		member_string(o, "name", s->site[i].name);
		put_key(o, "nodes");
		put_set(o, s->site[i].nodes, s->words);
		put_close(o, '}');
	}
	put_close(o, ']');
}

static void put_machine(struct out *o, const struct cs_machine *m)
{
	bool equal = true, named = false;

	for (uint32_t n = 0; n < m->n_node; n++) {
		equal &= same_shape(&m->node[0], &m->node[n]);
		named |= m->node[n].name != NULL;
	}
	put_key(o, "machine");
	put_open(o, '{');
	member_unsigned(o, "nodes", m->n_node);
	if (equal && m->n_node)
		put_shape(o, &m->node[0]);
	else
		put_types(o, m);
	if (named) {
		put_key(o, "names");
		put_open(o, '[');
		for (uint32_t n = 0; n < m->n_node; n++) {
			const char *name = m->node[n].name;

			put_element(o);
			put_string(o, name ? name : "", STRING_MAX);
		}
		put_close(o, ']');
	}
	if (m->topology)
		put_topology(o, m->topology);
	if (m->sites)
		put_sites(o, m->sites);
	put_close(o, '}');
}

static void put_params(struct out *o, const struct cs_params *p)
{
	size_t n;
	const struct cs_param_row *row = cs_params_rows(&n);

	put_key(o, "params");
	put_open(o, '{');
	for (size_t i = 0; i < n; i++) {
		char value[CS_PATH_MAX];

		cs_params_print(p, &row[i], value, sizeof(value));
		put_key(o, row[i].key);
		if (row[i].kind == CS_PARAM_INT || row[i].kind == CS_PARAM_REAL)
			put_text(o, value);
		else
			put_string(o, value, CS_PATH_MAX);
	}
	put_close(o, '}');
}

void cs_log_digest(const struct cs_profiles *p, char buf[CS_LOG_DIGEST_SIZE])
{
	snprintf(buf, CS_LOG_DIGEST_SIZE, "%016" PRIx64, cs_profiles_digest(p));
}

int cs_log_header(char *buf, size_t size, const struct cs_machine *m,
		  const struct cs_params *p,
		  const struct cs_profiles *profiles, int64_t boot_us,
		  const char *after, const char *version)
{
	char digest[CS_LOG_DIGEST_SIZE] = "";
	struct out o = { buf, size, 0, false };

	put_open(&o, '{');
	put_key(&o, "ev");
	put_string(&o, "header", STRING_MAX);
	member_unsigned(&o, "version", 1);
	member_string(&o, "release", version);
	if (boot_us) {
		put_key(&o, "boot");
		put_millionths(&o, boot_us);
	}
	member_string(&o, "after", after);
	put_machine(&o, m);
	put_params(&o, p);
	if (profiles && *p->profiles)
		cs_log_digest(profiles, digest);
	member_string(&o, "profiles_digest", digest);
	member_unsigned(&o, "seed", (uint64_t)p->seed);
	return put_line_end(&o);
}

/* ----------------------------------------------------------------- lines */

struct flag_name {
	uint32_t flag;
	const char *name;
};

static const struct flag_name job_flags[] = {
	{ CS_JOB_EXCLUSIVE, "exclusive" },
	{ CS_JOB_NO_SHARE, "no_share" },
	{ CS_JOB_HOST, "host" },
	{ CS_JOB_BLOCKED, "blocked" },
	{ CS_JOB_REQUEUED, "requeued" },
	{ CS_JOB_PRIORITY_SET, "priority_set" },
	{ CS_JOB_USER_NODES, "user_nodes" },
	{ CS_JOB_SHARES_CORES, "shares_cores" },
	{ CS_JOB_BORROWS, "borrows" },
	{ CS_JOB_ACROSS, "across" },
};

static const struct flag_name reservation_flags[] = {
	{ CS_RESV_MAINT, "maint" },   { CS_RESV_OVERLAP, "overlap" },
	{ CS_RESV_FLEX, "flex" },     { CS_RESV_FLOAT, "float" },
	{ CS_RESV_ALL, "all" },	      { CS_RESV_TAKEN, "taken" },
	{ CS_RESV_LENDS, "lends" },
};

static void put_names(struct out *o, uint32_t flags,
		      const struct flag_name *names, size_t n)
{
	if (!flags)
		return;
	put_key(o, "flags");
	put_open(o, '[');
	for (size_t i = 0; i < n; i++) {
		if (!(flags & names[i].flag))
			continue;
		put_element(o);
		put_string(o, names[i].name, STRING_MAX);
	}
	put_close(o, ']');
}

static void put_flags(struct out *o, uint32_t flags)
{
	put_names(o, flags, job_flags, sizeof(job_flags) / sizeof(*job_flags));
}

static void put_option(struct out *o, const struct cs_engine *e,
		       const struct cs_job_partition *opt)
{
	const uint64_t *set = NULL;
	uint32_t words = 0;

	put_element(o);
	put_open(o, '{');
	member_unless(o, "partition", opt->partition, 0);
	member_unless(o, "tier", opt->tier, 0);
	member_unless(o, "priority", opt->priority, 0);
	if (e)
		set = cs_engine_nodeset_words(e, opt->nodeset, &words);
	if (set) {
		put_key(o, "nodes");
		put_set(o, set, words);
	}
	member_seconds_unless(o, "limit_max", opt->limit_max_us, CS_TIME_NONE);
	put_flags(o, opt->flags);
	member_unless(o, "reservation", opt->reservation, 0);
	put_close(o, '}');
}

static void put_job(struct out *o, const struct cs_engine *e,
		    const struct cs_job *j, int64_t t_us)
{
	member_unsigned(o, "job", j->id);
	member_unless(o, "array", j->array_id, 0);
	member_unless(o, "tasks", j->tasks, 1);
	member_string(o, "user", j->user);
	member_string(o, "account", j->account);
	member_string(o, "name", j->name);
	member_string(o, "partition", j->partition);
	member_unsigned(o, "procs", j->procs);
	member_unless(o, "cpus", j->cpus_per_proc, 1);
	member_unless(o, "nodes_min", j->min_nodes, 1);
	member_unless(o, "nodes_max", j->max_nodes, 0);
	member_unless(o, "ppn", j->procs_per_node, 0);
	member_unless(o, "base_procs", j->base_procs, 0);
	if (j->mem_node_mb == CS_MEM_ALL) {
		put_key(o, "mem_node_mb");
		put_text(o, "\"all\"");
	} else {
		member_unless(o, "mem_node_mb", j->mem_node_mb, 0);
	}
	member_unless(o, "mem_cpu_mb", j->mem_cpu_mb, 0);
	member_unless(o, "cpus_least", j->least_cpus, 0);
	member_unless(o, "threads", j->threads, 0);
	member_unless(o, "mem_threads", j->mem_threads, 0);
	member_unless(o, "reservation", j->reservation, 0);
	member_unless(o, "warn", j->warn_s, 0);
	member_unless(o, "wishes", j->wishes, 0);
	if (j->flags & CS_JOB_ACROSS)
		member_exact(o, "across", j->across);
	member_seconds_unless(o, "submit", j->submit_us, t_us);
	member_seconds_unless(o, "eligible", j->eligible_us, j->submit_us);
	member_seconds_unless(o, "after", j->after_us, 0);
	member_seconds(o, "estimate", j->estimate_us);
	member_string(o, "profile", j->profile);
	member_string(o, "campaign", j->campaign);
	member_unless(o, "share", j->share, 0);
	member_int_unless(o, "nice", j->nice, 0);
	put_flags(o, j->flags);
	if (!j->n_option)
		return;
	put_key(o, "options");
	put_open(o, '[');
	for (uint32_t i = 0; i < j->n_option; i++)
		put_option(o, e, &j->option[i]);
	put_close(o, ']');
}

static void put_group(struct out *o, uint32_t group, enum cs_role role)
{
	if (!group)
		return;
	member_unsigned(o, "group", group);
	if (role != CS_ROLE_NONE)
		member_string(o, "role",
			      role == CS_ROLE_PRIMARY ? "primary" : "matched");
}

/* Why an action is as it is. */
static void put_reasons(struct out *o, const struct cs_action *a)
{
	put_group(o, a->group, a->role);
	member_unless(o, "with", a->partner_id, 0);
	member_unless(o, "case", a->rule, 0);
	if (a->campaign) {
		member_unsigned(o, "campaign_number", a->campaign);
		member_seconds_unless(o, "virtual_end", a->virtual_us,
				      CS_TIME_NONE);
		member_exact(o, "service", a->service);
		member_exact(o, "finish", a->finish);
	}
	member_true(o, "packed", a->packed);
	if (a->type == CS_ACT_START) {
		member_real(o, "slowdown", a->slowdown);
		member_real(o, "gain", a->gain);
	}
}

static void put_started(struct out *o, const struct cs_event *ev,
			const struct cs_action *a)
{
	const struct cs_started *s = ev->start;

	member_unsigned(o, "job", s->job_id);
	member_unless(o, "array", s->array_id, 0);
	if (s->seq)
		member_unsigned(o, "seq", s->seq);
	else
		member_string(o, "by", "host");
	if (a && a->type == CS_ACT_HOST_START)
		member_string(o, "placed", "host");
	member_unless(o, "option", s->option, 0);
	put_alloc(o, s->alloc,
		  a && a->type == CS_ACT_START ? a->procs_per_node : 0);
	if (a) {
		put_planned(o, a, s->alloc);
		member_unless(o, "needs", a->needs, 0);
		put_reasons(o, a);
		if (a->limit_us != s->limit_us)
			member_seconds_unless(o, "limit_asked", a->limit_us, 0);
	} else {
		put_group(o, s->group, s->role);
		member_true(o, "packed", s->packed);
	}
	member_seconds_unless(o, "start", s->start_us, ev->t_us);
	member_seconds_unless(o, "limit", s->limit_us, CS_TIME_NONE);
	if (s->done_us || s->at_us) {
		member_seconds(o, "done", s->done_us);
		member_seconds(o, "at", s->at_us);
		if (s->ran_us > 0)
			member_seconds_unless(o, "ran", s->ran_us,
					      s->at_us - s->start_us);
		if (s->slowdown > 1 && s->slowdown < 9e12)
			member_exact(o, "factor", s->slowdown);
	}
}

static void put_refused(struct out *o, const struct cs_event *ev,
			const struct cs_action *a)
{
	static const char *const classes[] = {
		[CS_REFUSED_CHANGED] = "changed",
		[CS_REFUSED_TIMED] = "timed",
		[CS_REFUSED_PLACE] = "place",
		[CS_REFUSED_LIMIT] = "limit",
		[CS_REFUSED_GROUP] = "group",
	};
	const struct cs_forecast *f = ev->refused.forecast;

	if (a)
		member_unsigned(o, "job", a->job_id);
	member_unsigned(o, "seq", ev->refused.seq);
	member_string(o, "class", classes[ev->refused.class]);
	member_string(o, "why", ev->refused.why);
	if (!f)
		return;
	member_seconds(o, "start", f->start_us);
	put_key(o, "nodes");
	put_list(o, f->node, f->n);
}

static void put_node(struct out *o, const struct cs_event *ev)
{
	member_unsigned(o, "node", ev->node.index);
	put_key(o, "up");
	put_text(o, ev->node.up ? "true" : "false");
	member_string(o, "why", ev->node.why);
}

static void put_reservation(struct out *o, const struct cs_reservation *r)
{
	member_unsigned(o, "reservation", r->id);
	put_key(o, "nodes");
	put_list(o, r->node, r->n);
	if (!r->n)
		return;
	member_seconds(o, "start", r->start_us);
	member_seconds_unless(o, "end", r->end_us, CS_TIME_NONE);
	member_unless(o, "delay", r->delay_s, 0);
	if (r->cores)
		member_by_node(o, "cores", r->cores, ALIKE_CORES);
	put_names(o, r->flags, reservation_flags,
		  sizeof(reservation_flags) / sizeof(*reservation_flags));
}

static const char *event_name(enum cs_event_type type)
{
	switch (type) {
	case CS_EV_SUBMIT:
		return "submit";
	case CS_EV_CHANGE:
		return "change";
	case CS_EV_CANCEL:
		return "cancel";
	case CS_EV_STARTED:
		return "start";
	case CS_EV_REFUSED:
		return "refuse";
	case CS_EV_FINISH:
		return "finish";
	case CS_EV_REQUEUE:
		return "requeue";
	case CS_EV_SUSPEND:
		return "suspend";
	case CS_EV_RESUME:
		return "resume";
	case CS_EV_LIMIT:
		return "limit";
	case CS_EV_NODE:
		return "node";
	case CS_EV_RESERVATION:
		return "reservation";
	case CS_EV_KEPT:
		return "kept";
	case CS_EV_TICK:
		return "tick";
	}
	return "unknown";
}

int cs_log_event(char *buf, size_t size, const struct cs_engine *e,
		 const struct cs_event *ev, const struct cs_action *action)
{
	struct out o = { buf, size, 0, false };

	put_line_start(&o, ev->t_us, event_name(ev->type));
	switch (ev->type) {
	case CS_EV_SUBMIT:
	case CS_EV_CHANGE:
	case CS_EV_REQUEUE:
		put_job(&o, e, ev->job, ev->t_us);
		break;
	case CS_EV_CANCEL:
	case CS_EV_FINISH:
		member_unsigned(&o, "job", ev->job_id);
		break;
	case CS_EV_SUSPEND:
	case CS_EV_RESUME:
		member_unsigned(&o, "job", ev->job_id);
		if (!action)
			member_string(&o, "by", "host");
		member_true(&o, "keeps", ev->keeps);
		break;
	case CS_EV_STARTED:
		put_started(&o, ev, action);
		break;
	case CS_EV_REFUSED:
		put_refused(&o, ev, action);
		break;
	case CS_EV_LIMIT:
		member_unsigned(&o, "job", ev->limit.job_id);
		member_string(&o, "by", "host");
		member_seconds_unless(&o, "limit", ev->limit.limit_us,
				      CS_TIME_NONE);
		break;
	case CS_EV_NODE:
		put_node(&o, ev);
		break;
	case CS_EV_RESERVATION:
		put_reservation(&o, ev->reservation);
		break;
	case CS_EV_KEPT:
		put_key(&o, "line");
		put_string(&o, ev->kept, CS_OSTRICH_LINE);
		break;
	case CS_EV_TICK:
		member_true(&o, "freed", ev->freed);
		break;
	}
	return put_line_end(&o);
}

int cs_log_decide(char *buf, size_t size, int64_t t_us, size_t actions)
{
	struct out o = { buf, size, 0, false };

	put_line_start(&o, t_us, "decide");
	member_unsigned(&o, "actions", actions);
	return put_line_end(&o);
}

static const char *action_name(enum cs_action_type type)
{
	switch (type) {
	case CS_ACT_START:
		return "start";
	case CS_ACT_HOST_START:
		return "host_start";
	case CS_ACT_LIMIT:
		return "limit";
	case CS_ACT_JOINED:
		return "joined";
	case CS_ACT_DISBAND:
		return "disband";
	case CS_ACT_SUSPEND:
		return "suspend";
	case CS_ACT_RESUME:
		return "resume";
	case CS_ACT_SLICE:
		return "slice";
	}
	return "unknown";
}

static void put_slice(struct out *o, const struct cs_action *a)
{
	member_string(o, "slice", cs_class_name(a->slice));
	member_seconds_unless(o, "until", a->until_us, CS_TIME_NONE);
}

int cs_log_action(char *buf, size_t size, int64_t t_us,
		  const struct cs_action *action, bool would)
{
	struct out o = { buf, size, 0, false };
	const char *name = action_name(action->type);

	put_line_start(&o, t_us, would ? "would" : name);
	if (would)
		member_string(&o, "do", name);
	member_unless(&o, "job", action->job_id, 0);
	member_unless(&o, "seq", action->seq, 0);
	member_unless(&o, "needs", action->needs, 0);
	member_unless(&o, "option", action->option, 0);
	put_alloc(&o, action->alloc,
		  action->type == CS_ACT_START ? action->procs_per_node : 0);
	put_reasons(&o, action);
	switch (action->type) {
	case CS_ACT_START:
	case CS_ACT_HOST_START:
		member_seconds_unless(&o, "limit", action->limit_us, 0);
		break;
	case CS_ACT_LIMIT:
		member_seconds_unless(&o, "limit", action->limit_us,
				      CS_TIME_NONE);
		break;
	case CS_ACT_DISBAND:
		put_key(&o, "credit_s");
		put_seconds(&o, action->credit_us);
		break;
	case CS_ACT_SLICE:
		put_slice(&o, action);
		break;
	case CS_ACT_JOINED:
	case CS_ACT_SUSPEND:
	case CS_ACT_RESUME:
		break;
	}
	return put_line_end(&o);
}
