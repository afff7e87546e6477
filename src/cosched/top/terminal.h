/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The terminal as one picture: its other screen, keys as they are typed.  Whatever ends
 * the process by a signal leaves the terminal as it was.
 */
#ifndef CS_COSCHED_TOP_TERMINAL_H
#define CS_COSCHED_TOP_TERMINAL_H

/* Take it: standard input and output are a terminal.  0, -errno. */
int cs_terminal_open(void);
/* As it was; also before cs_terminal_open(). */
void cs_terminal_close(void);

void cs_terminal_size(int *ret_columns, int *ret_rows);

/* Show @text, lines, in the place of what was there. */
void cs_terminal_show(const char *text);

enum { CS_KEY_NONE = -1, CS_KEY_RESIZED = -2, CS_KEY_GONE = -3 };

/* The next key within @ms, or one of the above: nothing was typed; the picture has to
 * be drawn again (another size, or the process was stopped); there is no more input. */
int cs_terminal_key(int ms);

#endif
