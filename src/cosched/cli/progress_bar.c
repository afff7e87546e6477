/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/progress_bar.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/options.h"

#define BAR_WIDTH 40
#define BAR_SECONDS .1
#define MEGABYTE 1000000
#define BUFFER 65536

void cs_bar_init(struct cs_bar *b)
{
	*b = (struct cs_bar){ .terminal = isatty(STDERR_FILENO) == 1,
			      .unit = "jobs" };
	b->last_s = cs_cmd_clock_s();
}

/* One write per bar, since several processes may draw. */
void cs_bar_draw(void *bar, size_t done, size_t all)
{
	struct cs_bar *b = bar;
	double now_s;
	size_t full = all && done < all ? done * BAR_WIDTH / all : BAR_WIDTH;
	char text[BAR_WIDTH + 128], marks[BAR_WIDTH + 1];

	if (!b->terminal)
		return;
	now_s = cs_cmd_clock_s();
	if (now_s - b->last_s < BAR_SECONDS)
		return;
	b->last_s = now_s;
	b->drawn = true;
	memset(marks, ' ', BAR_WIDTH);
	memset(marks, '#', full);
	marks[BAR_WIDTH] = '\0';
	if (all)
		snprintf(text, sizeof(text), "\r[%s] %zu of %zu %s", marks,
			 done, all, b->unit);
	else
		snprintf(text, sizeof(text), "\r%zu %s", done, b->unit);
	fputs(text, stderr);
}

void cs_bar_done(struct cs_bar *b)
{
	if (b->drawn)
		fprintf(stderr, "\r%*s\r", BAR_WIDTH + 60, "");
	b->drawn = false;
}

/* ---- a file -------------------------------------------------------------- */

static ssize_t read_some(void *cookie, char *buf, size_t size)
{
	struct cs_bar *b = cookie;
	ssize_t n;

	do
		n = read(b->fd, buf, size);
	while (n < 0 && errno == EINTR);
	if (n > 0)
		b->done += (uint64_t)n;
	cs_bar_draw(b, (size_t)(b->done / MEGABYTE),
		    (size_t)((b->size + MEGABYTE - 1) / MEGABYTE));
	return n;
}

static int close_it(void *cookie)
{
	struct cs_bar *b = cookie;

	return close(b->fd);
}

FILE *cs_bar_open(struct cs_bar *b, const char *name)
{
	static const cookie_io_functions_t functions = { .read = read_some,
							 .close = close_it };
	struct stat st;
	FILE *file;

	cs_bar_init(b);
	b->unit = "MB";
	b->fd = strcmp(name, "-") ? open(name, O_RDONLY | O_CLOEXEC)
				  : dup(STDIN_FILENO);
	if (b->fd < 0)
		return NULL;
	if (!fstat(b->fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0)
		b->size = (uint64_t)st.st_size;
	file = fopencookie(b, "r", functions);
	if (file)
		setvbuf(file, NULL, _IOFBF, BUFFER);
	else
		close(b->fd);
	return file;
}
