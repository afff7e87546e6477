/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The event log's schema: what is written of random structs is what is read, field by
 * field.  A row that is new is tried with the others.
 */
#include "cs_test.h"

#include "common/log/read_line.h"
#include "common/log/write_line.h"

#define ROUNDS 300

/* Options of jobs are not looked at: no engine. */
const uint64_t *cs_engine_nodeset_words(const struct cs_engine *e,
					uint32_t nodeset, uint32_t *ret_words)
{
	(void)e, (void)nodeset, (void)ret_words;
	return NULL;
}

static const char *const texts[] = { NULL, "", "alice", "a \"b\"\\\t",
				     "\xc3\xa9t\xc3\xa9" };

static uint32_t names(const struct cs_log_field *f)
{
	uint32_t n = 0;

	while (n < 3 || (f->form == CS_LOG_FLAGS && f->name(n)))
		n++;
	return n;
}

/* A value that @f can have, often the usual one. */
static void draw(uint64_t *seed, const struct cs_log_field *f, void *of)
{
	void *m = (char *)of + f->at;
	bool usual = f->left == CS_LOG_IF && cs_test_draw(seed, 2);
	uint64_t any = cs_test_draw(seed, 2) ? cs_test_draw(seed, 100)
					     : cs_test_draw(seed, UINT32_MAX);

	switch (f->form) {
	case CS_LOG_U32:
	case CS_LOG_I32:
		*(uint32_t *)m = usual ? (uint32_t)f->usual : (uint32_t)any;
		break;
	case CS_LOG_U64:
	case CS_LOG_MEMORY:
		*(uint64_t *)m = usual			 ? (uint64_t)f->usual
				 : cs_test_draw(seed, 5) ? any
							 : UINT64_MAX;
		break;
	case CS_LOG_US:
		*(int64_t *)m = usual ? f->usual : (int64_t)any * 100003;
		break;
	case CS_LOG_EXACT:
		*(double *)m = cs_test_unit(seed) * 50;
		break;
	case CS_LOG_TEXT:
	case CS_LOG_WHOLE:
		*(const char **)m = texts[cs_test_draw(seed, 5)];
		if (f->form == CS_LOG_WHOLE && !*(const char **)m)
			*(const char **)m = "a line";
		break;
	case CS_LOG_TRUE:
	case CS_LOG_BOOL:
		*(bool *)m = cs_test_draw(seed, 2);
		break;
	case CS_LOG_NAME:
		*(uint32_t *)m = (uint32_t)cs_test_draw(seed, names(f));
		break;
	case CS_LOG_FLAGS:
		*(uint32_t *)m =
			(uint32_t)cs_test_draw(seed, UINT64_C(1) << names(f));
		break;
	case CS_LOG_ROUNDED:
	case CS_LOG_NODESET:
	case CS_LOG_BY:
		break;
	}
}

static void draw_all(uint64_t *seed, const struct cs_log_fields *part, void *of)
{
	for (size_t i = 0; i < part->n; i++)
		draw(seed, &part->field[i], of);
}

static bool same_text(const char *a, const char *b)
{
	return !strcmp(a ? a : "", b ? b : "");
}

static bool same(const struct cs_log_field *f, const void *a, const void *b)
{
	a = (const char *)a + f->at;
	b = (const char *)b + f->at;
	switch (f->form) {
	case CS_LOG_U32:
	case CS_LOG_I32:
	case CS_LOG_NAME:
	case CS_LOG_FLAGS:
		return *(const uint32_t *)a == *(const uint32_t *)b;
	case CS_LOG_U64:
	case CS_LOG_MEMORY:
	case CS_LOG_US:
		return *(const uint64_t *)a == *(const uint64_t *)b;
	case CS_LOG_EXACT:
		return !memcmp(a, b, sizeof(double));
	case CS_LOG_TEXT:
	case CS_LOG_WHOLE:
		return same_text(*(const char *const *)a,
				 *(const char *const *)b);
	case CS_LOG_TRUE:
	case CS_LOG_BOOL:
		return *(const bool *)a == *(const bool *)b;
	case CS_LOG_ROUNDED:
	case CS_LOG_NODESET:
	case CS_LOG_BY:
		break;
	}
	return true;
}

