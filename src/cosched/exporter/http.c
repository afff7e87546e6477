/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "exporter/http.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A piece of the request, without a 0. */
struct piece {
	const char *at;
	size_t n;
};

static bool is(struct piece p, const char *text)
{
	return p.n == strlen(text) && !memcmp(p.at, text, p.n);
}

/* A byte of a token (RFC 9110, 5.6.2). */
static bool is_token(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || (c && strchr("!#$%&'*+-.^_`|~", c));
}

static bool all_token(struct piece p)
{
	for (size_t i = 0; i < p.n; i++)
		if (!is_token(p.at[i]))
			return false;
	return p.n > 0;
}

/* Up to the first @end of @rest, which then begins behind it; false: there is none. */
static bool cut(struct piece *rest, char end, struct piece *ret)
{
	const char *at = rest->n ? memchr(rest->at, end, rest->n) : NULL;

	if (!at)
		return false;
	*ret = (struct piece){ rest->at, (size_t)(at - rest->at) };
	rest->n -= ret->n + 1;
	rest->at = at + 1;
	return true;
}

/* The next line, which CR LF or LF ends. */
static bool cut_line(struct piece *rest, struct piece *ret)
{
	if (!cut(rest, '\n', ret))
		return false;
	if (ret->n && ret->at[ret->n - 1] == '\r')
		ret->n--;
	return true;
}

/* No byte that a head cannot hold: controls but tab and the ends of lines. */
static bool clean(const char *buf, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)buf[i];

		if ((c < ' ' && c != '\t' && c != '\n' && c != '\r') ||
		    c == 127 || (i && buf[i - 1] == '\r' && c != '\n'))
			return false;
	}
	return true;
}

/* Bytes of the head with the empty line that ends it; 0: it has not ended. */
static size_t head_length(const char *buf, size_t n)
{
	struct piece rest = { buf, n }, line;

	while (cut_line(&rest, &line))
		if (!line.n)
			return n - rest.n;
	return 0;
}

/* The path of "/path?query" or "http://host/path?query". */
static bool read_target(struct piece target, struct piece *ret)
{
	const char *end;

	if (target.n > 7 && !strncasecmp(target.at, "http://", 7)) {
		const char *slash = memchr(target.at + 7, '/', target.n - 7);

		if (!slash)
			return false;
		target.n -= (size_t)(slash - target.at);
		target.at = slash;
	}
	if (!target.n || *target.at != '/')
		return false;
	end = memchr(target.at, '?', target.n);
	if (end)
		target.n = (size_t)(end - target.at);
	*ret = target;
	return true;
}

/* The lines behind the first; 200 or 400.  HTTP/1.1 names one host. */
static int read_fields(struct piece rest, bool needs_host)
{
	struct piece line, name;
	int hosts = 0;

	while (cut_line(&rest, &line) && line.n) {
		if (!cut(&line, ':', &name) || !all_token(name))
			return 400;
		hosts += name.n == 4 && !strncasecmp(name.at, "Host", 4);
	}
	return hosts > 1 || (needs_host && !hosts) ? 400 : 200;
}

static int read_head(struct piece rest, struct cs_http_request *r)
{
	struct piece line, method, target, path;
	int rc;

	if (!cut_line(&rest, &line) || !cut(&line, ' ', &method) ||
	    !all_token(method))
		return 400;
	r->head = is(method, "HEAD");
	if (!cut(&line, ' ', &target) || !read_target(target, &path) ||
	    (!is(line, "HTTP/1.1") && !is(line, "HTTP/1.0")))
		return 400;
	rc = read_fields(rest, is(line, "HTTP/1.1"));
	if (rc != 200)
		return rc;
	if (is(path, "/"))
		r->path = CS_HTTP_ROOT;
	else if (is(path, "/metrics"))
		r->path = CS_HTTP_METRICS;
	else
		return 404;
	return r->head || is(method, "GET") ? 200 : 405;
}

int cs_http_read(const char *buf, size_t n, struct cs_http_request *r)
{
	size_t seen = n < CS_HTTP_HEAD_MAX ? n : CS_HTTP_HEAD_MAX;
	size_t head = head_length(buf, seen);

	*r = (struct cs_http_request){ 0 };
	if (!clean(buf, head ? head : seen))
		return 400;
	if (head)
		return read_head((struct piece){ buf, head }, r);
	return n >= CS_HTTP_HEAD_MAX ? 431 : 0;
}

const char *cs_http_reason(int status)
{
	switch (status) {
	case 200:
		return "OK";
	case 404:
		return "Not Found";
	case 405:
		return "Method Not Allowed";
	case 431:
		return "Request Header Fields Too Large";
	default:
		return "Bad Request";
	}
}

char *cs_http_answer(int status, const char *type, const char *body, bool head,
		     size_t *ret_len)
{
	size_t n = strlen(body), room = n + 512;
	char *text = malloc(room);
	int len;

	if (!text)
		return NULL;
	len = snprintf(text, room,
		       "HTTP/1.1 %d %s\r\n"
		       "Content-Type: %s\r\n"
		       "Content-Length: %zu\r\n"
		       "Cache-Control: no-store\r\n"
		       "%sConnection: close\r\n\r\n%s",
		       status, cs_http_reason(status), type, n,
		       status == 405 ? "Allow: GET, HEAD\r\n" : "",
		       head ? "" : body);
	*ret_len = (size_t)len;
	return text;
}
