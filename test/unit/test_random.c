/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The engine on random small machines and queues: its invariants after every
 * event, who may share, what a head was promised, and that the same events give
 * the same actions.
 */
#include "cs_test.h"
#include "rig.h"

#define JOBS 40

/* Short enough to meet the jobs' lengths. */
#define SLICES                                                               \
	",slice=pect,class_short_s=60,class_medium_s=180,slice_cycle_s=100," \
	"slice_overhead_s=3,slice_short_s=20"
#define NEEDED \
	SLICES ",slice_stop=needed,slice_shares=load,slice_expect_short=yes"

#define GANG ",slice=gang,slot_s=20"

/* Pairs where only heads hold a promise, with every case. */
#define EASY ",backfill=easy,cases=12345"

static const char *const policies[] = {
	"policy=fcfs,unprofiled=model",
	"policy=easy,unprofiled=model",
	"policy=pack,backfill=easy",
	"policy=ssp",
	"policy=cstws" EASY,
	"policy=cst" EASY,
	"policy=cst,jobs_per_node=3,backfill_join=no" EASY,
	"policy=cst,low_load=spread,unprofiled=model,order=slurm" EASY,
	"policy=conservative,unprofiled=model",
	"policy=ssp,order=slurm",
	"policy=pack",
	"policy=glts",
	"policy=glts,min_util_gain=0,unprofiled=model,backfill_cases=12345,slack=3",
	"policy=glts+",
	"policy=glts+,unprofiled=model,order=slurm,slack=3",
	"policy=glts+" SLICES,
	"policy=nh,jobs_per_node=3,low_load=spread,order=slurm",
	"policy=cst",
	"policy=cst,backfill=easy",
	"policy=cst,jobs_per_node=3,cases=12345",
	"policy=cstws,low_load=spread,unprofiled=model,order=slurm",
	"policy=glts" SLICES,
	"policy=cst,jobs_per_node=3,cases=12345" SLICES,
	"policy=cst,jobs_per_node=4,unprofiled=model" SLICES,
	"policy=pect,unprofiled=model" SLICES ",slice_shares=load",
	"policy=ostrich-paper,unprofiled=model",
	"policy=ostrich-paper,campaign_hold=strict,campaign_order=spt,campaign=max",
	"policy=easy,order=ostrich,campaign_order=lpt,campaign=gap,think_s=60",
	"policy=ostrich-paper,campaign_order=mlpt,unprofiled=model",
	"policy=conservative,order=ostrich,campaign_hold=strict,campaign=array",
	"policy=glts,order=ostrich,campaign=last",
	"policy=cst,order=ostrich,campaign=arrival",
	"policy=pect,order=ostrich,campaign_hold=strict" SLICES,
	"policy=pect,unprofiled=model" SLICES
	",slice_shares=00:05/0.7+00:20/0.2",
	"policy=cst,share_scope=user",
	"policy=pack,share_scope=user",
	"policy=pack,share_scope=user" EASY,
	"policy=ostrich,share_scope=user",
	"policy=adaptive",
	"policy=adaptive,order=fcfs,share_scope=user,jobs_per_node=4",
	"policy=adaptive,backfill=easy,place=pair-best",
	"policy=glts+,share_scope=user" SLICES,
	"policy=glts+" NEEDED,
	"policy=pect,unprofiled=model,swap=no" SLICES,
	"policy=glts+,slice_rest_s=5,swap=no" NEEDED,
	"policy=pect,backfill=easy,slice_rest_s=2,swap=no" NEEDED,
	"policy=pect,order=ostrich,place=pack,swap=no" NEEDED,
	"policy=pect,unprofiled=model" NEEDED,
	"policy=multisite-adaptive,sites=a,unprofiled=model",
	"policy=multisite+,sites=a,across=2,across_grows=linear",
	"policy=pack,sites=a,site_rule=split,site_lower_bound=2",
	"policy=conservative,sites=a,site_rule=look,unprofiled=model",
	"policy=pack,backfill=easy,sites=a,site_rule=single",
	"policy=ostrich,sites=a,site_rule=adaptive,across=0.1",
	"policy=pect,sites=a,site_rule=adaptive,unprofiled=model" SLICES,
	"policy=multisite+,sites=a,across=2,across_grows=linear" NEEDED,
	"policy=multisite,sites=a,swap=no,slice_rest_s=2" SLICES,
	"policy=pack,sites=a,site_rule=look,swap=no" NEEDED,
	"policy=cover,spare=0.1",
	"policy=cover,cover_gain=0,cover=0.5,jobs_per_node=3,layout=auto",
	"policy=cover,cover_gain=0,unprofiled=model,share_scope=user",
	"policy=cover,cover_gain=0,order=ostrich,head_slack=3" SLICES,
	"policy=easy,head_slack=2,unprofiled=model",
	"policy=cover+,cover_gain=0",
	"policy=stock",
	"policy=stock,stock_every_s=1,stock_resolution_s=7",
	"policy=easy,order=expansion,unprofiled=model",
	"policy=adaptive,order=expansion",
	"policy=easy,order=work,unprofiled=model",
	"policy=adaptive,order=work",
	"policy=pect,order=work,swap=no" NEEDED,
	"policy=brmms+,order=work" GANG,
	"policy=glts+,order=expansion" SLICES,
	"policy=pect,order=expansion,swap=no" NEEDED,
	"policy=brmms+,order=expansion" GANG,
	"policy=balanced",
	"policy=balanced,cover_gain=0,unprofiled=model,share_scope=user",
	"policy=balanced,age_points=0.1,age_most_s=50,passing_tries=2",
	"policy=balanced,passing=shortest,place=space,pin_after=0.01",
	"policy=easy,passing=expansion,passing_tries=1,unprofiled=model",
	"policy=easy,planned_starts=2,unprofiled=model",
	"policy=cst,planned_starts=3" EASY,
	"policy=cover,planned_starts=7,cover_gain=0,jobs_per_node=3",
	"policy=balanced,planned_starts=2,cover_gain=0",
	"policy=cover,mpl=2,cover_gain=0",
	"policy=cover,mpl=3,backfill=none,head_slack=1,max_slowdown=2,unprofiled=model",
	"policy=balanced,mpl=2",
	"policy=balanced,mpl=4,max_slowdown=3,cover_gain=0,planned_starts=2",
	"policy=adaptive,order=shifted",
	"policy=pect,order=shifted,swap=no" NEEDED,
	"policy=brmms+,order=shifted,age_points=0" GANG,
	"policy=bc" GANG ",swap=no",
	"policy=br" GANG ",slice_rest_s=5",
	"policy=brms" GANG ",gang_slots=3",
	"policy=brmms" GANG ",swap=no,slice_rest_s=5,slice_guard_s=3",
	"policy=brmms+" GANG ",order=slurm,gang_slots=4",
	"policy=brmms+,order=ostrich,layout=gain,swap=no" GANG,
};
#define N_POLICY (sizeof(policies) / sizeof(policies[0]))

