/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a rank of an MPI job waits for messages: the setting COSCHED_WAIT.
 *
 *	local		it spins, as its MPI library does; the shim stays out of the way
 *	yield		it spins, and yields its core at each idle pass
 *	ib		immediate blocking: it sleeps until a message arrives
 *	sb[:US]		spin block: it spins for US microseconds [100], then sleeps
 *	hybrid		as ib; precedence in collectives is not there
 *	proc-b		as ib; coschedd-node chooses which rank runs next (token.h)
 */
#ifndef CS_WAIT_MODE_H
#define CS_WAIT_MODE_H

#include <stdint.h>

#define CS_WAIT_SPIN_US 100
#define CS_WAIT_SPIN_MAX_US 20000

enum cs_wait_mode {
	CS_WAIT_LOCAL,
	CS_WAIT_YIELD,
	CS_WAIT_IB,
	CS_WAIT_SB,
	CS_WAIT_HYBRID,
	CS_WAIT_PROC_B,
	CS_WAIT_N_MODE
};

struct cs_wait_setting {
	enum cs_wait_mode mode;
	int64_t spin_ns; /* sb: spinning before the sleep; 0 in other modes */
};

/* @text whole, as listed above.  0; -EINVAL: no mode of that name, or US is no whole
 * number from 0 to CS_WAIT_SPIN_MAX_US; @ret is unchanged then. */
int cs_wait_mode_parse(const char *text, struct cs_wait_setting *ret);

const char *cs_wait_mode_name(enum cs_wait_mode mode);

#endif