/* The fields that were @said are those that were @read. */
static void compare(const char *line, const struct cs_log_fields *part,
		    const void *said, const void *read)
{
	for (size_t i = 0; i < part->n; i++) {
		const struct cs_log_field *f = &part->field[i];

		if (f->left == CS_LOG_UNLESS && !f->said(said))
			continue;
		if (!same(f, said, read))
			fail_msg("\"%s\" is read as another: %s", f->key, line);
	}
}

/* The line of @ev, read. */
static char *through(struct cs_logread *reader, const struct cs_event *ev,
		     const struct cs_action *a, struct cs_log_line *ret)
{
	int n = cs_log_event(NULL, 0, NULL, ev, a);
	char *line = malloc((size_t)n + 1);
	struct cs_err err = { "" };

	assert_non_null(line);
	cs_log_event(line, (size_t)n + 1, NULL, ev, a);
	line[n - 1] = '\0';
	if (cs_logread_line(reader, line, (size_t)n - 1, ret, &err))
		fail_msg("%s: %s", err.text, line);
	assert_int_equal(ret->event.type, ev->type);
	assert_int_equal(ret->event.t_us, ev->t_us);
	return line;
}

static int reader_setup(void **state)
{
	*state = cs_logread_create();
	return !*state;
}

static int reader_teardown(void **state)
{
	cs_logread_free(*state);
	return 0;
}

/* ---- */

static void jobs_are_read_as_they_were_written(void **state)
{
	uint64_t seed = cs_test_seed();

	for (int i = 0; i < ROUNDS; i++) {
		struct cs_job j = { 0 };
		struct cs_event ev = { .type = CS_EV_SUBMIT, .job = &j };
		struct cs_log_line l;
		char *line;

		draw_all(&seed, &cs_log_job, &j);
		j.id += !j.id;
		j.tasks += !j.tasks;
		ev.t_us = cs_test_draw(&seed, 2) ? j.submit_us : 17;
		if (cs_test_draw(&seed, 2))
			j.eligible_us = j.submit_us;
		line = through(*state, &ev, NULL, &l);
		compare(line, &cs_log_job, &j, &l.submitted);
		cs_log_line_done(&l);
		free(line);
	}
}

/* An estimate has the time of its line, and that of its set where this is another. */
static void estimates_are_read_as_they_were_written(void **state)
{
	static const int64_t later_us[] = { 0, 1, 7000000 };

	for (size_t i = 0; i < sizeof(later_us) / sizeof(*later_us); i++) {
		struct cs_estimate x = { .job_id = 3,
					 .at_us = 1000000,
					 .start_us = 2000000,
					 .low_us = 1500000,
					 .high_us = CS_TIME_NONE,
					 .limits_us = 9000000 };
		int64_t t_us = x.at_us + later_us[i];
		struct cs_err err = { "" };
		struct cs_log_line l;
		char line[512];
		int n = cs_log_estimate(line, sizeof(line), t_us, &x);

		assert_in_range(n, 1, sizeof(line) - 1);
		line[n - 1] = '\0';
		if (cs_logread_line(*state, line, (size_t)n - 1, &l, &err))
			fail_msg("%s: %s", err.text, line);
		assert_int_equal(l.ev, CS_LOG_ESTIMATE);
		assert_int_equal(l.event.t_us, t_us);
		compare(line, &cs_log_estimates, &x, &l.estimate);
		assert_int_equal(!!strstr(line, "began"), !!later_us[i]);
		cs_log_line_done(&l);
	}
}

static void starts_are_read_as_they_were_written(void **state)
{
	uint64_t seed = cs_test_seed();
	struct cs_alloc *alloc = cs_alloc_create(1, 1);

	assert_non_null(alloc);
	cs_bit_set(cs_alloc_cores(alloc, 0), 2);
	for (int i = 0; i < ROUNDS; i++) {
		struct cs_started s = { .alloc = alloc };
		struct cs_action a = { .type = CS_ACT_START };
		bool acted = cs_test_draw(&seed, 2);
		struct cs_event ev = { .type = CS_EV_STARTED, .start = &s };
		struct cs_log_line l;
		char *line;

		draw_all(&seed, &cs_log_start, &s);
		draw_all(&seed, &cs_log_start_option, &s);
		draw_all(&seed, &cs_log_start_group, &s);
		draw_all(&seed, &cs_log_start_times, &s);
		draw_all(&seed, &cs_log_reasons, &a);
		s.job_id += !s.job_id;
		s.at_us += s.start_us;
		if (acted)
			s.seq += !s.seq;
		line = through(*state, &ev, acted ? &a : NULL, &l);
		compare(line, &cs_log_start, &s, &l.start);
		compare(line, &cs_log_start_option, &s, &l.start);
		compare(line, &cs_log_start_times, &s, &l.start);
		if (acted)
			compare(line, &cs_log_reasons, &a, &l.action);
		else
			compare(line, &cs_log_start_group, &s, &l.start);
		assert_int_equal(l.host, !s.seq);
		cs_log_line_done(&l);
		free(line);
	}
	cs_alloc_free(alloc);
}

