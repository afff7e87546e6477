/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bounds of Emeras12 on random instances of serial jobs with exact estimates,
 * and the obvious virtual schedule beside the engine's.
 *
 * 1,000 instances each, or CS_TEST_WORLDS.
 */
#include <stdio.h>

#include "cs_test.h"
#include "naive_ostrich.h"
#include "rig.h"

#define USERS 50
#define PROCS 24
#define JOBS 4000
#define WEIGHT 1000000 /* CS_OSTRICH_WEIGHT */

struct sjob {			 /* a serial job */
	uint32_t user, campaign; /* index in its user's */
	uint32_t batch;		 /* open: the engine's number */
	int64_t run_us, submit_us, end_us;
	bool submitted;
	uint32_t k_max; /* the most active users from its submit to its end */
};

struct scampaign {
	int64_t think_us, submit_us, end_us;
	uint32_t first, n; /* its jobs */
	uint32_t left;
	uint32_t naive; /* closed: its number there */
	int64_t work_us;
	int64_t longest_us;
	uint32_t k_max; /* as of a job, from the submit of the one before it */
};

struct suser {
	uint32_t n, next; /* campaigns; closed loop: the next to be submitted */
	struct scampaign *campaign; /* [n] */
};

struct sums {
	uint64_t compared, skipped; /* virtual ends, instants */
	uint64_t shown, passed;	    /* bounds */
	uint64_t ends, late;	    /* real ends */
};

struct world {
	uint64_t seed;
	bool closed; /* the next campaign comes when the last has ended */
	uint32_t users, m, n_job;
	struct suser user[USERS];
	struct sjob job[JOBS];
	int64_t batch_us[JOBS + 1];    /* open: work by the engine's number */
	uint32_t batch_user[JOBS + 1]; /* ... and whose it is */
	int64_t longest_us;
	struct cs_engine *engine;
	uint32_t nodeset;
	struct naive_ostrich naive;
	int64_t now_us;
	uint32_t ended, running;
	uint32_t on[PROCS]; /* job + 1 on each processor */
	long double off_us; /* the most that fast may be off naive */
	bool virtual;
	int64_t shown_us[JOBS + 1]; /* closed: a campaign's nearest bound, by its
				       number, since a user came */
	bool came;		    /* since the last look, or a longer job */
	int64_t p_us; /* longest job since none waited, or that ran then */
	uint32_t came_jobs;
	int64_t real_us[JOBS + 1]; /* closed: the same of its real end, since a
				      submit; 0: not known */
	bool submitted;		   /* since the last look */
	struct sums sum;	   /* of all worlds: kept by draw_world() */
};

static int64_t some_length(struct world *w)
{
	/* whole seconds make ties; others do not */
	uint64_t unit = cs_test_draw(&w->seed, 2) ? RIG_S : 1;
	uint64_t most = 1 + cs_test_draw(&w->seed, 200);

	return (int64_t)((1 + cs_test_draw(&w->seed, most)) * unit);
}

static void draw_campaign(struct world *w, struct suser *u, uint32_t user,
			  uint32_t i)
{
	struct scampaign *c = &u->campaign[i];

	memset(c, 0, sizeof(*c));
	c->n = 1 + (uint32_t)cs_test_draw(&w->seed,
					  1 + cs_test_draw(&w->seed, 3 * w->m));
	c->think_us = cs_test_draw(&w->seed, 3) ? some_length(w) : 0;
	c->first = w->n_job;
	c->left = c->n;
	for (uint32_t k = 0; k < c->n; k++) {
		int64_t run_us = some_length(w);

		w->job[w->n_job++] = (struct sjob){ .user = user,
						    .campaign = i,
						    .run_us = run_us };
		c->work_us += run_us;
		if (run_us > c->longest_us)
			c->longest_us = run_us;
	}
	if (c->longest_us > w->longest_us)
		w->longest_us = c->longest_us;
}