struct world {
	struct rig rig;
	uint64_t rng;
	bool easy; /* every job as estimated, nothing else happens */
	bool calm; /* nothing else happens */
	int64_t promised_us[JOBS + 1];
	int64_t end_us[JOBS + 1];
	bool blocked[JOBS + 1];
	const char *user[JOBS + 1];
	bool apart[JOBS + 1]; /* share=no */
	bool resumed[512];    /* or resized, by the host, beside anybody */
	uint32_t submitted;
};

static const char *const users[] = { "alice", "bob" };
static const char *const names[] = { "a", "b", "c", NULL };

static void submit(struct world *w)
{
	uint32_t id = ++w->submitted;
	struct cs_job j =
		rig_job(&w->rig, id, 1 + (uint32_t)cs_test_draw(&w->rng, 8),
			1 + (uint32_t)cs_test_draw(&w->rng, 300),
			names[(uint32_t)cs_test_draw(&w->rng, 4)]);

	j.user = w->user[id] = users[(uint32_t)cs_test_draw(&w->rng, 2)];
	w->apart[id] = !cs_test_draw(&w->rng, 8);
	j.mem_cpu_mb = (uint32_t)cs_test_draw(&w->rng, 3) * 100;
	j.base_procs = (uint32_t)cs_test_draw(&w->rng, 3);
	if (w->easy && w->rig.params.place == CS_PLACE_PACK)
		j.base_procs = 1; /* without, who packs slows others down */
	if (!(uint32_t)cs_test_draw(&w->rng, 10))
		j.flags = CS_JOB_EXCLUSIVE;
	if (w->apart[id])
		j.flags |= CS_JOB_NO_SHARE;
	if (!w->easy && !(uint32_t)cs_test_draw(&w->rng, 6)) {
		j.array_id = id;
		j.tasks = 1 + (uint32_t)cs_test_draw(&w->rng, 4);
	}
	j.share = (uint32_t)cs_test_draw(&w->rng, 3) * 1000;
	if (!cs_test_draw(&w->rng, 5))
		j.campaign = "sweep";
	if (!w->easy && !cs_test_draw(&w->rng, 8))
		j.eligible_us += (int64_t)cs_test_draw(&w->rng, 60) * RIG_S;
	if (!w->easy && !cs_test_draw(&w->rng, 8)) {
		j.flags |= CS_JOB_BLOCKED;
		w->blocked[id] = true;
	}
	rig_submit(&w->rig, &j);
	w->promised_us[id] = CS_TIME_NONE;
}

