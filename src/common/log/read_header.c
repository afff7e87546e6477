/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "log/read_header.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "log/log_alloc.h"
#include "log/read_field.h"
#include "log/read_topology.h"
#include "order/order.h"
#include "place/place.h"
#include "slice/slice.h"

/* As cs_log_uint(), into 16 bits, from @min on; absent: *ret stays. */
static int read_small(struct json_object *o, const char *key, uint32_t min,
		      uint16_t *ret, struct cs_err *err)
{
	uint32_t v = *ret;
	int rc = cs_log_uint(o, key, min, UINT16_MAX, &v, err);

	if (rc && rc != -ENOENT)
		return rc;
	*ret = (uint16_t)v;
	return 0;
}

/* As cs_log_uint(), for "memory_mb" up to 2^53; absent: *ret stays. */
static int read_memory(struct json_object *o, uint64_t *ret, struct cs_err *err)
{
	struct json_object *v;
	int64_t i;

	if (!json_object_object_get_ex(o, "memory_mb", &v))
		return 0;
	i = json_object_get_int64(v);
	if (!json_object_is_type(v, json_type_int) || i < 0 || i >> 53)
		return cs_err_set(err, -EINVAL,
				  "\"memory_mb\" is %.40s, expected an integer "
				  "of 0 to 2^53",
				  json_object_to_json_string(v));
	*ret = (uint64_t)i;
	return 0;
}

/* Where sockets differ, "uneven": the cores of each; cs_machine_check() adds them up. */
static int read_uneven(struct json_object *o, struct cs_node *n,
		       struct cs_err *err)
{
	struct json_object *v, *cores;
	size_t sockets;

	n->n_uneven = 0;
	memset(n->uneven, 0, sizeof(n->uneven));
	if (!json_object_object_get_ex(o, "uneven", &v))
		return 0;
	sockets = json_object_is_type(v, json_type_array)
			  ? json_object_array_length(v)
			  : 0;
	for (size_t s = 0; s < sockets && s < CS_NODE_UNEVEN; s++) {
		cores = json_object_array_get_idx(v, s);
		if (!json_object_is_type(cores, json_type_int) ||
		    json_object_get_int64(cores) < 0 ||
		    json_object_get_int64(cores) > UINT8_MAX)
			sockets = 0;
		else
			n->uneven[s] = (uint8_t)json_object_get_int64(cores);
	}
	if (!sockets || sockets > CS_NODE_UNEVEN)
		return cs_log_wrong(v, "uneven",
				    "a list of 1 to 24 integers of 0 to 255",
				    err);
	n->n_uneven = (uint16_t)sockets;
	return 0;
}

/* "gpus", as cs_gpus_parse() has it; absent: n->gpus stays. */
static int read_gpus(struct json_object *o, struct cs_node *n,
		     struct cs_gpus *gpus, struct cs_err *err)
{
	const char *text = NULL;
	int rc = cs_log_text(o, "gpus", &text, err);

	if (rc || !text)
		return rc;
	if (cs_gpus_parse(gpus, text, err))
		return -EINVAL;
	n->gpus = gpus->n ? gpus : NULL;
	return 0;
}

int cs_log_read_shape(struct json_object *o, struct cs_node *n,
		      struct cs_gpus *gpus, struct cs_err *err)
{
	uint32_t weight = n->weight;
	int rc = read_small(o, "sockets", 1, &n->sockets, err);

	if (!rc)
		rc = read_small(o, "cores", 0, &n->cores_per_socket, err);
	if (!rc)
		rc = read_small(o, "threads", 1, &n->threads, err);
	if (!rc)
		rc = read_memory(o, &n->memory_mb, err);
	if (!rc) {
		rc = cs_log_uint(o, "weight", 0, UINT32_MAX, &weight, err);
		rc = rc == -ENOENT ? 0 : rc;
	}
	n->weight = weight;
	if (!rc) {
		rc = cs_log_uint(o, "line", 0, CS_LOG_NODES_MAX, &n->line, err);
		rc = rc == -ENOENT ? 0 : rc;
	}
	if (!rc)
		rc = read_gpus(o, n, gpus, err);
	return rc ? rc : read_uneven(o, n, err);
}

/* ---- node types ---------------------------------------------------------- */

static int read_type_nodes(struct json_object *o, struct cs_range **ret_range,
			   size_t *ret_n, struct cs_err *err)
{
	struct json_object *v;

	if (!json_object_object_get_ex(o, "nodes", &v) ||
	    !json_object_is_type(v, json_type_string))
		return cs_err_set(err, -EINVAL,
				  "a machine type without \"nodes\", expected "
				  "a list such as \"0-63\"");
	return cs_log_ranges_read(json_object_get_string(v), "type's nodes",
				  ret_range, ret_n, err);
}

