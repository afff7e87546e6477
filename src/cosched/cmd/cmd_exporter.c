/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cosched exporter: the plugin's status for Prometheus.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "cli/cmd.h"
#include "exporter/serve.h"

#define HERE "127.0.0.1:9815"

struct wish {
	const char *listen, *socket;
	bool once;
};

static int read_options(int argc, char **argv, struct wish *w)
{
	static const struct option options[] = {
		{ "listen", 1, NULL, 'l' },
		{ "once", 0, NULL, 'o' },
		{ "socket", 1, NULL, 's' },
		{ "help", 0, NULL, 'h' },
		{ 0 },
	};
	int c;

	while ((c = cs_cmd_getopt(&cs_cmd_exporter, argc, argv, options)) !=
	       -1) {
		if (c == '?')
			return CS_EXIT_USAGE;
		if (c == 'l')
			w->listen = optarg;
		if (c == 's')
			w->socket = optarg;
		w->once |= c == 'o';
	}
	if (optind < argc)
		return cs_cmd_bad("exporter: '%s' is too much", argv[optind]);
	return CS_EXIT_OK;
}

static int print_page(struct cs_source *s)
{
	int64_t now = cs_serve_now_ms();
	bool there = cs_source_fresh(s, now);

	while (!there && s->pid) {
		struct pollfd p = { .fd = s->fd, .events = POLLIN };

		poll(&p, 1, (int)(s->asked_ms + CS_SOURCE_LIMIT_MS - now));
		now = cs_serve_now_ms();
		there = cs_source_read(s, now);
		if (now > s->asked_ms + CS_SOURCE_LIMIT_MS)
			now = s->asked_ms + CS_SOURCE_LIMIT_MS;
	}
	if (!s->page)
		return cs_cmd_failed("exporter: no memory");
	fputs(s->page, stdout);
	return CS_EXIT_OK;
}

static int serve(const struct wish *w, struct cs_source *s)
{
	struct cs_err err;
	int fd, rc = cs_serve_listen(w->listen, &fd, &err);

	if (rc)
		return cs_cmd_bad("exporter: %s", err.text);
	rc = cs_serve(fd, s);
	return rc ? cs_cmd_failed("exporter: %s", strerror(-rc)) : CS_EXIT_OK;
}

static int run(int argc, char **argv)
{
	struct wish w = { .listen = HERE };
	struct cs_source s;
	int rc = read_options(argc, argv, &w);

	if (rc)
		return rc;
	if (cs_source_init(&s, w.socket))
		rc = cs_cmd_failed("exporter: no memory");
	else
		rc = w.once ? print_page(&s) : serve(&w, &s);
	cs_source_done(&s);
	return rc;
}

const struct cs_cmd cs_cmd_exporter = {
	"exporter", "[OPTION]...",
	"Serve the status as metrics for Prometheus.", run,
	"  --listen ADDR:PORT  where to serve /metrics (" HERE ")\n"
	"  --once              print the page and end\n"
	"  --socket ADDR       where the plugin listens, as for status\n"
	"Ends with status 0 on SIGTERM.  doc/admin/monitoring.md has the metrics.\n"
};