static void toggle_suspend(struct world *w, uint32_t id)
{
	struct cs_running r;
	const struct cs_alloc *a;
	struct cs_running other;
	uint32_t all[512];
	size_t n;

	cs_engine_running(w->rig.engine, id, &r);
	if (!r.suspended) {
		rig_tell(&w->rig, (struct cs_event){ .type = CS_EV_SUSPEND,
						     .keeps = id % 2,
						     .job_id = id });
		return;
	}
	/* the host resumes only onto free cores; those that a slice keeps are not */
	a = r.alloc;
	n = cs_engine_list(w->rig.engine, true, all, 512);
	for (size_t k = 0; k < n; k++) {
		cs_engine_running(w->rig.engine, all[k], &other);
		if (all[k] == id ||
		    (other.suspended && w->rig.params.slice == CS_SLICE_NONE))
			continue;
		for (uint32_t i = 0; i < a->n_node; i++)
			for (uint32_t x = 0; x < other.alloc->n_node; x++)
				if (other.alloc->node[x].node ==
					    a->node[i].node &&
				    (cs_alloc_cores(other.alloc, x)[0] &
				     cs_alloc_cores(a, i)[0]))
					return;
	}
	w->resumed[id % 512] = true;
	rig_tell(&w->rig,
		 (struct cs_event){ .type = CS_EV_RESUME, .job_id = id });
}

/* Cancel a job that waits, or let one go that was blocked, shorter. */
static void disturb_waiting(struct world *w)
{
	uint32_t all[512];
	size_t n = cs_engine_list(w->rig.engine, false, all, 512);
	uint32_t id = n ? all[cs_test_draw(&w->rng, n)] : 0;
	struct cs_job j;

	if (!id)
		return;
	if (id > JOBS || !w->blocked[id]) {
		rig_tell(&w->rig, (struct cs_event){ .type = CS_EV_CANCEL,
						     .job_id = id });
		return;
	}
	j = rig_job(&w->rig, id, 1, 1 + (int64_t)cs_test_draw(&w->rng, 100),
		    NULL);
	w->blocked[id] = w->apart[id] = false;
	w->user[id] = j.user;
	w->rig.is_array[id % 512] = false;
	rig_tell(&w->rig, (struct cs_event){ .type = CS_EV_CHANGE, .job = &j });
}

/* Cores of node @n that no running or suspended job has. */
static uint64_t free_cores(const struct world *w, uint32_t n)
{
	uint64_t free =
		(UINT64_C(1) << cs_node_cores(&w->rig.machine->node[n])) - 1;
	uint32_t all[512];
	size_t k = cs_engine_list(w->rig.engine, true, all, 512);

	while (k--) {
		struct cs_running r;
		const uint64_t *cores;

		cs_engine_running(w->rig.engine, all[k], &r);
		cores = cs_alloc_cores_on(r.alloc, n);
		free &= cores ? ~*cores : UINT64_MAX;
	}
	return free;
}

/* The host takes a node or a core off job @id, or gives it a free core. */
static void resize(struct world *w, uint32_t id)
{
	struct cs_running r;
	struct cs_alloc *a;
	uint64_t *cores, free;

	cs_engine_running(w->rig.engine, id, &r);
	a = cs_alloc_copy(r.alloc);
	cores = cs_alloc_cores(a, 0);
	free = free_cores(w, a->node[0].node);
	if (free && !cs_test_draw(&w->rng, 3))
		*cores |= free & -free;
	else if (a->n_node > 1)
		a->n_node--;
	else if (*cores & (*cores - 1)) {
		*cores &= *cores - 1;
		/* with all cores of a node it shared with nobody */
		w->resumed[id % 512] = true;
	}
	for (uint32_t i = 0; i < a->n_node; i++)
		if (a->node[i].procs > cs_alloc_count(a, i))
			a->node[i].procs = cs_alloc_count(a, i);
	rig_tell(&w->rig, (struct cs_event){ .type = CS_EV_RESIZE,
					     .resize = { id, a } });
	cs_alloc_free(a);
}

