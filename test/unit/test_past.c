/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is kept of jobs that ended, as text and back, and who may share by it. */
#define CS_TEST_ALLOC
#include "cs_test.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/learn/admission.h"
#include "common/learn/past.h"

#define S INT64_C(1000000)
#define DAY (86400 * S)
#define HALF_LIFE (90 * DAY)

static struct cs_past *h;

static int begin(void **state)
{
	(void)state;
	h = cs_past_create(1, HALF_LIFE);
	return !h;
}

static int end(void **state)
{
	(void)state;
	cs_past_free(h);
	return 0;
}

static struct cs_kin kin(const char *user, const char *name, int64_t limit_us)
{
	struct cs_kin k;

	cs_kin_make(&k, user, name, "batch", 32, limit_us);
	return k;
}

static bool ended(const struct cs_kin *k, int64_t t_us, int64_t ran_us,
		  uint64_t beside)
{
	struct cs_ended r = { .kin = k,
			      .t_us = t_us,
			      .ran_us = ran_us,
			      .n_part = 1,
			      .part = { { beside, ran_us } } };

	return cs_past_ended(h, &r);
}

static void it_holds(void)
{
	struct cs_err err;

	if (cs_past_check(h, &err))
		fail_msg("%s", err.text);
}

/* ---- rules 1 to 3 -------------------------------------------------------- */

static void names_and_sizes_tell_groups_apart(void **state)
{
	struct cs_kin a, b;

	(void)state;
	cs_kin_make(&a, "ann", "cfd", "batch", 32, 3600 * S);
	cs_kin_make(&b, "ann", "cfd", "batch", 32, 3700 * S);
	assert_memory_equal(&a, &b, sizeof(a)); /* the same octave */
	cs_kin_make(&b, "ann", "cfd", "batch", 32, 7200 * S);
	assert_true(a.group[0] != b.group[0] && a.group[1] == b.group[1]);
	cs_kin_make(&b, "ann", "cfd", "batch", 64, 3600 * S);
	assert_true(a.kind == b.kind && a.group[1] != b.group[1]);
	cs_kin_make(&b, "ann", "cfd", "long", 32, 3600 * S);
	assert_true(a.kind == b.kind && a.group[1] != b.group[1]);
	cs_kin_make(&b, "ben", "cfd", "batch", 32, 3600 * S);
	assert_true(a.kind != b.kind && a.user != b.user);
	cs_kin_make(&b, "anncfd", "", "batch", 32, 3600 * S);
	assert_true(a.kind != b.kind);
	assert_string_equal(a.name, "ann/cfd");
	cs_kin_make(&b, NULL, "a b\n\xff\"", NULL, 0, -1);
	assert_string_equal(b.name, "-/a?b??\"");
}

/* 3 runs: 100, 200, 400 s: median 200; |ln| .693, 0, .693: d = 1.4826 * .693 */
static void the_time_alone_is_a_median(void **state)
{
	struct cs_kin k = kin("ann", "cfd", 3600 * S);
	struct cs_alone a;

	(void)state;
	assert_true(ended(&k, 1000 * S, 100 * S, CS_BESIDE_FULL));
	assert_true(ended(&k, 1000 * S, 400 * S, CS_BESIDE_FULL));
	assert_false(cs_past_alone(h, k.group, 1000 * S, &a));
	assert_true(ended(&k, 1000 * S, 200 * S, CS_BESIDE_FULL));
	assert_true(cs_past_alone(h, k.group, 1000 * S, &a));
	assert_int_equal(a.runs, 3);
	assert_close(exp(a.ln_us), 200e6, 1e-12);
	assert_close(a.noise, pow(1.4826 * log(2), 2) + .0025 / 3, 1e-12);
	assert_close(a.base, M_PI / 2 * a.noise / 3, 1e-12);
	assert_int_equal(h->n_run, 0);
}

/* Limits as they come: three octaves with two runs each are one group of six. */
static void it_backs_off_to_all_limits(void **state)
{
	struct cs_alone a;
	struct cs_kin k;

	(void)state;
	for (int i = 0; i < 6; i++) {
		k = kin("ann", "cfd", 600 * S << i % 3);
		ended(&k, i * S, 300 * S, CS_BESIDE_FULL);
	}
	assert_true(cs_past_alone(h, k.group, 10 * S, &a));
	assert_int_equal(a.runs, 6);
	/* and where limits tell inputs apart, it does not */
	for (int i = 0; i < 12; i++) {
		k = kin("ben", "cfd", i % 2 ? 600 * S : 6000 * S);
		ended(&k, i * S, i % 2 ? 300 * S : 3000 * S, CS_BESIDE_FULL);
	}
	assert_true(cs_past_alone(h, k.group, 10 * S, &a));
	assert_close(exp(a.ln_us), 300e6, 1e-9);
}

