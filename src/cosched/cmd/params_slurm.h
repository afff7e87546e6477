/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What becomes of Slurm's own keys in mode act: doc/admin/settings.md. */
#ifndef CS_COSCHED_CMD_PARAMS_SLURM_H
#define CS_COSCHED_CMD_PARAMS_SLURM_H

/* To stdout. */
void cs_params_slurm_print(void);

#endif
