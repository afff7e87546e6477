/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nodes and reservations of the snapshots, as the engine is told of them (feed/feed.c). */
#include "common/state/state.h"

#include "feedrig.h"

#include <errno.h>

static void unready_nodes_take_no_start(void **state)
{
	(void)state;
	snapshot();
	b->view->unready[0] = 7;
	b->view->unready_us = T0 + 4 * S;
	job(1);
	assert_int_equal(feed(), 2);
	assert_int_equal(place(), 4);
	snapshot(); /* as before */
	job(1);
	assert_int_equal(feed(), 0);
	snapshot();
	b->view->unready[0] = 15;
	job(1);
	assert_int_equal(feed(), 1);
	assert_int_equal(place(), 0);
	snapshot(); /* they are done */
	b->view->unready[0] = 0;
	b->view->unready_us = 0;
	job(1);
	assert_int_equal(feed(), 1);
	assert_int_equal(place(), 1);
	snapshot();
	job(1);
	assert_int_equal(feed(), 0);
}

/* Also if that is more than an hour ahead. */
static void nodes_to_reboot_take_no_start(void **state)
{
	(void)state;
	snapshot();
	b->view->rebooting[0] = 7;
	b->view->rebooting_us = T0 + 9000 * S;
	b->view->unready[0] = 8;
	b->view->unready_us = T0 + 4 * S;
	job(1);
	assert_int_equal(feed(), 3);
	assert_int_equal(place(), 0);
	snapshot(); /* the fourth is ready */
	b->view->unready[0] = 0;
	job(1);
	assert_int_equal(feed(), 1);
	assert_int_equal(place(), 4);
	snapshot(); /* they are back */
	b->view->rebooting[0] = 0;
	b->view->rebooting_us = 0;
	job(1);
	assert_int_equal(feed(), 1);
	assert_int_equal(place(), 1);
}

static void nodes_and_reservations(void **state)
{
	static const uint64_t two = 3, one = 1;
	struct cs_view_resv r = { .id = 7,
				  .start_us = T0,
				  .end_us = T0 + 60 * S };

	(void)state;
	r.set = cs_view_set(b->view->sets, &two, 1);
	b->view->resv = calloc(1, sizeof(r));
	b->view->cap_resv = 1;
	snapshot();
	b->view->up[0] = 5;
	b->view->resv[0] = r;
	b->view->n_resv = 1;
	assert_int_equal(feed(), 3);
	snapshot();
	b->view->n_resv = 1;
	assert_int_equal(feed(), 0);
	snapshot();
	b->view->resv[0].set = cs_view_set(b->view->sets, &one, 1);
	b->view->n_resv = 1;
	b->view->up[0] = 15;
	assert_int_equal(feed(), 3);
	for (uint64_t cores = 1; cores <= 3; cores += 2)
		for (int twice = 0; twice < 2; twice++) {
			struct cs_alloc *a = cs_alloc_create(1, 1);

			cs_alloc_cores(a, 0)[0] = cores;
			r.cores = a;
			snapshot();
			r.set = cs_view_set(b->view->sets, &one, 1);
			b->view->resv[0] = r;
			b->view->n_resv = 1;
			assert_int_equal(feed(), !twice);
		}
	snapshot();
	r.cores = NULL;
	r.flags = CS_RESV_MAINT;
	b->view->resv[0] = r;
	b->view->n_resv = 1;
	assert_int_equal(feed(), 1);
	snapshot();
	assert_int_equal(feed(), 1);
	assert_int_equal(b->told.n_resv, 0);
}

/* The view has followed: node @n is of @sockets by @cores. */
static void node_is(uint32_t n, uint16_t sockets, uint16_t cores)
{
	struct cs_node now = b->view->machine->node[n];

	now.name = NULL;
	now.sockets = sockets;
	now.cores_per_socket = cores;
	assert_int_equal(cs_machine_put(b->view->machine, n, &now, NULL), 0);
	cs_bit_set(b->view->moved, n);
	cs_bit_put(b->view->up, n, cores > 0);
}

static void nodes_that_go_come_and_change_are_told(void **state)
{
	struct cs_err err = { "" };

	(void)state;
	snapshot();
	runs(1, 0, T0);
	feed();
	snapshot();
	runs(1, 0, T0);
	node_is(3, 1, 0);
	/* down, and then vacant */
	assert_int_equal(feed(), 2);
	assert_int_equal(b->view->moved[0], 0);
	assert_int_equal(cs_engine_machine(b->engine)->n_there, 3);
	snapshot();
	runs(1, 0, T0);
	node_is(3, 1, 7);
	node_is(2, 2, 3);
	assert_int_equal(feed(), 5);
	assert_int_equal(b->told.up[0], 15);
	assert_int_equal(cs_engine_node(b->engine, 3).cores, 7);
	assert_int_equal(cs_engine_node(b->engine, 2).cores, 6);
	snapshot();
	runs(1, 0, T0);
	assert_int_equal(feed(), 0);
	/* a weight is told as it is */
	snapshot();
	runs(1, 0, T0);
	b->view->machine->node[0].weight++;
	cs_bit_set(b->view->moved, 0);
	assert_int_equal(feed(), 1);
	assert_int_equal(cs_engine_machine(b->engine)->node[0].weight, 2);
	assert_false(cs_engine_machine(b->engine)->level);
	/* who holds it keeps it: that needs a new adapter, and is no fault */
	snapshot();
	runs(1, 0, T0);
	node_is(0, 1, 1);
	assert_int_equal(cs_feed(b, &err), -ERESTART);
	assert_contains(err.text, "is held");
	assert_int_equal(cs_engine_check(b->engine, &err), 0);
}

/* Dynamic nodes: Slurm's table has 2 nodes of 4 cores, a hole before the second and
 * one behind it; its map of the system has 8 cores. */
static void a_hole_in_slurms_table_has_no_cores(void **state)
{
	struct cs_view *v = b->view;

	(void)state;
	v->first_core = calloc(4, sizeof(*v->first_core));
	assert_non_null(v->first_core);
	v->n_core = v->first_core[3] = 8;
	v->first_core[1] = v->first_core[2] = 4;
	v->machine->node[0].name = strdup("n1");
	v->machine->node[2].name = strdup("n2");
	for (uint32_t n = 1; n < 4; n += 2)
		v->machine->node[n].cores_per_socket = 0;
	for (uint32_t n = 0; n < 4; n++) {
		assert_int_equal(cs_view_system_cores(v, n), n % 2 ? 0 : 4);
		for (uint32_t c = 0; c < cs_view_system_cores(v, n); c++)
			assert_int_equal(cs_view_system_core(v, n, c),
					 n / 2 * 4 + c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(unready_nodes_take_no_start),
		TEST(nodes_to_reboot_take_no_start),
		TEST(nodes_and_reservations),
		TEST(nodes_that_go_come_and_change_are_told),
		TEST(a_hole_in_slurms_table_has_no_cores),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
