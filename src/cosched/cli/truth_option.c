/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/truth_option.h"

#include <stdlib.h>

#include "cli/options.h"
#include "cli/profile_file.h"

#define NOISE_MAX 100 /* per cent */

int cs_truth_option(const char *cmd, struct cs_truth_option *o)
{
	char *end;

	if (o->noise) {
		o->noise_percent = strtod(o->noise, &end);
		if (end == o->noise || *end ||
		    !(o->noise_percent >= 0 && o->noise_percent <= NOISE_MAX))
			return cs_cmd_bad(
				"%s: --truth-noise is '%.100s', expected "
				"per cent from 0 to %d",
				cmd, o->noise, NOISE_MAX);
	}
	if (o->noise && !o->file)
		return cs_cmd_bad("%s: --truth-noise without --truth, expected "
				  "both",
				  cmd);
	return o->file ? cs_profile_file(cmd, o->file, &o->truth) : CS_EXIT_OK;
}
