/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a log of mode shadow says of mode act: `cosched shadow-report`.
 *
 *	shadow_read.c	 the log: who waited, and what cosched would have done
 *	shadow_known.c	 the jobs that are there while it is read
 *	shadow_run.c	 its jobs as one schedule, simulated
 *	shadow_sum.c	 sums of both, by user, account, partition and profile
 *	shadow_say.c	 for people
 *	shadow_json.c	 as JSON
 *	shadow_page.c	 as HTML
 *
 * In mode shadow the engine's machine follows what Slurm does, so that the log's
 * proposals are statements of their moments: this job would start now, there, beside
 * these.  Slurm goes on otherwise, and the next proposal is made for the machine as
 * Slurm left it.  So two things are told apart:
 *
 *  1. Moments: the log's own record.  Of a job that waited, the first moment at which
 *     it would have started, if Slurm started it later: the time between, beside whom,
 *     and the limit that it would have got.  These do not add up to a schedule: two
 *     such jobs may have wanted the same cores, and a proposal that later fell away
 *     has no line.
 *  2. Schedule: the jobs that ran, with what they asked for, simulated twice on the
 *     log's machine: under its settings, and under a policy that is near the site's
 *     own (pack).  How far the latter is from what happened is the simulator's error;
 *     the former's cost stands beside it, job by job.
 *
 * Differs from what act would do, in the schedule: the jobs come when they came, each
 * takes the time that it took beside whom Slurm put there, priorities are those of the
 * job's last description, and nodes are up, without reservations; jobs that Slurm has
 * to place itself are placed as others are; jobs that ran when the log began have
 * their start there, and what still waits or runs at its end is not in it.
 */
#ifndef CS_COSCHED_SHADOW_SHADOW_H
#define CS_COSCHED_SHADOW_SHADOW_H

#include "compare/compare.h"
#include "compare/compare_page.h"
#include "import/import.h"
#include "import/site_error.h"

struct json_object;

enum cs_shadow_kind {
	CS_SHADOW_USER,
	CS_SHADOW_ACCOUNT,
	CS_SHADOW_PARTITION,
	CS_SHADOW_PROFILE,
	CS_SHADOW_KINDS
};

/* Numbers of the names of a job, -1: none. */
struct cs_shadow_who {
	int32_t name[CS_SHADOW_KINDS];
};

#define CS_SHADOW_BESIDE 8 /* who is listed; more are counted */

/* The first moment at which a job would have started. */
struct cs_shadow_would {
	int64_t at_us;
	int64_t raised_us; /* its limit above what it asked for; 0 */
	uint32_t cores;
	bool grouped;	   /* in a group: by the profiles */
	uint32_t n_beside; /* jobs on its nodes then, or proposed with it */
	uint32_t beside[CS_SHADOW_BESIDE];
};

enum cs_shadow_end {
	CS_SHADOW_STARTED,   /* by Slurm */
	CS_SHADOW_CANCELLED, /* it went without having run */
	CS_SHADOW_WAITS,     /* it is still there at the end */
};

/* A job, or a task of an array, that waited. */
struct cs_shadow_wait {
	uint32_t id;
	struct cs_shadow_who who;
	enum cs_shadow_end end;
	int64_t since_us;	      /* it could have started */
	int64_t start_us;	      /* STARTED: when */
	struct cs_shadow_would would; /* at_us CS_TIME_NONE: never before */
};

/* A run that has ended: job of the trace with this number as `line`. */
struct cs_shadow_run {
	uint32_t id;
	struct cs_shadow_who who;
	int64_t end_us; /* really */
	char *job;	/* the line that describes it, owned */
	char *start;	/* the line of its start, owned; NULL */
	bool left;	/* it began or ended in another mode */
};

/* How often who has @of would have started beside who has @beside. */
struct cs_shadow_pair {
	int32_t of, beside; /* profiles, -1: none */
	uint64_t n, grouped;
};

/* The schedules, and of what happened. */
enum { CS_SHADOW_REAL, CS_SHADOW_SITE, CS_SHADOW_OURS, CS_SHADOW_PLANS };

/* What became of a job of the trace under a policy. */
struct cs_shadow_fate {
	int64_t start_us, end_us; /* as the trace's times */
	int64_t raised_us; /* the most that its limit was above its own */
	bool shared;	   /* ever in a group */
};

struct cs_shadow {
	/* Set by the caller. */
	const char *site;	   /* policy that is near the site's own */
	const char *only_profiles; /* file; NULL: the one that the log names */
	int64_t since_us;	   /* jobs from then on; CS_IMPORT_NONE: all */

	/* Read. */
	struct cs_import_options options;
	struct cs_import im; /* the trace is sorted after cs_shadow_end() */
	struct cs_shadow_wait *wait;
	struct cs_shadow_run *run; /* [n_run] by the trace's `line` */
	struct cs_shadow_pair *pair;
	size_t n_wait, cap_wait, n_run, cap_run, n_pair, cap_pair;
	struct cs_trace_names *names; /* EXE are those of profiles */
	struct cs_machine *machine;   /* of the last header, as `header` */
	struct json_object *header;
	struct cs_profiles *profiles;
	bool live;	     /* its times are since 1970 */
	bool other_profiles; /* the file has changed since */
	/* Proposals that were new; headers of mode shadow, and of others; last
	 * lines that were cut; runs that another mode had a part in. */
	uint64_t proposals, headers, other_mode, cut, left;
	int64_t from_us, to_us; /* of the log */
	struct cs_shadow_reader *reader;

