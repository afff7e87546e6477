/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stages of a decide, each a const table of functions that a parameter selects when
 * the engine is created.
 *
 *	order	which job is next		order/order.c, campaign.c
 *	slice	which class has the machine	slice/slice.c, pect.c, gang_slice.c
 *	backfill  which job may pass which	backfill/backfill.c, easy.c, plan.c
 *	place	where, and beside which jobs	place/place.c, space.c, group_search.c
 *
 * The engine tells a stage what happens and asks it; a stage's state is private.  To
 * add a variant: one file with its table, one row of the stage's chooser.  What other
 * stages must know of it is a flag in its table.
 *
 * order.cmp, backfill.promise, backfill.leaves and place.place are required.  Any other
 * function may be NULL, which does nothing: call through cs_tell() and cs_ask().
 */
#ifndef CS_STATE_STAGE_H
#define CS_STATE_STAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/occupancy.h"

struct cs_action;
struct cs_alloc;
struct cs_ejob;
struct cs_engine;
struct cs_engine_use;
struct cs_entry;
struct cs_err;
struct cs_params;
struct cs_pass;
struct cs_shape;
struct cs_slice_now;
struct cs_slot_now;
struct cs_slice_machine;

/* Tell the stage @ops; ask it: @otherwise if it lacks the function. */
#define cs_tell(ops, what, ...) \
	((ops)->what ? (ops)->what(__VA_ARGS__) : (void)0)
#define cs_ask(ops, what, otherwise, ...) \
	((ops)->what ? (ops)->what(__VA_ARGS__) : (otherwise))

/* Of two queue entries, for qsort(); total. */
typedef int cs_cmp_fn(const void *, const void *);
typedef cs_cmp_fn *cs_cmp_by(const struct cs_params *p);

/* int: 0 or -ENOMEM, unless stated otherwise. */
struct cs_order_ops {
	cs_cmp_by *cmp;
	/* Do waiting jobs keep their order, so that promises outlive a decide? */
	bool lasting;
	/* What it goes by, beside time: Slurm's priority; users' campaigns, with their
	 * shares, nice values and what the administrator sets. */
	bool priority, campaigns;
	/* Do priorities set by hand, and nice values, count for themselves? */
	bool by_hand;
	bool shifts; /* may the site except jobs from it (CS_JOB_UNSHIFTED)? */
	const char *ranks_as; /* it has ranks of its own: its name; NULL: none */

	int (*init)(struct cs_engine *e);
	void (*done)(struct cs_engine *e);
	/* Room for @jobs jobs: only added, changed, found below may fail. */
	int (*reserve)(struct cs_engine *e, size_t jobs);
	/* Time has advanced to engine->now_us. */
	void (*clock)(struct cs_engine *e);
	/* Before a decide: new ranks into the queue; has a job moved? */
	bool (*refresh)(struct cs_engine *e);
	/* A walk over the queue of the current slice machine has completed. */
	void (*walked)(struct cs_engine *e);
	/* What a key is a multiple of where its text says so; NULL: a second. */
	int64_t (*unit_us)(const struct cs_ejob *j);
	/* @j is a head: does it keep its planned start from now on, and did not before?
	 * NULL: it keeps what it was predicted first, head or not. */
	bool (*pin)(struct cs_engine *e, struct cs_ejob *j);

	/* @j is new; -ENOMEM: nothing happened. */
	int (*added)(struct cs_engine *e, struct cs_ejob *j);
	/* Its description, estimate or tasks have changed. */
	int (*changed)(struct cs_engine *e, struct cs_ejob *j);
	/* The host started it, whether it was free to start or not. */
	int (*found)(struct cs_engine *e, struct cs_ejob *j);
	/* @task was split off the array @master; returns to it. */
	void (*split)(struct cs_engine *e, struct cs_ejob *master,
		      struct cs_ejob *task);
	void (*merged)(struct cs_ejob *master, struct cs_ejob *task);
	/* It will not run; has run; is about to be freed. */
	void (*cancelled)(struct cs_engine *e, struct cs_ejob *j);
	void (*ended)(struct cs_engine *e, struct cs_ejob *j);
	void (*leaving)(struct cs_engine *e, struct cs_ejob *j);
	/* @cores have come up or (up false) gone down. */
	void (*cores)(struct cs_engine *e, uint32_t cores, bool up);

	/* Must it wait although it could start? */
	bool (*held)(const struct cs_engine *e, const struct cs_ejob *j);
	/* Its part of a START action of @j. */
	void (*note)(const struct cs_engine *e, const struct cs_ejob *j,
		     struct cs_action *a);
	/* When a rank may next change without an event; CS_TIME_NONE. */
	int64_t (*wakeup_us)(const struct cs_engine *e);
	/* What it knows, into that of @to: as the slice's. */
	int (*copy)(struct cs_engine *to, const struct cs_engine *from);
	/* CS_EV_KEPT: all lines in one piece, before the first job.  0, -EINVAL,
	 * -ENOMEM. */
	int (*restore)(struct cs_engine *e, const char *line,
		       struct cs_err *err);
	/* 0, or -EINVAL with the first breach in @err. */
	int (*check)(const struct cs_engine *e, struct cs_err *err);
};

