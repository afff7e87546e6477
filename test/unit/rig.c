/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rig.h"

#include "common/model/sites.h"

#include "cs_test.h"
#include "common/log/write_line.h"

const char rig_abc[] =
	"{\"version\":1,\"profiles\":{"
	" \"a\":{\"self\":{\"1\":1,\"4\":1.3},\"resources\":{\"cpu\":0.9}},"
	" \"b\":{\"self\":{\"1\":1,\"4\":1.1},\"resources\":{\"disk\":0.9},"
	"        \"waits\":0.5},"
	" \"c\":{\"self\":{\"1\":1,\"4\":1.6},"
	"        \"resources\":{\"cpu\":0.5,\"disk\":0.7}}},"
	"\"pairs\":[" RIG_PAIR("a", "b", "1.1", "1.0") "," RIG_PAIR(
		"a", "c", "1.2",
		"1.05") ","
			"{\"of\":\"b\",\"beside\":\"b\",\"slowdown\":1.2}]}";

struct cs_topology *rig_topology;
struct cs_sites *rig_sites;
uint32_t rig_large;
uint64_t rig_gpu_nodes;
const struct cs_gpus *rig_gpus;

static struct cs_job_partition rig_option;

/* Up to three sites, dealt in turn, where the parameters ask for any. */
static struct cs_sites *sites_of(const char *params, uint32_t nodes)
{
	uint32_t *of = calloc(nodes, sizeof(*of)), n = nodes < 3 ? nodes : 3;
	struct cs_sites *s = NULL;

	assert_non_null(of);
	for (uint32_t i = 0; i < nodes; i++)
		of[i] = i % n;
	if (strstr(params, "sites="))
		s = cs_sites_create(nodes, of, n, NULL);
	free(of);
	return s;
}

void rig_open(struct rig *r, const char *params, const char *profiles,
	      uint32_t nodes, uint16_t sockets, uint16_t cores,
	      uint64_t memory_mb)
{
	struct cs_node like = { .sockets = sockets,
				.cores_per_socket = cores,
				.threads = 1,
				.memory_mb = memory_mb };
	/* live there are no slices yet, and no shared cores */
	bool sim = strstr(params, "pect") || strstr(params, "gang") ||
		   strstr(params, "mpl=");
	enum cs_param_host host = sim ? CS_HOST_SIM : CS_HOST_LIVE;
	uint64_t set[16];
	struct cs_err err = { "" };

	memset(r, 0, sizeof(*r));
	if (cs_params_parse(&r->params, host, params, "", &err) ||
	    (profiles && cs_profiles_read(&r->profiles, profiles,
					  strlen(profiles), "test", &err)))
		fail_msg("%s", err.text);
	r->machine = cs_machine_create(nodes, &like);
	r->machine->topology = rig_topology;
	rig_topology = NULL;
	r->machine->sites = rig_sites ? rig_sites : sites_of(params, nodes);
	rig_sites = NULL;
	for (; rig_large; rig_large--)
		r->machine->node[nodes - rig_large].cores_per_socket *= 2;
	for (uint32_t n = 0; rig_gpus && n < nodes; n++)
		if (rig_gpu_nodes >> n & 1)
			assert_int_equal(cs_machine_share_gpus(
						 r->machine, rig_gpus,
						 &r->machine->node[n].gpus),
					 0);
	rig_gpus = NULL;
	assert_int_equal(cs_machine_check(r->machine, NULL), 0);
	r->engine = cs_engine_create(&r->params, r->machine, r->profiles, &err);
	if (!r->engine)
		fail_msg("%s", err.text);
	memset(set, 0, sizeof(set));
	for (uint32_t n = 0; n < nodes; n++)
		cs_bit_set(set, n);
	r->all = (uint32_t)cs_engine_nodeset(r->engine, set);
	r->next_task = 1000000;
}

