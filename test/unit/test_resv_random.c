/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reservations in random worlds, against the rules of job/resv.c written down plainly. */
#include "resvrig.h"

#define RESVS 5
#define JOBS 60

struct held { /* what the engine was told */
	bool is;
	uint32_t first, last, flags, delay_s;
	uint64_t cores;
	int64_t start_us, end_us;
};

struct world {
	struct rig rig;
	uint64_t rng;
	struct held held[RESVS + 1]; /* by id */
	uint32_t in[JOBS + 1];	     /* reservation of a job */
	uint32_t procs[JOBS + 1];
	int64_t run_us[JOBS + 1];
	bool borrows[JOBS + 1];
	uint32_t warn_s[JOBS + 1];
	bool seen[JOBS + 1]; /* it was looked at when it started */
	bool sliced;
};

/* Two classes: jobs of up to 100 s have 35 of every 100 s, others 55 of them. */
#define SLICED                                                             \
	"slice=pect,class_short_s=0,class_medium_s=100,slice_cycle_s=100," \
	"slice_overhead_s=5,slice_short_s=0,slice_medium=0.4"

/* How long a job of @run_us is there that starts now, if only its slices serve it; or a
 * second less. */
static int64_t stay_us(const struct world *w, int64_t run_us)
{
	bool longs = run_us > 100 * RIG_S;
	int64_t from = longs ? 45 : 5, to = longs ? 100 : 40;
	int64_t t = w->rig.now_us - w->rig.now_us % RIG_S;

	if (!w->sliced)
		return run_us;
	for (; run_us > 0; t += RIG_S) {
		int64_t at = t / RIG_S % 100;

		if (at >= from && at < to)
			run_us -= RIG_S;
	}
	return t - w->rig.now_us;
}

static uint32_t draw(struct world *w, uint32_t n)
{
	return (uint32_t)cs_test_draw(&w->rng, n);
}

/* Are the cores those of another one, too?  Slurm lets them only with OVERLAP, and
 * a plan counts them twice. */
static bool crosses(const struct world *w, const struct held *h)
{
	for (uint32_t k = 1; k <= RESVS; k++) {
		const struct held *x = &w->held[k];

		if (x != h && x->is && x->cores & h->cores &&
		    x->first <= h->last && h->first <= x->last)
			return true;
	}
	return false;
}

static void random_reservation(struct world *w)
{
	uint32_t id = 1 + draw(w, RESVS), n = w->rig.machine->n_node;
	uint32_t cores = cs_node_cores(&w->rig.machine->node[0]);
	struct held *h = &w->held[id];

	if (h->is && draw(w, 2)) {
		gone(&w->rig, id);
		h->is = false;
		return;
	}
	h->is = true;
	h->first = draw(w, n);
	h->last = h->first + draw(w, n - h->first);
	h->flags = draw(w, 3) ? 0 : draw(w, 16);
	h->cores = draw(w, 2) ? 1 + cs_test_draw(&w->rng,
						 (UINT64_C(1) << cores) - 1)
			      : 0;
	if (crosses(w, h))
		h->cores = 0;
	h->start_us = (int64_t)draw(w, 400) * RIG_S;
	if (!(h->flags & CS_RESV_FLOAT))
		h->start_us += w->rig.now_us - 200 * RIG_S;
	if (h->start_us < 0)
		h->start_us = 0;
	h->start_us -= h->start_us % RIG_S;
	h->end_us = h->start_us + (1 + (int64_t)draw(w, 500)) * RIG_S;
	h->flags |= draw(w, 3) ? 0 : CS_RESV_LENDS;
	h->delay_s = draw(w, 4);
	reserve_for(&w->rig, id, h->first, h->last, h->cores,
		    h->start_us / RIG_S, h->end_us / RIG_S, h->flags,
		    h->delay_s);
}

static bool meets(const struct held *h, int64_t now, int64_t run)
{
	int64_t from = h->flags & CS_RESV_FLOAT ? now : 0;

	return from + h->start_us < now + run && from + h->end_us > now;
}

/* The cores of node @n that job @id may have from now on: the rules of resv.c, by
 * themselves. */
