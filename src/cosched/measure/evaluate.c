/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/evaluate.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define TIMES_MAX 4096 /* in a cell */

/* ---- records ----------------------------------------------------------------------- */

int cs_measure_evaluation_init(struct cs_measure_evaluation *e,
			       const struct cs_measure_folder *folder,
			       const struct cs_measure_state *state)
{
	*e = (struct cs_measure_evaluation){ .folder = folder, .state = state };
	e->times =
		calloc((size_t)CS_MEASURE_CELLS * TIMES_MAX, sizeof(*e->times));
	return e->times ? 0 : -ENOMEM;
}

static void forget_records(struct cs_measure_evaluation *e)
{
	for (size_t i = 0; i < e->n; i++)
		cs_measure_record_done(&e->record[i]);
	free(e->record);
	e->record = NULL;
	e->n = 0;
}

void cs_measure_evaluation_done(struct cs_measure_evaluation *e)
{
	forget_records(e);
	free(e->times);
	e->times = NULL;
}

static int read_records(struct cs_measure_evaluation *e)
{
	size_t n = e->state->n_job;

	forget_records(e);
	e->record = calloc(n + 1, sizeof(*e->record));
	if (!e->record)
		return -ENOMEM;
	for (; e->n < n; e->n++)
		if (cs_measure_folder_record(e->folder, e->state->job[e->n].job,
					     &e->record[e->n]))
			return -ENOMEM;
	return 0;
}

const struct cs_measure_record *
cs_measure_evaluation_record(const struct cs_measure_evaluation *e,
			     uint32_t job)
{
	for (size_t i = 0; i < e->n; i++)
		if (e->state->job[i].job == job)
			return &e->record[i];
	return NULL;
}

/* The partner's number in the state; SIZE_MAX: it has none. */
static size_t partner_of(const struct cs_measure_evaluation *e, size_t i)
{
	const struct cs_measure_job *j = e->state->job;

	for (size_t k = 0; k < e->n; k++)
		if (j[i].role == 'a' ? j[k].role == 'b' && j[k].with == j[i].job
				     : j[k].job == j[i].with)
			return k;
	return SIZE_MAX;
}

const struct cs_measure_record *
cs_measure_evaluation_partner(const struct cs_measure_evaluation *e, size_t i)
{
	size_t other = partner_of(e, i);

	return other == SIZE_MAX ? NULL : &e->record[other];
}

/* ---- runs that count --------------------------------------------------------------- */

static struct cs_measure_experiment
experiment_of(const struct cs_measure_evaluation *e, size_t i)
{
	return cs_measure_experiment(e->state->n, e->state->job[i].experiment);
}

static const char *bad_cores(const struct cs_measure_evaluation *e, size_t i,
			     char *buf, size_t size)
{
	const struct cs_measure_shape *shape = &e->state->shape;

	return cs_measure_record_cores(
		&e->record[i], shape,
		cs_measure_per_socket(shape, experiment_of(e, i).kind) *
			shape->per_task,
		buf, size);
}

/* The cell of the runs of the state's job @i. */
static size_t cell_of(const struct cs_measure_evaluation *e, size_t i)
{
	size_t n = e->state->n;
	struct cs_measure_experiment x = experiment_of(e, i);

	if (x.kind != CS_MEASURE_PAIR)
		return cs_measure_cell_alone(n, x.kind, x.a);
	return e->state->job[i].role == 'a'
		       ? cs_measure_cell_beside(n, x.a, x.b)
		       : cs_measure_cell_beside(n, x.b, x.a);
}

/* The runs of the state's job @i that count, behind the @n of its cell.  Returns their
 * number; *ret_third: a job that spoiled one (0: none). */
static size_t take_times(const struct cs_measure_evaluation *e, size_t i,
			 double *cell, size_t n, uint32_t *ret_third)
{
	size_t other = SIZE_MAX;
	double until_s = 0;
	char buf[160];

	*ret_third = 0;
	if (experiment_of(e, i).kind == CS_MEASURE_PAIR) {
		other = partner_of(e, i);
		if (other == SIZE_MAX || bad_cores(e, other, buf, sizeof(buf)))
			return 0;
		until_s = cs_measure_record_until(&e->record[other],
						  e->state->job[other].alive_s);
	}
	if (bad_cores(e, i, buf, sizeof(buf)))
		return 0;
	return cs_measure_record_times(
		&e->record[i], other == SIZE_MAX ? NULL : &e->record[other],
		until_s, cell + n, TIMES_MAX - n, ret_third);
}

int cs_measure_evaluate(struct cs_measure_evaluation *e,
			struct cs_measure_plan *plan)
{
	size_t n[CS_MEASURE_CELLS] = { 0 };
	uint32_t third;
	int rc = read_records(e);

	if (rc)
		return rc;
	for (size_t i = 0; i < e->n; i++) {
		size_t cell = cell_of(e, i);

		n[cell] += take_times(e, i, e->times + cell * TIMES_MAX,
				      n[cell], &third);
	}
	for (size_t c = 0; c < CS_MEASURE_CELLS; c++)
		plan->cell[c] = cs_measure_mean(e->times + c * TIMES_MAX, n[c]);
	return 0;
}

const char *cs_measure_evaluation_spoiled(const struct cs_measure_evaluation *e,
					  size_t i, char *buf, size_t size)
{
	double times[TIMES_MAX];
	uint32_t job = e->state->job[i].job, third;
	char text[160];

	if (e->record[i].cores && bad_cores(e, i, text, sizeof(text))) {
		snprintf(buf, size, "job %" PRIu32 " has %.120s", job, text);
		return buf;
	}
	take_times(e, i, times, 0, &third);
	if (!third)
		return NULL;
	snprintf(buf, size, "job %" PRIu32 " was on its nodes, too", third);
	return buf;
}
