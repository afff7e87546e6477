/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cosched top: the machine, the jobs that share, and the queue by promised start; live
 * in a terminal, or as text for scripts (-b).
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/cmd.h"
#include "cli/json_view.h"
#include "query/ask_plugin.h"
#include "top/terminal.h"
#include "top/top_page.h"

struct wish {
	const char *socket;
	int64_t delay_s, count; /* count 0: forever */
	bool batch, json;
};

static int ask(const struct wish *w, struct json_object **ret,
	       struct cs_err *err)
{
	const struct cs_wire_question q = { .cmd = "top", .task = UINT32_MAX };

	return cs_ask_plugin(w->socket, &q, ret, err);
}

/* ---- for scripts ------------------------------------------------------------ */

/* Those of the terminal or of COLUMNS; 0: lines are not cut. */
static int columns(void)
{
	const char *set = getenv("COLUMNS");
	int n = set ? atoi(set) : 0;

	if (isatty(STDOUT_FILENO))
		return cs_cmd_columns();
	return n > 0 ? n : 0;
}

static int batch(const struct wish *w)
{
	struct json_object *o;
	struct cs_err err;
	char *page;

	for (int64_t i = 0; !w->count || i < w->count; i++) {
		if (i)
			sleep((unsigned)w->delay_s);
		if (ask(w, &o, &err))
			return cs_cmd_failed("top: %s", err.text);
		page = w->json ? NULL : cs_top_page(o, columns(), 0);
		if (w->json)
			cs_json_view_dump(o);
		else
			printf("%s%s", i ? "\n" : "", page ? page : "");
		json_object_put(o);
		free(page);
		if (fflush(stdout))
			break; /* main() reports it */
	}
	return CS_EXIT_OK;
}

/* ---- in a terminal ---------------------------------------------------------- */

/* Show the screen for @o, below a line with @trouble, if any. */
static void show(struct json_object *o, const char *trouble)
{
	int columns, rows, taken = *trouble ? 1 : 0;
	size_t size;
	char *page, *all;

	cs_terminal_size(&columns, &rows);
	page = o ? cs_top_page(o, columns, rows - taken) : strdup("");
	size = (page ? strlen(page) : 0) + strlen(trouble) + 16;
	all = page ? malloc(size) : NULL;
	if (all) {
		snprintf(all, size, "%.*s%s%s", columns, trouble,
			 taken ? "\n" : "", page);
		cs_terminal_show(all);
	}
	free(all);
	free(page);
}

/* Wait for the next update, redrawing as needed; false: quit. */
static bool wait_key(const struct wish *w, struct json_object *o,
		     const char *trouble)
{
	struct timespec now;
	int64_t until_ms, left_ms;
	int key;

	clock_gettime(CLOCK_MONOTONIC, &now);
	until_ms =
		now.tv_sec * 1000 + now.tv_nsec / 1000000 + w->delay_s * 1000;
	for (;;) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		left_ms =
			until_ms - (now.tv_sec * 1000 + now.tv_nsec / 1000000);
		if (left_ms <= 0)
			return true;
		key = cs_terminal_key((int)left_ms);
		if (key == 'q' || key == CS_KEY_GONE)
			return false;
		if (key == ' ')
			return true;
		if (key == CS_KEY_RESIZED)
			show(o, trouble);
	}
}

static int live(const struct wish *w)
{
	struct json_object *o = NULL, *next;
	struct cs_err err = { "asking slurmctld" };
	bool goes_on = true;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return cs_cmd_bad("top: not a terminal, expected one, or -b");
	if (cs_terminal_open())
		return cs_cmd_bad(
			"top: the terminal does not let keys be read, "
			"expected one that does, or -b");
	show(NULL, err.text);
	for (int64_t i = 0; goes_on && (!w->count || i < w->count); i++) {
		if (!ask(w, &next, &err)) {
			json_object_put(o);
			o = next;
			err.text[0] = '\0';
		}
		show(o, err.text);
		goes_on = wait_key(w, o, err.text);
	}
	cs_terminal_close();
	json_object_put(o);
	return *err.text ? cs_cmd_failed("top: %s", err.text) : CS_EXIT_OK;
}

static int run(int argc, char **argv)
{
	static const struct option options[] = {
		{ "b", 0, NULL, 'b' },
		{ "d", 1, NULL, 'd' },
		{ "n", 1, NULL, 'n' },
		{ "json", 0, NULL, 'j' },
		{ "socket", 1, NULL, 's' },
		{ "help", 0, NULL, 'h' },
		{ 0 },
	};
	struct wish w = { .delay_s = 2, .count = -1 };
	int c, rc = 0;

	while (!rc &&
	       (c = cs_cmd_getopt(&cs_cmd_top, argc, argv, options)) != -1) {
		if (c == '?')
			return CS_EXIT_USAGE;
		if (c == 'd')
			rc = cs_cmd_whole("top", "-d", optarg, 1, 86400,
					  &w.delay_s);
		if (c == 'n')
			rc = cs_cmd_whole("top", "-n", optarg, 1, INT32_MAX,
					  &w.count);
		if (c == 's')
			w.socket = optarg;
		w.batch |= c == 'b' || c == 'j';
		w.json |= c == 'j';
	}
	if (rc)
		return rc;
	if (argc > optind)
		return cs_cmd_bad(
			"top: unexpected argument '%s', expected options only",
			argv[optind]);
	if (w.count < 0)
		w.count = w.batch; /* once, or forever */
	return w.batch ? batch(&w) : live(&w);
}

const struct cs_cmd cs_cmd_top = {
	"top", "[OPTION]...",
	"Show the machine, jobs that share, and the queue by promised start.",
	run,
	"  -d SECONDS     seconds between updates (2)\n"
	"  -n COUNT       end after so many updates\n"
	"  -b             as text, once or -n times: for scripts; lines are cut "
	"at COLUMNS,\n                 if it is set\n"
	"  --json         as -b, but the plugin's answers, unchanged\n"
	"  --socket ADDR  where the plugin listens: a path, a port or "
	"HOST:PORT\n"
	"q quits, space updates at once.\n"
};