void rig_close(struct rig *r)
{
	cs_engine_free(r->twin);
	cs_engine_free(r->engine);
	cs_machine_free(r->machine);
	cs_profiles_free(r->profiles);
	cs_params_done(&r->params);
}

void rig_twin(struct rig *r)
{
	struct cs_err err = { "" };
	bool more = true;

	/* in pieces, as a forward run does */
	while (r->twin && cs_engine_free_jobs(r->twin, 3))
		;
	cs_engine_free(r->twin);
	r->twin = cs_engine_copy_begin(r->engine, &err);
	while (r->twin && more)
		assert_int_equal(
			cs_engine_copy_jobs(r->twin, r->engine, 3, &more), 0);
	if (!r->twin || cs_engine_check(r->twin, &err))
		fail_msg("%s", err.text);
}

void rig_second(struct rig *r)
{
	uint32_t words;
	struct cs_err err = { "" };

	r->twin = cs_engine_create(&r->params, r->machine, r->profiles, &err);
	if (!r->twin)
		fail_msg("%s", err.text);
	assert_int_equal(
		cs_engine_nodeset(r->twin, cs_engine_nodeset_words(
						   r->engine, r->all, &words)),
		r->all);
}

struct cs_job rig_job(struct rig *r, uint32_t id, uint32_t procs,
		      int64_t estimate_s, const char *profile)
{
	rig_option = (struct cs_job_partition){ .nodeset = r->all,
						.limit_max_us = CS_TIME_NONE };
	return (struct cs_job){
		.id = id,
		.tasks = 1,
		.user = "alice",
		.account = "physics",
		.name = "job",
		.partition = "main",
		.profile = profile,
		.procs = procs,
		.cpus_per_proc = 1,
		.min_nodes = 1,
		.submit_us = r->now_us,
		.eligible_us = r->now_us,
		.estimate_us = estimate_s * RIG_S,
		.option = &rig_option,
		.n_option = 1,
	};
}

void rig_tell(struct rig *r, struct cs_event ev)
{
	struct cs_err err = { "" };

	ev.t_us = r->now_us;
	if (cs_estimator_tell(r->estimates, r->engine, &ev, &err) ||
	    cs_engine_check(r->engine, &err))
		fail_msg("%s", err.text);
	if (r->twin && (cs_engine_event(r->twin, &ev, &err) ||
			cs_engine_check(r->twin, &err)))
		fail_msg("the copy: %s", err.text);
}

void rig_submit(struct rig *r, const struct cs_job *j)
{
	r->is_array[j->id % 512] = j->array_id != 0;
	rig_tell(r, (struct cs_event){ .type = CS_EV_SUBMIT, .job = j });
}

void rig_add(struct rig *r, uint32_t id, uint32_t procs, int64_t estimate_s,
	     const char *profile)
{
	struct cs_job j = rig_job(r, id, procs, estimate_s, profile);

	rig_submit(r, &j);
}

void rig_add_in(struct rig *r, uint32_t id, uint32_t procs, int64_t estimate_s,
		const char *profile, uint64_t set)
{
	struct cs_job_partition o = { .limit_max_us = CS_TIME_NONE };
	struct cs_job j = rig_job(r, id, procs, estimate_s, profile);

	o.nodeset = (uint32_t)cs_engine_nodeset(r->engine, &set);
	j.option = &o;
	rig_submit(r, &j);
}

/* Actions of one decide, with allocations of their own. */
static struct cs_action *copy_actions(const struct cs_actions *a)
{
	struct cs_action *c = calloc(a->n + 1, sizeof(*c));

	for (size_t i = 0; i < a->n; i++) {
		c[i] = a->action[i];
		if (c[i].alloc)
			c[i].alloc = cs_alloc_copy(c[i].alloc);
	}
	return c;
}

