/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parameters: numbers among Slurm's own keys. */
#include "params/host_number.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/textbuf.h"
#include "params/params_parts.h"

#define BACKFILL "Slurm's backfill"
#define MONTH_S (30 * INT64_C(86400))

/* As in Slurm's backfill.c and job_scheduler.c, of both releases. */
static const struct cs_host_number rows[] = {
	{ "batch_sched_delay=", "s", "Slurm", 0, INT32_MAX, 3, 0 },
	{ "bf_interval=", "s", BACKFILL, 1, 10800, 30, -1 },
	{ "bf_min_age_reserve=", "s", BACKFILL, 0, MONTH_S, 0, 0 },
	{ "bf_min_prio_reserve=", "", BACKFILL, 1, UINT32_MAX, 0, 1 },
	{ "bf_window=", "min", BACKFILL, 1, MONTH_S / 60, 24 * 60, 1 },
	{ "max_rpc_cnt=", "", BACKFILL, 0, 1000, 0, 0 },
	{ "max_rpc_count=", "", BACKFILL, 0, 1000, 0, 0 },
	{ "sched_min_interval=", "us", "Slurm", 0, INT32_MAX, 2, 0 },
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

/* What only Slurm's backfill follows: keys of ours for policy=stock. */
static const struct {
	struct cs_host_number number;
	const char *ours;
} stock_rows[] = {
	{ { "bf_max_job_test=", "jobs", BACKFILL, 1, 1000000, 500, 0 },
	  "depth" },
	{ { "bf_resolution=", "s", BACKFILL, 1, 3600, 60, 0 },
	  "stock_resolution_s" },
	{ { "bf_window_linear=", "s", BACKFILL, 1, 3600, 0, 0 },
	  "stock_linear_s" },
};
#define STOCK_ROWS (sizeof(stock_rows) / sizeof(stock_rows[0]))

const struct cs_host_number *cs_host_number_rows(size_t *ret_n)
{
	*ret_n = ROWS;
	return rows;
}

const struct cs_host_number *cs_host_number_find(const char *key, size_t n)
{
	for (size_t i = 0; i < ROWS; i++)
		if (strlen(rows[i].key) == n + 1 &&
		    cs_param_same(key, rows[i].key, n))
			return &rows[i];
	return NULL;
}

static int64_t number_of(const char *sched, const struct cs_host_number *row)
{
	size_t n = strlen(row->key), left = sched ? strlen(sched) : 0;
	int64_t value;

	while (left >= n && !cs_param_same(sched, row->key, n)) {
		sched++;
		left--;
	}
	if (left < n)
		return row->otherwise;
	value = strtoll(sched + n, NULL, 10);
	return value >= row->least && value <= row->most ? value
							 : row->otherwise;
}

int64_t cs_host_number(const char *sched, const char *key)
{
	return number_of(sched, cs_host_number_find(key, strlen(key) - 1));
}

void cs_host_number_stock(const char *sched, char *buf, size_t size)
{
	struct cs_textbuf t = { buf, size, 0 };

	*buf = '\0';
	for (size_t i = 0; i < STOCK_ROWS; i++) {
		int64_t value = number_of(sched, &stock_rows[i].number);

		if (value != stock_rows[i].number.otherwise)
			cs_textbuf_print(&t, "%s%s=%" PRId64, *buf ? "," : "",
					 stock_rows[i].ours, value);
	}
}

void cs_host_number_take(struct cs_params *p, const char *sched)
{
	if (p->horizon_s < 0)
		p->horizon_s = 60 * cs_host_number(sched, "bf_window=");
	if (p->reserve_age_s < 0)
		p->reserve_age_s = cs_host_number(sched, "bf_min_age_reserve=");
	if (!p->stock_every_s)
		p->stock_every_s = cs_host_number(sched, "bf_interval=");
}

bool cs_host_number_wrong(const struct cs_host_number *row, const char *text,
			  size_t n)
{
	int64_t value;

	return !cs_param_int(text, n, &value) ||
	       ((value < row->least || value > row->most) && value != row->off);
}