/* Its nodes have booted, at some time since its start. */
static void begin(struct world *w, uint32_t id)
{
	struct cs_running r;
	int64_t from_us;

	cs_engine_running(w->rig.engine, id, &r);
	from_us = r.start_us +
		  (int64_t)cs_test_draw(
			  &w->rng, (uint64_t)(w->rig.now_us - r.start_us + 1));
	rig_tell(&w->rig, (struct cs_event){
				  .type = CS_EV_BEGIN,
				  .begin = { id, id % 2 ? from_us : r.start_us,
					     from_us } });
}

static void disturb(struct world *w)
{
	uint32_t id = rig_some_running(&w->rig, &w->rng);
	uint32_t node = (uint32_t)cs_test_draw(&w->rng, w->rig.machine->n_node);
	int64_t limit_s = 1 + (int64_t)cs_test_draw(&w->rng, 900);

	switch ((uint32_t)cs_test_draw(&w->rng, 6)) {
	case 0:
		rig_tell(&w->rig,
			 (struct cs_event){ .type = CS_EV_NODE,
					    .node = { node,
						      cs_test_draw(&w->rng, 2),
						      NULL, "test" } });
		break;
	case 1:
		if (id)
			toggle_suspend(w, id);
		break;
	case 2:
		if (id)
			rig_tell(&w->rig,
				 (struct cs_event){
					 .type = CS_EV_LIMIT,
					 .limit = { id, limit_s * RIG_S } });
		break;
	case 3:
		w->rig.refuse =
			1 + (uint32_t)cs_test_draw(&w->rng, w->submitted + 1);
		w->rig.refuse_class =
			(enum cs_refused)(uint32_t)cs_test_draw(&w->rng, 2);
		break;
	case 4:
		disturb_waiting(w);
		break;
	default:
		if (id && cs_test_draw(&w->rng, 2))
			resize(w, id);
		else if (id)
			begin(w, id);
	}
}

static bool meet(const struct cs_alloc *a, const struct cs_alloc *b)
{
	for (uint32_t i = 0; i < a->n_node; i++)
		for (uint32_t k = 0; k < b->n_node; k++)
			if (a->node[i].node == b->node[k].node)
				return true;
	return false;
}

/* May @a and @b, which run, stand on one node? */
static bool may_meet(const struct world *w, const struct cs_running *a,
		     const struct cs_running *b)
{
	uint32_t i = a->array_id ? a->array_id : a->job_id;
	uint32_t k = b->array_id ? b->array_id : b->job_id;

	if (w->resumed[a->job_id % 512] || w->resumed[b->job_id % 512])
		return true;
	if (w->apart[i] || w->apart[k])
		return false;
	return w->rig.params.share_scope == CS_SCOPE_ANY ||
	       !strcmp(w->user[i], w->user[k]);
}

/* Nobody shares with whom he may not; nobody is slowed down too much. */
static void check_sharing(struct world *w)
{
	struct cs_running other;
	uint32_t id[512];
	size_t n = cs_engine_list(w->rig.engine, true, id, 512);

	for (size_t i = 0; i < n; i++) {
		struct cs_running r;

		cs_engine_running(w->rig.engine, id[i], &r);
		assert_true(r.limit_us > 0);
		assert_true(r.slowdown > 0);
		if (r.group && w->rig.params.layout != CS_LAYOUT_AUTO)
			assert_false(r.packed);
		for (size_t k = 0; !r.suspended && k < i; k++) {
			cs_engine_running(w->rig.engine, id[k], &other);
			if (!other.suspended && meet(r.alloc, other.alloc) &&
			    !may_meet(w, &r, &other))
				fail_msg("jobs %u and %u on one node", id[i],
					 id[k]);
		}
	}
}

/* Cores on node @n of those who run and, if @kept, of those whom the host suspended: it
 * may have left them some. */