	/* Simulated: cs_shadow_run(). */
	bool simulated;
	uint64_t large; /* left out: they ask for more than the machine */
	bool plain;	/* jobs of so many processes, no more: `why_plain` */
	char machine_text[64], no_schedule[256]; /* why there is none */
	char why_plain[256];
	char *titles[CS_SHADOW_PLANS], *settings[CS_SHADOW_PLANS];
	struct cs_compare c;
	struct cs_compare_policy policy[CS_SHADOW_PLANS];
	struct cs_compare_case the_case;
	struct cs_compare_run figures[CS_SHADOW_PLANS];
	struct cs_compare_view view[CS_SHADOW_PLANS];
	struct cs_watch_options watch;
	struct cs_shadow_fate *fate[CS_SHADOW_PLANS]; /* [trace.n] */
};

/* ---- shadow_read.c */

/*
 * Read a log; several are read the oldest first.  0; else @err has one line:
 * -EINVAL: a bad line (a last one that is cut off is counted and left out), or
 * profiles that cannot be read; -ENOMEM.  Then, when all are read, sort what was
 * read; -ENODATA: nothing of it was written in mode shadow.  cs_shadow_done() frees
 * all, also after errors.
 */
int cs_shadow_init(struct cs_shadow *s);
int cs_shadow_read(struct cs_shadow *s, FILE *file, const char *name,
		   struct cs_err *err);
int cs_shadow_end(struct cs_shadow *s, struct cs_err *err);
void cs_shadow_done(struct cs_shadow *s);

/* The name of kind @k with number @name; "none" for -1. */
const char *cs_shadow_name(const struct cs_shadow *s, enum cs_shadow_kind k,
			   int32_t name);
/* "user" ... */
const char *cs_shadow_kind_name(enum cs_shadow_kind k);

/* ---- shadow_run.c */

/*
 * Simulate.  0, also where no schedule can be made: no_schedule says why; else one
 * line in @err: the site's policy or the log's settings are none; -ENOMEM.
 */
int cs_shadow_simulate(struct cs_shadow *s, struct cs_err *err);

/* ---- shadow_sum.c */

struct cs_shadow_sum {
	int32_t name;
	/* Moments, of jobs that waited and that Slurm started. */
	uint64_t starts, before, beside, grouped, raised;
	double before_s, raised_s;
	/* Schedule: waits in all; who ends later than really by more than a
	 * second, of those who does so under the site's policy too, ... */
	uint64_t jobs, earlier, later, later_site, shared, raised_ours;
	double wait_s[CS_SHADOW_PLANS], earlier_s, later_s, raised_ours_s;
	/* ... and ours against the site's, both simulated. */
	uint64_t earlier_than_site, later_than_site;
	double earlier_than_site_s, later_than_site_s;
};

/* The sums by the names of @k, with CS_SHADOW_KINDS one of all; those with the most
 * jobs first, then by name.  0, -ENOMEM; *ret [*ret_n] is the caller's. */
int cs_shadow_sums(const struct cs_shadow *s, enum cs_shadow_kind k,
		   struct cs_shadow_sum **ret, size_t *ret_n);

/* Seconds that job @i of the trace ends later than really, under plan @p; < 0:
 * earlier. */
double cs_shadow_later_s(const struct cs_shadow *s, int p, size_t i);

#define CS_SHADOW_WORST 10
#define CS_SHADOW_TOLERATED_S 1. /* not called later, or earlier */

/* Of those who end later than really, the worst first; returns how many. */
size_t cs_shadow_worst(const struct cs_shadow *s, size_t ret[CS_SHADOW_WORST]);

/* ---- what it is told as */

/* Sentences on the schedule: who is in it; busy cores; what it gives and costs (0,
 * -ENOMEM). */
void cs_shadow_left_out(const struct cs_shadow *s, char *buf, size_t size);
void cs_shadow_busy(const struct cs_shadow *s, char *buf, size_t size);
int cs_shadow_verdict(const struct cs_shadow *s, char *buf, size_t size);
/* Text on standard output. */
int cs_shadow_say(const struct cs_shadow *s);
/* One object.  0, -ENOMEM, -EIO. */
int cs_shadow_json(const struct cs_shadow *s, FILE *file);
int cs_shadow_page(const struct cs_shadow *s, FILE *file);

/* Local time, as Slurm prints it; of a simulated log its seconds. */
void cs_shadow_time(const struct cs_shadow *s, int64_t us, char *buf,
		    size_t size);
/* What the moments are, and what the schedule is: a sentence each. */
extern const char cs_shadow_moments_text[], cs_shadow_schedule_text[];

#endif
