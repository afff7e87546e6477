/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Slurm release that a plugin's file was built for: read, never loaded.
 */
#ifndef CS_COSCHED_CONF_PLUGIN_FILE_H
#define CS_COSCHED_CONF_PLUGIN_FILE_H

#include <stdint.h>

/* `plugin_version` in the ELF file @path, for this machine: 0x160508 is
 * 22.05.8.  0: no such file, or none in it. */
uint32_t cs_plugin_file_release(const char *path);

/* "22.05.8", also after other words ("slurm-wlm 22.05.8"), as such a number; 0:
 * none. */
uint32_t cs_plugin_file_release_number(const char *text);

#endif
