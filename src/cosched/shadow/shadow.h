/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a log of mode shadow reveals about mode act: `cosched shadow-report`.
 *
 *	shadow_read.c	 the log: which jobs waited, and what cosched would have done
 *	shadow_would.c	 its proposals
 *	shadow_known.c	 the jobs present while it is read
 *	shadow_run.c	 its jobs as one schedule, simulated
 *	shadow_sum.c	 sums of both, by user, account, partition and profile
 *	shadow_words.c	 sentences
 *	shadow_say.c	 as text
 *	shadow_json.c	 as JSON
 *	shadow_page.c	 as HTML
 *
 * In mode shadow the engine's machine follows Slurm's, so each proposal in the log is a
 * statement about its moment: this job would start now, there, beside these.  Slurm
 * does something else, and the next proposal is made for the machine as Slurm left it.
 * So the report has two separate parts:
 *
 *  1. Moments: the log's own record.  For each job that waited, the first moment at
 *     which it would have started, if Slurm started it later: the time between, its
 *     neighbours, and the limit that it would have got.  These do not add up to a
 *     schedule: two such jobs may have claimed the same cores, and the log does not say
 *     when a proposal lapsed.
 *  2. Schedule: the jobs that ran, with their requests, simulated twice on the log's
 *     machine: under its settings, and under the site's own policy (stock by default).  The
 *     latter's distance from what happened is the simulator's error; the former's cost
 *     is listed beside it, job by job.
 *
 * The schedule differs from what act would do: submit times are those of the log, each
 * runtime is what the job took beside the neighbours that Slurm gave it, priorities
 * come from the job's last description, and nodes are up, without reservations; jobs
 * that only Slurm can place are placed like others; jobs that ran when the log began
 * start there, and jobs that still wait or run at its end are left out.
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

/* Numbers of a job's names; -1: none. */
struct cs_shadow_who {
	int32_t name[CS_SHADOW_KINDS];
};

#define CS_SHADOW_BESIDE 8 /* neighbours listed; more are counted */

/* The first moment at which a job would have started. */
struct cs_shadow_would {
	int64_t at_us;
	int64_t raised_us; /* its limit minus the one requested; 0 */
	uint32_t cores;
	bool grouped;	   /* in a group, by the profiles */
	uint32_t n_beside; /* jobs on its nodes then, or proposed with it */
	uint32_t beside[CS_SHADOW_BESIDE];
	int32_t beside_user[CS_SHADOW_BESIDE]; /* theirs */
};

enum cs_shadow_end {
	CS_SHADOW_STARTED,   /* by Slurm */
	CS_SHADOW_CANCELLED, /* gone without having run */
	CS_SHADOW_WAITS,     /* still waiting at the end */
};

/* A job, or a task of an array, that waited. */
struct cs_shadow_wait {
	uint32_t id;
	struct cs_shadow_who who;
	enum cs_shadow_end end;
	int64_t since_us;	      /* when it could have started */
	int64_t start_us;	      /* STARTED: when */
	struct cs_shadow_would would; /* at_us CS_TIME_NONE: none before */
};

/* A run that has ended; its trace job has this index as `line`. */
struct cs_shadow_run {
	uint32_t id;
	struct cs_shadow_who who;
	int64_t end_us; /* the real one */
	char *job;	/* the line that describes it; owned */
	char *start;	/* the line of its start; owned; NULL */
	bool left;	/* it waited or ran in another mode, too */
};

/* How often jobs of profile @of would have started beside jobs of @beside. */
struct cs_shadow_pair {
	int32_t of, beside; /* profiles, -1: none */
	uint64_t n, grouped;
};

/* The plans: what happened, and two simulations. */
enum { CS_SHADOW_REAL, CS_SHADOW_SITE, CS_SHADOW_OURS, CS_SHADOW_PLANS };

/* The outcome of a trace job under a plan. */
struct cs_shadow_fate {
	int64_t start_us, end_us; /* in the trace's time */
	int64_t raised_us;	  /* the most its limit was raised; 0 */
	bool shared;		  /* ever in a group */
	uint32_t stops;		  /* by time slices */
	int64_t still_us;	  /* in which it stood still */
};

struct cs_shadow {
	/* Set by the caller. */
	const char *site;	   /* the site's own policy */
	const char *only_profiles; /* a file; NULL: the one named by the log */
	int64_t since_us;	   /* only jobs after it; CS_IMPORT_NONE: all */

	/* Filled by reading. */
	struct cs_import_options options;
	struct cs_import im; /* cs_shadow_end() sorts its trace */
	struct cs_shadow_wait *wait;
	struct cs_shadow_run *run; /* [n_run] by the trace's `line` */
	struct cs_shadow_pair *pair;
	size_t n_wait, cap_wait, n_run, cap_run, n_pair, cap_pair;
	struct cs_trace_names *names; /* EXE are those of profiles */
	struct cs_machine *machine;   /* of the last header, in `header` */
	struct json_object *header;
	const char *act_slice; /* act would have it; NULL: as the header says */
	struct cs_profiles *profiles;
	bool live;	     /* times are since 1970 */
	bool other_profiles; /* the profile file has changed since */
	/* New proposals; headers of mode shadow, and of other modes; last lines that
	 * were cut off; runs partly in another mode. */
	uint64_t proposals, headers, other_mode, cut, left;
	int64_t from_us, to_us; /* the log's times */
	struct cs_shadow_reader *reader;

