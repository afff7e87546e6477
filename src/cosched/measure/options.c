/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/options.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/job_array.h"

/* Options that a measurement sets itself. */
static const struct own {
	char letter; /* 0: none */
	const char *
		name; /* also with an ending such as -per-node, if it ends with - */
	bool value; /* it has one */
} own[] = {
	{ 'N', "--nodes", true },
	{ 'n', "--ntasks", true },
	{ 0, "--ntasks-", true },
	{ 0, "--tasks-per-node", true },
	{ 'c', "--cpus-per-task", true },
	{ 0, "--mem", true },
	{ 0, "--mem-per-cpu", true },
	{ 0, "--exclusive", false },
	{ 's', "--oversubscribe", false },
	{ 0, "--share", false },
	{ 'w', "--nodelist", true },
	{ 'F', "--nodefile", true },
	{ 't', "--time", true },
	{ 0, "--time-min", true },
	{ 'd', "--dependency", true },
	{ 'J', "--job-name", true },
	{ 'o', "--output", true },
	{ 'e', "--error", true },
	{ 'i', "--input", true },
	{ 'D', "--chdir", true },
	{ 'm', "--distribution", true },
	{ 'S', "--core-spec", true },
	{ 0, "--requeue", false },
	{ 0, "--no-requeue", false },
	{ 0, "--parsable", false },
	{ 'Q', "--quiet", false },
	{ 'B', "--extra-node-info", true },
	{ 0, "--sockets-per-node", true },
	{ 0, "--cores-per-socket", true },
	{ 0, "--threads-per-core", true },
	{ 0, "--hint", true },
	{ 'O', "--overcommit", false },
};

/* Is @word that option?  *ret_next: its value is the next word. */
static bool is(const struct own *o, const char *word, bool *ret_next)
{
	size_t n = strlen(o->name);
	bool open = o->name[n - 1] == '-';

	*ret_next = false;
	if (o->letter && word[0] == '-' && word[1] == o->letter) {
		*ret_next = o->value && !word[2];
		return true;
	}
	if (strncmp(word, o->name, n) || (!open && word[n] && word[n] != '='))
		return false;
	*ret_next = o->value && !strchr(word, '=');
	return true;
}

static bool is_own(const char *word, bool *ret_next)
{
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (is(&own[i], word, ret_next))
			return true;
	*ret_next = false;
	return false;
}

int cs_measure_options_given(struct cs_measure_options *ret, const char *text,
			     struct cs_err *err)
{
	struct cs_measure_options o = { .text = NULL };
	int rc = cs_sweep_array_words("--sbatch", text, &o.word, &o.n, err);
	bool next;

	if (rc)
		return rc;
	for (size_t i = 0; i < o.n; i++)
		if (is_own(o.word[i], &next)) {
			rc = cs_err_set(err, -EINVAL,
					"--sbatch has '%.100s', which the "
					"measurement sets itself, expected "
					"options such as --partition and "
					"--account",
					o.word[i]);
			cs_measure_options_done(&o);
			return rc;
		}
	*ret = o;
	return 0;
}

/* The #SBATCH lines, as one line. */
static char *head_of(const char *script)
{
	static const char mark[] = "#SBATCH";
	char *text = malloc(strlen(script) + 2), *to = text;

	for (const char *line = script; text && *line;) {
		size_t n = strcspn(line, "\n");

		if (!strncmp(line, mark, sizeof(mark) - 1) &&
		    strchr(" \t", line[sizeof(mark) - 1]) &&
		    n > sizeof(mark) - 1) {
			size_t from = sizeof(mark) - 1, end = from;

			/* a comment begins behind a blank */
			while (end < n &&
			       !(line[end] == '#' &&
				 isspace((unsigned char)line[end - 1])))
				end++;
			memcpy(to, line + from, end - from);
			to += end - from;
			*to++ = ' ';
		} else if (n && *line != '#') {
			break;
		}
		line += n + (line[n] == '\n');
	}
	if (text)
		*to = '\0';
	return text;
}

/* Remove what a measurement sets itself. */
static void drop_own(struct cs_measure_options *o)
{
	size_t kept = 0;
	bool next;

	for (size_t i = 0; i < o->n; i++)
		if (is_own(o->word[i], &next))
			i += next;
		else
			o->word[kept++] = o->word[i];
	o->n = kept;
}

int cs_measure_options_script(struct cs_measure_options *ret,
			      const char *script, const char *name,
			      struct cs_err *err)
{
	struct cs_measure_options o = { .text = NULL };
	struct cs_err why = { "" };
	char *head = head_of(script);
	int rc;

	if (!head)
		return cs_err_set(err, -ENOMEM, "no memory");
	rc = strstr(head, " hetjob ") || strstr(head, " packjob ")
		     ? cs_err_set(&why, -EINVAL,
				  "it is a heterogeneous job, expected one "
				  "component")
		     : cs_sweep_array_words("#SBATCH", head, &o.word, &o.n,
					    &why);
	free(head);
	if (rc == -EINVAL)
		return cs_err_set(err, rc, "'%.100s': %.250s", name, why.text);
	if (rc)
		return cs_err_set(err, rc, "no memory");
	drop_own(&o);
	*ret = o;
	return 0;
}

void cs_measure_options_done(struct cs_measure_options *o)
{
	free(o->word);
	free(o->text);
	*o = (struct cs_measure_options){ .n = 0 };
}

const char *cs_measure_options_value(const struct cs_measure_options *o,
				     char letter, const char *name)
{
	const struct own want = { letter, name, true };
	const char *value = NULL;
	bool next;

	for (size_t i = 0; i < o->n; i++) {
		const char *word = o->word[i];

		if (!is(&want, word, &next))
			continue;
		if (next)
			value = i + 1 < o->n ? o->word[i + 1] : value;
		else
			value = word[1] == '-' ? strchr(word, '=') + 1
					       : word + 2;
	}
	return value;
}