static void draw_world(struct world *w, uint64_t seed, bool closed)
{
	struct sums sum = w->sum;

	memset(w, 0, sizeof(*w));
	w->sum = sum;
	w->seed = seed;
	w->closed = closed;
	w->m = 1 + (uint32_t)cs_test_draw(&w->seed,
					  1 + cs_test_draw(&w->seed, PROCS));
	w->users = 1 + (uint32_t)cs_test_draw(
			       &w->seed, 1 + cs_test_draw(&w->seed, USERS));
	for (uint32_t u = 0; u < w->users; u++) {
		struct suser *user = &w->user[u];

		user->n = 1 + (uint32_t)cs_test_draw(&w->seed, 4);
		user->campaign = calloc(user->n, sizeof(*user->campaign));
		for (uint32_t i = 0; i < user->n; i++) {
			draw_campaign(w, user, u, i);
			/* room for one of each user that is left */
			if (w->n_job + 3 * w->m * (w->users - u) > JOBS)
				user->n = i + 1;
		}
		user->campaign[0].submit_us = user->campaign[0].think_us;
		for (uint32_t i = 1; i < user->n; i++)
			user->campaign[i].submit_us =
				closed ? CS_TIME_NONE
				       : user->campaign[i - 1].submit_us +
						 user->campaign[i].think_us;
	}
}

static void open_engine(struct world *w, const char *policy)
{
	struct cs_node like = { .sockets = 1,
				.cores_per_socket = 1,
				.threads = 1 };
	struct cs_machine *m = cs_machine_create(w->m, &like);
	struct cs_params p;
	struct cs_err err = { "" };
	uint64_t set[1] = { (UINT64_C(1) << w->m) - 1 };

	if (cs_params_parse(&p, CS_HOST_SIM, policy, "", &err))
		fail_msg("%s", err.text);
	w->virtual = p.order == CS_ORDER_OSTRICH;
	w->engine = cs_engine_create(&p, m, NULL, &err);
	assert_non_null(w->engine);
	w->nodeset = (uint32_t)cs_engine_nodeset(w->engine, set);
	cs_params_done(&p);
	cs_machine_free(m);
	naive_init(&w->naive, w->m, w->users);
	w->off_us = 1 + (long double)w->n_job * w->users * WEIGHT / w->m /
				4294967296.0L;
}

static void close_world(struct world *w)
{
	cs_engine_free(w->engine);
	naive_done(&w->naive);
	for (uint32_t u = 0; u < w->users; u++)
		free(w->user[u].campaign);
}

static void tell(struct world *w, struct cs_event ev)
{
	struct cs_err err = { "" };

	ev.t_us = w->now_us;
	if (cs_engine_event(w->engine, &ev, &err))
		fail_msg("%s", err.text);
}

static void submit_job(struct world *w, uint32_t i, const char *campaign)
{
	struct sjob *x = &w->job[i];
	struct cs_job_partition option = { .nodeset = w->nodeset,
					   .limit_max_us = CS_TIME_NONE };
	char user[8];
	struct cs_job j = {
		.id = i + 1,
		.tasks = 1,
		.user = user,
		.procs = 1,
		.cpus_per_proc = 1,
		.min_nodes = 1,
		.submit_us = w->now_us,
		.eligible_us = w->now_us,
		.estimate_us = x->run_us,
		.campaign = campaign,
		.option = &option,
		.n_option = 1,
	};

	snprintf(user, sizeof(user), "u%u", x->user);
	x->submit_us = w->now_us;
	x->submitted = true;
	tell(w, (struct cs_event){ .type = CS_EV_SUBMIT, .job = &j });
}

/* Section VII for the naive one: work joins a batch that has not begun, or begins
 * now.  Closed loop: it is a campaign. */
static uint32_t naive_batch(struct world *w, uint32_t user, int64_t work_us)
{
	struct naive_ostrich *o = &w->naive;
	const struct naive_user *u = &o->user[user];
	struct naive_campaign *last = u->head < 0 ? NULL : &o->c[u->last];
	long double begun = last && u->last == u->head ? last->start_us : 0;

	if (w->closed || !last ||
	    (u->last == u->head && w->now_us - begun > 1e-3L))
		return naive_submit(o, user, (long double)work_us);
	last->work += (long double)work_us;
	return (uint32_t)u->last;
}