/* Refused because the test says so, or because its primary was. */
static bool refuses(struct rig *r, const struct cs_action *a,
		    const uint32_t *gone, size_t n_gone)
{
	enum cs_refused class = r->refuse_class;
	bool refused = r->refuse && a->job_id == r->refuse;

	for (size_t i = 0; i < n_gone; i++)
		if (a->needs && a->needs == gone[i]) {
			class = CS_REFUSED_GROUP;
			refused = true;
		}
	if (!refused)
		return false;
	if (class != CS_REFUSED_GROUP)
		r->refuse = 0;
	rig_tell(r, (struct cs_event){ .type = CS_EV_REFUSED,
				       .refused = { a->seq, class, "test" } });
	return true;
}

static void confirm(struct rig *r, const struct cs_action *a, bool array)
{
	struct cs_started s = {
		.seq = a->seq,
		.job_id = array ? r->next_task++ : a->job_id,
		.array_id = array ? a->job_id : 0,
		.start_us = r->now_us,
		.limit_us = a->limit_us ? a->limit_us : 3600 * RIG_S,
		.alloc = a->alloc,
	};

	if (r->limit_us)
		s.limit_us = r->limit_us;
	r->now_us += r->late_us;
	rig_tell(r, (struct cs_event){ .type = CS_EV_STARTED, .start = &s });
	assert_true(r->n_log < 256);
	r->log[r->n_log] = *a;
	r->log[r->n_log].job_id = s.job_id;
	r->log[r->n_log++].alloc = NULL;
}

/* A stop, a going on, or what wants no answer; false: refused. */
static bool other(struct rig *r, const struct cs_action *a,
		  const uint32_t *gone, size_t n_gone)
{
	assert_true(r->n_last < 256);
	r->last[r->n_last] = *a;
	r->last[r->n_last++].alloc = NULL;
	if (a->type != CS_ACT_SUSPEND && a->type != CS_ACT_RESUME)
		return true;
	if (refuses(r, a, gone, n_gone))
		return false;
	rig_tell(r, (struct cs_event){ .type = a->type == CS_ACT_SUSPEND
						       ? CS_EV_SUSPEND
						       : CS_EV_RESUME,
				       .job_id = a->job_id });
	return true;
}

uint64_t rig_digest = UINT64_C(0xcbf29ce484222325);

/* What only the host's own test could place: that finds nothing. */
static void by_host(struct rig *r, const struct cs_action *a)
{
	r->n_host++;
	rig_tell(r, (struct cs_event){ .type = CS_EV_REFUSED,
				       .refused = { a->seq, CS_REFUSED_CHANGED,
						    "the host finds none" } });
	if (r->host_cancels)
		rig_tell(r, (struct cs_event){ .type = CS_EV_CANCEL,
					       .job_id = a->job_id });
}

/* Fold @a in, as the event log has it: FNV-1a. */
static void digest(const struct rig *r, const struct cs_action *a)
{
	char line[4096];
	int n = cs_log_action(line, sizeof(line), r->now_us, a, true);

	assert_in_range(n, 1, sizeof(line) - 1);
	for (int i = 0; i < n; i++)
		rig_digest = (rig_digest ^ (unsigned char)line[i]) *
			     UINT64_C(0x100000001b3);
}

static void assert_same_action(const struct rig *r, const struct cs_action *a,
			       const struct cs_action *b)
{
	char line[4096], other[4096];

	cs_log_action(line, sizeof(line), r->now_us, a, true);
	cs_log_action(other, sizeof(other), r->now_us, b, true);
	assert_string_equal(other, line);
	assert_int_equal(b->seq, a->seq);
}

/* The twin decides the same as @a, and wakes at the same time. */
static void decide_twin(struct rig *r, const struct cs_actions *a)
{
	struct cs_actions b;

	if (!r->twin)
		return;
	assert_int_equal(cs_engine_decide(r->twin, r->now_us, &b), 0);
	assert_int_equal(b.n, a->n);
	for (size_t i = 0; i < a->n; i++)
		assert_same_action(r, &a->action[i], &b.action[i]);
	assert_int_equal(cs_engine_next_wakeup_us(r->twin),
			 cs_engine_next_wakeup_us(r->engine));
}

