/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/site.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/slurm_command.h"
#include "conf/slurm_conf.h"
#include "measure/jobs.h"

#define ASK_S 60

/* ---- lines of scontrol -o --------------------------------------------------------- */

/* Copy the value of @key in @line, which ends at a blank.  false: it has none. */
static bool value(const char *line, const char *key, char *buf, size_t size)
{
	size_t n = strlen(key), end = strcspn(line, "\n"), len;

	for (const char *at = line; (at = strstr(at, key)); at++) {
		if (at >= line + end)
			break;
		if ((at > line && at[-1] != ' ') || at[n] != '=')
			continue;
		len = strcspn(at + n + 1, " \n");
		if (len >= size)
			return false;
		memcpy(buf, at + n + 1, len);
		buf[len] = '\0';
		return true;
	}
	return false;
}

static uint64_t number(const char *line, const char *key)
{
	char text[32];

	return value(line, key, text, sizeof(text)) ? strtoull(text, NULL, 10)
						    : 0;
}

static const char *next_line(const char *line)
{
	line += strcspn(line, "\n");
	return *line ? line + 1 : line;
}

/* ---- the partition ------------------------------------------------------------------ */

static int check_partition(const struct cs_measure_site *s, struct cs_err *err)
{
	char name[256] = "", state[32] = "", over[64] = "", select[64] = "";

	value(s->partition, "PartitionName", name, sizeof(name));
	value(s->partition, "State", state, sizeof(state));
	value(s->partition, "OverSubscribe", over, sizeof(over));
	value(s->partition, "SelectTypeParameters", select, sizeof(select));
	if (strcmp(state, "UP"))
		return cs_err_set(err, -EINVAL,
				  "partition '%s' is %s, expected UP", name,
				  state);
	if (!strcmp(over, "EXCLUSIVE"))
		return cs_err_set(
			err, -EINVAL,
			"partition '%s' gives whole nodes to a job "
			"(OverSubscribe=EXCLUSIVE), expected one in which "
			"two jobs may share a node: --sbatch '-p NAME'",
			name);
	if (strcasestr(s->select, "linear"))
		return cs_err_set(err, -EINVAL,
				  "SelectType=%s gives whole nodes to a job, "
				  "expected one that gives cores",
				  s->select);
	if (strcasestr(strcmp(select, "NONE") && *select ? select
							 : s->select_parameters,
		       "socket"))
		return cs_err_set(err, -EINVAL,
				  "partition '%s' gives whole sockets to a job "
				  "(SelectTypeParameters), expected cores",
				  name);
	return 0;
}

/* A job that asks for more than its partition gives would wait for ever. */
static int check_limits(const struct cs_measure_site *s,
			const struct cs_measure_shape *shape, uint32_t *limit_s,
			struct cs_err *err)
{
	char text[64] = "";
	uint64_t nodes;
	double most_s;

	value(s->partition, "MaxTime", text, sizeof(text));
	most_s = cs_measure_jobs_seconds(text); /* 0: UNLIMITED */
	if (most_s > 0 && most_s < *limit_s)
		*limit_s = (uint32_t)(most_s / 60) * 60;
	if (most_s > 0 && most_s < 120)
		return cs_err_set(err, -EINVAL,
				  "the partition's jobs may take %s at most "
				  "(MaxTime), expected two minutes or more: "
				  "--sbatch '-p NAME'",
				  text);
	nodes = number(s->partition, "MaxNodes"); /* 0: UNLIMITED */
	if (!nodes || nodes >= 2 * (uint64_t)shape->nodes)
		return 0;
	return cs_err_set(err, -EINVAL,
			  "the partition's jobs may have %" PRIu64
			  " nodes (MaxNodes), expected %" PRIu64
			  ", twice those of a program on full nodes",
			  nodes, 2 * (uint64_t)shape->nodes);
}

