/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cosched params --slurm: the table of Slurm's own keys, as Markdown. */
#include "cmd/params_slurm.h"

#include <stdio.h>
#include <string.h>

#include "common/params/host_key.h"

static const char head[] =
	"# What becomes of Slurm's own settings\n"
	"\n"
	"Each key of slurm.conf that bears on scheduling, and what becomes of it "
	"in mode act.\n"
	"In mode off, and for what starts in mode shadow, Slurm's own schedulers "
	"follow all of\n"
	"them. Keys about daemons, files, accounting storage or messages are left "
	"out.\n"
	"\n"
	"- **honoured**: our decisions follow it.\n"
	"- **Slurm's**: Slurm's own code applies it, in mode act as well: when a "
	"job is submitted,\n"
	"  in its tests before a start, in its own test of nodes, in priorities "
	"or power saving.\n"
	"- **all by Slurm's own test**: with it that test places all jobs, in "
	"their turn, and no\n"
	"  job shares a node by the plan; `cosched doctor`, `cosched conf` and "
	"slurmctld's log\n"
	"  warn of it.\n"
	"- **no meaning**: it is about something that mode act does not have, or "
	"about no start.\n"
	"- **not honoured**: what happens instead. `cosched doctor`, `cosched "
	"conf --check` and\n"
	"  slurmctld's log name each that is set, in a line each, and each key of "
	"SchedulerParameters\n"
	"  that is in no row here, or is honoured and has no number that Slurm can "
	"read.\n"
	"\n"
	"The last column names the test in test/cluster that shows it; those of "
	"`settings` are\n"
	"drawn at random beside stock Slurm (doc/results/settings.md). A key of "
	"one release only\n"
	"has its number: 22.05 or 24.11.\n";

static const char *const titles[CS_HOST_LISTS] = {
	[CS_HOST_LIST_SCHED] = "SchedulerParameters",
	[CS_HOST_LIST_SELECT] = "SelectTypeParameters",
	[CS_HOST_LIST_PREEMPT] = "PreemptParameters",
	[CS_HOST_LIST_MODE] = "PreemptMode",
	[CS_HOST_LIST_PRIORITY] = "PriorityFlags",
	[CS_HOST_LIST_CTLD] = "SlurmctldParameters",
	[CS_HOST_LIST_TOPOLOGY] = "TopologyParam",
	[CS_HOST_LIST_CLUSTER] = "Lines of slurm.conf",
	[CS_HOST_LIST_NODE] = "Nodes",
	[CS_HOST_LIST_PART] = "Partitions",
	[CS_HOST_LIST_RESV] = "Flags of reservations",
};

static const char *const cares[] = {
	[CS_HOST_HONOURED] = "honoured",
	[CS_HOST_SLURM] = "Slurm's",
	[CS_HOST_WHOLE] = "all by Slurm's own test",
	[CS_HOST_NONE] = "no meaning",
	[CS_HOST_NOT] = "**not honoured**",
};

static const char *const releases[] = {
	[CS_HOST_BOTH] = "",
	[CS_HOST_OLD] = "22.05",
	[CS_HOST_NEW] = "24.11",
};

void cs_params_slurm_print(void)
{
	size_t n;
	const struct cs_host_key *row = cs_host_key_rows(&n);

	printf("%s", head);
	for (size_t i = 0; i < n; i++) {
		if (!i || row[i].list != row[i - 1].list)
			printf("\n## %s\n\n"
			       "| key | only | in mode act | | test |\n"
			       "|---|---|---|---|---|\n",
			       titles[row[i].list]);
		printf("| %.*s | %s | %s | %s | %s |\n",
		       (int)strcspn(row[i].key, "="), row[i].key,
		       releases[row[i].release], cares[row[i].care],
		       row[i].text, row[i].test);
	}
}
