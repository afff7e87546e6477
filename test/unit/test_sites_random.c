/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sites beside time slices, and beside sharing, on random machines and queues.  Every
 * start is held against the machine as the host sees it: no core twice, the fewest
 * sites, one if the rule says so; nobody on more for the sake of a partner; and in the
 * end nobody is left.  A queue that once stood still, by itself.
 *
 * CS_TEST_WORLDS: how many of them (600).
 */
#include "cs_test.h"
#include "rig.h"

#include "common/model/sites.h"
#include "common/state/state.h"

#define SITES_MAX 5
#define JOBS 30
#define STEPS_MAX 20000

/* Short enough to meet the jobs' lengths; who is asked to stop stops at once. */
#define SLICES                                                               \
	",slice=pect,class_short_s=60,class_medium_s=180,slice_cycle_s=100," \
	"slice_overhead_s=3,slice_short_s=20,slice_rest_s=0,sites=a"

static const struct {
	const char *params;
	bool packs, plans, shares;
} policies[] = {
	{ "policy=multisite-adaptive,unprofiled=model" SLICES, false, false,
	  false },
	{ "policy=multisite,site_lower_bound=2,unprofiled=model" SLICES, false,
	  false, false },
	{ "policy=multisite+,across_grows=linear,unprofiled=model" SLICES,
	  false, false, false },
	{ "policy=multisite,site_rule=single,unprofiled=model" SLICES, false,
	  false, false },
	{ "policy=multisite-adaptive,backfill=none,slice_stop=needed,"
	  "unprofiled=model" SLICES,
	  false, false, false },
	{ "policy=pack,backfill=easy,site_rule=adaptive" SLICES, true, false,
	  false },
	{ "policy=pack,backfill=easy,site_rule=split,slice_stop=needed" SLICES,
	  true, false, false },
	{ "policy=pect,site_rule=adaptive,unprofiled=model" SLICES, false, true,
	  false },
	{ "policy=pect,site_rule=single,unprofiled=model" SLICES, false, true,
	  false },
	{ "policy=pect,site_rule=look,place=pack,slice_stop=needed" SLICES,
	  true, true, false },
	{ "policy=multisite-adaptive,sites=a,unprofiled=model", false, false,
	  false },
	{ "policy=glts,site_rule=adaptive,sites=a", false, true, true },
	{ "policy=glts,site_rule=adaptive,site_lower_bound=32,sites=a", false,
	  true, true },
	{ "policy=glts,site_rule=split,site_fragments=limited,sites=a", false,
	  true, true },
	{ "policy=glts,site_rule=single,matched_larger=1,sites=a", false, true,
	  true },
	{ "policy=glts,site_rule=split,jobs_per_node=3,sites=a", false, true,
	  true },
	{ "policy=glts+,site_rule=look,across_grows=linear,sites=a", false,
	  true, true },
	{ "policy=cst,site_rule=adaptive,backfill_join=yes,sites=a", false,
	  true, true },
	{ "policy=cst,site_rule=look,site_fragments=limited,backfill_join=yes,"
	  "sites=a",
	  false, true, true },
	{ "policy=cst,site_rule=single,jobs_per_node=3,backfill_join=yes,"
	  "sites=a",
	  false, true, true },
	{ "policy=adaptive,site_rule=split,order=fcfs,sites=a", false, true,
	  true },
	{ "policy=glts,site_rule=adaptive" SLICES, false, true, true },
	{ "policy=pack,sites=a,site_rule=split,order=fcfs", true, true, false },
};
#define N_POLICY (sizeof(policies) / sizeof(policies[0]))

struct world {
	struct rig rig;
	uint64_t rng, number;
	size_t policy;
	uint32_t n_site, cores; /* a node */
	uint32_t submitted, site_of[64];
	uint32_t slice; /* whose: enum cs_class */
	uint32_t down;	/* node, or its number */
	double across[JOBS + 1];
	uint64_t starts, split, fewest;
	uint64_t shared, both; /* in a group; and over several sites */
};

static uint32_t draw(struct world *w, uint32_t n)
{
	return (uint32_t)cs_test_draw(&w->rng, n);
}