static void old_runs_fade(void **state)
{
	struct cs_kin k = kin("ann", "cfd", 3600 * S);
	struct cs_alone a;

	(void)state;
	for (int i = 0; i < 3; i++)
		ended(&k, DAY, 100 * S, CS_BESIDE_FULL);
	assert_true(cs_past_alone(h, k.group, 300 * DAY, &a));
	assert_false(cs_past_alone(h, k.group, 400 * DAY, &a));
	assert_close(cs_past_weight(h, DAY, DAY + HALF_LIFE), .5, 1e-12);
	assert_close(cs_past_weight(h, DAY, DAY), 1, 0);
	assert_close(cs_past_weight(h, DAY, 0), 1, 0);
	assert_close(cs_past_weight(h, 0, 1000 * DAY), 0, 0);
}

/* ---- rule 5 -------------------------------------------------------------- */

static void times_that_cannot_be_teach_nothing(void **state)
{
	struct cs_kin k = kin("ann", "cfd", 3600 * S);
	struct cs_ended r = { .kin = &k, .t_us = S, .ran_us = 100 * S };

	(void)state;
	assert_false(cs_past_ended(h, &r));
	r.n_part = CS_PAST_PARTS + 1;
	assert_false(cs_past_ended(h, &r));
	r.n_part = 2;
	r.part[0] = (struct cs_run_part){ CS_BESIDE_FULL, 200 * S };
	r.part[1] = (struct cs_run_part){ CS_BESIDE_NOBODY, -100 * S };
	assert_false(cs_past_ended(h, &r));
	r.part[1].us = 0;
	assert_false(cs_past_ended(h, &r));
	r.part[0].us = 50 * S; /* half of it nobody saw */
	assert_false(cs_past_ended(h, &r));
	r.part[1].us = 50 * S;
	r.t_us = -1;
	assert_false(cs_past_ended(h, &r));
	r.t_us = INT64_MAX;
	assert_false(cs_past_ended(h, &r));
	r.t_us = S;
	assert_true(cs_past_ended(h, &r));
	assert_false(ended(&k, S, -5, CS_BESIDE_FULL));
	assert_false(ended(&k, S, 59 * S, CS_BESIDE_FULL));
	assert_false(ended(&k, S, INT64_MAX, CS_BESIDE_FULL));
	assert_int_equal(h->told, 1);
	it_holds();
}

/* ---- rule 7 -------------------------------------------------------------- */

static void a_user_with_many_names_forgets_his_own(void **state)
{
	struct cs_kin ann = kin("ann", "cfd", 3600 * S), k;
	struct cs_alone a;
	size_t his = 0;
	char name[32];

	(void)state;
	for (int i = 0; i < 3; i++)
		ended(&ann, S, 100 * S, CS_BESIDE_FULL);
	ended(&ann, S, 100 * S, ann.kind);
	for (int i = 0; i < 100000; i++) {
		snprintf(name, sizeof(name), "job-%d", i);
		k = kin("mallory", name, 3600 * S);
		ended(&k, 2 * S + i, 100 * S, k.kind);
	}
	it_holds();
	for (size_t i = 0; i < h->n_kind; i++)
		his += h->kind[i].user == k.user;
	assert_int_equal(his, CS_PAST_KINDS / 8);
	assert_true(cs_past_alone(h, ann.group, S, &a));
	assert_non_null(cs_past_kind(h, ann.kind));
	assert_true(sizeof(*h) < 800000);
}

static void the_kind_with_most_runs_loses_its_oldest(void **state)
{
	struct cs_kin a = kin("ann", "cfd", 3600 * S);
	struct cs_kin b = kin("ben", "md", 3600 * S);
	size_t of_b = 0;

	(void)state;
	for (int i = 0; i < 10; i++)
		ended(&b, i, 100 * S, a.kind);
	for (int i = 0; i < 3 * CS_PAST_RUNS; i++)
		ended(&a, 100 + i, 100 * S, b.kind);
	it_holds();
	assert_int_equal(h->n_run, CS_PAST_RUNS);
	for (size_t i = 0; i < h->n_run; i++)
		of_b += h->run[i].kind == b.kind;
	assert_int_equal(of_b, 10);
	assert_int_equal(h->run[h->n_run - 1].t_us, 100 + 3 * CS_PAST_RUNS - 1);
}

