/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "topology.h"

#if CS_SLURM_AT_LEAST(23, 11)
#include "src/common/pack.h"
#include "src/interfaces/topology.h"
#else
#include "src/common/slurm_topology.h"
#endif

#define SWITCHES_MAX 65535 /* as Slurm counts them */

/* Fowler, Noll and Vo's 1a. */
static uint64_t mark_bytes(uint64_t mark, const void *p, size_t n)
{
	const unsigned char *b = p;

	for (; n; n--)
		mark = (mark ^ *b++) * UINT64_C(0x100000001b3);
	return mark;
}

void cs_switches_free(struct cs_switches *s)
{
	for (uint32_t i = 0; i < s->n; i++) {
		xfree(s->sw[i].name);
		FREE_NULL_BITMAP(s->sw[i].nodes);
	}
	xfree(s->sw);
	s->n = 0;
}

#if CS_SLURM_AT_LEAST(23, 11)

/*
 * With topology.yaml TopologyPlugin is topology/flat whatever the file says: the plugin of
 * the cluster's topology is asked, not the configuration.
 */
static int plugin_of_cluster(void)
{
#if CS_SLURM_AT_LEAST(24, 5)
	return topology_get_plugin_id();
#else
	if (!xstrcmp(slurm_conf.topology_plugin, "topology/tree"))
		return TOPOLOGY_PLUGIN_TREE;
	if (!xstrcmp(slurm_conf.topology_plugin, "topology/block"))
		return TOPOLOGY_PLUGIN_BLOCK;
	return TOPOLOGY_PLUGIN_DEFAULT;
#endif
}

static bool has_blocks(void)
{
	return plugin_of_cluster() == TOPOLOGY_PLUGIN_BLOCK;
}

#if CS_SLURM_AT_LEAST(25, 5)
#define PLUGIN_PLAIN TOPOLOGY_PLUGIN_FLAT
#else
#define PLUGIN_PLAIN TOPOLOGY_PLUGIN_DEFAULT
#endif

#if CS_SLURM_AT_LEAST(25, 11)
#define PACK topology_g_topoinfo_pack
#define FREE topology_g_topoinfo_free
#else
#define PACK topology_g_topology_pack
#define FREE topology_g_topology_free
#endif

/* The data of the cluster's topology, to be given back to FREE; NULL: none. */
static dynamic_plugin_data_t *data_of_cluster(void)
{
	dynamic_plugin_data_t *topo = NULL;

#if CS_SLURM_AT_LEAST(25, 5)
	(void)topology_g_get(TOPO_DATA_TOPOLOGY_PTR, NULL, &topo);
#elif CS_SLURM_AT_LEAST(24, 5)
	(void)topology_g_get(TOPO_DATA_TOPOLOGY_PTR, &topo);
#else
	(void)topology_g_topology_get(&topo);
#endif
	return topo;
}

/* What the plugin would send; NULL: no switches and no blocks. */
static buf_t *packed(void)
{
	dynamic_plugin_data_t *topo;
	buf_t *buf;
	int rc;

	if (!has_blocks() && plugin_of_cluster() != TOPOLOGY_PLUGIN_TREE)
		return NULL;
	topo = data_of_cluster();
	if (!topo)
		return NULL;
	buf = init_buf(16384);
	rc = PACK(topo, buf, SLURM_PROTOCOL_VERSION);
	(void)FREE(topo);
	if (rc)
		FREE_NULL_BUFFER(buf);
	return buf;
}

/* Take the next string. 0 on success. */
static int next_text(buf_t *buf, char **ret)
{
	uint32_t size;

	return unpackstr_xmalloc(ret, &size, buf);
}

/* One record of topology/tree, its node list into *nodes. */
static int unpack_switch(buf_t *buf, struct cs_switch *sw, char **nodes)
{
	uint16_t level;
	uint32_t speed;
	char *below = NULL;
	int rc = unpack16(&level, buf) || unpack32(&speed, buf) ||
		 next_text(buf, &sw->name) || next_text(buf, nodes) ||
		 next_text(buf, &below);

	xfree(below);
	if (!rc)
		sw->level = level;
	return rc;
}

/* One of topology/block; up to 24.05 it does not state its size. */
static int unpack_block(buf_t *buf, struct cs_switch *sw, char **nodes)
{
	uint16_t index;
	bool aggregated = false;
	int rc;

#if CS_SLURM_AT_LEAST(24, 11)
	rc = unpackbool(&aggregated, buf) || unpack16(&index, buf) ||
	     next_text(buf, &sw->name) || next_text(buf, nodes) ||
	     unpack32(&sw->size, buf);
#else
	rc = unpack16(&index, buf) || next_text(buf, &sw->name) ||
	     next_text(buf, nodes);
#endif
	sw->level = aggregated;
	return rc;
}