/* The actions of a batch, with allocations of their own. */
struct batch {
	struct cs_action *action;
	size_t n, answered;
	uint32_t gone[256]; /* seq of those refused */
	size_t n_gone;
};

/* Answer what has been added to @k since the last call.  Returns the starts. */
static size_t answer(struct rig *r, struct batch *k)
{
	size_t starts = 0;

	for (; k->answered < k->n; k->answered++) {
		const struct cs_action *c = &k->action[k->answered];

		digest(r, c);
		if (c->type == CS_ACT_HOST_START) {
			by_host(r, c);
		} else if (c->type != CS_ACT_START) {
			if (!other(r, c, k->gone, k->n_gone))
				k->gone[k->n_gone++] = c->seq;
		} else if (refuses(r, c, k->gone, k->n_gone)) {
			k->gone[k->n_gone++] = c->seq;
		} else {
			confirm(r, c, r->is_array[c->job_id % 512]);
			starts++;
		}
	}
	return starts;
}

static void batch_add(struct batch *k, const struct cs_actions *a)
{
	struct cs_action *c = copy_actions(a);

	k->action = realloc(k->action, (k->n + a->n + 1) * sizeof(*c));
	assert_non_null(k->action);
	memcpy(k->action + k->n, c, a->n * sizeof(*c));
	k->n += a->n;
	free(c);
}

static void batch_done(struct batch *k)
{
	for (size_t i = 0; i < k->n; i++)
		cs_alloc_free((struct cs_alloc *)(uintptr_t)k->action[i].alloc);
	free(k->action);
}

/* One decide in parts, into @k; the twin's, as a whole, is the same. */
static void decide_in_parts(struct rig *r, struct batch *k)
{
	const struct cs_decide_part part = { .steps = r->part_steps };
	struct batch twin = { 0 };
	struct cs_actions a;
	assert_int_equal(cs_engine_decide(r->twin, r->now_us, &a), 0);
	batch_add(&twin, &a);
	do {
		assert_int_equal(
			cs_engine_decide_part(r->engine, r->now_us, &part, &a),
			0);
		r->pauses += a.more;
		for (size_t i = 0; i < a.n && k->n + i < twin.n; i++)
			assert_same_action(r, &a.action[i],
					   &twin.action[k->n + i]);
		batch_add(k, &a);
	} while (a.more);
	assert_int_equal(k->n, twin.n);
	batch_done(&twin);
}

/* Parts until there are actions, or the decide ends; the twin pauses where the last one
 * did.  True: there may be more, in this decide, or in another as one of its parts had
 * actions. */
static bool decide_some(struct rig *r, struct batch *k)
{
	struct cs_decide_part part = { .steps = r->part_steps };
	struct cs_actions a, b;
	int64_t steps = 0;
	bool again;

	do {
		assert_int_equal(
			cs_engine_decide_part(r->engine, r->now_us, &part, &a),
			0);
		steps += a.steps;
	} while (a.more && !a.n);
	batch_add(k, &a);
	part.steps = a.more ? steps : 0;
	assert_int_equal(cs_engine_decide_part(r->twin, r->now_us, &part, &b),
			 0);
	assert_int_equal(b.more, a.more);
	assert_int_equal(b.steps, steps);
	assert_int_equal(b.n, k->n);
	for (size_t i = 0; i < b.n; i++)
		assert_same_action(r, &k->action[i], &b.action[i]);
	r->pauses += a.more;
	r->acted |= a.n > 0;
	if (a.more)
		return r->to_the_end || r->pauses % 5;
	again = r->acted;
	r->acted = false;
	return again;
}

