/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of runs.  Rules 1 to 3 of fit.c. */
#include "learn/fit_parts.h"

#include <string.h>

#include "learn/real.h"

/* ---- lines --------------------------------------------------------------- */

/* Equation (1) without its noise. */
double cs_fit_predict(const struct cs_fit *f, size_t i, double *p)
{
	const struct cs_fit_run *r = &f->run[i];
	double rate = 0;

	for (uint32_t k = 0; k < r->n_part; k++) {
		uint32_t other = r->part[k].other;

		p[k] = r->part[k].share;
		if (other != CS_FIT_DENSE)
			p[k] *= cs_real_exp(-cs_fit_mean(f, r->code, other) -
					    f->pair[f->line[i].pair[k]].e);
		rate += p[k];
	}
	for (uint32_t k = 0; k < r->n_part; k++)
		p[k] = r->part[k].other == CS_FIT_DENSE ? 0 : p[k] / rate;
	return -cs_real_ln(rate);
}

/* Is it a part on which a run depends on a neighbour, or on having none? */
static bool is_beside(const struct cs_fit_part *p)
{
	return p->other != CS_FIT_DENSE && p->share > 0;
}

static bool counts(const struct cs_fit *f, size_t run, uint32_t without)
{
	return f->line[run].fold != without && f->run[run].weight > 0;
}

static uint32_t parts_beside(const struct cs_fit_run *r)
{
	uint32_t n = 0;

	for (uint32_t k = 0; k < r->n_part; k++)
		n += is_beside(&r->part[k]);
	return n;
}

/* All is 0, but that each neighbour is n_code: there is none. */
static void clear_block(const struct cs_fit *f, struct cs_fit_block *b,
			uint32_t parts)
{
	memset(b, 0, sizeof(*b));
	b->n = parts;
	for (int j = 0; j < CS_FIT_LANES; j++)
		b->slot[j] = f->row_slot[f->n_code + 1];
	for (int k = 0; k < CS_FIT_PARTS; k++)
		for (int j = 0; j < CS_FIT_LANES; j++) {
			b->other[k][j] = (uint32_t)f->n_code;
			b->part_slot[k][j] = f->part_slot[f->n_code + 1];
		}
}

/* @slot [code + 1] has how many each code has: where they begin. */
static void begin_slots(const struct cs_fit *f, uint32_t *slot)
{
	for (size_t a = 0; a <= f->n_code; a++)
		slot[a + 1] += slot[a];
}

/* Count the rows of each code, the parts beside each, and into @ret the rows of each number
 * of parts. */
static void count_rows(struct cs_fit *f, uint32_t without,
		       size_t ret[CS_FIT_PARTS + 1])
{
	f->n_row = 0;
	memset(f->row_slot, 0, (f->n_code + 2) * sizeof(*f->row_slot));
	memset(f->part_slot, 0, (f->n_code + 2) * sizeof(*f->part_slot));
	for (size_t i = 0; i < f->n_run; i++) {
		const struct cs_fit_run *r = &f->run[i];

		if (!counts(f, i, without))
			continue;
		f->n_row++;
		f->row_slot[r->code + 1]++;
		for (uint32_t k = 0; k < r->n_part; k++)
			if (is_beside(&r->part[k]))
				f->part_slot[r->part[k].other + 1]++;
		ret[parts_beside(r)]++;
	}
	begin_slots(f, f->row_slot);
	begin_slots(f, f->part_slot);
}

/* Blocks for @n rows of each number of parts; *@ret: the place of the first such row. */
static void lay_blocks(struct cs_fit *f, const size_t n[CS_FIT_PARTS + 1],
		       size_t ret[CS_FIT_PARTS + 1])
{
	f->n_block = 0;
	for (uint32_t parts = 0; parts <= CS_FIT_PARTS; parts++) {
		ret[parts] = f->n_block * CS_FIT_LANES;
		for (size_t left = n[parts]; left;
		     left -= left < CS_FIT_LANES ? left : CS_FIT_LANES)
			clear_block(f, &f->block[f->n_block++], parts);
	}
}

/* The row of run @run, at place @at. */
static void fill_row(struct cs_fit *f, uint32_t run, size_t at)
{
	const struct cs_fit_run *r = &f->run[run];
	struct cs_fit_block *b = &f->block[at / CS_FIT_LANES];
	size_t j = at % CS_FIT_LANES;
	uint32_t n = 0;

	b->run[j] = run;
	b->code[j] = r->code;
	b->slot[j] = f->row_slot[r->code]++;
	for (uint32_t k = 0; k < r->n_part; k++) {
		if (!is_beside(&r->part[k]))
			continue;
		b->other[n][j] = r->part[k].other;
		b->part_slot[n][j] = f->part_slot[r->part[k].other]++;
		b->pair[n++][j] = f->line[run].pair[k];
	}
}