/* What a slice asks for in its decide. */
struct cs_slice_calls {
	int (*walk)(struct cs_engine *e);
	/* Stop the running @j, let the stopped one go on, where it `rests`. */
	int (*stop)(struct cs_engine *e, struct cs_ejob *j);
	int (*go_on)(struct cs_engine *e, struct cs_ejob *j);
};

enum cs_seat { CS_SEAT_NONE, CS_SEAT_LATER, CS_SEAT_NOW };

/* Why a job that waits has no place. */
enum cs_lack {
	CS_LACK_NODES,	/* up, and not reserved for others before it ends */
	CS_LACK_MEMORY, /* on any nodes */
	CS_LACK_UP,	/* ... that are up: others would have it */
	CS_LACK_OPEN,	/* ... that are not reserved for others */
	CS_LACK_SLOTS,
	CS_LACK_BEFORE /* a job before it lacks one */
};

/*
 * A slice sets serves_us, guest and usable in its slice machines, and guests and stuck
 * in the engine.
 */
struct cs_slice_ops {
	uint32_t n_sm; /* slice machines */
	bool stops; /* running jobs, who go on later: their ends are not wall time */
	/* Who is stopped gives his cores back and keeps, without swap, his memory
	 * (lifecycle/rest.c); else he keeps both on his slice machine. */
	bool rests;

	int (*init)(struct cs_engine *e);
	void (*done)(struct cs_engine *e);
	/* What it knows, into that of @to, a copy of @from which has the jobs
	 * already (copied.h). */
	int (*copy)(struct cs_engine *to, const struct cs_engine *from);
	/* Time has advanced from @from_us to engine->now_us. */
	void (*clock)(struct cs_engine *e, int64_t from_us);

	/* @j got its nodes on its slice machine (@more 1) or gives them back (-1); it
	 * starts or stops running on them. */
	void (*booked)(struct cs_engine *e, const struct cs_ejob *j, int more);
	void (*enters)(struct cs_engine *e, const struct cs_ejob *j);
	void (*leaves)(struct cs_engine *e, const struct cs_ejob *j);
	/* Clear the nodes of @a for the class served: stop the other jobs there.  A
	 * start there needs *@ret_needs, a stop of this decide, and all stops before
	 * it; if none is needed, it stays as it is (0). */
	int (*clear)(struct cs_engine *e, const struct cs_alloc *a,
		     uint32_t *ret_needs);
	/* The host has stopped @j for a slice or (stopped false) resumed it, unasked.
	 * NULL: the stage has no such stop, or `rests`. */
	void (*moved)(struct cs_engine *e, struct cs_ejob *j, bool stopped);
	/* The host could not stop or resume @j.  Not where it `rests`. */
	void (*refused)(struct cs_engine *e, struct cs_ejob *j);
	/* One decide: whose queue is walked; NULL: the only one. */
	int (*decide)(struct cs_engine *e, const struct cs_slice_calls *c);
	/* Who waits has a place of his own, by which he starts.  @first: nobody before
	 * him waits for these nodes without one.  CS_SEAT_NOW: on any nodes but those
	 * of engine->stuck; LATER: the verdict says when.  -ENOMEM. */
	int (*seat)(struct cs_engine *e, const struct cs_entry *entry,
		    bool first);
	/* Why it had none in the last decide.  With `seat`. */
	enum cs_lack (*lacks)(const struct cs_engine *e,
			      const struct cs_ejob *j, uint32_t option);

	/* When a job that needs @service_us of @sm from now on has had them, on the
	 * host's clock, if only its own slices serve it; NULL: without a break. */
	int64_t (*wall_us)(const struct cs_engine *e,
			   const struct cs_slice_machine *sm,
			   int64_t service_us);
	/* Which class has its turn, and when the others have theirs; -ENOENT: none
	 * yet. */
	int (*now)(const struct cs_engine *e, struct cs_slice_now *ret);
	/* Slot @slot of `slots`; -ENOENT. */
	int (*slot)(const struct cs_engine *e, uint32_t slot,
		    struct cs_slot_now *ret);
	/* When the stopped or waiting @j's turn comes; engine->now_us: it has it;
	 * CS_TIME_NONE. */
	int64_t (*again_us)(const struct cs_engine *e, const struct cs_ejob *j);
	/* When @j has had @service_us > 0 from now on, on the host's clock, if only its
	 * own turns serve it: for people; short jobs' slices are counted, too.
	 * CS_TIME_NONE: never. */
	int64_t (*until_us)(const struct cs_engine *e, const struct cs_ejob *j,
			    int64_t service_us);
	/* Node @n, which no job uses, was like @was and has become another. */
	void (*became)(struct cs_engine *e, uint32_t n,
		       const struct cs_node *was);
	/* When a slice next ends or begins to serve; CS_TIME_NONE. */
	int64_t (*wakeup_us)(const struct cs_engine *e);
	/* Busy cores and nodes, if several slice machines have some. */
	void (*use)(const struct cs_engine *e, struct cs_engine_use *ret);
	/* 0, or -EINVAL with the first breach in @err.  O(nodes * jobs on each). */
	int (*check)(const struct cs_engine *e, struct cs_err *err);
};

