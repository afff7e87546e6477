/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pairs of jobs that suit each other, and some that do not. */
#ifndef CS_PAIRRIG_H
#define CS_PAIRRIG_H

#include "rig.h"

#include "common/profile/table4.h"

#define EASY ",backfill=easy,cases=12345"
#define CST "policy=cst" EASY

/* cg and io do each other little harm, mem harms everybody, net is between. */
static const char profiles[] =
	"{\"version\":1,\"profiles\":{"
	" \"cg\":{\"self\":{\"1\":1.0,\"2\":1.05,\"4\":1.6}},"
	" \"io\":{\"self\":{\"1\":1.0,\"2\":1.02,\"4\":1.5}},"
	" \"net\":{\"self\":{\"1\":1.0,\"2\":1.05,\"4\":1.6}},"
	" \"mem\":{\"self\":{\"1\":1.0,\"2\":1.05,\"4\":1.6}}},"
	"\"pairs\":["
	" {\"of\":\"cg\",\"beside\":\"io\",\"slowdown\":1.05},"
	" {\"of\":\"io\",\"beside\":\"cg\",\"slowdown\":1.10},"
	" {\"of\":\"cg\",\"beside\":\"net\",\"slowdown\":1.20},"
	" {\"of\":\"net\",\"beside\":\"cg\",\"slowdown\":1.20},"
	" {\"of\":\"io\",\"beside\":\"net\",\"slowdown\":1.02},"
	" {\"of\":\"net\",\"beside\":\"io\",\"slowdown\":1.02},"
	" {\"of\":\"mem\",\"beside\":\"cg\",\"slowdown\":1.5},"
	" {\"of\":\"cg\",\"beside\":\"mem\",\"slowdown\":1.5}]}";

static inline void open_cst(struct rig *r, const char *params, uint32_t nodes)
{
	rig_open(r, params, profiles, nodes, 2, 2, 0);
}

static inline uint32_t node_of(struct rig *r, uint32_t id)
{
	return rig_running(r, id).alloc->node[0].node;
}

static inline uint32_t cores_used(struct rig *r)
{
	struct cs_engine_stats st;

	cs_engine_stats(r->engine, &st);
	return st.cores_used;
}

#endif