static void open_world(struct world *w)
{
	uint32_t n = 0;

	w->n_site = 1 + draw(w, SITES_MAX);
	w->cores = policies[w->policy].shares ? 4 : 1 + draw(w, 2);
	for (uint32_t s = 0; s < w->n_site; s++)
		for (uint32_t k = 1 + draw(w, 8); k; k--)
			w->site_of[n++] = s;
	for (uint32_t i = n - 1; i; i--) { /* in any order */
		uint32_t k = draw(w, i + 1), site = w->site_of[i];

		w->site_of[i] = w->site_of[k];
		w->site_of[k] = site;
	}
	rig_sites = cs_sites_create(n, w->site_of, w->n_site, NULL);
	assert_non_null(rig_sites);
	rig_open(&w->rig, policies[w->policy].params,
		 policies[w->policy].shares ? rig_abc : NULL, n, 1,
		 (uint16_t)w->cores, 0);
	w->down = n;
	w->slice = CS_CLASSES;
}

/* What the host sees of a node that a job of @class, about to start, might use;
 * @guest: beside running jobs of other classes, else as if these did not run. */
static uint32_t room_on(struct world *w, uint32_t class, bool guest, uint32_t n,
			const uint32_t *id, size_t jobs)
{
	bool sliced = w->rig.params.slice != CS_SLICE_NONE;
	uint32_t held = 0;

	if (n == w->down)
		return 0;
	for (size_t i = 0; i < jobs; i++) {
		struct cs_running r;
		const uint64_t *cores;

		if (cs_engine_running(w->rig.engine, id[i], &r))
			continue; /* its start comes behind this one */
		cores = cs_alloc_cores_on(r.alloc, n);
		if (!cores)
			continue;
		if (!sliced || r.class == class)
			held += cs_bits_count(cores, r.alloc->words);
		else if (guest && !r.suspended)
			return 0;
	}
	if (policies[w->policy].packs)
		return w->cores - held;
	return !held;
}

/* The fewest sites by taking the roomiest first; 0: there is not enough. */
static uint32_t fewest(const uint32_t *room, uint32_t n, uint32_t need)
{
	bool taken[SITES_MAX] = { false };
	uint32_t k = 0, all = 0;

	while (all < need) {
		uint32_t best = n;

		for (uint32_t s = 0; s < n; s++)
			if (!taken[s] && (best == n || room[s] > room[best]))
				best = s;
		if (best == n)
			return 0;
		taken[best] = true;
		all += room[best];
		k++;
	}
	return k;
}

/* No core twice: none of who runs, nor of its own class. */
static void check_cores(struct world *w, const struct cs_action *a,
			uint32_t class, const uint32_t *id, size_t jobs)
{
	for (size_t i = 0; i < jobs; i++) {
		struct cs_running r;

		if (cs_engine_running(w->rig.engine, id[i], &r) ||
		    (r.suspended && r.class != class))
			continue;
		for (uint32_t k = 0; k < a->alloc->n_node; k++) {
			const uint64_t *cores = cs_alloc_cores_on(
				r.alloc, a->alloc->node[k].node);

			if (cores &&
			    cs_bits_common(cores, cs_alloc_cores(a->alloc, k),
					   a->alloc->words))
				fail_msg("world %llu: jobs %u and %u on a core",
					 (unsigned long long)w->number,
					 a->job_id, id[i]);
		}
	}
}

/* The most sites that the rule allows a job, by the machine alone: with one process a
 * node as many as could ever hold it; or what site_fragments says, if that is more.  0:
 * any number. */
static uint32_t most_by_rule(struct world *w, uint32_t procs)
{
	const struct cs_params *p = &w->rig.params;
	uint32_t all[SITES_MAX] = { 0 }, most = w->n_site, least;

	for (uint32_t i = 0; i < w->rig.machine->n_node; i++)
		all[w->site_of[i]] += i != w->down;
	least = fewest(all, w->n_site, procs);
	if (p->site_rule == CS_SITE_RULE_SINGLE ||
	    (least < 2 && procs <= p->site_lower_bound))
		return least;
	if (p->site_fragments == CS_SITE_FRAGMENTS_LIMITED) /* table 3 */
		most = procs <= 64 ? 1 : procs <= 128 ? 2 : 8;
	return least && least < most ? most : least;
}