/* Does @c, which is about to come, bring a job longer than p of the bounds? */
static bool comes_longer(struct world *w, const struct scampaign *c)
{
	bool longer;

	if (w->came_jobs == w->ended + w->running) { /* none waits */
		w->p_us = 0;
		for (uint32_t p = 0; p < w->m; p++)
			if (w->on[p] && w->job[w->on[p] - 1].run_us > w->p_us)
				w->p_us = w->job[w->on[p] - 1].run_us;
	}
	w->came_jobs += c->n;
	longer = c->longest_us > w->p_us;
	if (longer)
		w->p_us = c->longest_us;
	return longer;
}

static void submit_campaign(struct world *w, uint32_t user)
{
	struct suser *u = &w->user[user];
	struct scampaign *c = &u->campaign[u->next++];
	char name[16];

	w->came |= w->naive.user[user].head < 0;
	w->came |= comes_longer(w, c);
	w->submitted = true;
	snprintf(name, sizeof(name), "c%u", u->next);
	for (uint32_t k = 0; k < c->n; k++)
		submit_job(w, c->first + k, w->closed ? name : NULL);
	c->submit_us = w->now_us;
	c->naive = naive_batch(w, user, c->work_us);
}

static int64_t next_submit(const struct world *w, uint32_t *ret_user)
{
	int64_t t = CS_TIME_NONE;

	for (uint32_t u = 0; u < w->users; u++) {
		const struct suser *x = &w->user[u];

		if (x->next < x->n && x->campaign[x->next].submit_us < t) {
			t = x->campaign[x->next].submit_us;
			*ret_user = u;
		}
	}
	return t;
}

static int64_t next_end(const struct world *w)
{
	int64_t t = CS_TIME_NONE;

	for (uint32_t p = 0; p < w->m; p++)
		if (w->on[p] && w->job[w->on[p] - 1].end_us < t)
			t = w->job[w->on[p] - 1].end_us;
	return t;
}

static void finish_all(struct world *w)
{
	for (uint32_t p = 0; p < w->m; p++) {
		uint32_t job = w->on[p];
		struct sjob *x;
		struct suser *u;
		struct scampaign *c;

		if (!job || w->job[job - 1].end_us > w->now_us)
			continue;
		x = &w->job[job - 1];
		w->on[p] = 0;
		w->running--;
		w->ended++;
		tell(w,
		     (struct cs_event){ .type = CS_EV_FINISH, .job_id = job });
		u = &w->user[x->user];
		c = &u->campaign[x->campaign];
		if (--c->left)
			continue;
		c->end_us = w->now_us;
		if (w->virtual && w->closed) {
			w->sum.shown++;
			w->sum.passed += c->end_us > w->shown_us[c->naive] + 2;
			w->sum.ends += w->real_us[c->naive] != 0;
			w->sum.late += w->real_us[c->naive] &&
				       c->end_us > w->real_us[c->naive] + 2;
		}
		if (w->closed && u->next < u->n)
			u->campaign[u->next].submit_us =
				w->now_us + u->campaign[u->next].think_us;
	}
}

static void start(struct world *w, const struct cs_action *a)
{
	struct sjob *x = &w->job[a->job_id - 1];
	uint32_t node = a->alloc->node[0].node;
	struct cs_started s = { .seq = a->seq,
				.job_id = a->job_id,
				.start_us = w->now_us,
				.limit_us = x->run_us,
				.alloc = a->alloc };

	assert_int_equal(w->on[node], 0);
	w->on[node] = a->job_id;
	w->running++;
	x->end_us = w->now_us + x->run_us;
	x->batch = (uint32_t)a->campaign;
	assert_true(a->campaign <= JOBS);
	w->batch_us[a->campaign] += x->run_us;
	w->batch_user[a->campaign] = x->user;
	tell(w, (struct cs_event){ .type = CS_EV_STARTED, .start = &s });
}

