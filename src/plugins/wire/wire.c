/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames of the control socket.
 */
#include "wire.h"

#include <errno.h>
#include <string.h>

static const char magic[4] = { 'C', 's', 'W', '1' };

void cs_wire_put_head(unsigned char head[CS_WIRE_HEAD], enum cs_wire_kind kind,
		      uint32_t len)
{
	memset(head, 0, CS_WIRE_HEAD);
	memcpy(head, magic, sizeof(magic));
	head[4] = (unsigned char)kind;
	for (int i = 0; i < 4; i++)
		head[8 + i] = (unsigned char)(len >> (24 - 8 * i));
}

int cs_wire_get_head(const unsigned char head[CS_WIRE_HEAD],
		     enum cs_wire_kind *ret_kind, uint32_t *ret_len)
{
	uint32_t len = 0;

	if (memcmp(head, magic, sizeof(magic)) ||
	    (head[4] != CS_WIRE_QUESTION && head[4] != CS_WIRE_ANSWER &&
	     head[4] != CS_WIRE_ERROR) ||
	    head[5] || head[6] || head[7])
		return -EBADMSG;
	for (int i = 0; i < 4; i++)
		len = len << 8 | head[8 + i];
	if (len > (head[4] == CS_WIRE_QUESTION ? CS_WIRE_QUESTION_MAX
					       : CS_WIRE_BODY_MAX))
		return -EBADMSG;
	*ret_kind = head[4];
	*ret_len = len;
	return 0;
}

int cs_wire_nonce_good(const char *nonce)
{
	return strlen(nonce) == CS_WIRE_NONCE &&
	       strspn(nonce, "0123456789abcdef") == CS_WIRE_NONCE;
}