/* With partners: no more sites than it was promised, by which it waits for its time
 * alone, nor than the rule allows; and it runs as much longer. */
static void check_shared(struct world *w, const struct cs_action *a)
{
	const struct cs_ejob *j = cs_engine_job(w->rig.engine, a->job_id);
	uint32_t used = cs_sites_touched(w->rig.machine->sites, a->alloc);
	uint32_t most = most_by_rule(w, j->job.procs);
	double f;

	if (a->group && used > 1 &&
	    ((most && used > most) || used > j->plan.fragments))
		fail_msg("world %llu (%s): job %u over %u sites, %u and %u do",
			 (unsigned long long)w->number,
			 policies[w->policy].params, a->job_id, used, most,
			 j->plan.fragments);
	f = cs_sites_crossing((enum cs_across_grows)w->rig.params.across_grows,
			      w->across[a->job_id], used);
	if (a->slowdown < f - 1e-9)
		fail_msg("world %llu (%s): job %u over %u sites slowed by %g",
			 (unsigned long long)w->number,
			 policies[w->policy].params, a->job_id, used,
			 a->slowdown);
	w->shared += a->group != 0;
	w->both += a->group && used > 1;
}

/* ... and so the fewest sites, by the host's count. */
static void check_start(struct world *w, const struct cs_action *a)
{
	uint32_t id[64], n = w->rig.machine->n_node, need = 0;
	size_t jobs = cs_engine_list(w->rig.engine, true, id, 64);
	uint32_t class = cs_engine_class(w->rig.engine, a->job_id), k, used;
	uint32_t room[SITES_MAX] = { 0 }, own[SITES_MAX] = { 0 },
		 all[SITES_MAX] = { 0 };
	bool packs = policies[w->policy].packs;
	bool guest = w->slice != CS_CLASSES && w->slice != class;

	assert_true(jobs < 64);
	check_cores(w, a, class, id, jobs);
	for (uint32_t i = 0; i < a->alloc->n_node; i++)
		need += packs ? cs_alloc_count(a->alloc, i) : 1;
	for (uint32_t i = 0; i < n; i++) {
		room[w->site_of[i]] += room_on(w, class, guest, i, id, jobs);
		own[w->site_of[i]] += room_on(w, class, false, i, id, jobs);
		all[w->site_of[i]] += i == w->down ? 0 : packs ? w->cores : 1;
	}
	used = cs_sites_touched(w->rig.machine->sites, a->alloc);
	w->starts++;
	w->split += used > 1;
	if (policies[w->policy].shares) {
		check_shared(w, a);
		return;
	}
	k = fewest(room, w->n_site, need);
	w->fewest += used == k;
	if (used < k || !k ||
	    (used > fewest(own, w->n_site, need) && !policies[w->policy].plans))
		fail_msg("world %llu (%s): job %u over %u sites, %u would do",
			 (unsigned long long)w->number,
			 policies[w->policy].params, a->job_id, used, k);
	if (w->rig.params.site_rule == CS_SITE_RULE_SINGLE &&
	    fewest(all, w->n_site, need) == 1 && used > 1)
		fail_msg("world %llu (%s): job %u over %u sites, one could "
			 "hold it",
			 (unsigned long long)w->number,
			 policies[w->policy].params, a->job_id, used);
}

static void confirm(struct world *w, const struct cs_action *a)
{
	struct cs_started s = { .seq = a->seq,
				.job_id = a->job_id,
				.start_us = w->rig.now_us,
				.limit_us = a->limit_us ? a->limit_us
							: 3600 * RIG_S,
				.alloc = a->alloc };

	rig_tell(&w->rig,
		 (struct cs_event){ .type = CS_EV_STARTED, .start = &s });
}

