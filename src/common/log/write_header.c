/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The first line of a log: the machine and the parameters (read_header.c). */
#include <inttypes.h>
#include <stdio.h>

#include "log/json_writer.h"
#include "log/write_line.h"
#include "model/sites.h"
#include "model/topology.h"

/* As cs_gpus_parse() reads them. */
static void put_gpus(struct cs_log_out *o, const struct cs_gpus *g)
{
	char text[CS_GPU_KINDS * (CS_GPU_NAME + 8)];
	int len = 0;

	for (uint32_t k = 0; k < g->n_kind; k++)
		len += snprintf(text + len, sizeof(text) - (size_t)len,
				"%s%s%s%" PRIu32, k ? "," : "", g->kind[k].type,
				*g->kind[k].type ? ":" : "", g->kind[k].n);
	cs_log_add_string(o, "gpus", text);
}

void cs_log_put_shape(struct cs_log_out *o, const struct cs_node *n)
{
	cs_log_add_unsigned(o, "sockets", n->sockets);
	cs_log_add_unsigned(o, "cores", n->cores_per_socket);
	cs_log_add_unless(o, "threads", n->threads, 1);
	cs_log_add_unless(o, "memory_mb", n->memory_mb, 0);
	cs_log_add_unless(o, "weight", n->weight, 0);
	cs_log_add_unless(o, "line", n->line, 0);
	if (n->gpus)
		put_gpus(o, n->gpus);
	if (!n->n_uneven)
		return;
	cs_log_put_key(o, "uneven");
	cs_log_put_open(o, '[');
	for (uint32_t s = 0; s < n->n_uneven; s++) {
		cs_log_put_element(o);
		cs_log_put_unsigned(o, n->uneven[s]);
	}
	cs_log_put_close(o, ']');
}

/* If nodes differ: the largest counts, and each run of equal nodes. */
static void put_types(struct cs_log_out *o, const struct cs_machine *m)
{
	uint32_t sockets = 0, cores = 0;

	for (uint32_t n = 0; n < m->n_node; n++) {
		if (m->node[n].sockets > sockets)
			sockets = m->node[n].sockets;
		if (m->node[n].cores_per_socket > cores)
			cores = m->node[n].cores_per_socket;
	}
	cs_log_add_unsigned(o, "sockets", sockets);
	cs_log_add_unsigned(o, "cores", cores);
	cs_log_put_key(o, "types");
	cs_log_put_open(o, '[');
	for (uint32_t n = 0, k; n < m->n_node; n = k) {
		for (k = n + 1; k < m->n_node; k++)
			if (!cs_node_same(&m->node[n], &m->node[k]))
				break;
		cs_log_put_element(o);
		cs_log_put_open(o, '{');
		cs_log_put_key(o, "nodes");
		cs_log_put_byte(o, '"');
		cs_log_put_range(o, n, k - 1);
		cs_log_put_byte(o, '"');
		cs_log_put_shape(o, &m->node[n]);
		cs_log_put_close(o, '}');
	}
	cs_log_put_close(o, ']');
}

/* The blocks that others are made of, or all switches. */
static void put_topology(struct cs_log_out *o, const struct cs_topology *t)
{
	uint32_t n = t->block ? t->level[0].n : t->n_group;

	cs_log_put_key(o, "topology");
	cs_log_put_open(o, '{');
	if (t->block) {
		cs_log_add_unsigned(o, "block", t->block);
		cs_log_put_key(o, "sizes");
		cs_log_put_open(o, '[');
		for (uint32_t i = 0; i < t->n_level; i++) {
			cs_log_put_element(o);
			cs_log_put_unsigned(o, t->level[i].size);
		}
		cs_log_put_close(o, ']');
	}
	cs_log_put_key(o, "groups");
	cs_log_put_open(o, '[');
	for (uint32_t i = 0; i < n; i++) {
		cs_log_put_element(o);
		cs_log_put_open(o, '{');
		cs_log_add_string(o, "name", t->group[i].name);
		cs_log_add_unless(o, "level", t->group[i].level, 0);
		if (t->group[i].end) {
			cs_log_put_key(o, "nodes");
			cs_log_put_set(o, t->group[i].nodes, t->words);
		}
		cs_log_put_close(o, '}');
	}
	cs_log_put_close(o, ']');
	cs_log_put_close(o, '}');
}