/* To move an end, a node or a reservation, set sm->stale or sm->regroup. */
struct cs_backfill_ops {
	bool all;    /* every job is promised a start, not only heads */
	bool behind; /* jobs behind a head are tried */

	int (*init)(const struct cs_engine *e, struct cs_slice_machine *sm);
	void (*done)(struct cs_slice_machine *sm);
	/* What it promises on slice machine @sm, beside heads: as the slice's. */
	int (*copy)(struct cs_engine *to, const struct cs_engine *from,
		    uint32_t sm);

	/* @j was booked, or is about to be unbooked, on the current slice machine; its
	 * predicted end has moved from @from_us (the host's clock). */
	void (*booked)(struct cs_engine *e, struct cs_ejob *j);
	void (*leaving)(struct cs_engine *e, struct cs_ejob *j);
	void (*longer)(struct cs_engine *e, struct cs_ejob *j, int64_t from_us);
	/* @j, still queued, will take @a; leaves the queue: its promise is
	 * withdrawn. */
	void (*takes)(struct cs_engine *e, const struct cs_ejob *j,
		      const struct cs_alloc *a, enum cs_node_use hold);
	void (*dropped)(struct cs_engine *e, struct cs_ejob *j);

	/* A walk over the queue of @p begins. */
	int (*begin)(struct cs_pass *p);
	/* The job of @entry, a head, does not fit: promise it a start. */
	int (*promise)(struct cs_pass *p, const struct cs_entry *entry);
	/* Take out of @allowed nodes where no start until @end_us could keep every
	 * promise. */
	void (*confine)(const struct cs_pass *p, int64_t end_us,
			uint64_t *allowed);
	/* backfill/backfill.h: cs_backfill_may_leave(), _leaves(), _leaves_moved(). */
	bool (*may_leave)(const struct cs_pass *p, const struct cs_shape *s,
			  const uint64_t *allowed, int64_t end_us);
	bool (*leaves)(struct cs_pass *p, const struct cs_alloc *a,
		       enum cs_node_use hold, int64_t end_us);
	bool (*leaves_moved)(struct cs_pass *p, const struct cs_alloc *a,
			     enum cs_node_use hold, int64_t a_end_us,
			     struct cs_ejob *const *moved,
			     const int64_t *end_us, size_t n);
	/*
	 * How long could a job keep @a, holding it as @hold says, from @from_us on,
	 * until @until_us at most, with every promise kept?  Its use before @from_us is
	 * not checked.
	 */
	int64_t (*stays_us)(struct cs_engine *e, const struct cs_alloc *a,
			    enum cs_node_use hold, int64_t from_us,
			    int64_t until_us);
	/* When it next looks at the queue without an event; CS_TIME_NONE. */
	int64_t (*wakeup_us)(const struct cs_engine *e);
	/* The start that was planned for @j, waiting, where walks that plan nothing have
	 * come since, and into @ret_option its partition; CS_TIME_NONE: none. */
	int64_t (*planned_us)(const struct cs_engine *e,
			      const struct cs_ejob *j, uint32_t *ret_option);
};

/*
 * Start the job of @entry, perhaps with others: 1 started, 0 not now, -ENOMEM.
 * It keeps every promise (cs_backfill_leaves() of each start), and under a plan starts a
 * job before its own is due (cs_plan_due()) only where that delays nobody.
 */
typedef int cs_place_fn(struct cs_pass *p, const struct cs_entry *entry);
/* Nodes of @allowed and cores for @s, as cs_layout_choose() in model/layout.h. */
typedef struct cs_alloc *cs_choose_fn(const struct cs_occ *o,
				      const struct cs_shape *s,
				      const uint64_t *allowed, bool *ret_nomem);

struct cs_place_ops {
	/* A job starts by itself: a walk may resume where one ended (cycle.c), and a
	 * job that found no room is not tried again until some is freed. */
	bool alone;
	bool packs;   /* every job by core, whatever the other fields say */
	bool spreads; /* low load spreads a lone job (low_load.c) */
	bool shares;  /* a job may have partners */
	bool first;   /* the first suitable partner, not the best */
	bool joins;   /* by backfill_join a job joins a running one (join.c) */
	bool parts; /* partners may have a part of a job's nodes, others the rest */
	uint32_t matched; /* most matched jobs of a group; 0: matched_max */

	cs_place_fn *place;
	cs_place_fn *planned; /* when every job holds a promise; NULL: place */
	cs_choose_fn *choose; /* of a job by itself; NULL: cs_layout_choose() */
};

#endif