static void decide(struct world *w)
{
	struct cs_action act[PROCS];
	struct cs_alloc *alloc[PROCS];
	struct cs_actions a;
	size_t n;

	assert_int_equal(cs_engine_decide(w->engine, w->now_us, &a), 0);
	n = a.n;
	assert_true(n <= w->m);
	for (size_t i = 0; i < n; i++) {
		act[i] = a.action[i];
		alloc[i] = cs_alloc_copy(act[i].alloc);
		act[i].alloc = alloc[i];
	}
	for (size_t i = 0; i < n; i++) {
		start(w, &act[i]);
		cs_alloc_free(alloc[i]);
	}
}

/* ---- what is looked at ------------------------------------------------------- */

/* Active users; who waits for his bound notes the most. */
static void note_users(struct world *w)
{
	uint32_t k = w->virtual ? cs_campaign_active_users(w->engine)
				: naive_active(&w->naive);

	for (uint32_t i = 0; i < w->n_job; i++) {
		struct sjob *x = &w->job[i];

		if (x->submitted && (!x->end_us || x->end_us > w->now_us) &&
		    k > x->k_max)
			x->k_max = k;
	}
	for (uint32_t u = 0; u < w->users; u++)
		for (uint32_t i = 0; i < w->user[u].n; i++) {
			struct scampaign *c = &w->user[u].campaign[i];

			/* k counts for the one behind it, too */
			if (i <= w->user[u].next && !c->end_us && k > c->k_max)
				c->k_max = k;
		}
}

/* The virtual schedule is the naive one: campaigns came in the same order, and
 * end at the same time.  Where one ends at this moment it may still be there in
 * one of the two: then k differs, and every projection with it. */
static void compare(struct world *w)
{
	static struct cs_campaign_view v[JOBS];
	int64_t n = cs_campaign_query_all(w->engine, v, JOBS);

	if (cs_campaign_active_users(w->engine) != naive_active(&w->naive)) {
		w->sum.skipped++;
		return;
	}
	for (int64_t i = 0; i < n; i++) {
		long double off = w->off_us * w->users, late;

		assert_in_range(v[i].id, 1, w->naive.n);
		assert_int_equal(w->naive.c[v[i].id - 1].user,
				 atoi(v[i].user + 1));
		late = v[i].projected_us -
		       naive_projected_us(&w->naive, (uint32_t)v[i].id - 1);
		if (late < -off || late > 1 + off)
			fail_msg("campaign %u of %s: virtual end %lld is %Lf "
				 "after the naive one",
				 v[i].number, v[i].user,
				 (long long)v[i].projected_us, late);
		w->sum.compared++;
	}
}

/* What cosched users shows for bounds, "if no further user and no longer job
 * comes", and for real ends, "if nobody submits". */
static void note_shown(struct world *w)
{
	static struct cs_campaign_view v[JOBS];
	int64_t n = cs_campaign_query_all(w->engine, v, JOBS);

	for (int64_t i = 0; i < n; i++) {
		int64_t *shown_us = &w->shown_us[v[i].id - 1];
		int64_t *real_us = &w->real_us[v[i].id - 1];
		bool known = v[i].real_end_us != CS_TIME_NONE;

		if (w->submitted)
			*real_us = 0;
		if (known && (!*real_us || v[i].real_end_us < *real_us))
			*real_us = v[i].real_end_us;
		if (w->came || !*shown_us || v[i].bound_us < *shown_us)
			*shown_us = v[i].bound_us;
	}
	w->came = w->submitted = false;
}

