/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers of 128 bits: work in core microseconds times a fine unit. */
#ifndef CS_BASE_U128_H
#define CS_BASE_U128_H

__extension__ typedef unsigned __int128 cs_u128;

#endif
