/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What jobs ask of a node's GPUs; what of the machine's is held, free and of use is
 * cs_engine_gpus() (state/figures.h).
 */
#ifndef CS_ENGINE_GPU_USE_H
#define CS_ENGINE_GPU_USE_H

#include <stdbool.h>

#include "model/gpu_mix.h"

struct cs_engine;
struct cs_job;

/* What @job asks for on one of the fewest nodes that it may have, as on the smallest node of
 * its first partition.  false: for no GPU, or the machine has none.  O(1). */
bool cs_gpu_use_request(const struct cs_engine *e, const struct cs_job *job,
			struct cs_gpu_request *ret);

#endif
