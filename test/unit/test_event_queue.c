/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events are taken by time, and at one instant in order of insertion. */
#include "cs_test.h"

#include "procsim/event_queue.h"

/* Spans of one instant, a day, a few days, a year and hundreds of years. */
static int64_t draw_span_ns(uint64_t *seed)
{
	static const uint64_t most_ns[] = { 1,	    5,	     2000,
					    100000, 3000000, 500000000 };
	size_t n = sizeof(most_ns) / sizeof(*most_ns);

	return (int64_t)cs_test_draw(seed, most_ns[cs_test_draw(seed, n)]);
}

static void in_order_of_time_then_insertion(void **state)
{
	uint64_t seed = cs_test_seed(), worlds = cs_test_worlds(200);
	struct cs_event_queue q = { 0 };

	(void)state;
	for (uint64_t world = 0; world < worlds; world++) {
		int64_t at_ns = INT64_MIN;
		uint64_t order = 0, in = 0, out = 0;

		while (in < 300 || q.n) {
			struct cs_queued_event e;

			if (in < 300 && (!q.n || cs_test_draw(&seed, 2))) {
				/* Never before what was taken. */
				int64_t t =
					(out ? at_ns : 0) + draw_span_ns(&seed);

				assert_int_equal(
					cs_event_queue_push(&q, t, 3, 7,
							    (uint32_t)in),
					0);
				in++;
				continue;
			}
			e = cs_event_queue_take(&q);
			assert_true(e.at_ns > at_ns ||
				    (e.at_ns == at_ns && e.order > order));
			assert_int_equal(e.kind, 3);
			assert_int_equal(e.node, 7);
			at_ns = e.at_ns;
			order = e.order;
			out++;
		}
		assert_int_equal(in, out);
		cs_event_queue_done(&q);
	}
}

/* The end of a run, which no year reaches, beside events of now. */
static void the_last_instant(void **state)
{
	struct cs_event_queue q = { 0 };

	(void)state;
	assert_int_equal(cs_event_queue_push(&q, INT64_MAX, 0, 0, 1), 0);
	assert_int_equal(cs_event_queue_push(&q, 0, 0, 0, 2), 0);
	assert_int_equal(cs_event_queue_push(&q, INT64_MAX, 0, 0, 3), 0);
	assert_int_equal(cs_event_queue_take(&q).about, 2);
	assert_int_equal(cs_event_queue_take(&q).about, 1);
	assert_int_equal(cs_event_queue_take(&q).about, 3);
	assert_int_equal(q.n, 0);
	cs_event_queue_done(&q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_order_of_time_then_insertion),
		cmocka_unit_test(the_last_instant),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
