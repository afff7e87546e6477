/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A time for people. */
#ifndef CS_COSCHED_CLI_DURATION_H
#define CS_COSCHED_CLI_DURATION_H

/* @s seconds in the unit that suits @like seconds (>= 0): "12.4 min". */
#define CS_DURATION_SIZE 32
const char *cs_duration_text(double s, double like, char buf[CS_DURATION_SIZE]);

#endif