/* Nodes that are not there are left out. */
static void nodes_named(char *names, bitstr_t **ret)
{
#if CS_SLURM_AT_LEAST(24, 11)
	hostlist_t *unknown = NULL;

	(void)node_name2bitmap(names, true, ret, &unknown);
	FREE_NULL_HOSTLIST(unknown);
#else
	(void)node_name2bitmap(names, true, ret);
#endif
}

static int unpack_all(buf_t *buf, struct cs_switches *s)
{
	uint32_t plugin, n;

	set_buf_offset(buf, 0);
	if (unpack32(&plugin, buf) || unpack32(&n, buf) || n > 2 * SWITCHES_MAX)
		return -1;
	s->sw = xcalloc(n ? n : 1, sizeof(*s->sw));
	for (uint32_t i = 0; i < n; i++) {
		struct cs_switch *sw = &s->sw[s->n++];
		char *nodes = NULL;
		int rc = s->blocks ? unpack_block(buf, sw, &nodes)
				   : unpack_switch(buf, sw, &nodes);

		if (!rc && nodes)
			nodes_named(nodes, &sw->nodes);
		xfree(nodes);
		if (rc)
			return -1;
	}
	return 0;
}

void cs_switches_read(struct cs_switches *s)
{
	buf_t *buf = packed();

	*s = (struct cs_switches){ .blocks = has_blocks() };
	if (buf && unpack_all(buf, s)) {
		error("cosched: the topology cannot be read, ignoring it");
		cs_switches_free(s);
	}
	FREE_NULL_BUFFER(buf);
}

uint64_t cs_switches_mark(void)
{
	buf_t *buf = packed();
	uint64_t mark = 0;

	if (buf)
		mark = mark_bytes(1, get_buf_data(buf), get_buf_offset(buf));
	FREE_NULL_BUFFER(buf);
	return mark;
}

bool cs_switches_count(void)
{
	return has_blocks() ||
	       (!xstrcasestr(slurm_conf.topology_param, "TopoOptional") &&
		!(slurm_conf.select_type_param & CS_SELECT_LLN));
}

/* Of the kinds that the engine has, or one that leaves all nodes to all jobs. */
static bool is_known(int plugin)
{
	return plugin == TOPOLOGY_PLUGIN_TREE ||
	       plugin == TOPOLOGY_PLUGIN_BLOCK || plugin == PLUGIN_PLAIN;
}

bool cs_compat_part_topology_other(const part_record_t *part_ptr)
{
#if CS_SLURM_AT_LEAST(25, 5)
	if (part_ptr->topology_idx)
		return true;
#else
	(void)part_ptr;
#endif
	return !is_known(plugin_of_cluster());
}

#else

static uint32_t switches(void)
{
	return switch_record_table && switch_record_cnt > 0 &&
			       switch_record_cnt <= SWITCHES_MAX
		       ? (uint32_t)switch_record_cnt
		       : 0;
}

void cs_switches_read(struct cs_switches *s)
{
	uint32_t n = switches();

	*s = (struct cs_switches){ 0 };
	if (!n)
		return;
	s->sw = xcalloc(n, sizeof(*s->sw));
	for (; s->n < n; s->n++) {
		const switch_record_t *of = &switch_record_table[s->n];
		struct cs_switch *sw = &s->sw[s->n];

		sw->name = xstrdup(of->name);
		sw->level = of->level > 0 ? (uint32_t)of->level : 0;
		if (of->node_bitmap)
			sw->nodes = bit_copy(of->node_bitmap);
	}
}

uint64_t cs_switches_mark(void)
{
	uint64_t mark = switches();

	for (uint32_t i = 0; i < switches(); i++) {
		const switch_record_t *of = &switch_record_table[i];

		mark = mark_bytes(mark, &of->level, sizeof(of->level));
		if (of->name)
			mark = mark_bytes(mark, of->name, strlen(of->name));
		if (of->nodes)
			mark = mark_bytes(mark, of->nodes, strlen(of->nodes));
	}
	return mark;
}

bool cs_switches_count(void)
{
	return !xstrcasestr(slurm_conf.topology_param, "TopoOptional") &&
	       !(slurm_conf.select_type_param & CS_SELECT_LLN);
}

bool cs_compat_part_topology_other(const part_record_t *part_ptr)
{
	(void)part_ptr;
	return false;
}

#endif