	/* Filled by cs_shadow_simulate(). */
	bool simulated;
	uint64_t large;	   /* left out: larger than the machine ... */
	double large_part; /* ... and their part of the core time, 0 to 1 */
	bool plain;	   /* jobs reduced to processes: `why_plain` */
	char machine_text[64], no_schedule[256]; /* why there is no schedule */
	char why_plain[256];
	char *titles[CS_SHADOW_PLANS], *settings[CS_SHADOW_PLANS];
	struct cs_compare c;
	struct cs_compare_policy policy[CS_SHADOW_PLANS];
	struct cs_compare_case the_case;
	struct cs_compare_run figures[CS_SHADOW_PLANS];
	struct cs_compare_view view[CS_SHADOW_PLANS];
	struct cs_watch_options watch;
	struct cs_shadow_fate *fate[CS_SHADOW_PLANS]; /* [trace.n] */

	/* Filled by cs_shadow_learned(). */
	struct cs_use_gain use;
};

/* ---- shadow_read.c */

/*
 * Read a log; of several, the oldest first.  0; else one line in @err: -EINVAL: a bad
 * line (a last line that is cut off is counted and skipped), or unreadable profiles;
 * -ENOMEM.  After the last, cs_shadow_end() sorts what was read; -ENODATA: none of it
 * was written in mode shadow.  cs_shadow_done() frees everything, also after errors.
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
 * Simulate.  0, even if no schedule can be made (no_schedule says why); else one line
 * in @err: the site's policy or the log's settings are invalid; -ENOMEM.
 */
int cs_shadow_simulate(struct cs_shadow *s, struct cs_err *err);
/* Then: what learn=use would gain under the log's settings with what file @path has
 * learned, jobs reduced to their processes.  0; a negative errno with @err. */
int cs_shadow_learned(struct cs_shadow *s, const char *path,
		      struct cs_err *err);

/* ---- shadow_sum.c */

struct cs_shadow_sum {
	int32_t name;
	/* Moments, of jobs that waited and that Slurm started. */
	uint64_t starts, before, beside, grouped, raised;
	double before_s, raised_s;
	/* Schedule: total waits; jobs that end more than a second later than really,
	 * those of them that do so under the site's policy too, ... */
	uint64_t jobs, earlier, later, later_site, shared, raised_ours;
	double wait_s[CS_SHADOW_PLANS], earlier_s, later_s, raised_ours_s;
	/* ... and under ours against the site's, both simulated. */
	uint64_t earlier_than_site, later_than_site;
	double earlier_than_site_s, later_than_site_s;
};

/* The sums by the names of @k, or with CS_SHADOW_KINDS one over all; those with the
 * most jobs first, then by name.  0, -ENOMEM; *ret [*ret_n] becomes the caller's. */
int cs_shadow_sums(const struct cs_shadow *s, enum cs_shadow_kind k,
		   struct cs_shadow_sum **ret, size_t *ret_n);

/* What time slices do to the jobs of a class by their estimate. */
struct cs_shadow_class {
	uint64_t jobs, stopped,
		stops; /* jobs that are stopped at all; how often */
	double still_s, most_still_s;
	double response_s[CS_SHADOW_PLANS]; /* mean */
};
void cs_shadow_class(const struct cs_shadow *s, uint32_t class,
		     struct cs_shadow_class *ret);

/* By how many seconds job @i of the trace ends later than really under plan @p; < 0:
 * earlier. */
double cs_shadow_later_s(const struct cs_shadow *s, int p, size_t i);

#define CS_SHADOW_WORST 10
#define CS_SHADOW_TOLERATED_S 1. /* counts as neither later nor earlier */

/* The jobs that end later than really, the worst first; returns how many. */
size_t cs_shadow_worst(const struct cs_shadow *s, size_t ret[CS_SHADOW_WORST]);

static inline double cs_shadow_mean(double sum, uint64_t n)
{
	return n ? sum / (double)n : 0;
}

/* By how much job @w would have started before it did; 0: not, or it never did. */
double cs_shadow_before_s(const struct cs_shadow_wait *w);

#define CS_SHADOW_SHOWN 5

/* Of the waits those that would have started earlier beside others, by how much; how
 * many. */
size_t cs_shadow_shared(const struct cs_shadow *s, size_t ret[CS_SHADOW_SHOWN]);
/* "17 (ann), 12 (bob) and 3 more" */
void cs_shadow_beside(const struct cs_shadow *s,
		      const struct cs_shadow_would *w, char *buf, size_t size);

/* ---- output */

/* "from TIME to TIME", or that there is no event yet. */
void cs_shadow_span(const struct cs_shadow *s, char *buf, size_t size);
/* Sentences about the schedule: jobs in it; busy cores; gains and costs, or what is
 * known in their place (0, -ENOMEM). */
void cs_shadow_left_out(const struct cs_shadow *s, char *buf, size_t size);
void cs_shadow_busy(const struct cs_shadow *s, char *buf, size_t size);
/* What time slices would do; "" if act would have none. */
void cs_shadow_slices(const struct cs_shadow *s, char *buf, size_t size);
int cs_shadow_verdict(const struct cs_shadow *s, char *buf, size_t size);
/* Text on standard output. */
int cs_shadow_say(const struct cs_shadow *s);
/* One JSON object; an HTML page.  0, -ENOMEM, -EIO or another errno. */
int cs_shadow_json(const struct cs_shadow *s, FILE *file);
int cs_shadow_page(const struct cs_shadow *s, FILE *file);

/* Local time, as Slurm prints it; for a simulated log, seconds. */
void cs_shadow_time(const struct cs_shadow *s, int64_t us, char *buf,
		    size_t size);
/* What moments are, and what the schedule is: one sentence each. */
extern const char cs_shadow_empty_text[], cs_shadow_moments_text[],
	cs_shadow_schedule_text[];

#endif
