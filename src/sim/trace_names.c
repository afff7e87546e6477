/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"
#include "common/base/idmap.h"
#include "common/base/utf8.h"

static const char *const keys[CS_NAME_KINDS] = {
	"UserName:",	  "GroupName:",	  "ExecutableName:",
	"PartitionName:", "GpuTypeName:",
};

struct entry {
	int32_t number;
	char text[];
};

struct kind {
	struct cs_idmap by_number, by_text; /* of entries */
	struct entry **entry;		    /* [n], owned */
	size_t n, cap;
};

struct cs_trace_names {
	struct kind of[CS_NAME_KINDS];
};

struct cs_trace_names *cs_trace_names_create(void)
{
	return calloc(1, sizeof(struct cs_trace_names));
}

void cs_trace_names_free(struct cs_trace_names *n)
{
	for (int i = 0; n && i < CS_NAME_KINDS; i++) {
		struct kind *k = &n->of[i];

		for (size_t j = 0; j < k->n; j++)
			free(k->entry[j]);
		free(k->entry);
		cs_idmap_done(&k->by_number);
		cs_idmap_done(&k->by_text);
	}
	free(n);
}

const char *cs_trace_name(const struct cs_trace_names *n,
			  enum cs_trace_name kind, int32_t number)
{
	const struct entry *e;

	if (!n || number < 0)
		return NULL;
	e = cs_idmap_find(&n->of[kind].by_number, (uint32_t)number);
	return e ? e->text : NULL;
}

static bool blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* The bytes at @buf that are no UTF-8 become '?'; a character cut off at its end goes.
 * Returns the length left. */
static size_t clean_utf8(char *buf, size_t n, bool cut)
{
	for (size_t i = 0, len; i < n; i += len) {
		len = cs_utf8_len(buf + i, n - i);
		if (!len && cut && n - i < 4 && (unsigned char)buf[i] >= 0xc2) {
			buf[i] = '\0';
			return i;
		}
		if (!len) {
			buf[i] = '?';
			len = 1;
		}
	}
	return n;
}

/* @text up to its line's end, cleaned, into @buf.  Returns its length. */
static size_t clean(const char *text, char buf[CS_TRACE_NAME_MAX + 1])
{
	size_t n;
	bool cut;

	while (blank(*text))
		text++;
	n = strcspn(text, "\n");
	cut = n > CS_TRACE_NAME_MAX;
	if (cut)
		n = CS_TRACE_NAME_MAX;
	while (n && blank(text[n - 1]))
		n--;
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)text[i];

		buf[i] = c < ' ' || c == 127 ? '?' : text[i];
	}
	buf[n] = '\0';
	return clean_utf8(buf, n, cut);
}

/* FNV-1a; texts with equal hashes are chained. */
static uint64_t hash(const char *text)
{
	uint64_t h = UINT64_C(14695981039346656037);

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * UINT64_C(1099511628211);
	return h;
}

/* NULL: @text is new, and *ret_at is its place. */
static struct entry *find_text(const struct kind *k, const char *text,
			       uint64_t *ret_at)
{
	uint64_t at = hash(text);
	struct entry *e;

	while ((e = cs_idmap_find(&k->by_text, at)) && strcmp(e->text, text))
		at++;
	*ret_at = at;
	return e;
}

static int add(struct kind *k, int32_t number, const char *text, size_t len)
{
	struct entry *e = malloc(sizeof(*e) + len + 1);
	uint64_t at;

	if (!e)
		return -ENOMEM;
	if (cs_array_room(&k->entry, &k->cap, k->n + 1) ||
	    cs_idmap_reserve(&k->by_number, k->n + 1) ||
	    cs_idmap_reserve(&k->by_text, k->n + 1))
		goto nomem;
	e->number = number;
	memcpy(e->text, text, len + 1);
	k->entry[k->n++] = e;
	cs_idmap_add(&k->by_number, (uint32_t)number, e);
	if (!find_text(k, text, &at))
		cs_idmap_add(&k->by_text, at, e);
	return 0;
nomem:
	free(e);
	return -ENOMEM;
}

int cs_trace_names_number(struct cs_trace_names *n, enum cs_trace_name kind,
			  const char *text, int32_t *ret)
{
	char buf[CS_TRACE_NAME_MAX + 1];
	struct kind *k = &n->of[kind];
	size_t len = clean(text, buf);
	const struct entry *e;
	uint64_t at;
	int rc;

	*ret = -1;
	if (!len)
		return 0;
	e = find_text(k, buf, &at);
	if (!e) {
		if (k->n >= INT32_MAX)
			return -ENOMEM;
		rc = add(k, (int32_t)k->n + 1, buf, len);
		if (rc)
			return rc;
		e = k->entry[k->n - 1];
	}
	*ret = e->number;
	return 0;
}

/* The number at *at, which moves past it; -1: none. */
static int32_t number(const char **at)
{
	int64_t v = 0;
	const char *c = *at;

	while (blank(*c))
		c++;
	if (*c < '0' || *c > '9')
		return -1;
	for (; *c >= '0' && *c <= '9'; c++) {
		v = v * 10 + (*c - '0');
		if (v > INT32_MAX)
			return -1;
	}
	*at = c;
	return blank(*c) ? (int32_t)v : -1;
}

int cs_trace_names_line(struct cs_trace_names **n, const char *line)
{
	char buf[CS_TRACE_NAME_MAX + 1];

	while (*line == ';' || blank(*line))
		line++;
	for (int i = 0; i < CS_NAME_KINDS; i++) {
		const char *at;
		int32_t v;
		size_t len;

		if (strncmp(line, keys[i], strlen(keys[i])))
			continue;
		at = line + strlen(keys[i]);
		v = number(&at);
		len = v < 0 ? 0 : clean(at, buf);
		if (!len)
			return 0;
		if (!*n && !(*n = cs_trace_names_create()))
			return -ENOMEM;
		if (cs_trace_name(*n, (enum cs_trace_name)i, v))
			return 0;
		return add(&(*n)->of[i], v, buf, len);
	}
	return 0;
}

void cs_trace_names_write(const struct cs_trace_names *n, FILE *file)
{
	for (int i = 0; n && i < CS_NAME_KINDS; i++)
		for (size_t j = 0; j < n->of[i].n; j++)
			fprintf(file, "; %s %d %s\n", keys[i],
				n->of[i].entry[j]->number,
				n->of[i].entry[j]->text);
}
