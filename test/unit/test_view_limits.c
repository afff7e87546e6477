/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which nodes a job may get beside those that others under its limits have, and which of
 * several limits counts (view_limits.c, rules 7 and 8). */
#include "cs_test.h"

#include "sched/view/view_limits.c"

/* ---- slurmctld's ------------------------------------------------------------- */

uint16_t accounting_enforce = ACCOUNTING_ENFORCE_LIMITS;
int slurmctld_tres_cnt = TRES_ARRAY_TOTAL_CNT;

struct items {
	int n;
	void *item[2];
};

void *list_find_first(list_t *l, ListFindF f, void *key)
{
	const struct items *all = (const struct items *)(const void *)l;

	for (int i = 0; i < all->n; i++)
		if (f(all->item[i], key))
			return all->item[i];
	return NULL;
}

int xstrcmp(const char *a, const char *b)
{
	return !a || !b ? a != b : strcmp(a, b);
}

/* ---- records: the job's QOS, its partition's, an account and its parent ------ */

#define NONE INFINITE64
#define TRES(nodes)                        \
	(uint64_t[TRES_ARRAY_TOTAL_CNT])   \
	{                                  \
		[TRES_ARRAY_NODE] = nodes, \
	}

struct world {
	slurmdb_used_limits_t user[2], account[2];
	struct items users, accounts;
	slurmdb_qos_usage_t usage[2];
	slurmdb_qos_rec_t own, of_part;
	slurmdb_assoc_usage_t assoc_usage[2];
	slurmdb_assoc_rec_t assoc, parent;
	part_record_t part;
	job_record_t job;
};

static uint64_t no_limit[TRES_ARRAY_TOTAL_CNT], nothing[TRES_ARRAY_TOTAL_CNT];

static void fill_qos(slurmdb_qos_rec_t *q, slurmdb_qos_usage_t *u)
{
	q->usage = u;
	q->limit_factor = INFINITE;
	q->grp_tres_ctld = q->max_tres_pu_ctld = q->max_tres_pa_ctld = no_limit;
	u->grp_used_tres = nothing;
}

/* No limits, and nobody has nodes; user 7 and account "a" are the job's. */
static void fill(struct world *w)
{
	*w = (struct world){ 0 };
	no_limit[TRES_ARRAY_NODE] = NONE;
	fill_qos(&w->own, &w->usage[0]);
	fill_qos(&w->of_part, &w->usage[1]);
	for (int i = 0; i < 2; i++) {
		w->user[i].uid = i ? 7 : 8;
		w->account[i].acct = (char *)(i ? "a" : "b");
		w->user[i].tres = w->account[i].tres = nothing;
		w->users.item[i] = &w->user[i];
		w->accounts.item[i] = &w->account[i];
		w->assoc_usage[i].grp_used_tres = nothing;
	}
	w->users.n = w->accounts.n = 2;
	w->usage[0].user_limit_list = (list_t *)(void *)&w->users;
	w->usage[0].acct_limit_list = (list_t *)(void *)&w->accounts;
	w->assoc.usage = &w->assoc_usage[0];
	w->parent.usage = &w->assoc_usage[1];
	w->assoc.acct = (char *)"a";
	w->assoc.grp_tres_ctld = w->parent.grp_tres_ctld = no_limit;
	w->assoc_usage[0].parent_assoc_ptr = &w->parent;
	w->part.qos_ptr = &w->of_part;
	w->job.user_id = 7;
	w->job.assoc_ptr = &w->assoc;
}

#define assert_nodes(w, want_left, want_most, want_used)                 \
	do {                                                             \
		struct cs_view_nodes n =                                 \
			cs_view_nodes(&(w)->job, &(w)->part, &(w)->own); \
		assert_int_equal(n.left, want_left);                     \
		assert_int_equal(n.most, want_most);                     \
		assert_int_equal(n.used, want_used);                     \
	} while (0)

static void test_no_limit_no_nodes(void **state)
{
	struct world w;

	(void)state;
	fill(&w);
	w.usage[0].grp_used_tres = w.user[1].tres = TRES(3);
	assert_nodes(&w, NONE, NONE, 0); /* they have some, without a limit */
	w.usage[0].grp_used_tres = nothing;
	w.own.grp_tres_ctld = TRES(2);
	assert_nodes(&w, NONE, NONE, 0); /* a limit, and nothing to join */
	w.usage[0].grp_used_tres = TRES(1);
	assert_nodes(&w, 1, 2, 1);
	accounting_enforce = 0;
	assert_nodes(&w, NONE, NONE, 0);
	accounting_enforce = ACCOUNTING_ENFORCE_LIMITS;
}

static void test_of_all_jobs(void **state)
{
	struct world w;

	(void)state;
	fill(&w);
	w.own.grp_tres_ctld = TRES(5);
	w.usage[0].grp_used_tres = TRES(2);
	w.of_part.grp_tres_ctld = TRES(4);
	w.usage[1].grp_used_tres = TRES(3);
	w.parent.grp_tres_ctld = TRES(1);
	w.assoc_usage[1].grp_used_tres = TRES(1);
	assert_nodes(&w, 1, 4, 3); /* the partition's is the stronger QOS */
	w.own.flags = QOS_FLAG_OVER_PART_QOS;
	assert_nodes(&w, 3, 5, 2);
	w.own.grp_tres_ctld = w.of_part.grp_tres_ctld = no_limit;
	assert_nodes(&w, 0, 1, 1); /* the nearest association with a limit */
	w.parent.grp_tres_ctld = TRES(4);
	w.own.limit_factor = 2;
	assert_nodes(&w, 7, 8, 1);
}

static void test_of_a_user_or_account(void **state)
{
	struct world w;

	(void)state;
	fill(&w);
	w.own.max_tres_pu_ctld = TRES(3);
	w.user[0].tres = TRES(3);
	assert_nodes(&w, NONE, NONE, 0); /* another user's */
	w.user[1].tres = TRES(1);
	assert_nodes(&w, 2, 3, 1);
	w.users.n = 0; /* never had a job */
	assert_nodes(&w, NONE, NONE, 0);
	w.usage[0].user_limit_list = NULL;
	assert_nodes(&w, NONE, NONE, 0);
	w.own.max_tres_pa_ctld = TRES(4);
	w.account[0].tres = TRES(4);
	assert_nodes(&w, NONE, NONE, 0); /* another account's */
	w.account[1].tres = TRES(4);
	assert_nodes(&w, 0, 4, 4);
	w.job.assoc_ptr = NULL;
	assert_nodes(&w, NONE, NONE, 0);
}

/* The user's node is among the account's two; the QOS has all five that it may. */
static void test_several_limits(void **state)
{
	struct world w;

	(void)state;
	fill(&w);
	w.own.max_tres_pu_ctld = TRES(3);
	w.user[1].tres = TRES(1);
	assert_nodes(&w, 2, 3, 1);
	w.own.max_tres_pa_ctld = TRES(4);
	w.account[1].tres = TRES(2);
	assert_nodes(&w, 2, 3, 2);
	w.own.grp_tres_ctld = TRES(5);
	w.usage[0].grp_used_tres = TRES(5);
	assert_nodes(&w, 0, 3, 5);
	w.user[1].tres = TRES(2);
	w.own.max_tres_pu_ctld = TRES(1); /* lowered since */
	assert_nodes(&w, 0, 0, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_limit_no_nodes),
		cmocka_unit_test(test_of_all_jobs),
		cmocka_unit_test(test_of_a_user_or_account),
		cmocka_unit_test(test_several_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
