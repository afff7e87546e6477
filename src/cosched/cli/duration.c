/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/duration.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

const char *cs_duration_text(double s, double like, char buf[CS_DURATION_SIZE])
{
	static const struct {
		double up_to, by;
		const char *unit;
	} unit[] = { { 120, 1, "s" },
		     { 7200, 60, "min" },
		     { 172800, 3600, "h" },
		     { INFINITY, 86400, "days" } };
	size_t i = 0;
	double v;

	while (like >= unit[i].up_to)
		i++;
	v = s / unit[i].by;
	snprintf(buf, CS_DURATION_SIZE, "%.*f %s",
		 v == 0		 ? 0
		 : fabs(v) < 10	 ? 2
		 : fabs(v) < 100 ? 1
				 : 0,
		 v, unit[i].unit);
	return buf;
}