static void run_world(struct world *w)
{
	uint32_t user = 0;

	for (;;) {
		int64_t t = next_submit(w, &user), end = next_end(w);
		int64_t wake = cs_engine_next_wakeup_us(w->engine);

		t = end < t ? end : t;
		t = wake < t ? wake : t;
		if (t == CS_TIME_NONE)
			break;
		w->now_us = t;
		naive_advance(&w->naive, t);
		finish_all(w);
		while (next_submit(w, &user) <= t)
			submit_campaign(w, user);
		note_users(w);
		if (w->virtual && w->closed)
			note_shown(w);
		decide(w);
		if (w->virtual && !cs_test_draw(&w->seed, 8))
			compare(w);
	}
	if (w->ended != w->n_job)
		fail_msg("%u of %u jobs ended", w->ended, w->n_job);
}

/* ---- bounds -------------------------------------------------------------------- */

struct tally {
	uint64_t instances, checked, broken; /* campaigns, or jobs */
	double tightest; /* the largest part of a bound that was needed */
};

static void judge(struct tally *t, double flow_us, double bound_us)
{
	t->checked++;
	t->broken += flow_us > bound_us + 2;
	if (flow_us / bound_us > t->tightest)
		t->tightest = flow_us / bound_us;
}

/* Lemma 2 and theorem 1, of every campaign of a closed loop. */
static void lemma_2(const struct world *w, struct tally *lemma,
		    struct tally *theorem)
{
	for (uint32_t u = 0; u < w->users; u++)
		for (uint32_t i = 0; i < w->user[u].n; i++) {
			const struct scampaign *c = &w->user[u].campaign[i];
			double k = c->k_max, m = w->m,
			       p = (double)w->longest_us;
			double before = i ? (double)c[-1].work_us : 0;
			double work = (double)c->work_us;
			double flow = (double)(c->end_us - c->submit_us);

			judge(lemma, flow,
			      k * before / m + p + (k - 1) * work / m + p +
				      work / m + (double)c->longest_us);
			judge(theorem, flow / work * 1e6,
			      (k / m * (1 + before / work) + 3 * p / work) *
				      1e6);
		}
}

/* Theorem 2, of every job of an open one. */
static void theorem_2(const struct world *w, struct tally *t)
{
	int64_t before_us[JOBS + 1] = { 0 }, last_us[USERS] = { 0 };

	for (uint32_t b = 1; b <= JOBS; b++)
		if (w->batch_us[b]) {
			before_us[b] = last_us[w->batch_user[b]];
			last_us[w->batch_user[b]] = w->batch_us[b];
		}
	for (uint32_t i = 0; i < w->n_job; i++) {
		const struct sjob *x = &w->job[i];

		judge(t, (double)(x->end_us - x->submit_us),
		      3 * (double)w->longest_us +
			      (double)x->k_max / w->m *
				      (double)(before_us[x->batch] +
					       w->batch_us[x->batch]));
	}
}

static void say(const char *what, const struct tally *t)
{
	print_message(
		"%s: %llu looked at, %llu beyond it, at most %.3f of it\n",
		what, (unsigned long long)t->checked,
		(unsigned long long)t->broken, t->tightest);
}

static void one(struct world *w, uint64_t seed, bool closed, const char *policy)
{
	draw_world(w, seed, closed);
	open_engine(w, policy);
	run_world(w);
}

static const char *const insides[] = {
	"policy=ostrich-paper,campaign_hold=strict",
	"policy=ostrich-paper,campaign_hold=strict,campaign_order=spt",
	"policy=ostrich-paper,campaign_hold=strict,campaign_order=lpt",
	"policy=ostrich-paper,campaign_hold=strict,campaign_order=mlpt",
	"policy=ostrich-paper", /* campaign_hold=rank */
};
#define INSIDES (sizeof(insides) / sizeof(insides[0]))

