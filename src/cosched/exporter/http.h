/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requests of HTTP/1.0 and 1.1 (RFC 9112), as much as an exporter needs of them. */
#ifndef CS_COSCHED_EXPORTER_HTTP_H
#define CS_COSCHED_EXPORTER_HTTP_H

#include <stdbool.h>
#include <stddef.h>

#define CS_HTTP_HEAD_MAX 8192 /* bytes of a request's head */

enum cs_http_path { CS_HTTP_ROOT, CS_HTTP_METRICS };

struct cs_http_request {
	bool head; /* HEAD: the answer has no body */
	enum cs_http_path path;
};

/*
 * Read the request in @buf, of which @n bytes are there (they may hold anything).
 * Returns 0: not whole yet; 200: *r says what is asked; else the status to answer with:
 * 400 no request, 404 no such path, 405 neither GET nor HEAD, 431 @n is
 * CS_HTTP_HEAD_MAX or more and the head has not ended.  r->head is right whenever the
 * method could be read.  What follows the head is not looked at.  A status other than 0
 * stays when more bytes come.  O(@n).
 */
int cs_http_read(const char *buf, size_t n, struct cs_http_request *r);

/*
 * The answer with @status and @body of media type @type, to be freed by the caller;
 * @head leaves the body out.  *ret_len is its length.  NULL: no memory.
 */
char *cs_http_answer(int status, const char *type, const char *body, bool head,
		     size_t *ret_len);

/* What a status that cs_http_read() returns is called. */
const char *cs_http_reason(int status);

#endif