static uint64_t may_have(const struct world *w, uint32_t id, uint32_t n)
{
	int64_t now = w->rig.now_us, run = stay_us(w, w->run_us[id]);
	const struct held *own = w->in[id] ? &w->held[w->in[id]] : NULL;
	uint64_t all =
		(UINT64_C(1) << cs_node_cores(&w->rig.machine->node[n])) - 1;
	bool in = own != NULL;

	if (own && !own->is)
		own = NULL;
	if (own && !(own->flags & CS_RESV_FLEX)) {
		if (!(own->flags & CS_RESV_FLOAT) &&
		    (now < own->start_us || now > own->end_us))
			return 0;
		if (n < own->first || n > own->last)
			return 0;
		all &= own->cores ? own->cores : all;
	}
	for (uint32_t k = 1; k <= RESVS; k++) {
		const struct held *h = &w->held[k];

		if (!h->is || h == own || n < h->first || n > h->last ||
		    !meets(h, now, run))
			continue;
		if (!in && w->borrows[id] && h->flags & CS_RESV_LENDS &&
		    w->warn_s[id] <= h->delay_s)
			continue;
		if (!in)
			all &= h->cores ? ~h->cores : 0;
		else if (!h->cores && !(own && own->flags & CS_RESV_MAINT) &&
			 !(own && own->flags & CS_RESV_OVERLAP &&
			   !(h->flags & CS_RESV_MAINT)))
			all = 0;
	}
	return all;
}

/* Those that have just started have nothing that they may not. */
static void check_started(struct world *w)
{
	for (uint32_t id = 1; id <= JOBS; id++) {
		struct cs_running r;

		if (w->seen[id] || !w->run_us[id] || !rig_runs(&w->rig, id))
			continue;
		w->seen[id] = true;
		r = rig_running(&w->rig, id);
		for (uint32_t i = 0; i < r.alloc->n_node; i++)
			if (cs_alloc_cores(r.alloc, i)[0] &
			    ~may_have(w, id, r.alloc->node[i].node))
				fail_msg("job %u has cores on node %u that are "
					 "reserved",
					 id, r.alloc->node[i].node);
	}
}

/* Is there room for job @id by core, now? */
static bool fits(struct world *w, uint32_t id)
{
	uint64_t used[64] = { 0 };
	uint32_t all[512], k = 0;
	size_t n = cs_engine_list(w->rig.engine, true, all, 512);

	for (size_t i = 0; i < n; i++) {
		struct cs_running r = rig_running(&w->rig, all[i]);

		for (uint32_t x = 0; x < r.alloc->n_node; x++)
			used[r.alloc->node[x].node] |=
				cs_alloc_cores(r.alloc, x)[0];
	}
	for (uint32_t i = 0; i < w->rig.machine->n_node; i++)
		k += cs_popcount(may_have(w, id, i) & ~used[i]);
	return k >= w->procs[id];
}

static void submit(struct world *w, uint32_t id, const char *profile)
{
	struct cs_job j;

	w->procs[id] = 1 + draw(w, 8);
	w->run_us[id] = (1 + (int64_t)draw(w, 300)) * RIG_S;
	w->in[id] = draw(w, 2) ? 1 + draw(w, RESVS) : 0;
	w->borrows[id] = !draw(w, 3);
	w->warn_s[id] = draw(w, 4);
	j = rig_job(&w->rig, id, w->procs[id], w->run_us[id] / RIG_S, profile);
	j.base_procs = 1; /* as of add_in() */
	j.reservation = w->in[id];
	j.flags |= w->borrows[id] ? CS_JOB_BORROWS : 0;
	j.warn_s = w->warn_s[id];
	rig_submit(&w->rig, &j);
}

static void open_world(struct world *w, const char *policy)
{
	w->sliced = strstr(policy, "slice=pect");
	rig_open(&w->rig, policy, rig_abc, 1 + draw(w, 6),
		 (uint16_t)(1 + draw(w, 2)), (uint16_t)(1 + draw(w, 4)), 0);
}

static void next_end(struct world *w)
{
	int64_t end = rig_next_end_us(&w->rig);
	int64_t wake = cs_engine_next_wakeup_us(w->rig.engine);

	if (end == CS_TIME_NONE && wake == CS_TIME_NONE)
		w->rig.now_us += 20 * RIG_S;
	else if (end <= wake)
		rig_finish_due(&w->rig, end);
	else if (wake > w->rig.now_us)
		w->rig.now_us = wake;
}