/* ---- text ---------------------------------------------------------------- */

static char *text_of(const struct cs_past *of)
{
	struct cs_textbuf t = { 0 };
	char *text;

	cs_past_write(of, &t);
	text = malloc(t.len + 1);
	t = (struct cs_textbuf){ text, t.len + 1, 0 };
	cs_past_write(of, &t);
	cs_textbuf_end(&t);
	return text;
}

/* All lines of @text into @to; the first error, or 0. */
static int read_all(struct cs_past *to, const char *text)
{
	char line[2 * CS_PAST_LINE];
	int rc = 0;

	for (const char *c = text, *stop; *c && !rc; c = stop + 1) {
		struct cs_err err = { "" };
		size_t n;

		stop = strchr(c, '\n');
		n = (size_t)(stop - c);
		assert_true(n < sizeof(line));
		memcpy(line, c, n);
		line[n] = '\0';
		if (!cs_past_is_line(line))
			continue; /* the host would tell somebody else */
		rc = cs_past_read(to, line, &err);
		assert_true(!rc == !err.text[0]);
		assert_null(strchr(err.text, '\n'));
	}
	return rc;
}

static void draw_history(uint64_t *seed, int runs)
{
	int64_t t = 0;

	for (int i = 0; i < runs; i++) {
		struct cs_kin k[3];
		struct cs_ended r = { .kin = k };

		for (int x = 0; x < 3; x++) {
			char user[] = "u0", name[] = "n0";

			user[1] = (char)('0' + cs_test_draw(seed, 30));
			name[1] = (char)('0' + cs_test_draw(seed, 30));
			cs_kin_make(&k[x], user, name, "p",
				    (uint32_t)(1 + cs_test_draw(seed, 4)),
				    (int64_t)(1 + cs_test_draw(seed, 100)) *
					    60 * S);
		}
		r.t_us = t += (int64_t)cs_test_draw(seed, 3000000);
		r.n_part = 1 + (uint32_t)cs_test_draw(seed, 4);
		for (uint32_t p = 0; p < r.n_part; p++) {
			uint64_t whom[] = { 0, 0, 0, 1, k[1].kind, k[2].kind };

			r.part[p].beside = whom[cs_test_draw(seed, 6)];
			r.part[p].us = (int64_t)cs_test_draw(seed, 400) * S;
			r.ran_us += r.part[p].us;
		}
		cs_past_ended(h, &r);
		if (i % 500 == 0)
			it_holds();
	}
}

static void what_is_written_is_read(void **state)
{
	struct cs_past *other = cs_past_create(1, HALF_LIFE);
	uint64_t seed = cs_test_seed();
	char *text, *again;

	(void)state;
	for (int round = 0; round < 5; round++) {
		draw_history(&seed, 800);
		text = text_of(h);
		assert_int_equal(read_all(other, text), 0);
		again = text_of(other);
		assert_string_equal(text, again);
		free(text);
		free(again);
		/* and what comes later is the same, too */
		memcpy(h->group, other->group, sizeof(h->group));
		cs_past_index(h);
	}
	cs_past_free(other);
}

/* Whatever is done to the text, what was known stays. */
static void a_damaged_state_is_left_out(void **state)
{
	static const char *const bad[] = {
		"learn first 2 1 0\n",
		"learn first 1 1\n",
		"learn first 1 nan 0\n",
		"learn kind 5 5 5 5 a\n",
		"learn first 1 1 0\nlearn run 5 5 5 nan 5 0\n",
		"learn first 1 1 0\nlearn run 5 5 5 9 99000000 1 0 -5\n",
		"learn first 1 1 0\nlearn run 5 5 5 9 99000000 7\n",
		"learn first 1 1 0\nlearn group 5 5 5 9 10 1 1\n",
		"learn first 1 1 0\nlearn kind 5 5 9223372036854775807 1 a\n",
		"learn first 1 1 0\nlearn kind 5 5 5 1 a b\n",
		"learn first 1 1 0\nlearn last 1 0\n",
		"learn \n",
		"learn last 0 0\n",
	};
	struct cs_kin k = kin("ann", "cfd", 3600 * S);
	struct cs_past *was;
	uint64_t seed = cs_test_seed();
	char *text, *now, *keep;

	(void)state;
	ended(&k, S, 100 * S, CS_BESIDE_FULL);
	keep = text_of(h);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(read_all(h, bad[i]), -EINVAL);
		assert_null(h->reading);
	}
	was = cs_past_create(1, HALF_LIFE);
	for (int i = 0; i < 400; i++) {
		uint64_t at;
		char to;

		/* another history, one byte of which is another */
		read_all(was, keep);
		text = text_of(was);
		do {
			at = cs_test_draw(&seed, strlen(text));
			to = (char)(text[at] ^ 1 << cs_test_draw(&seed, 5));
		} while (text[at] == '\n' || to == '\n' || !to);
		text[at] = to;
		now = text_of(h);
		read_all(h, text);
		free(text);
		text = text_of(h);
		assert_string_equal(text, now);
		free(text);
		free(now);
		it_holds();
	}
	free(keep);
	cs_past_free(was);
}

