/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The user's wishes: items after "cosched:" in a job's comment.  Everything here is
 * safe on any bytes.
 */
#include "profile/job_comment.h"

#include <stdio.h>
#include <string.h>

#define MILLION INT64_C(1000000)
#define ACROSS_MAX (100 * MILLION)
#define COMMENT_MAX 4096 /* bytes read of a job's comment */

bool cs_job_comment_name_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '+' ||
	       c == '-';
}

static bool blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Length of @text before one of the bytes that end it. */
static size_t until(const char *text, size_t n, bool comma)
{
	size_t i = 0;

	while (i < n && !blank(text[i]) && text[i] != ';' &&
	       !(comma && text[i] == ','))
		i++;
	return i;
}

/* Look for @key in the items of @n bytes at @text, "a=b,c=d". */
static enum cs_comment_found find_in_group(const char *text, size_t n,
					   const char *key, char *buf,
					   size_t size)
{
	size_t key_len = strlen(key);
	enum cs_comment_found found = CS_COMMENT_ABSENT;

	for (;;) {
		size_t len = until(text, n, true), k = key_len + 1;

		if (len >= k && !memcmp(text, key, key_len) &&
		    text[key_len] == '=') {
			size_t v = k, keep = len - k;

			while (v < len && cs_job_comment_name_byte(text[v]))
				v++;
			if (v == len) {
				if (keep >= size)
					keep = size - 1;
				memcpy(buf, text + k, keep);
				buf[keep] = '\0';
				return CS_COMMENT_GOOD;
			}
			found = CS_COMMENT_BAD;
		}
		if (len == n)
			return found;
		text += len + 1;
		n -= len + 1;
	}
}

/* The items after the next "cosched:" of @comment from *at on. */
static bool next_group(const char *comment, size_t *at, const char **ret_text,
		       size_t *ret_n)
{
	static const char mark[] = "cosched:";
	const size_t mark_len = sizeof(mark) - 1;
	size_t n = comment ? strnlen(comment, COMMENT_MAX) : 0;

	for (size_t i = *at; i + mark_len <= n; i++) {
		size_t len;

		if ((i && !blank(comment[i - 1]) && comment[i - 1] != ';') ||
		    memcmp(comment + i, mark, mark_len))
			continue;
		i += mark_len;
		len = until(comment + i, n - i, false);
		*at = i + len + 1; /* past the blank or ';' after it */
		/* text past the limit is ignored */
		if (n == COMMENT_MAX && i + len == n) {
			while (len && comment[i + len - 1] != ',')
				len--;
			len -= len > 0;
		}
		*ret_text = comment + i;
		*ret_n = len;
		return true;
	}
	return false;
}

enum cs_comment_found cs_job_comment_find(const char *comment, const char *key,
					  char *buf, size_t size)
{
	enum cs_comment_found found = CS_COMMENT_ABSENT;
	const char *text;
	size_t at = 0, n;

	while (next_group(comment, &at, &text, &n)) {
		enum cs_comment_found here =
			find_in_group(text, n, key, buf, size);

		if (here == CS_COMMENT_GOOD)
			return here;
		if (here == CS_COMMENT_BAD)
			found = here;
	}
	return found;
}

bool cs_job_comment_item(const char *comment, const char *key, char *buf,
			 size_t size)
{
	return size &&
	       cs_job_comment_find(comment, key, buf, size) == CS_COMMENT_GOOD;
}

bool cs_job_comment_campaign(const char *comment, char *buf)
{
	/* one byte more: a cut value is not a name */
	char text[CS_COMMENT_CAMPAIGN + 1] = "";
	bool there =
		cs_job_comment_item(comment, "campaign", text, sizeof(text)) &&
		*text && strlen(text) < CS_COMMENT_CAMPAIGN;

	snprintf(buf, CS_COMMENT_CAMPAIGN, "%s", there ? text : "");
	return there;
}

/* @n bytes "12.345" as millionths, at most ACROSS_MAX. */
static bool is_across(const char *text, size_t n, int64_t *ret)
{
	int64_t v = 0, unit = MILLION;
	bool digit = false, point = false;

	for (size_t i = 0; i < n; i++) {
		if (text[i] == '.' && !point) {
			point = true;
			continue;
		}
		if (text[i] < '0' || text[i] > '9' || v > ACROSS_MAX)
			return false;
		digit = true;
		if (point)
			unit /= 10;
		v = point ? v + unit * (text[i] - '0')
			  : 10 * v + MILLION * (text[i] - '0');
	}
	*ret = v;
	return digit && v <= ACROSS_MAX;
}

bool cs_job_comment_across(const char *comment, int64_t *ret)
{
	char text[16];

	return comment &&
	       cs_job_comment_item(comment, "across", text, sizeof(text)) &&
	       strlen(text) < sizeof(text) - 1 &&
	       is_across(text, strlen(text), ret);
}

static bool same(const char *text, size_t n, const char *word)
{
	return n == strlen(word) && !memcmp(text, word, n);
}

static enum cs_comment_wait wait_of(const char *text, size_t n)
{
	static const char *const spins[] = { "local", "off" };
	static const char *const yields[] = { "yield", "ib", "sb", "hybrid",
					      "proc-b" };

	for (size_t i = 0; i < sizeof(spins) / sizeof(*spins); i++)
		if (same(text, n, spins[i]))
			return CS_COMMENT_WAIT_SPINS;
	for (size_t i = 0; i < sizeof(yields) / sizeof(*yields); i++)
		if (same(text, n, yields[i]))
			return CS_COMMENT_WAIT_YIELDS;
	return CS_COMMENT_WAIT_NONE;
}