static void other_events_are_read_as_they_were_written(void **state)
{
	static const struct {
		enum cs_event_type type;
		const struct cs_log_fields *part;
	} events[] = {
		{ CS_EV_CANCEL, &cs_log_job_id },
		{ CS_EV_FINISH, &cs_log_finish },
		{ CS_EV_SUSPEND, &cs_log_stop },
		{ CS_EV_RESUME, &cs_log_stop },
		{ CS_EV_BEGIN, &cs_log_begin },
		{ CS_EV_LIMIT, &cs_log_limit },
		{ CS_EV_REFUSED, &cs_log_refused },
		{ CS_EV_NODE, &cs_log_node },
		{ CS_EV_KEPT, &cs_log_kept },
		{ CS_EV_TICK, &cs_log_tick },
	};
	uint64_t seed = cs_test_seed();

	for (int i = 0; i < ROUNDS; i++) {
		size_t k =
			cs_test_draw(&seed, sizeof(events) / sizeof(*events));
		struct cs_event ev = { .type = events[k].type, .t_us = 5 };
		struct cs_log_line l;
		char *line;

		draw_all(&seed, events[k].part, &ev);
		if (events[k].part->field[0].at ==
			    offsetof(struct cs_event, job_id) &&
		    !strcmp(events[k].part->field[0].key, "job"))
			ev.job_id += !ev.job_id;
		line = through(*state, &ev, NULL, &l);
		compare(line, events[k].part, &ev, &l.event);
		cs_log_line_done(&l);
		free(line);
	}
}

static void reservations_are_read_as_they_were_written(void **state)
{
	static const uint32_t node[] = { 0, 1, 5 };
	uint64_t seed = cs_test_seed();

	for (int i = 0; i < ROUNDS; i++) {
		struct cs_reservation r = { .n = 3, .node = node };
		struct cs_event ev = { .type = CS_EV_RESERVATION,
				       .reservation = &r };
		struct cs_log_line l;
		char *line;

		draw_all(&seed, &cs_log_reservation, &r);
		draw_all(&seed, &cs_log_reservation_times, &r);
		draw_all(&seed, &cs_log_reservation_flags, &r);
		line = through(*state, &ev, NULL, &l);
		compare(line, &cs_log_reservation, &r, &l.reservation);
		compare(line, &cs_log_reservation_times, &r, &l.reservation);
		compare(line, &cs_log_reservation_flags, &r, &l.reservation);
		cs_log_line_done(&l);
		free(line);
	}
}

/* The host's own test may place a job on cores that others have, too. */
static void a_start_placed_by_the_host_is_packed(void **state)
{
	struct cs_alloc *alloc = cs_alloc_create(1, 1);
	struct cs_started s = { .job_id = 3, .alloc = alloc };
	struct cs_action a = { .job_id = 3 };
	struct cs_event ev = { .type = CS_EV_STARTED, .t_us = 5, .start = &s };

	assert_non_null(alloc);
	cs_bit_set(cs_alloc_cores(alloc, 0), 2);
	for (int host = 0; host < 2; host++) {
		struct cs_log_line l;
		char *line;

		a.type = host ? CS_ACT_HOST_START : CS_ACT_START;
		line = through(*state, &ev, &a, &l);
		assert_int_equal(!!strstr(line, "\"placed\":\"host\""), host);
		assert_int_equal(l.start.packed, host);
		cs_log_line_done(&l);
		free(line);
	}
	cs_alloc_free(alloc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(jobs_are_read_as_they_were_written),
		cmocka_unit_test(estimates_are_read_as_they_were_written),
		cmocka_unit_test(starts_are_read_as_they_were_written),
		cmocka_unit_test(other_events_are_read_as_they_were_written),
		cmocka_unit_test(reservations_are_read_as_they_were_written),
		cmocka_unit_test(a_start_placed_by_the_host_is_packed),
	};

	return cmocka_run_group_tests(tests, reader_setup, reader_teardown);
}
