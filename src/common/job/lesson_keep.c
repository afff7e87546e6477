/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The records of running jobs, too, survive a restart: a line each, after those of the
 * history (learn/past.h),
 *
 *	learn job ID START KIND RAN BESIDE N {BESIDE US}...
 *
 * which its job resumes at the first look at it.  Number, start and kind together
 * identify a job.
 */
#include "job/lesson.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "learn/numbers.h"

#define WORD "learn job "
#define TRAILS_MAX 65536

struct cs_lesson_trail {
	uint32_t id;
	int64_t start_us;
	struct cs_lesson lesson;
};

bool cs_lesson_is_trail(const char *line)
{
	return !strncmp(line, WORD, strlen(WORD));
}

static void put_trail(struct cs_textbuf *t, const struct cs_ejob *j)
{
	const struct cs_lesson *l = j->lesson;

	cs_textbuf_print(t,
			 WORD "%" PRIu32 " %" PRId64 " %" PRIx64 " %" PRId64
			      " %" PRIx64 " %" PRIu32,
			 j->job.id, j->start_us, l->kin.kind,
			 l->ran_us - l->late_us, l->beside, l->n);
	for (uint32_t i = 0; i < l->n; i++)
		cs_textbuf_print(t, " %" PRIx64 " %" PRId64, l->part[i].beside,
				 l->part[i].us);
	cs_textbuf_byte(t, '\n');
}

void cs_lesson_write(const struct cs_engine *e, struct cs_textbuf *t)
{
	if (!e->lessons)
		return;
	cs_past_write(cs_lesson_past(e), t);
	for (size_t i = 0; i < e->started.n; i++) {
		const struct cs_ejob *j = e->started.job[i];

		if (j->lesson && !j->lesson->spoiled && !j->resized &&
		    j->job.id && j->state != CS_PROPOSED)
			put_trail(t, j);
	}
}

static bool read_trail(const char *at, struct cs_lesson_trail *k)
{
	struct cs_lesson *l = &k->lesson;
	int64_t sum = 0;

	if (!cs_numbers_count(&at, UINT32_MAX, &k->id) || !k->id ||
	    !cs_numbers_micros(&at, &k->start_us) ||
	    !cs_numbers_key(&at, &l->kin.kind) ||
	    !cs_numbers_micros(&at, &l->ran_us) ||
	    !cs_numbers_key(&at, &l->beside) ||
	    !cs_numbers_count(&at, CS_PAST_PARTS, &l->n))
		return false;
	for (uint32_t i = 0; i < l->n; i++) {
		if (!cs_numbers_key(&at, &l->part[i].beside) ||
		    !cs_numbers_micros(&at, &l->part[i].us) ||
		    l->part[i].us > l->ran_us - sum)
			return false;
		sum += l->part[i].us;
	}
	return !*at;
}

int cs_lesson_read_trail(struct cs_engine *e, const char *line,
			 struct cs_err *err)
{
	struct cs_lessons *l = e->lessons;
	struct cs_lesson_trail k = { .id = 0 }, *p;

	if (!read_trail(line + strlen(WORD) - 1, &k) ||
	    l->n_trail == TRAILS_MAX)
		return cs_err_set(err, -EINVAL,
				  "'%.60s', expected the record of a running "
				  "job",
				  line);
	p = realloc(l->trail, (l->n_trail + 1) * sizeof(*p));
	if (!p)
		return -ENOMEM;
	l->trail = p;
	l->trail[l->n_trail++] = k;
	return 0;
}

bool cs_lesson_go_on(struct cs_engine *e, struct cs_ejob *j)
{
	struct cs_lessons *l = e->lessons;

	for (uint32_t i = 0; i < l->n_trail; i++) {
		const struct cs_lesson_trail *k = &l->trail[i];

		if (k->id != j->job.id || k->start_us != j->start_us ||
		    k->lesson.kin.kind != j->lesson->kin.kind)
			continue;
		j->lesson->ran_us = k->lesson.ran_us;
		j->lesson->beside = k->lesson.beside;
		j->lesson->n = k->lesson.n;
		memcpy(j->lesson->part, k->lesson.part,
		       sizeof(j->lesson->part));
		l->trail[i] = l->trail[--l->n_trail];
		return true;
	}
	return false;
}