/* @left: at least how many nodes no type has named yet. */
static int set_type(struct cs_machine *m, const struct cs_range *r,
		    const struct cs_node *like, uint32_t *left,
		    struct cs_err *err)
{
	if (r->last >= m->n_node)
		return cs_err_set(err, -EINVAL,
				  "machine type for node %u, expected at most "
				  "%u",
				  r->last, m->n_node - 1);
	if (r->last - r->first >= *left)
		return cs_err_set(err, -EINVAL,
				  "machine types name more nodes than there "
				  "are, expected each at most once");
	*left -= r->last - r->first + 1;
	for (uint32_t i = r->first; i <= r->last; i++) {
		char *name = m->node[i].name;

		m->node[i] = *like;
		m->node[i].name = name;
		m->node[i].gpus = NULL;
		if (cs_machine_share_gpus(m, like->gpus, &m->node[i].gpus))
			return cs_err_set(err, -ENOMEM, "no memory");
	}
	return 0;
}

static int read_type(struct cs_machine *m, struct json_object *o,
		     const struct cs_node *like, uint32_t *left,
		     struct cs_err *err)
{
	struct cs_node node = *like;
	struct cs_gpus gpus;
	struct cs_range *r;
	size_t n;
	int rc;

	if (!json_object_is_type(o, json_type_object))
		return cs_err_set(err, -EINVAL,
				  "a machine type is no object, expected "
				  "{\"nodes\":LIST,...}");
	rc = read_type_nodes(o, &r, &n, err);
	if (rc)
		return rc;
	rc = cs_log_read_shape(o, &node, &gpus, err);
	for (size_t i = 0; i < n && !rc; i++)
		rc = set_type(m, &r[i], &node, left, err);
	free(r);
	return rc;
}

static int read_types(struct cs_machine *m, struct json_object *types,
		      const struct cs_node *like, struct cs_err *err)
{
	uint32_t left = m->n_node;
	size_t n;
	int rc = 0;

	if (!json_object_is_type(types, json_type_array))
		return cs_err_set(err, -EINVAL,
				  "\"types\" is no list, expected [TYPE,...]");
	n = json_object_array_length(types);
	for (size_t i = 0; i < n && !rc; i++)
		rc = read_type(m, json_object_array_get_idx(types, i), like,
			       &left, err);
	return rc;
}

/* ---- the machine --------------------------------------------------------- */

/* @cores_said: the header says how many cores nodes have, else each type must. */
static int check_size(const struct cs_machine *m, bool cores_said,
		      struct cs_err *err)
{
	uint64_t cores = 0;

	for (uint32_t i = 0; i < m->n_node; i++) {
		cores += cs_node_cores(&m->node[i]);
		if (!m->node[i].sockets ||
		    (!cores_said && cs_node_vacant(&m->node[i])))
			return cs_err_set(err, -EINVAL,
					  "node %u has no sockets or cores, "
					  "expected both in the header",
					  i);
	}
	if (cores > CS_LOG_CORES_MAX)
		return cs_err_set(err, -EINVAL,
				  "a machine of %llu cores, expected at most "
				  "%u",
				  (unsigned long long)cores, CS_LOG_CORES_MAX);
	return 0;
}

/* A machine of @n nodes like @like; 0 sockets or cores are allowed for now. */
static struct cs_machine *make_machine(uint32_t n, const struct cs_node *like)
{
	struct cs_machine *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->node = calloc(n, sizeof(*m->node));
	if (!m->node) {
		free(m);
		return NULL;
	}
	m->n_node = n;
	for (uint32_t i = 0; i < n; i++) {
		m->node[i] = *like;
		m->node[i].gpus = NULL;
	}
	for (uint32_t i = 0; i < n; i++)
		if (cs_machine_share_gpus(m, like->gpus, &m->node[i].gpus)) {
			cs_machine_free(m);
			return NULL;
		}
	return m;
}

static int read_weight_first(struct json_object *o, bool *ret,
			     struct cs_err *err)
{
	struct json_object *v;

	if (!json_object_object_get_ex(o, "weight_first", &v))
		return 0;
	if (!json_object_is_type(v, json_type_boolean))
		return cs_log_wrong(v, "weight_first", "true or false", err);
	*ret = json_object_get_boolean(v);
	return 0;
}

static int read_machine(struct json_object *o, struct cs_machine **ret,
			struct cs_err *err)
{
	struct cs_node like = { .threads = 1 };
	struct json_object *types;
	struct cs_gpus gpus;
	struct cs_machine *m;
	uint32_t n;
	int rc;