/* fill_row() has moved each code's first slot to the next one's. */
static void move_back(const struct cs_fit *f, uint32_t *slot)
{
	memmove(slot + 1, slot, (f->n_code + 1) * sizeof(*slot));
	slot[0] = 0;
}

/* The rows of a fit: the runs that count, without those of fold @without. */
void cs_fit_choose_rows(struct cs_fit *f, uint32_t without)
{
	size_t n[CS_FIT_PARTS + 1] = { 0 }, at[CS_FIT_PARTS + 1], row = 0;

	count_rows(f, without, n);
	lay_blocks(f, n, at);
	for (size_t i = 0; i < f->n_run; i++)
		if (counts(f, i, without)) {
			size_t place = at[parts_beside(&f->run[i])]++;

			f->place[row++] = (uint32_t)place;
			fill_row(f, (uint32_t)i, place);
		}
	move_back(f, f->row_slot);
	move_back(f, f->part_slot);
}

/* Count the runs of each pair, and find the exponents of (1) for all parts. */
static size_t find_exponents(struct cs_fit *f)
{
	size_t m = 0, j;

	for (size_t k = 0; k < f->n_pair; k++)
		f->pair[k].count = 0;
	for (size_t i = 0; i < f->n_row; i++) {
		struct cs_fit_block *b = cs_fit_block_of(f, i, &j);
		const struct cs_fit_run *r = &f->run[b->run[j]];
		uint32_t n = 0;

		b->weight[j] = r->weight * f->line[b->run[j]].robust;
		for (uint32_t k = 0; k < r->n_part; k++) {
			struct cs_fit_pair *x;

			if (!is_beside(&r->part[k]))
				continue;
			x = &f->pair[b->pair[n][j]];
			x->count += b->weight[j] * r->part[k].share;
			f->many[m++] =
				-cs_fit_mean(f, b->code[j], b->other[n][j]) -
				x->e;
			n++;
		}
	}
	return m;
}

/* Equation (1): p of each part, and the logarithm of each row's rate into f->z. */
static void find_rates(struct cs_fit *f)
{
	const double *power = f->many;
	size_t j;

	for (size_t i = 0; i < f->n_row; i++) {
		struct cs_fit_block *b = cs_fit_block_of(f, i, &j);
		const struct cs_fit_run *r = &f->run[b->run[j]];
		double rate = 0;
		uint32_t n = 0;

		for (uint32_t k = 0; k < r->n_part; k++) {
			double share = r->part[k].share;

			if (is_beside(&r->part[k]))
				share = b->p[n++][j] = share * *power++;
			rate += share;
		}
		for (uint32_t k = 0; k < n; k++)
			b->p[k][j] /= rate;
		f->z[i] = rate;
	}
	cs_real_ln_all(f->z, f->n_row);
}

/* Rules 2 and 3: linearise at the present effects. */
void cs_fit_draw_lines(struct cs_fit *f)
{
	size_t j;

	cs_real_exp_all(f->many, find_exponents(f));
	find_rates(f);
	f->info_mean = 0;
	memset(f->info_v, 0, (f->n_code + 1) * sizeof(*f->info_v));
	memset(f->info_u, 0, (f->n_code + 1) * sizeof(*f->info_u));
	for (size_t i = 0; i < f->n_row; i++) {
		struct cs_fit_block *b = cs_fit_block_of(f, i, &j);
		uint32_t a = b->code[j];
		double suffers = 1 + f->s[a], sum = 0;
		double var = f->code[a].noise;
		double target = f->run[b->run[j]].log_time + f->z[i];

		for (uint32_t k = 0; k < b->n; k++) {
			const struct cs_fit_pair *x = &f->pair[b->pair[k][j]];
			double c = x->count > 1 ? x->count : 1, p = b->p[k][j];

			sum += p;
			var += p * p * c * f->var_e;
			target +=
				p * (cs_fit_mean(f, a, b->other[k][j]) + x->e);
			b->does[k][j] = p * suffers;
		}
		b->sum[j] = sum;
		b->var[j] = var;
		b->target[j] = target;
		b->rest[j] = target - f->u[a];
		b->own[j] = sum * (f->mean + f->v[a]);
		b->base[j] = b->rest[j] - b->own[j];
		b->gain[j] = b->weight[j] / var;
		b->push[j] = b->gain[j] * sum;
		f->info_mean += b->push[j] * sum;
		f->info_v[a] += b->push[j] * sum;
		f->info_u[a] += b->gain[j];
	}
}