static void answer(struct world *w, const struct cs_action *a)
{
	switch (a->type) {
	case CS_ACT_START:
		check_start(w, a);
		confirm(w, a);
		break;
	case CS_ACT_SLICE:
		w->slice = a->slice;
		break;
	case CS_ACT_SUSPEND:
	case CS_ACT_RESUME:
		rig_tell(&w->rig,
			 (struct cs_event){ .type = a->type == CS_ACT_SUSPEND
							    ? CS_EV_SUSPEND
							    : CS_EV_RESUME,
					    .job_id = a->job_id });
		break;
	case CS_ACT_HOST_START:
		fail_msg("job %u is left to the host", a->job_id);
		break;
	default:
		break;
	}
}

static void decide(struct world *w)
{
	struct cs_actions a;

	do {
		struct cs_action *c;

		assert_int_equal(
			cs_engine_decide(w->rig.engine, w->rig.now_us, &a), 0);
		c = calloc(a.n + 1, sizeof(*c));
		for (size_t i = 0; i < a.n; i++) {
			c[i] = a.action[i];
			c[i].alloc =
				c[i].alloc ? cs_alloc_copy(c[i].alloc) : NULL;
		}
		for (size_t i = 0; i < a.n; i++)
			answer(w, &c[i]);
		for (size_t i = 0; i < a.n; i++)
			cs_alloc_free((struct cs_alloc *)(uintptr_t)c[i].alloc);
		free(c);
	} while (a.n);
}

static void submit(struct world *w)
{
	uint32_t all = w->rig.machine->n_node * w->cores;
	uint32_t procs = 1 + draw(w, draw(w, 3) ? (all + 3) / 4 : all);
	static const char *const name[] = { "a", "b", "c" };
	bool shares = policies[w->policy].shares;
	struct cs_job j =
		rig_job(&w->rig, ++w->submitted, procs, 1 + draw(w, 300),
			shares ? name[draw(w, 3)] : NULL);

	w->across[j.id] = w->rig.params.across;
	if (!draw(w, 3)) {
		j.flags |= CS_JOB_ACROSS;
		w->across[j.id] = j.across = draw(w, 3) * .5;
	}
	rig_submit(&w->rig, &j);
}

/* A node goes down that nobody holds, or the one comes back. */
static void toggle_node(struct world *w)
{
	uint32_t n = w->down, nodes = w->rig.machine->n_node;
	bool back = n < nodes;

	if (!back)
		n = draw(w, nodes);
	if (!back && cs_engine_node(w->rig.engine, n).jobs)
		return;
	w->down = back ? nodes : n;
	rig_tell(&w->rig,
		 (struct cs_event){ .type = CS_EV_NODE,
				    .node = { n, back, NULL, "test" } });
}

