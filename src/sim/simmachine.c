/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim.h"

#include <errno.h>

#define NODES_MAX 1000000
#define COUNT_MAX 65535	     /* sockets, cores a socket */
#define NODE_CORES_MAX 65536 /* as cs_machine_check() has it */

/* The digits at *@at as a number of 1 on, as much as @max + 1 where they say
 * more; 0: they are none. */
static uint32_t number(const char **at, uint32_t max)
{
	uint32_t v = 0;

	for (; **at >= '0' && **at <= '9'; ++*at)
		if (v <= max)
			v = 10 * v + (uint32_t)(**at - '0');
	if (v > max)
		return max + 1;
	return v;
}

int cs_sim_machine(const char *text, struct cs_machine **ret,
		   struct cs_err *err)
{
	const char *at = text;
	uint32_t count[3];
	struct cs_node like = { .threads = 1 };
	struct cs_machine *m;

	for (int i = 0; i < 3; i++) {
		count[i] = number(&at, NODES_MAX);
		if (!count[i] || *at++ != (i < 2 ? 'x' : '\0'))
			return cs_err_set(err, -EINVAL,
					  "machine '%s', expected "
					  "NODESxSOCKETSxCORES such as 128x2x2",
					  text);
	}
	if (count[0] > NODES_MAX || count[1] > COUNT_MAX ||
	    count[2] > COUNT_MAX ||
	    (uint64_t)count[1] * count[2] > NODE_CORES_MAX)
		return cs_err_set(err, -EINVAL,
				  "machine '%s' is too large, expected at most "
				  "%d nodes, of %d cores each",
				  text, NODES_MAX, NODE_CORES_MAX);
	like.sockets = (uint16_t)count[1];
	like.cores_per_socket = (uint16_t)count[2];
	m = cs_machine_create(count[0], &like);
	if (!m)
		return cs_err_set(err, -ENOMEM, "machine '%s': out of memory",
				  text);
	*ret = m;
	return 0;
}
