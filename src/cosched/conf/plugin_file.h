/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For which release of Slurm a plugin's file was built: read, never loaded.
 */
#ifndef CS_COSCHED_CONF_PLUGIN_FILE_H
#define CS_COSCHED_CONF_PLUGIN_FILE_H

#include <stdint.h>

/* `plugin_version` in the ELF file @path, of this machine's kind: 0x160508 is
 * 22.05.8.  0: no such file, or it holds none. */
uint32_t cs_plugin_file_release(const char *path);

/* "22.05.8", also behind other words ("slurm-wlm 22.05.8"), as such a number;
 * 0: there is none. */
uint32_t cs_plugin_file_release_number(const char *text);

#endif