static int64_t sooner(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* False: nobody waits or runs, and nobody will come. */
static bool step(struct world *w)
{
	struct cs_engine_stats st;
	int64_t end = rig_next_end_us(&w->rig);
	int64_t at = sooner(end, cs_engine_next_wakeup_us(w->rig.engine));

	cs_engine_stats(w->rig.engine, &st);
	if (w->submitted < JOBS && (at == CS_TIME_NONE || draw(w, 2))) {
		int64_t submit_us =
			w->rig.now_us + (int64_t)draw(w, 30) * RIG_S;

		if (submit_us < at) {
			w->rig.now_us = submit_us;
			submit(w);
			decide(w);
			return true;
		}
	}
	if (w->submitted == JOBS && w->down < w->rig.machine->n_node)
		toggle_node(w); /* who needs all nodes shall have them */
	else if (w->submitted < JOBS && !draw(w, 8))
		toggle_node(w);
	if (at == CS_TIME_NONE)
		decide(w);
	if (at == CS_TIME_NONE && st.waiting + st.running + st.suspended == 0)
		return w->submitted < JOBS;
	if (at != CS_TIME_NONE) {
		if (at > w->rig.now_us)
			w->rig.now_us = at;
		if (end <= w->rig.now_us)
			rig_finish_due(&w->rig, end);
		else if (!draw(w, 20))
			rig_finish_some(&w->rig, true, &w->rng);
		decide(w);
	}
	return true;
}

/* One world, to its end. */
static void run_world(struct world *w)
{
	struct cs_engine_stats st;
	uint32_t steps = 0;

	open_world(w);
	while (step(w) && steps < STEPS_MAX)
		steps++;
	cs_engine_stats(w->rig.engine, &st);
	if (st.waiting + st.running + st.suspended)
		fail_msg("world %llu (%s): %u wait, %u run, %u stopped",
			 (unsigned long long)w->number,
			 policies[w->policy].params, st.waiting, st.running,
			 st.suspended);
	rig_close(&w->rig);
}

/* By core over several sites: a job could not have what it was promised, nor any other
 * nodes without breaking the next one's promise, and so on; the head of the queue was
 * promised a later start (cs_start_alone_anyway()). */
static void worlds_that_stood_still(void **state)
{
	static const uint64_t rng[] = { UINT64_C(17118121533790019471),
					UINT64_C(6507250059651865430),
					UINT64_C(3502045385114963495) };

	(void)state;
	for (size_t i = 0; i < sizeof(rng) / sizeof(rng[0]); i++) {
		struct world w = { .rng = rng[i], .policy = N_POLICY - 1 };

		run_world(&w);
	}
}

/* Four sites of ten, of each four nodes free until 500: nine nodes for 100 s are over
 * three sites now, for 300 s with p = 3 by linear; or on one at 500. */
static void a_split_keeps_the_highest_limit(void **state)
{
	static const char *const backfills[] = { "easy", "none",
						 "conservative" };
	struct rig r;

	(void)state;
	for (size_t i = 0; i < 6; i++) {
		bool may = i % 2;
		char params[160];
		uint32_t of[40];
		struct cs_job j;

		snprintf(params, sizeof(params),
			 "policy=multisite-adaptive,backfill=%s,across=3,"
			 "across_grows=linear,unprofiled=model,sites=a",
			 backfills[i / 2]);
		for (uint32_t n = 0; n < 40; n++)
			of[n] = n / 10;
		rig_sites = cs_sites_create(40, of, 4, NULL);
		rig_open(&r, params, NULL, 40, 1, 1, 0);
		for (uint32_t id = 1; id <= 4; id++)
			rig_add(&r, id, 6, 500, NULL);
		rig_decide(&r);
		j = rig_job(&r, 5, 9, 100, NULL);
		((struct cs_job_partition *)(uintptr_t)j.option)->limit_max_us =
			(may ? 300 : 299) * RIG_S;
		rig_submit(&r, &j);
		rig_decide(&r);
		assert_int_equal(rig_runs(&r, 5), may);
		if (may)
			assert_int_equal(
				cs_sites_touched(r.machine->sites,
						 rig_running(&r, 5).alloc),
				3);
		rig_close(&r);
	}
}

static void sites_and_slices_on_random_machines(void **state)
{
	uint64_t rng = cs_test_seed(), worlds = cs_test_worlds(600);
	uint64_t starts = 0, split = 0, fewest_of = 0, shared = 0, both = 0;
	uint64_t alone = 0;

	(void)state;
	for (uint64_t i = 0; i < worlds; i++) {
		struct world w = { .rng = cs_test_draw(&rng, UINT64_MAX),
				   .number = i,
				   .policy = i % N_POLICY };

		run_world(&w);
		starts += w.starts;
		split += w.split;
		fewest_of += w.fewest;
		alone += policies[w.policy].shares ? 0 : w.starts;
		shared += w.shared;
		both += w.both;
	}
	print_message("%llu starts, %llu over several sites; of %llu without "
		      "partners %llu over the fewest; %llu with some, %llu of "
		      "them over several\n",
		      (unsigned long long)starts, (unsigned long long)split,
		      (unsigned long long)alone, (unsigned long long)fewest_of,
		      (unsigned long long)shared, (unsigned long long)both);
	assert_int_equal(starts, worlds * JOBS);
	assert_true(split * 50 > starts && fewest_of * 100 > alone * 97);
	assert_true(worlds < N_POLICY || (shared * 50 > starts && both));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_split_keeps_the_highest_limit),
		cmocka_unit_test(worlds_that_stood_still),
		cmocka_unit_test(sites_and_slices_on_random_machines),
	};

	return cmocka_run_group_tests_name("sites_random", tests, NULL, NULL);
}