	rc = cs_log_uint(o, "nodes", 1, CS_LOG_NODES_MAX, &n, err);
	if (rc)
		return -EINVAL;
	rc = cs_log_read_shape(o, &like, &gpus, err);
	if (rc)
		return rc;
	m = make_machine(n, &like);
	if (!m)
		return cs_err_set(err, -ENOMEM, "no memory");
	if (json_object_object_get_ex(o, "types", &types))
		rc = read_types(m, types, &like, err);
	if (!rc)
		rc = check_size(m, json_object_object_get_ex(o, "cores", NULL),
				err);
	if (!rc)
		rc = read_weight_first(o, &m->weight_first, err);
	if (!rc)
		rc = cs_machine_check(m, err);
	if (!rc)
		rc = cs_log_topology_read(o, m, err);
	if (!rc)
		rc = cs_log_sites_read(o, m, err);
	if (rc)
		cs_machine_free(m);
	else
		*ret = m;
	return rc;
}

/* ---- the header ---------------------------------------------------------- */

/* Parameter @key, from 1 to @most; @usual where it is absent. */
static int read_count(struct json_object *o, const char *key, uint32_t usual,
		      uint32_t most, uint32_t *ret, struct cs_err *err)
{
	struct json_object *params;
	int rc;

	*ret = usual;
	if (!json_object_object_get_ex(o, "params", &params))
		return 0;
	if (!json_object_is_type(params, json_type_object))
		return cs_err_set(err, -EINVAL,
				  "\"params\" is no object, expected "
				  "{\"KEY\":VALUE,...}");
	rc = cs_log_uint(params, key, 1, most, ret, err);
	return rc == -ENOENT ? 0 : rc;
}

static int read_mode(struct json_object *o, const char **ret,
		     struct cs_err *err)
{
	struct cs_params p = { 0 };
	struct json_object *v;

	if (!json_object_object_get_ex(o, "mode", &v))
		return 0;
	if (!json_object_is_type(v, json_type_string) ||
	    cs_params_set_enum(&p, "mode", json_object_get_string(v)))
		return cs_err_set(err, -EINVAL,
				  "\"mode\" is %.40s, expected \"off\", "
				  "\"shadow\" or \"act\"",
				  json_object_to_json_string(v));
	*ret = cs_params_mode_name((enum cs_mode)p.mode);
	return 0;
}

static int read_act_slice(struct json_object *o, const char **ret,
			  struct cs_err *err)
{
	struct cs_params p = { 0 };
	struct json_object *v;

	if (!json_object_object_get_ex(o, "act_slice", &v))
		return 0;
	if (json_object_is_type(v, json_type_string) &&
	    !cs_params_set_enum(&p, "slice", json_object_get_string(v)))
		*ret = cs_params_no_slices(&p);
	return *ret ? 0
		    : cs_err_set(err, -EINVAL,
				 "\"act_slice\" is %.40s, expected \"pect\" "
				 "or \"gang\"",
				 json_object_to_json_string(v));
}

/* Do jobs start one by one, in the order of their campaigns' virtual ends? */
static bool read_strict(struct json_object *o)
{
	struct cs_params p = { .order = -1, .slice = -1, .place = -1 };
	struct json_object *params;

	if (!json_object_object_get_ex(o, "params", &params))
		return false;
	json_object_object_foreach(params, key, v) {
		if (json_object_is_type(v, json_type_string))
			cs_params_set_enum(&p, key, json_object_get_string(v));
	}
	return p.order >= 0 && p.slice >= 0 && p.place >= 0 &&
	       p.campaign_hold == CS_CAMPAIGN_HOLD_STRICT &&
	       cs_order_choose(&p)->campaigns && !cs_slice_choose(&p)->stops &&
	       cs_place_choose(&p)->alone;
}

int cs_log_header_read(struct json_object *o, struct cs_log_header **ret_header,
		       struct cs_err *err)
{
	struct json_object *machine;
	struct cs_log_header *h;
	uint32_t version;
	int rc;

	if (cs_log_uint(o, "version", 1, 1, &version, err))
		return -EINVAL;
	if (!json_object_object_get_ex(o, "machine", &machine) ||
	    !json_object_is_type(machine, json_type_object))
		return cs_err_set(err, -EINVAL,
				  "a header without \"machine\", expected "
				  "{\"nodes\":N,\"sockets\":N,\"cores\":N}");
	h = calloc(1, sizeof(*h));
	if (!h)
		return cs_err_set(err, -ENOMEM, "no memory");
	h->boot = json_object_object_get_ex(o, "boot", NULL);
	rc = read_count(o, "jobs_per_node", 2, UINT32_MAX, &h->jobs_per_node,
			err);
	if (!rc)
		rc = read_count(o, "mpl", 1, 1000, &h->mpl, err);
	h->strict = !rc && read_strict(o);
	if (!rc)
		rc = read_mode(o, &h->mode, err);
	if (!rc)
		rc = read_act_slice(o, &h->act_slice, err);
	if (!rc)
		rc = read_machine(machine, &h->machine, err);
	if (rc)
		cs_log_header_free(h);
	else
		*ret_header = h;
	return rc;
}

void cs_log_header_free(struct cs_log_header *h)
{
	if (!h)
		return;
	cs_machine_free(h->machine);
	free(h);
}