/* A pair is refused until two runs kept the promise, or for a half-life. */
static void a_broken_promise_stands_until_it_is_kept(void **state)
{
	struct cs_past *other = cs_past_create(1, HALF_LIFE);
	char *text, *again;

	(void)state;
	for (uint64_t i = 0; i < CS_PAST_BROKEN + 3; i++)
		cs_past_promise(h, 10 + i, 11, (int64_t)i * S, 1.25, false);
	assert_int_equal(h->n_broken, CS_PAST_BROKEN);
	assert_int_equal(h->promises, CS_PAST_BROKEN + 3);
	assert_int_equal(h->broken[0].of, 13);
	cs_past_promise(h, 13, 11, 999 * S, 1e300, false);
	assert_int_equal(h->n_broken, CS_PAST_BROKEN);
	assert_int_equal(h->broken[CS_PAST_BROKEN - 1].times, 2);
	assert_int_equal(h->broken[0].of, 14);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(cs_past_stands(h, h->broken, 14 * S), i < 2);
		cs_past_promise(h, 14, 11, 14 * S, 1, true);
	}
	assert_true(cs_past_stands(h, h->broken + 1, 5 * S + HALF_LIFE - 1));
	assert_false(cs_past_stands(h, h->broken + 1, 5 * S + HALF_LIFE));
	it_holds();
	text = text_of(h);
	assert_contains(text, "\nlearn promises 68\nlearn broken e b 4000000 "
			      "1250000 1 2\n");
	assert_int_equal(read_all(other, text), 0);
	again = text_of(other);
	assert_string_equal(text, again);
	free(text);
	free(again);
	cs_past_free(other);
}

/* A user whose jobs say all day that others slow them displaces his own alone. */
static void a_user_has_a_share_of_the_broken_promises(void **state)
{
	struct cs_kin k;
	size_t ann = 0;

	(void)state;
	k = kin("ann", "cfd", 3600 * S);
	assert_true(ended(&k, 100 * S, 99 * S, CS_BESIDE_FULL));
	cs_past_promise(h, k.kind, 11, 100 * S, 1.5, false);
	for (int i = 0; i < 3 * CS_PAST_BROKEN; i++) {
		char name[16];

		snprintf(name, sizeof(name), "x%d", i);
		k = kin("eve", name, 3600 * S);
		assert_true(ended(&k, (200 + i) * S, 99 * S, CS_BESIDE_FULL));
		cs_past_promise(h, k.kind, 11, (200 + i) * S, 1.5, false);
	}
	assert_int_equal(h->n_broken, 1 + CS_PAST_BROKEN / 8);
	k = kin("ann", "cfd", 3600 * S);
	for (size_t i = 0; i < h->n_broken; i++)
		ann += h->broken[i].of == k.kind;
	assert_int_equal(ann, 1);
	it_holds();
}

static void other_nodes_are_another_matter(void **state)
{
	struct cs_past *other = cs_past_create(2, HALF_LIFE);
	struct cs_kin k = kin("ann", "cfd", 3600 * S);
	char *text;

	(void)state;
	ended(&k, S, 100 * S, CS_BESIDE_FULL);
	text = text_of(h);
	assert_int_equal(read_all(other, text), -ESTALE);
	assert_int_equal(other->n_kind, 0);
	free(text);
	cs_past_free(other);
}

