/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one place that includes Slurm, at the release of the build.
 *
 * slurm_xlator.h comes first: it renames error(), list_*(), bit_*() and the like
 * to their slurm_ names.  Otherwise error() binds to glibc's error(3), and programs
 * linked with libslurm.so cannot load the select plugin.
 *
 * What differs between releases is hidden here and in the other files of this
 * folder; the rest of the plugins compares no version.
 */
#ifndef CS_COMPAT_SLURM_H
#define CS_COMPAT_SLURM_H

#include "src/common/slurm_xlator.h"

#include "slurm/slurm.h"
#include "slurm/slurm_errno.h"
#include "slurm/slurm_version.h"

#define CS_SLURM_FROM(major, minor, micro) \
	(SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(major, minor, micro))
#define CS_SLURM_AT_LEAST(major, minor) CS_SLURM_FROM(major, minor, 0)

#if !CS_SLURM_AT_LEAST(22, 5)
#error "slurm-cosched needs Slurm 22.05 or later"
#endif
#if !defined(USE_ALIAS) || !USE_ALIAS
#error "config.h must define USE_ALIAS, or slurm_xlator.h does nothing"
#endif

#include "src/common/bitstring.h"
#include "src/common/job_resources.h"
#include "src/common/list.h"
#include "src/common/log.h"
#include "src/common/read_config.h"
#include "src/common/run_in_daemon.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

#include "src/slurmctld/job_scheduler.h"
#include "src/slurmctld/locks.h"
#include "src/slurmctld/node_scheduler.h"
#include "src/slurmctld/slurmctld.h"
#include "src/slurmctld/state_save.h"

#if CS_SLURM_AT_LEAST(23, 2)
#include "src/interfaces/select.h"
#else
#include "src/common/select.h"
typedef struct xlist list_t;
typedef struct listIterator list_itr_t;
#endif

#if CS_SLURM_AT_LEAST(23, 11)
#include "src/common/core_array.h"
#endif

#if CS_SLURM_AT_LEAST(24, 5)
#include "src/slurmctld/proc_req.h"
#elif CS_SLURM_AT_LEAST(23, 2)
#include "src/interfaces/power.h"
#include "src/slurmctld/srun_comm.h"
#else
#include "src/common/power.h"
#include "src/slurmctld/srun_comm.h"
#endif

/* SelectTypeParameters, of the cluster and of partitions. */
#if CS_SLURM_AT_LEAST(25, 11)
#define CS_SELECT_CORE SELECT_CORE
#define CS_SELECT_MEMORY SELECT_MEMORY
#define CS_SELECT_ONE_TASK_PER_CORE SELECT_ONE_TASK_PER_CORE
#define CS_SELECT_DIST_BLOCK SELECT_CORE_DEFAULT_DIST_BLOCK
#define CS_SELECT_LLN SELECT_LLN
#else
#define CS_SELECT_CORE CR_CORE
#define CS_SELECT_MEMORY CR_MEMORY
#define CS_SELECT_ONE_TASK_PER_CORE CR_ONE_TASK_PER_CORE
#define CS_SELECT_DIST_BLOCK CR_CORE_DEFAULT_DIST_BLOCK
#define CS_SELECT_LLN CR_LLN
#endif

/*
 * Data of slurmctld that clients and slurmd lack, which up to 24.11 load the select
 * plugin too: it must load without them.  Functions are bound when first called.
 */
#pragma weak job_list
#pragma weak node_record_count
#pragma weak node_record_table_ptr
#pragma weak part_list
#pragma weak slurmctld_config
#pragma weak slurmctld_diag_stats

#endif