static uint32_t count_cores(const struct world *w, uint32_t n, bool kept)
{
	uint32_t id[512];
	size_t k = cs_engine_list(w->rig.engine, true, id, 512);
	uint64_t used = 0;

	while (k--) {
		struct cs_running r;

		cs_engine_running(w->rig.engine, id[k], &r);
		if (r.suspended && (r.stopped || !kept))
			continue;
		for (uint32_t i = 0; i < r.alloc->n_node; i++)
			if (r.alloc->node[i].node == n)
				used |= cs_alloc_cores(r.alloc, i)[0];
	}
	return cs_popcount(used);
}

/* Each node's cores, and all together, are those of who runs there. */
static void check_use(const struct world *w)
{
	struct cs_engine_stats st;
	uint32_t used = 0;

	for (uint32_t n = 0; n < w->rig.machine->n_node; n++) {
		struct cs_node_now now = cs_engine_node(w->rig.engine, n);

		assert_true(now.used >= count_cores(w, n, false));
		assert_true(now.used <= count_cores(w, n, true));
		assert_int_equal(!now.used, !now.jobs);
		used += now.up ? now.used : 0;
	}
	cs_engine_stats(w->rig.engine, &st);
	assert_int_equal(st.cores_used, used);
}

/* In a world where all goes as estimated, no head starts later than promised. */
static void check_promises(struct world *w)
{
	for (uint32_t id = 1; id <= w->submitted; id++) {
		int64_t t =
			cs_engine_predicted_start_us(w->rig.engine, id, NULL);

		if (t == CS_TIME_NONE)
			continue;
		if (t > w->promised_us[id])
			fail_msg("job %u was promised %lld, now %lld", id,
				 (long long)w->promised_us[id], (long long)t);
		w->promised_us[id] = t;
	}
}

static void step(struct world *w)
{
	int64_t end = rig_next_end_us(&w->rig);
	bool runs = end != CS_TIME_NONE;

	if (cs_engine_next_wakeup_us(w->rig.engine) < end) {
		w->rig.now_us = cs_engine_next_wakeup_us(w->rig.engine);
	} else if (w->submitted < JOBS && (!runs || cs_test_draw(&w->rng, 2))) {
		w->rig.now_us += (int64_t)cs_test_draw(&w->rng, 30) * RIG_S;
		if (runs && w->rig.now_us >= end)
			w->rig.now_us = end - 1;
		submit(w);
	} else if (runs) {
		rig_finish_due(&w->rig, end);
	} else {
		w->rig.now_us += 20 * RIG_S;
	}
	if (!w->easy && !w->calm && !cs_test_draw(&w->rng, 4))
		disturb(w);
	rig_decide(&w->rig);
	check_sharing(w);
	check_use(w);
	if (w->easy)
		check_promises(w);
}

static void run_world(const char *policy, uint64_t seed, bool easy,
		      struct cs_engine_stats *ret)
{
	struct world w = { .rng = seed, .easy = easy };

	rig_open(&w.rig, policy, rig_abc, 1 + (uint32_t)cs_test_draw(&w.rng, 6),
		 (uint16_t)(1 + (uint32_t)cs_test_draw(&w.rng, 2)),
		 (uint16_t)(1 + (uint32_t)cs_test_draw(&w.rng, 3)), 600);
	/* who comes back to his place would move the others' promises */
	w.rig.host_cancels = easy;
	for (int i = 0; i < 5 * JOBS; i++) {
		w.rig.n_log = 0;
		step(&w);
	}
	cs_engine_stats(w.rig.engine, ret);
	rig_close(&w.rig);
}

static void invariants_hold_under_everything(void **state)
{
	uint64_t rng = cs_test_seed();
	uint64_t starts = 0, pairs = 0, refusals = 0;
	uint64_t worlds = cs_test_worlds(500);

	(void)state;
	for (uint64_t i = 0; i < worlds; i++) {
		struct cs_engine_stats st;

		run_world(policies[i % N_POLICY],
			  cs_test_draw(&rng, UINT64_MAX), false, &st);
		starts += st.starts;
		pairs += st.pairs;
		refusals += st.refusals;
	}
	print_message("%llu starts, %llu pairs, %llu refusals\n",
		      (unsigned long long)starts, (unsigned long long)pairs,
		      (unsigned long long)refusals);
	assert_true(starts > 1000 && pairs > 50 && refusals > 20);
}