/* Else a program and its partner would run on each other's cores. */
static int check_cores(const struct cs_measure_site *s, struct cs_err *err)
{
	if (strcasestr(s->task_plugin, "affinity") ||
	    (strcasestr(s->task_plugin, "cgroup") &&
	     !strcasecmp(s->constrain_cores, "yes")))
		return 0;
	return cs_err_set(err, -EINVAL,
			  "jobs are not bound to their cores (TaskPlugin=%s), "
			  "expected task/affinity or task/cgroup with "
			  "ConstrainCores, or --unconstrained",
			  *s->task_plugin ? s->task_plugin : "none");
}

/* ---- nodes ----------------------------------------------------------------------------- */

/* Can jobs start there, now or when others have ended? */
static bool usable(const char *line)
{
	static const char *const not [] = { "DOWN", "DRAIN", "FAIL", "FUTURE",
					    "UNKNOWN" };
	char state[128] = "";

	if (!value(line, "State", state, sizeof(state)))
		return false;
	for (size_t i = 0; i < sizeof(not ) / sizeof(not [0]); i++)
		if (strstr(state, not [i]))
			return false;
	return true;
}

static bool has_shape(const char *line, const struct cs_measure_shape *s)
{
	return number(line, "Sockets") == s->sockets &&
	       number(line, "CoresPerSocket") == s->cores;
}

/* The shape of all usable nodes, if the user names none. */
static int find_shape(const struct cs_measure_site *s,
		      struct cs_measure_shape *shape, struct cs_err *err)
{
	for (const char *line = s->nodes; *line; line = next_line(line)) {
		if (!usable(line) || !number(line, "Sockets"))
			continue;
		if (!shape->sockets) {
			shape->sockets = (uint32_t)number(line, "Sockets");
			shape->cores = (uint32_t)number(line, "CoresPerSocket");
		} else if (!has_shape(line, shape)) {
			return cs_err_set(
				err, -EINVAL,
				"the partition has nodes of %" PRIu32
				"x%" PRIu32 " and of %" PRIu64 "x%" PRIu64
				" cores, expected --node SxC, and --sbatch '-C "
				"FEATURE' that chooses such nodes",
				shape->sockets, shape->cores,
				number(line, "Sockets"),
				number(line, "CoresPerSocket"));
		}
	}
	return 0;
}

/* Memory for jobs: what the system keeps is not. */
static uint64_t memory_of(const char *line)
{
	uint64_t all = number(line, "RealMemory");
	uint64_t kept = number(line, "MemSpecLimit");

	return all > kept ? all - kept : 0;
}

/* Threads, memory and number of the nodes of that shape. */
static int take_nodes(const struct cs_measure_site *s,
		      struct cs_measure_shape *shape, uint64_t *ret_n,
		      struct cs_err *err)
{
	char name[256] = "";

	*ret_n = 0;
	for (const char *line = s->nodes; *line; line = next_line(line)) {
		uint32_t threads = (uint32_t)number(line, "ThreadsPerCore");
		uint64_t memory_mb = memory_of(line);

		if (!usable(line) || !has_shape(line, shape))
			continue;
		value(line, "NodeName", name, sizeof(name));
		if (number(line, "CoreSpecCount"))
			return cs_err_set(err, -EINVAL,
					  "node '%s' keeps cores for the "
					  "system (CoreSpecCount), expected "
					  "nodes whose sockets halve",
					  name);
		if (*ret_n && threads != shape->threads)
			return cs_err_set(err, -EINVAL,
					  "node '%s' has %" PRIu32
					  " threads a core, others %" PRIu32
					  ", expected nodes alike",
					  name, threads, shape->threads);
		shape->threads = threads;
		if (!*ret_n || memory_mb < shape->memory_mb)
			shape->memory_mb = memory_mb;
		++*ret_n;
	}
	return 0;
}

int cs_measure_site_shape(const struct cs_measure_site *site,
			  struct cs_measure_shape *shape, uint32_t *limit_s,
			  struct cs_err *err)
{
	uint64_t n;
	int rc = check_partition(site, err);