static void bounds_hold_in_closed_loops(void **state)
{
	static struct world w;
	struct tally lemma = { 0 }, theorem = { 0 }, plain = { 0 },
		     none = { 0 };
	uint64_t seed = cs_test_seed();
	long n = (long)cs_test_worlds(1000);

	(void)state;
	for (long i = 0; i < n; i++) {
		one(&w, seed + (uint64_t)i * 2, true, insides[i % INSIDES]);
		lemma_2(&w, &lemma, &theorem);
		close_world(&w);
		if (i >= 1000)
			continue;
		one(&w, seed + (uint64_t)i * 2, true, "policy=fcfs");
		lemma_2(&w, &plain, &none);
		close_world(&w);
	}
	print_message("%llu virtual ends are as the naive ones, at %llu "
		      "instants one ends\n",
		      (unsigned long long)w.sum.compared,
		      (unsigned long long)w.sum.skipped);
	assert_true(w.sum.compared > 20 * w.sum.skipped);
	print_message("bounds as shown: %llu looked at, %llu passed\n",
		      (unsigned long long)w.sum.shown,
		      (unsigned long long)w.sum.passed);
	print_message("real ends as shown: %llu looked at, %llu passed\n",
		      (unsigned long long)w.sum.ends,
		      (unsigned long long)w.sum.late);
	say("lemma 2", &lemma);
	say("theorem 1", &theorem);
	say("lemma 2 under fcfs", &plain);
	assert_true(w.sum.shown >= (uint64_t)n);
	assert_int_equal(w.sum.passed, 0);
	assert_true(w.sum.ends >= (uint64_t)n);
	assert_int_equal(w.sum.late, 0);
	assert_int_equal(lemma.broken, 0);
	assert_int_equal(theorem.broken, 0);
	assert_true(plain.broken > 0);
}

static void bounds_hold_in_open_loops(void **state)
{
	static struct world w;
	struct tally t = { 0 };
	uint64_t seed = cs_test_seed();
	long n = (long)cs_test_worlds(1000);

	(void)state;
	for (long i = 0; i < n; i++) {
		one(&w, seed + (uint64_t)i * 2 + 1, false,
		    insides[i % INSIDES]);
		theorem_2(&w, &t);
		close_world(&w);
	}
	say("theorem 2", &t);
	assert_true(w.sum.compared > 20 * w.sum.skipped);
	assert_int_equal(t.broken, 0);
}

/* Proposition 2: k users with m jobs of p each at 0, then m of 1: the first one's
 * second campaign has to wait for all others. */
static void proposition_2(void **state)
{
	static struct world w;
	struct tally lemma = { 0 }, theorem = { 0 };
	const int64_t p = 100 * RIG_S;

	(void)state;
	memset(&w, 0, sizeof(w));
	w.closed = true;
	w.m = 8;
	w.users = 10;
	w.longest_us = p;
	for (uint32_t u = 0; u < w.users; u++) {
		struct suser *x = &w.user[u];

		x->n = 2;
		x->campaign = calloc(2, sizeof(*x->campaign));
		for (uint32_t i = 0; i < 2; i++) {
			struct scampaign *c = &x->campaign[i];
			int64_t run_us = i ? RIG_S : p;

			c->first = w.n_job;
			c->n = c->left = w.m;
			c->work_us = w.m * run_us;
			c->longest_us = run_us;
			for (uint32_t k = 0; k < w.m; k++)
				w.job[w.n_job++] =
					(struct sjob){ .user = u,
						       .campaign = i,
						       .run_us = run_us };
		}
		x->campaign[1].submit_us = CS_TIME_NONE;
	}
	open_engine(&w, "policy=ostrich-paper,campaign_hold=strict");
	run_world(&w);
	lemma_2(&w, &lemma, &theorem);
	say("proposition 2, theorem 1", &theorem);
	assert_int_equal(lemma.broken, 0);
	/* (k - 1) p of the bound's k (1 + p) + 3 p and some */
	assert_true(w.user[0].campaign[1].end_us -
			    w.user[0].campaign[1].submit_us >=
		    (w.users - 1) * p);
	assert_true(theorem.tightest > .6);
	close_world(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(proposition_2),
		cmocka_unit_test(bounds_hold_in_closed_loops),
		cmocka_unit_test(bounds_hold_in_open_loops),
	};

	return cmocka_run_group_tests_name("campaignbounds", tests, NULL, NULL);
}