static void a_head_never_starts_later_than_promised(void **state)
{
	uint64_t rng = cs_test_seed(), worlds = cs_test_worlds(180);
	static const char *const space[] = {
		"policy=easy,unprofiled=model,unknown_pair=1",
		"policy=ssp,unprofiled=model,unknown_pair=1",
		"policy=pack,backfill=easy,order=fcfs", /* plan.c: weakness */
	};

	(void)state;
	for (uint64_t i = 0; i < worlds; i++) {
		struct cs_engine_stats st;

		run_world(space[i % 3], cs_test_draw(&rng, UINT64_MAX), true,
			  &st);
		assert_int_equal(st.running, 0);
	}
}

/* What all who wait are told is the same in both. */
static void check_twin(const struct rig *r)
{
	uint32_t id[512];
	size_t n = cs_engine_list(r->engine, false, id, 512);
	char a[8192], b[8192];

	for (size_t i = 0; i < n; i++) {
		assert_int_equal(
			cs_engine_predicted_start_us(r->twin, id[i], NULL),
			cs_engine_predicted_start_us(r->engine, id[i], NULL));
		cs_explain(r->engine, id[i], NULL, a, sizeof(a));
		cs_explain(r->twin, id[i], NULL, b, sizeof(b));
		assert_string_equal(b, a);
	}
}

/* Node 0 is kept for some time to come, whole or one core of it. */
static void reserve_some(struct world *w)
{
	uint32_t node = 0;
	struct cs_reservation v = { .id = 1, .n = 1, .node = &node };
	struct cs_alloc *core = cs_alloc_create(1, w->rig.machine->words);

	core->node[0] = (struct cs_alloc_node){ .node = 0, .procs = 1 };
	cs_alloc_cores(core, 0)[0] = 1;
	v.cores = cs_test_draw(&w->rng, 2) ? core : NULL;
	v.start_us =
		w->rig.now_us + (int64_t)cs_test_draw(&w->rng, 500) * RIG_S;
	v.end_us = v.start_us + 300 * RIG_S;
	rig_tell(&w->rig, (struct cs_event){ .type = CS_EV_RESERVATION,
					     .reservation = &v });
	cs_alloc_free(core);
}

/* Made at any time, and told the same from then on. */
static void a_copy_decides_as_the_first(void **state)
{
	uint64_t rng = cs_test_seed(), worlds = cs_test_worlds(3 * N_POLICY);
	uint64_t made = 0;

	(void)state;
	for (uint64_t i = 0; i < worlds; i++) {
		struct world w = { .rng = cs_test_draw(&rng, UINT64_MAX) };
		char params[512];

		/* of what is proposed the copy would explain nothing */
		snprintf(params, sizeof(params), "%s,learn=off",
			 policies[i % N_POLICY]);
		rig_open(&w.rig, params, rig_abc,
			 1 + (uint32_t)cs_test_draw(&w.rng, 6), 2, 2, 600);
		for (int k = 0; k < 4 * JOBS; k++) {
			w.rig.n_log = 0;
			if (!cs_test_draw(&w.rng, 20) &&
			    cs_engine_copies(w.rig.engine)) {
				rig_twin(&w.rig);
				made++;
			}
			if (!cs_test_draw(&w.rng, 40))
				reserve_some(&w);
			step(&w);
			if (w.rig.twin)
				check_twin(&w.rig);
		}
		rig_close(&w.rig);
	}
	assert_true(made > worlds);
}

/* Random worlds, each with a second engine and decides in parts as @set says. */
static void in_parts(void (*set)(struct world *w, uint64_t i))
{
	uint64_t rng = cs_test_seed(), worlds = cs_test_worlds(3 * N_POLICY);
	uint64_t pauses = 0;

	for (uint64_t i = 0; i < worlds; i++) {
		struct world w = { .rng = cs_test_draw(&rng, UINT64_MAX) };

		rig_open(&w.rig, policies[i % N_POLICY], rig_abc,
			 1 + (uint32_t)cs_test_draw(&w.rng, 6), 2, 2, 600);
		rig_second(&w.rig);
		set(&w, i);
		for (int k = 0; k < 4 * JOBS; k++) {
			w.rig.n_log = 0;
			step(&w);
			check_twin(&w.rig);
		}
		pauses += w.rig.pauses;
		rig_close(&w.rig);
	}
	assert_true(pauses > worlds);
}

static void of_fixed_size(struct world *w, uint64_t i)
{
	static const int64_t steps[] = { 1, 7, 100 };

	w->rig.part_steps = steps[i / N_POLICY % 3];
}