size_t rig_decide(struct rig *r)
{
	size_t starts = 0;
	bool more;

	r->n_last = 0;
	do {
		struct batch k = { 0 };
		struct cs_actions a;

		if (!r->part_steps) {
			assert_int_equal(
				cs_engine_decide(r->engine, r->now_us, &a), 0);
			decide_twin(r, &a);
			batch_add(&k, &a);
			more = a.n;
		} else if (r->replays) {
			more = decide_some(r, &k);
		} else {
			decide_in_parts(r, &k);
			more = k.n;
		}
		starts += answer(r, &k);
		batch_done(&k);
	} while (more);
	return starts;
}

void rig_finish(struct rig *r, uint32_t id)
{
	rig_tell(r, (struct cs_event){ .type = CS_EV_FINISH, .job_id = id });
}

void rig_at(struct rig *r, int64_t s)
{
	r->now_us = s * RIG_S;
	rig_decide(r);
}

bool rig_runs(struct rig *r, uint32_t id)
{
	struct cs_running run;

	return cs_engine_running(r->engine, id, &run) == 0;
}

struct cs_running rig_running(struct rig *r, uint32_t id)
{
	struct cs_running run;

	if (cs_engine_running(r->engine, id, &run))
		fail_msg("job %u does not run", id);
	return run;
}

uint32_t rig_some_running(struct rig *r, uint64_t *rng)
{
	uint32_t id[512];
	size_t n = cs_engine_list(r->engine, true, id, 512);

	return n ? id[cs_test_draw(rng, n)] : 0;
}

int64_t rig_next_end_us(struct rig *r)
{
	uint32_t id[512];
	size_t n = cs_engine_list(r->engine, true, id, 512);
	int64_t end = CS_TIME_NONE;

	for (size_t i = 0; i < n; i++) {
		struct cs_running run = rig_running(r, id[i]);

		if (!run.suspended && run.end_us < end)
			end = run.end_us;
	}
	return end;
}

void rig_finish_due(struct rig *r, int64_t end_us)
{
	uint32_t id[512], due[512];
	size_t n = cs_engine_list(r->engine, true, id, 512), n_due = 0;

	/* each end may move those of its neighbours */
	for (size_t i = 0; i < n; i++) {
		struct cs_running run = rig_running(r, id[i]);

		if (!run.suspended && run.end_us <= end_us)
			due[n_due++] = id[i];
	}
	if (end_us > r->now_us)
		r->now_us = end_us;
	for (size_t i = 0; i < n_due; i++)
		rig_finish(r, due[i]);
}

void rig_finish_some(struct rig *r, bool early, uint64_t *rng)
{
	int64_t end = rig_next_end_us(r);

	if (end == CS_TIME_NONE)
		return;
	if (early)
		rig_finish(r, rig_some_running(r, rng));
	else
		rig_finish_due(r, end);
}

const char *rig_where(struct rig *r, uint32_t id)
{
	static char text[4][256];
	static int next;
	char *buf = text[next++ % 4];
	struct cs_running run;
	size_t len = 0;

	if (cs_engine_running(r->engine, id, &run))
		return "";
	for (uint32_t i = 0; i < run.alloc->n_node; i++) {
		len += (size_t)snprintf(buf + len, 256 - len,
					"%s%u:", i ? " " : "",
					run.alloc->node[i].node);
		for (uint32_t c = 0; c < 64; c++)
			if (cs_bit(cs_alloc_cores(run.alloc, i), c))
				len += (size_t)snprintf(
					buf + len, 256 - len, "%s%u",
					buf[len - 1] == ':' ? "" : ",", c);
	}
	return buf;
}

const struct cs_action *rig_last(struct rig *r, enum cs_action_type type,
				 uint32_t id)
{
	for (size_t i = 0; i < r->n_last; i++)
		if (r->last[i].type == type && r->last[i].job_id == id)
			return &r->last[i];
	return NULL;
}

const struct cs_action *rig_start(struct rig *r, uint32_t id)
{
	for (size_t i = 0; i < r->n_log; i++)
		if (r->log[i].job_id == id)
			return &r->log[i];
	fail_msg("job %u did not start", id);
	return NULL;
}
