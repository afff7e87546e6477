/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Does an event file of the simulator keep the rules?  The checker shares no code with the
 * simulator but the dispatch table.
 *
 * A line is a letter and whole numbers; times are in ns, and never go back:
 *
 *	H nodes mpl latency starvation	the first line
 *	J time job size			a job arrives
 *	P time process job rank node	a process starts; numbers count from 0
 *	R time process node level quantum
 *					it gets the CPU; quantum is what is left of it,
 *					-1: it has none (GS)
 *	O time process node why quantum	it leaves the CPU: b blocks, e ends, p preempted,
 *					q its quantum has ended
 *	L time process level quantum	its level changes while it has the CPU
 *	S time process to		it sends a message to process `to`
 *	A time process from		a message of process `from` arrives for it
 *	G time process from		it has read one
 *	E time process			it has ended
 *	F time job			all processes of the job have ended
 *	C time				the run was capped
 */
#ifndef CS_PROCSIM_CHECKER_H
#define CS_PROCSIM_CHECKER_H

#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

/* 0, *ret_lines were read; -EPROTO: @err has the line, and the rule that it breaks; -ENOMEM;
 * -EIO. */
int cs_checker_run(FILE *file, uint64_t *ret_lines, struct cs_err *err);

#endif