/* Nobody gets what is reserved, and with all reservations gone all jobs run. */
static void nobody_gets_what_is_reserved(void **state)
{
	static const char *const policies[] = {
		PACK,
		"policy=pack,backfill=easy",
		"policy=cst",
		"policy=ssp,unprofiled=model",
		"policy=easy,unprofiled=model",
		"policy=glts",
		"policy=cst,share_scope=user",
		"policy=fcfs",
		"policy=conservative,order=slurm",
		"policy=glts+",
		PACK "," SLICED,
		"policy=cst,backfill=conservative," SLICED,
		"policy=conservative,unprofiled=model," SLICED,
	};
	const char *names[] = { "a", "b", "c", NULL };
	uint64_t rng = cs_test_seed(), worlds = cs_test_worlds(300);

	(void)state;
	for (uint64_t i = 0; i < worlds; i++) {
		struct world w = { .rng = cs_test_draw(&rng, UINT64_MAX) };
		struct cs_engine_stats st;
		uint32_t id = 0;

		open_world(
			&w,
			policies[i % (sizeof(policies) / sizeof(policies[0]))]);
		for (int k = 0; k < 4 * JOBS; k++) {
			w.rig.n_log = 0;
			if (!draw(&w, 6))
				random_reservation(&w);
			if (id < JOBS && !draw(&w, 2))
				submit(&w, ++id, names[draw(&w, 4)]);
			else
				next_end(&w);
			rig_decide(&w.rig);
			check_started(&w);
		}
		for (uint32_t h = 1; h <= RESVS; h++)
			if (w.held[h].is) {
				gone(&w.rig, h);
				w.held[h].is = false;
			}
		cs_engine_stats(w.rig.engine, &st);
		for (int k = 0; k < 9 * JOBS && (st.waiting || st.running);
		     k++) {
			w.rig.n_log = 0;
			rig_decide(&w.rig);
			check_started(&w);
			next_end(&w);
			cs_engine_stats(w.rig.engine, &st);
		}
		for (uint32_t n = 1; n <= id; n++)
			if (w.procs[n] <= cs_machine_cores(w.rig.machine) &&
			    !w.seen[n] && cs_engine_could_run(w.rig.engine, n))
				fail_msg("job %u never ran", n);
		rig_close(&w.rig);
	}
}

/* One at a time, by core: who fits starts at once. */
static void who_fits_beside_reservations_starts(void **state)
{
	static const char *const policies[] = {
		PACK,
		"policy=pack,backfill=easy",
		"policy=cst",
		"policy=glts",
	};
	uint64_t rng = cs_test_seed(), worlds = cs_test_worlds(400);
	uint32_t started = 0, waits = 0;

	(void)state;
	for (uint64_t i = 0; i < worlds; i++) {
		struct world w = { .rng = cs_test_draw(&rng, UINT64_MAX) };

		open_world(&w, policies[i % 4]);
		for (uint32_t id = 1; id <= JOBS; id++) {
			bool starts;

			w.rig.n_log = 0;
			for (uint32_t k = draw(&w, 3); k; k--)
				random_reservation(&w);
			if (draw(&w, 2))
				next_end(&w);
			submit(&w, id, NULL);
			starts = fits(&w, id);
			rig_decide(&w.rig);
			if (starts != rig_runs(&w.rig, id))
				fail_msg("job %u %s", id,
					 starts ? "fits, and waits"
						: "runs where it does not fit");
			check_started(&w);
			started += starts;
			waits += !starts;
			if (!starts)
				rig_tell(&w.rig, (struct cs_event){
							 .type = CS_EV_CANCEL,
							 .job_id = id });
		}
		rig_close(&w.rig);
	}
	print_message("%u started, %u did not fit\n", started, waits);
	assert_true(started > 1000 && waits > 1000);
}

/*
 * Of 100 s medium jobs have 40 (35 without the overhead): 60 s of one take until 125.
 * What is reserved from 110 on is not for it, though 60 s would have been over by then;
 * what is reserved from 130 on is.
 */
static void slices_do_not_carry_a_job_into_what_is_reserved(void **state)
{
	static const struct {
		int64_t from_s;
		bool starts;
	} row[] = { { 50, false }, { 110, false }, { 130, true } };
	struct rig r;

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		rig_open(
			&r,
			"policy=pect,unprofiled=model,low_load=layout,"
			"class_short_s=10,class_medium_s=100,slice_cycle_s=100,"
			"slice_overhead_s=5,slice_short_s=20,slice_medium=0.4",
			NULL, 4, 1, 1, 0);
		reserve(&r, 7, 0, 3, 0, row[i].from_s, 2000, CS_RESV_MAINT);
		rig_add(&r, 1, 4, 60, NULL);
		rig_at(&r, 0);
		rig_at(&r, 5);
		assert_int_equal(rig_runs(&r, 1), row[i].starts);
		rig_close(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nobody_gets_what_is_reserved),
		cmocka_unit_test(who_fits_beside_reservations_starts),
		cmocka_unit_test(
			slices_do_not_carry_a_job_into_what_is_reserved),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
