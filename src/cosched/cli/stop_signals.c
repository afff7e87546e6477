/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/stop_signals.h"

#include <stddef.h>

static const int signals[CS_STOP_SIGNALS] = { SIGHUP, SIGINT, SIGTERM };

static volatile sig_atomic_t caught;

static void note(int sig)
{
	caught = sig;
}

void cs_stop_signals_catch(struct sigaction was[CS_STOP_SIGNALS])
{
	struct sigaction act = { .sa_handler = note };

	caught = 0;
	sigfillset(&act.sa_mask);
	for (size_t i = 0; i < CS_STOP_SIGNALS; i++) {
		sigaction(signals[i], NULL, &was[i]);
		if (was[i].sa_handler != SIG_IGN)
			sigaction(signals[i], &act, NULL);
	}
}

void cs_stop_signals_restore(const struct sigaction was[CS_STOP_SIGNALS])
{
	for (size_t i = 0; i < CS_STOP_SIGNALS; i++)
		sigaction(signals[i], &was[i], NULL);
}

int cs_stop_signals_caught(void)
{
	return caught;
}

void cs_stop_signals_hold(bool hold)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < CS_STOP_SIGNALS; i++)
		sigaddset(&set, signals[i]);
	sigprocmask(hold ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
}