/* The parts of a decide, of any size, decide what the whole does. */
static void parts_decide_as_the_whole(void **state)
{
	(void)state;
	in_parts(of_fixed_size);
}

static void replayed(struct world *w, uint64_t i)
{
	(void)i;
	w->rig.part_steps = 1 + (int64_t)cs_test_draw(&w->rng, 20);
	w->rig.replays = true;
	w->rig.late_us = (int64_t)cs_test_draw(&w->rng, 2) * 1000;
}

/* With starts refused, confirmed late, and whatever else happens in a pause. */
static void a_replay_pauses_where_the_decide_did(void **state)
{
	(void)state;
	in_parts(replayed);
}

/* Do the same jobs run in both, on the same cores, with the same limits? */
static bool same_running(const struct rig *a, const struct rig *b)
{
	uint32_t x[512], y[512];
	size_t n = cs_engine_list(a->engine, true, x, 512);

	if (cs_engine_list(b->engine, true, y, 512) != n)
		return false;
	for (size_t i = 0; i < n; i++) {
		struct cs_running r, q;

		if (x[i] != y[i])
			return false;
		cs_engine_running(a->engine, x[i], &r);
		cs_engine_running(b->engine, y[i], &q);
		if (!cs_alloc_equal(r.alloc, q.alloc) || r.group != q.group ||
		    r.limit_us != q.limit_us || r.end_us != q.end_us)
			return false;
	}
	return true;
}

/* No running job is on a node of another. */
static void check_alone(const struct world *w, const char *policy)
{
	uint32_t id[512];
	size_t n = cs_engine_list(w->rig.engine, true, id, 512);

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++) {
			struct cs_running a, b;

			cs_engine_running(w->rig.engine, id[i], &a);
			cs_engine_running(w->rig.engine, id[k], &b);
			if (meet(a.alloc, b.alloc))
				fail_msg("%s: jobs %u and %u on one node",
					 policy, id[k], id[i]);
		}
}

/* Two hosts, of which one answers every start between the parts of a decide and the other
 * behind the whole.  Confirmed as proposed and at once, and with no job beside another
 * (hence unprofiled=model: packed jobs slow each other down), all that starts is the same:
 * what cs_engine_decide_part() says of answers. */
static void answers_between_parts_change_nothing_for_jobs_alone(void **state)
{
	static const char *const alone[] = {
		"policy=fcfs,unprofiled=model",
		"policy=easy,unprofiled=model",
		"policy=easy,head_slack=2,unprofiled=model",
		"policy=easy,order=expansion,unprofiled=model",
		"policy=easy,order=work,unprofiled=model",
		"policy=easy,order=ostrich,campaign_order=lpt,campaign=gap,think_s=60,unprofiled=model",
		"policy=ssp,unprofiled=model",
		"policy=ssp,order=slurm,unprofiled=model",
		"policy=conservative,unprofiled=model",
		"policy=conservative,order=ostrich,campaign_hold=strict,campaign=array,unprofiled=model",
		"policy=ostrich-paper,campaign_hold=strict,campaign_order=spt,campaign=max,unprofiled=model",
		"policy=conservative,sites=a,site_rule=look,unprofiled=model",
		"policy=multisite+,sites=a,across=2,across_grows=linear,unprofiled=model",
		"policy=balanced,place=space,pack_part=0,unprofiled=model",
		"policy=easy,passing=shortest,passing_tries=2,unprofiled=model",
		"policy=easy,planned_starts=3,unprofiled=model",
	};
	const size_t n = sizeof(alone) / sizeof(alone[0]);
	uint64_t rng = cs_test_seed(), worlds = cs_test_worlds(10 * n);
	uint64_t pauses = 0;

	(void)state;
	for (uint64_t i = 0; i < worlds; i++) {
		uint64_t seed = cs_test_draw(&rng, UINT64_MAX);
		struct world w[2] = { { .rng = seed, .calm = true },
				      { .rng = seed, .calm = true } };

		for (int k = 0; k < 2; k++)
			rig_open(&w[k].rig, alone[i % n], rig_abc,
				 1 + (uint32_t)cs_test_draw(&w[k].rng, 6), 2, 2,
				 600);
		rig_second(&w[1].rig);
		w[1].rig.part_steps = 1 + (int64_t)cs_test_draw(&rng, 20);
		w[1].rig.replays = w[1].rig.to_the_end = true;
		for (int k = 0; k < 4 * JOBS; k++) {
			w[0].rig.n_log = w[1].rig.n_log = 0;
			step(&w[0]);
			step(&w[1]);
			check_alone(&w[0], alone[i % n]);
			if (!same_running(&w[0].rig, &w[1].rig))
				fail_msg("%s, seed %llu, step %d differs",
					 alone[i % n], (unsigned long long)seed,
					 k);
		}
		pauses += w[1].rig.pauses;
		rig_close(&w[0].rig);
		rig_close(&w[1].rig);
	}
	assert_true(pauses > worlds);
}