/* What a host asks before it uses a text. */
static void a_text_is_tried_before_it_is_used(void **state)
{
	uint64_t seed = cs_test_seed();
	struct cs_err err;
	char *text, *last, *with;

	(void)state;
	draw_history(&seed, 300);
	text = text_of(h);
	assert_int_equal(cs_past_try(text, &err), 0);
	with = malloc(strlen(text) + 64);
	sprintf(with, "%slearn job 1 2 3 4 5 0\n", text);
	assert_int_equal(cs_past_try(with, &err), 0);
	sprintf(with, "%slearn nonsense\n", text);
	assert_int_equal(cs_past_try(with, &err), -EINVAL);
	assert_int_equal(cs_past_try(text + 1, &err), -EINVAL);
	assert_int_equal(cs_past_try(strchr(text, '\n') + 1, &err), -EINVAL);
	assert_int_equal(cs_past_try("", &err), -EINVAL);
	assert_int_equal(cs_past_try("learn first 1 1 0", &err), -EINVAL);
	assert_int_equal(cs_past_try("learn first 2 1 0\n", &err), -EINVAL);
	last = strstr(text, "learn last ");
	last[strlen("learn last ")]++;
	assert_int_equal(cs_past_try(text, &err), -EINVAL);
	*last = '\0';
	assert_int_equal(cs_past_try(text, &err), -EINVAL);
	memset(text, 'x', strlen(text)); /* one long line */
	memcpy(text, "learn first 1 1 0\n", 18);
	assert_int_equal(cs_past_try(text, &err), -EINVAL);
	free(text);
	free(with);
}

/* ---- who may share ------------------------------------------------------- */

enum { CODES = 12 };

/* Runs of a site whose pairs cost what @ratio says. */
static void live_a_while(double ratio[CODES][CODES + 1], int pairs,
			 uint64_t *seed, struct cs_kin *k)
{
	char name[] = "a";
	int64_t t = 0;

	for (int a = 0; a < CODES; a++, name[0]++) {
		k[a] = kin("ann", name, 3600 * S);
		for (int i = 0; i < 5; i++)
			ended(&k[a], t += S, (1000 + i) * S, CS_BESIDE_FULL);
	}
	for (int i = 0; i < pairs; i++) {
		uint64_t a = cs_test_draw(seed, CODES);
		uint64_t b = cs_test_draw(seed, CODES);

		ended(&k[a], t += S, (int64_t)(1002e6 * ratio[a][b]),
		      k[b].kind);
		ended(&k[b], t += S, (int64_t)(1002e6 * ratio[b][a]),
		      k[a].kind);
		if (i % 4 == 0)
			ended(&k[a], t += S,
			      (int64_t)(1002e6 * ratio[a][CODES]),
			      CS_BESIDE_NOBODY);
	}
}

static void draw_ratios(double ratio[CODES][CODES + 1], uint64_t *seed)
{
	double v[CODES], w[CODES + 1];

	for (int a = 0; a < CODES; a++) {
		v[a] = (cs_test_unit(seed) - .5) * .2;
		w[a] = (cs_test_unit(seed) - .5) * .2;
	}
	w[CODES] = -.15;
	for (int a = 0; a < CODES; a++)
		for (int b = 0; b <= CODES; b++)
			ratio[a][b] = exp(v[a] + w[b]);
}

