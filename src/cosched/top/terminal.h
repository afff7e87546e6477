/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The terminal as one full screen: its alternate buffer, and keys as they are typed.
 * Any signal that ends the process leaves the terminal as it was.
 */
#ifndef CS_COSCHED_TOP_TERMINAL_H
#define CS_COSCHED_TOP_TERMINAL_H

/* Take the terminal; standard input and output must be one.  0, -errno. */
int cs_terminal_open(void);
/* Restore it; harmless before cs_terminal_open(). */
void cs_terminal_close(void);

void cs_terminal_size(int *ret_columns, int *ret_rows);

/* Show the lines @text in place of what was there. */
void cs_terminal_show(const char *text);

enum { CS_KEY_NONE = -1, CS_KEY_RESIZED = -2, CS_KEY_GONE = -3 };

/* The next key within @ms, or one of the above: nothing was typed; redraw (the size
 * changed, or the process was continued); end of input. */
int cs_terminal_key(int ms);

#endif