/* Near where 32 bits end, and where cores, nodes and words of sets do. */
static uint32_t any_size(uint64_t *rng)
{
	static const uint32_t size[] = {
		0, 1, 2, 4, 64, 256, 65536, UINT32_C(1) << 31, UINT32_MAX
	};
	const size_t n = sizeof(size) / sizeof(size[0]);

	return size[cs_test_draw(rng, n)] + (uint32_t)cs_test_draw(rng, 3) - 1;
}

static uint32_t some_size(uint64_t *rng)
{
	uint32_t size = any_size(rng);

	return size ? size : 1;
}

static void submit_any(struct world *w)
{
	uint64_t *rng = &w->rng;
	struct cs_job j = rig_job(&w->rig, ++w->submitted, some_size(rng),
				  some_size(rng), names[cs_test_draw(rng, 4)]);
	struct cs_job_partition o = *j.option;

	j.cpus_per_proc = 1 + some_size(rng) % 65535;
	j.min_nodes = cs_test_draw(rng, 2) ? 1 : some_size(rng);
	j.max_nodes = cs_test_draw(rng, 2) ? 0 : any_size(rng);
	j.procs_per_node = cs_test_draw(rng, 2) ? 0 : any_size(rng);
	j.base_procs = cs_test_draw(rng, 2) ? 0 : any_size(rng);
	j.mem_node_mb = cs_test_draw(rng, 2) ? 0 : any_size(rng);
	j.mem_cpu_mb = cs_test_draw(rng, 2) ? 0 : any_size(rng);
	o.limit_max_us = some_size(rng) * RIG_S;
	j.option = &o;
	w->user[j.id] = j.user;
	rig_submit(&w->rig, &j);
}

static void no_size_does_harm(void **state)
{
	uint64_t rng = cs_test_seed(), worlds = cs_test_worlds(500);

	(void)state;
	for (uint64_t i = 0; i < worlds; i++) {
		struct world w = { .rng = cs_test_draw(&rng, UINT64_MAX) };

		rig_open(&w.rig, policies[i % N_POLICY], rig_abc,
			 1 + (uint32_t)cs_test_draw(&w.rng, 66), 2, 2, 1000);
		for (int k = 0; k < 12; k++) {
			if (cs_test_draw(&w.rng, 3))
				submit_any(&w);
			else
				submit(&w);
			rig_decide(&w.rig);
			check_sharing(&w);
		}
		rig_close(&w.rig);
	}
}

/* As often as asked, a decide without events finds nothing more to do. */
static void a_decide_without_events_changes_nothing(void **state)
{
	struct world w = { .rng = cs_test_seed() };

	(void)state;
	rig_open(&w.rig, "policy=cst", rig_abc, 4, 2, 2, 600);
	for (int i = 0; i < 3 * JOBS; i++) {
		struct cs_actions a;

		w.rig.n_log = 0;
		step(&w);
		assert_int_equal(
			cs_engine_decide(w.rig.engine, w.rig.now_us, &a), 0);
		assert_int_equal(a.n, 0);
	}
	rig_close(&w.rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(invariants_hold_under_everything),
		cmocka_unit_test(a_head_never_starts_later_than_promised),
		cmocka_unit_test(a_copy_decides_as_the_first),
		cmocka_unit_test(parts_decide_as_the_whole),
		cmocka_unit_test(a_replay_pauses_where_the_decide_did),
		cmocka_unit_test(
			answers_between_parts_change_nothing_for_jobs_alone),
		cmocka_unit_test(no_size_does_harm),
		cmocka_unit_test(a_decide_without_events_changes_nothing),
	};

	int rc = cmocka_run_group_tests_name("random", tests, NULL, NULL);

	print_message("digest of all actions: %016llx\n",
		      (unsigned long long)rig_digest);
	return rc;
}