enum cs_comment_wait cs_job_comment_wait(const char *comment)
{
	char text[16];

	return comment && cs_job_comment_item(comment, "wait", text,
					      sizeof(text))
		       ? wait_of(text, strlen(text))
		       : CS_COMMENT_WAIT_NONE;
}

struct check {
	char *buf;
	size_t size;
	bool wrong, no_share;
	bool there[5]; /* by comment_key */
};

enum comment_key {
	KEY_PROFILE,
	KEY_SHARE,
	KEY_CAMPAIGN,
	KEY_ACROSS,
	KEY_WAIT,
	KEY_NONE
};

static const char *const comment_keys[] = { "profile", "share", "campaign",
					    "across", "wait" };

/* Keep the first fault; @n bytes at @text, cleaned, replace "%s". */
static void fault(struct check *c, const char *fmt, const char *text, size_t n)
{
	char clean[33];

	n = n < sizeof(clean) ? n : sizeof(clean) - 1;
	for (size_t i = 0; i < n; i++)
		clean[i] = cs_job_comment_name_byte(text[i]) ? text[i] : '?';
	clean[n] = '\0';
	if (!c->wrong && c->size)
		snprintf(c->buf, c->size, fmt, clean);
	c->wrong = true;
}

static enum comment_key key_of(const char *text, size_t n)
{
	int k = 0;

	while (k < KEY_NONE && !same(text, n, comment_keys[k]))
		k++;
	return (enum comment_key)k;
}

static void check_share(struct check *c, const char *text, size_t n)
{
	bool yes = same(text, n, "yes");

	c->no_share |= !yes;
	if (c->there[KEY_SHARE])
		fault(c, "share is given twice", text, 0);
	else if (!yes && !same(text, n, "no"))
		fault(c, "share is '%s', expected no or yes: taken for no",
		      text, n);
}

static bool is_name(const char *text, size_t n)
{
	size_t good = 0;

	while (good < n && cs_job_comment_name_byte(text[good]))
		good++;
	return n && good == n;
}

static void check_profile(struct check *c, const char *text, size_t n)
{
	if (c->there[KEY_PROFILE])
		fault(c, "profile is given twice, the first counts", text, 0);
	else if (!is_name(text, n))
		fault(c,
		      "profile is '%s', expected a name of letters, digits and "
		      "._+-",
		      text, n);
}

static void check_campaign(struct check *c, const char *text, size_t n)
{
	if (c->there[KEY_CAMPAIGN])
		fault(c, "campaign is given twice, the first counts", text, 0);
	else if (!is_name(text, n) || n >= CS_COMMENT_CAMPAIGN)
		fault(c,
		      "campaign is '%s', expected a name of at most 63 "
		      "letters, digits and ._+-: taken for none",
		      text, n);
}

static void check_across(struct check *c, const char *text, size_t n)
{
	int64_t across;

	if (c->there[KEY_ACROSS])
		fault(c, "across is given twice, the first counts", text, 0);
	else if (n > 14 || !is_across(text, n, &across))
		fault(c,
		      "across is '%s', expected a number from 0 to 100: taken for "
		      "none",
		      text, n);
}

static void check_wait(struct check *c, const char *text, size_t n)
{
	if (c->there[KEY_WAIT])
		fault(c, "wait is given twice, the first counts", text, 0);
	else if (wait_of(text, n) == CS_COMMENT_WAIT_NONE)
		fault(c,
		      "wait is '%s', expected local, off, yield, ib, sb, "
		      "hybrid or proc-b: taken for none",
		      text, n);
}

/* One item, "key=value". */
static void check_item(struct check *c, const char *text, size_t n)
{
	static void (*const check[])(struct check *, const char *, size_t) = {
		[KEY_PROFILE] = check_profile,	 [KEY_SHARE] = check_share,
		[KEY_CAMPAIGN] = check_campaign, [KEY_ACROSS] = check_across,
		[KEY_WAIT] = check_wait,
	};
	static const char expected[] =
		"profile=NAME, campaign=NAME, across=P, wait=MODE or share=no";
	const char *sign = memchr(text, '=', n);
	size_t len = sign ? (size_t)(sign - text) : n;
	enum comment_key key = key_of(text, len);
	char fmt[128];

	if (sign && key != KEY_NONE) {
		check[key](c, sign + 1, n - len - 1);
		c->there[key] = true;
		return;
	}
	if (key == KEY_SHARE || (sign && same(sign + 1, n - len - 1, "no")))
		c->no_share = true;
	snprintf(fmt, sizeof(fmt), "%s'%%s'%s, expected %s",
		 key == KEY_NONE ? "unknown key " : "",
		 key == KEY_NONE ? "" : " has no value", expected);
	fault(c, fmt, text, len);
}

bool cs_job_comment_check(const char *comment, bool *ret_no_share, char *buf,
			  size_t size)
{
	struct check c = { .buf = buf, .size = size };
	const char *text;
	size_t at = 0, n;

	if (size)
		*buf = '\0';
	while (next_group(comment, &at, &text, &n))
		for (size_t i = 0; i < n;) {
			size_t len = until(text + i, n - i, true);

			if (len)
				check_item(&c, text + i, len);
			i += len + 1;
		}
	*ret_no_share = c.no_share;
	return !c.wrong;
}