static void put_sites(struct cs_log_out *o, const struct cs_sites *s)
{
	cs_log_put_key(o, "sites");
	cs_log_put_open(o, '[');
	for (uint32_t i = 0; i < s->n; i++) {
		cs_log_put_element(o);
		cs_log_put_open(o, '{');
		cs_log_add_string(o, "name", s->site[i].name);
		cs_log_put_key(o, "nodes");
		cs_log_put_set(o, s->site[i].nodes, s->words);
		cs_log_put_close(o, '}');
	}
	cs_log_put_close(o, ']');
}

static void put_machine(struct cs_log_out *o, const struct cs_machine *m)
{
	bool equal = true, named = false;

	for (uint32_t n = 0; n < m->n_node; n++) {
		equal &= cs_node_same(&m->node[0], &m->node[n]);
		named |= m->node[n].name != NULL;
	}
	cs_log_put_key(o, "machine");
	cs_log_put_open(o, '{');
	cs_log_add_unsigned(o, "nodes", m->n_node);
	if (equal && m->n_node)
		cs_log_put_shape(o, &m->node[0]);
	else
		put_types(o, m);
	cs_log_add_true(o, "weight_first", m->weight_first);
	if (named) {
		cs_log_put_key(o, "names");
		cs_log_put_open(o, '[');
		for (uint32_t n = 0; n < m->n_node; n++) {
			const char *name = m->node[n].name;

			cs_log_put_element(o);
			cs_log_put_string(o, name ? name : "", CS_LOG_STRING);
		}
		cs_log_put_close(o, ']');
	}
	if (m->topology)
		put_topology(o, m->topology);
	if (m->sites)
		put_sites(o, m->sites);
	cs_log_put_close(o, '}');
}

static void put_params(struct cs_log_out *o, const struct cs_params *p)
{
	size_t n;
	const struct cs_param_row *row = cs_params_rows(&n);

	cs_log_put_key(o, "params");
	cs_log_put_open(o, '{');
	for (size_t i = 0; i < n; i++) {
		char value[CS_PATH_MAX];

		cs_params_print(p, &row[i], value, sizeof(value));
		cs_log_put_key(o, row[i].key);
		if (row[i].kind == CS_PARAM_INT || row[i].kind == CS_PARAM_REAL)
			cs_log_put_text(o, value);
		else
			cs_log_put_string(o, value, CS_PATH_MAX);
	}
	cs_log_put_close(o, '}');
}

void cs_log_digest(const struct cs_profiles *p, char buf[CS_LOG_DIGEST_SIZE])
{
	snprintf(buf, CS_LOG_DIGEST_SIZE, "%016" PRIx64, cs_profiles_digest(p));
}

int cs_log_header(char *buf, size_t size, const struct cs_machine *m,
		  const struct cs_params *p, enum cs_mode mode,
		  const char *act_slice, const struct cs_profiles *profiles,
		  int64_t boot_us, const char *after, const char *version)
{
	char digest[CS_LOG_DIGEST_SIZE] = "";
	struct cs_log_out o = { buf, size, 0, false };

	cs_log_put_open(&o, '{');
	cs_log_put_key(&o, "ev");
	cs_log_put_string(&o, "header", CS_LOG_STRING);
	cs_log_add_unsigned(&o, "version", 1);
	cs_log_add_string(&o, "release", version);
	if (boot_us) {
		cs_log_put_key(&o, "boot");
		cs_log_put_millionths(&o, boot_us);
	}
	cs_log_add_string(&o, "after", after);
	put_machine(&o, m);
	put_params(&o, p);
	if (mode != (enum cs_mode)p->mode)
		cs_log_add_string(&o, "mode", cs_params_mode_name(mode));
	cs_log_add_string(&o, "act_slice", act_slice);
	if (profiles && *p->profiles)
		cs_log_digest(profiles, digest);
	cs_log_add_string(&o, "profiles_digest", digest);
	cs_log_add_unsigned(&o, "seed", (uint64_t)p->seed);
	return cs_log_put_line_end(&o);
}