	if (!rc)
		rc = check_limits(site, shape, limit_s, err);
	if (!rc && !shape->unconstrained)
		rc = check_cores(site, err);
	if (!rc && !shape->sockets)
		rc = find_shape(site, shape, err);
	if (!rc)
		rc = take_nodes(site, shape, &n, err);
	if (rc)
		return rc;
	if (n < 2 * (uint64_t)shape->nodes)
		return cs_err_set(err, -EINVAL,
				  "the partition has %" PRIu64
				  " usable nodes of %" PRIu32 "x%" PRIu32
				  " cores, expected %" PRIu64
				  ", twice those of a program on full nodes",
				  n, shape->sockets, shape->cores,
				  2 * (uint64_t)shape->nodes);
	if (shape->cores % (2 * shape->per_task))
		return cs_err_set(err, -EINVAL,
				  "half a socket of %" PRIu32
				  " cores has no room for whole processes of "
				  "%" PRIu32 ", expected nodes whose sockets "
				  "halve",
				  shape->cores, shape->per_task);
	return 0;
}

/* ---- asking ------------------------------------------------------------------------------- */

static int show(const char *what, const char *name, char **ret,
		struct cs_err *err)
{
	const char *const argv[] = { "scontrol", "--oneliner", "--all", "show",
				     what,	 name,	       NULL };

	return cs_slurm_command(argv, ASK_S, ret, err);
}

/* The line of @partition, or of the default one. */
static int find_partition(char *text, const char *partition, const char **ret,
			  struct cs_err *err)
{
	char is_default[16];

	for (const char *line = text; *line; line = next_line(line))
		if (partition ||
		    (value(line, "Default", is_default, sizeof(is_default)) &&
		     !strcmp(is_default, "YES"))) {
			*ret = line;
			return 0;
		}
	return cs_err_set(err, -EINVAL,
			  "there is no default partition, expected --sbatch "
			  "'-p NAME'");
}

static void config(const struct cs_slurmconf *c, const char *key, char *buf,
		   size_t size)
{
	if (!cs_slurmconf_get(c, key, buf, size))
		*buf = '\0';
}

int cs_measure_site_ask(const char *partition, struct cs_measure_shape *shape,
			uint32_t *limit_s, struct cs_err *err)
{
	char select[128], parameters[256], task[256], cores[16], *list;
	char *partitions = NULL, *nodes = NULL;
	struct cs_measure_site site = { .select = select,
					.select_parameters = parameters,
					.task_plugin = task,
					.constrain_cores = cores };
	struct cs_slurmconf c;
	int rc;

	if (partition && strchr(partition, ','))
		return cs_err_set(err, -EINVAL,
				  "--partition is '%.100s', expected one",
				  partition);
	if (cs_slurmconf_read(&c, ASK_S))
		return cs_err_set(err, -ENOMEM, "no memory");
	rc = c.live ? 0
		    : cs_err_set(err, -EIO, "slurmctld does not answer: %.300s",
				 c.why);
	config(&c, "SelectType", select, sizeof(select));
	config(&c, "SelectTypeParameters", parameters, sizeof(parameters));
	config(&c, "TaskPlugin", task, sizeof(task));
	config(&c, "ConstrainCores", cores, sizeof(cores));
	cs_slurmconf_done(&c);
	list = malloc(65536);
	if (!rc && !list)
		rc = cs_err_set(err, -ENOMEM, "no memory");
	if (!rc)
		rc = show("partition", partition, &partitions, err);
	if (!rc)
		rc = find_partition(partitions, partition, &site.partition,
				    err);
	if (!rc && !value(site.partition, "Nodes", list, 65536))
		rc = cs_err_set(err, -EINVAL,
				"the partition has no nodes, expected some");
	if (!rc)
		rc = show("node", list, &nodes, err);
	site.nodes = nodes;
	if (!rc)
		rc = cs_measure_site_shape(&site, shape, limit_s, err);
	free(list);
	free(nodes);
	free(partitions);
	return rc;
}
