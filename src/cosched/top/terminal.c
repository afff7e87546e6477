/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any terminal understands ECMA-48: no library is needed for one screen.
 *
 * The handler of a fatal signal restores the terminal by write(2) and tcsetattr(3),
 * which handlers may call, and then delivers the signal again: so this works while the
 * process waits for slurmctld, too.
 */
#include "top/terminal.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#define ENTER "\033[?1049h\033[?25l\033[2J"
#define LEAVE "\033[?25h\033[?1049l"

static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE };

static struct {
	struct termios before, keys;
	volatile sig_atomic_t open, redraw;
} terminal;

static void put(const char *text, size_t n)
{
	while (n) {
		ssize_t done = write(STDOUT_FILENO, text, n);

		if (done < 0 && errno != EINTR && errno != EAGAIN)
			return;
		text += done > 0 ? done : 0;
		n -= done > 0 ? (size_t)done : 0;
	}
}

static void enter(void)
{
	tcsetattr(STDIN_FILENO, TCSADRAIN, &terminal.keys);
	put(ENTER, strlen(ENTER));
	terminal.open = 1;
	terminal.redraw = 1;
}

void cs_terminal_close(void)
{
	if (!terminal.open)
		return;
	terminal.open = 0;
	put(LEAVE, strlen(LEAVE));
	tcsetattr(STDIN_FILENO, TCSANOW, &terminal.before);
}

/* Deliver the signal as if there were no handler. */
static void let_it(int sig)
{
	sigset_t one;

	signal(sig, SIG_DFL);
	raise(sig);
	sigemptyset(&one);
	sigaddset(&one, sig);
	sigprocmask(SIG_UNBLOCK, &one, NULL);
}

static void on_end(int sig)
{
	int was = errno;

	cs_terminal_close();
	let_it(sig);
	errno = was;
}

static void handle(int sig, void (*handler)(int));

/* let_it() returns when the process is continued. */
static void on_stop(int sig)
{
	int was = errno;

	cs_terminal_close();
	let_it(sig);
	handle(sig, on_stop);
	enter();
	errno = was;
}

static void on_size(int sig)
{
	(void)sig;
	terminal.redraw = 1;
}

static void handle(int sig, void (*handler)(int))
{
	struct sigaction a = { .sa_handler = handler };

	sigemptyset(&a.sa_mask);
	sigaction(sig, &a, NULL);
}

int cs_terminal_open(void)
{
	if (tcgetattr(STDIN_FILENO, &terminal.before))
		return -errno;
	terminal.keys = terminal.before;
	terminal.keys.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	terminal.keys.c_cc[VMIN] = 1;
	terminal.keys.c_cc[VTIME] = 0;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		handle(ends[i], on_end);
	handle(SIGTSTP, on_stop);
	handle(SIGWINCH, on_size);
	enter();
	return 0;
}

void cs_terminal_size(int *ret_columns, int *ret_rows)
{
	struct winsize w;

	*ret_columns = 80;
	*ret_rows = 24;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) || !w.ws_col || !w.ws_row)
		return;
	*ret_columns = w.ws_col;
	*ret_rows = w.ws_row;
}

void cs_terminal_show(const char *text)
{
	static const char home[] = "\033[H", rest[] = "\033[K",
			  all[] = "\033[J";

	put(home, strlen(home));
	while (*text) {
		size_t n = strcspn(text, "\n");

		put(text, n);
		put(rest, strlen(rest));
		text += n + (text[n] != 0);
		if (*text)
			put("\r\n", 2);
	}
	put(all, strlen(all));
}

int cs_terminal_key(int ms)
{
	struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };
	unsigned char key;
	ssize_t n;

	if (!terminal.redraw && poll(&p, 1, ms) <= 0 && !terminal.redraw)
		return CS_KEY_NONE;
	if (terminal.redraw) {
		terminal.redraw = 0;
		return CS_KEY_RESIZED;
	}
	n = read(STDIN_FILENO, &key, 1);
	return n == 1			 ? key
	       : n < 0 && errno == EINTR ? CS_KEY_NONE
					 : CS_KEY_GONE;
}