/* Bounds are above the truth, and near enough to be of use. */
static void pairs_are_admitted_by_their_bound(void **state)
{
	static double ratio[CODES][CODES + 1];
	struct cs_admission *adm = cs_admission_create(.95);
	const struct cs_learned *t = cs_admission_table(adm);
	uint64_t seed = cs_test_seed();
	struct cs_kin k[CODES], bob[2];
	int above = 0, close = 0;

	(void)state;
	draw_ratios(ratio, &seed);
	live_a_while(ratio, 100, &seed, k);
	assert_true(cs_admission_due(adm, h));
	cs_admission_make(adm, h, 10000 * S);
	assert_false(cs_admission_due(adm, h));
	assert_int_equal(t->n, CODES);
	for (int a = 0; a < CODES; a++)
		for (int b = 0; b < CODES; b++) {
			int x = cs_admission_find(adm, k[a].kind);
			int y = cs_admission_find(adm, k[b].kind);
			struct cs_admission_pair p =
				cs_admission_pair(adm, x, y);
			size_t at = (size_t)(x * t->n + y);

			assert_true(p.bound >= p.mean);
			above += ratio[a][b] > p.bound;
			close += p.bound < ratio[a][b] * 1.15;
			assert_close(t->bound[at], p.bound * t->self[x], 1e-12);
			assert_close(t->mean[at], p.mean * t->self[x], 1e-12);
			assert_true(t->hope[at] < t->mean[at]);
		}
	assert_true(above <= CODES * CODES / 10);
	assert_true(close >= CODES * CODES / 2);
	assert_int_equal(cs_admission_find(adm, 12345), -1);
	/* who has run once is known by the name, if others are */
	bob[0] = kin("bob", "a", 3600 * S);
	bob[1] = kin("bob", "other", 3600 * S);
	for (int i = 0; i < 2; i++)
		ended(&bob[i], 10001 * S, 7777 * S, CS_BESIDE_FULL);
	cs_admission_make(adm, h, 10002 * S);
	assert_int_equal(t->n, CODES + 1);
	assert_int_equal(cs_admission_find(adm, bob[1].kind), -1);
	for (int b = 0; b < CODES; b++) {
		int x = cs_admission_find(adm, k[0].kind);
		int y = cs_admission_find(adm, k[b].kind);
		int z = cs_admission_find(adm, bob[0].kind);

		assert_close(cs_admission_pair(adm, z, y).mean,
			     cs_admission_pair(adm, x, y).mean, .1);
		assert_true(cs_admission_pair(adm, z, y).bound > 0);
	}
	cs_admission_free(adm);
}

static void nothing_known_admits_nobody(void **state)
{
	static double ratio[CODES][CODES + 1];
	struct cs_admission *adm = cs_admission_create(.95);
	const struct cs_learned *t = cs_admission_table(adm);
	uint64_t seed = cs_test_seed();
	struct cs_kin k[CODES];

	(void)state;
	cs_admission_make(adm, h, S);
	assert_int_equal(t->n, 0);
	draw_ratios(ratio, &seed);
	live_a_while(ratio, 3, &seed, k);
	cs_admission_make(adm, h, 10000 * S);
	assert_int_equal(t->n, CODES);
	for (int i = 0; i < CODES * CODES; i++)
		assert_close(t->bound[i], 0, 0);
	cs_admission_free(adm);
}

/* A job that failed, and one that did other work, move nothing. */
static void failed_runs_are_left_out(void **state)
{
	static double ratio[CODES][CODES + 1];
	struct cs_admission *a = cs_admission_create(.95);
	struct cs_admission *b = cs_admission_create(.95);
	uint64_t seed = cs_test_seed();
	struct cs_kin k[CODES];

	(void)state;
	draw_ratios(ratio, &seed);
	live_a_while(ratio, 60, &seed, k);
	cs_admission_make(a, h, 10000 * S);
	ended(&k[0], 5000 * S, 100 * S, k[1].kind);
	ended(&k[0], 5000 * S, 9000 * S, k[1].kind);
	cs_admission_make(b, h, 10000 * S);
	for (int i = 0; i < CODES * CODES; i++)
		assert_close(cs_admission_table(a)->bound[i],
			     cs_admission_table(b)->bound[i], 0);
	cs_admission_free(a);
	cs_admission_free(b);
}

static void no_memory_is_said(void **state)
{
	struct cs_err err;
	bool more = true;

	(void)state;
	for (long n = 0; more; n++) {
		struct cs_admission *a;

		cs_test_fail_after(n);
		a = cs_admission_create(.95);
		more = cs_test_failed();
		assert_true(more == !a);
		cs_admission_free(a);
	}
	cs_test_fail_after(0);
	assert_int_equal(cs_past_read(h, "learn first 1 1 0", &err), -ENOMEM);
	assert_true(cs_test_failed());
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(names_and_sizes_tell_groups_apart),
		TEST(the_time_alone_is_a_median),
		TEST(it_backs_off_to_all_limits),
		TEST(old_runs_fade),
		TEST(times_that_cannot_be_teach_nothing),
		TEST(a_user_with_many_names_forgets_his_own),
		TEST(the_kind_with_most_runs_loses_its_oldest),
		TEST(what_is_written_is_read),
		TEST(a_damaged_state_is_left_out),
		TEST(a_broken_promise_stands_until_it_is_kept),
		TEST(a_user_has_a_share_of_the_broken_promises),
		TEST(a_text_is_tried_before_it_is_used),
		TEST(other_nodes_are_another_matter),
		TEST(pairs_are_admitted_by_their_bound),
		TEST(nothing_known_admits_nobody),
		TEST(failed_runs_are_left_out),
		TEST(no_memory_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
