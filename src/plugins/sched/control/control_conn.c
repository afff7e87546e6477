/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One question of the control socket.
 *
 * munge_decode() refuses a credential that is forged, too old, or already decoded on
 * this host, so a question cannot be replayed.  The answer is cut into slices, each a
 * credential that only the asker's user id can open.
 */
#include "compat/slurm.h"

#include "sched/control/control_conn.h"

#include <json-c/json.h>
#include <munge.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/slurmctld/proc_req.h"

#include "sched/control/control_queue.h"
#include "common/base/err.h"
#include "gate/gate.h"
#include "wire/wire.h"

#define WAIT_US 2000000 /* for the scheduling thread */

struct question {
	struct cs_ask ask;
	char nonce[CS_WIRE_NONCE + 1];
};

struct buffer {
	char *data;
	size_t len;
};

void cs_reply_setup(struct cs_reply_setup *setup)
{
	const char *at = slurm_conf.authinfo
				 ? strstr(slurm_conf.authinfo, "socket=")
				 : NULL;

	setup->munge_socket[0] = '\0';
	if (at)
		snprintf(setup->munge_socket, sizeof(setup->munge_socket),
			 "%.*s", (int)strcspn(at + 7, ","), at + 7);
	setup->slurm_uid = slurm_conf.slurm_user_id;
}

/* ---- frames -------------------------------------------------------------- */

static int add_frame(struct buffer *b, enum cs_wire_kind kind, const char *body)
{
	size_t len = strlen(body);
	char *grown = realloc(b->data, b->len + CS_WIRE_HEAD + len);

	if (!grown)
		return -1;
	b->data = grown;
	cs_wire_put_head((unsigned char *)b->data + b->len, kind,
			 (uint32_t)len);
	memcpy(b->data + b->len + CS_WIRE_HEAD, body, len);
	b->len += CS_WIRE_HEAD + len;
	return 0;
}

static char *plain_error(const char *text, size_t *ret_len)
{
	struct buffer b = { 0 };

	if (add_frame(&b, CS_WIRE_ERROR, text))
		return NULL;
	*ret_len = b.len;
	return b.data;
}

/* Slice @index of @answer, sealed; 0, or -1. */
static int add_slice(struct buffer *b, munge_ctx_t munge, const char *nonce,
		     const char *answer, size_t len, unsigned index)
{
	size_t at = (size_t)index * CS_WIRE_SLICE;
	size_t n = len - at < CS_WIRE_SLICE ? len - at : CS_WIRE_SLICE;
	char *payload = malloc(CS_WIRE_LABEL_MAX + n);
	char *cred = NULL;
	int head, rc = -1;

	if (!payload)
		return -1;
	head = snprintf(payload, CS_WIRE_LABEL_MAX, "cosched 1 %s %u %d\n",
			nonce, index, at + n == len);
	memcpy(payload + head, answer + at, n);
	if (munge_encode(&cred, munge, payload, head + (int)n) ==
	    EMUNGE_SUCCESS)
		rc = add_frame(b, CS_WIRE_ANSWER, cred);
	free(cred);
	free(payload);
	return rc;
}

static char *seal(munge_ctx_t munge, const struct question *q,
		  const char *answer, size_t *ret_len)
{
	struct buffer b = { 0 };
	size_t len = strlen(answer);

	if (len > CS_WIRE_ANSWER_MAX)
		return plain_error("the answer is too long", ret_len);
	if (munge_ctx_set(munge, MUNGE_OPT_UID_RESTRICTION, q->ask.uid) !=
	    EMUNGE_SUCCESS)
		return plain_error("munge cannot seal the answer", ret_len);
	for (unsigned i = 0; !i || (size_t)i * CS_WIRE_SLICE < len; i++)
		if (add_slice(&b, munge, q->nonce, answer, len, i)) {
			free(b.data);
			return plain_error("munge cannot seal the answer",
					   ret_len);
		}
	*ret_len = b.len;
	return b.data;
}

/* ---- the question -------------------------------------------------------- */

static const char *string_of(struct json_object *o, const char *key)
{
	struct json_object *v;

	if (!json_object_object_get_ex(o, key, &v) ||
	    !json_object_is_type(v, json_type_string))
		return "";
	return json_object_get_string(v);
}

static bool says(struct json_object *o, const char *key)
{
	struct json_object *v;

	return json_object_object_get_ex(o, key, &v) &&
	       json_object_get_boolean(v);
}

/* NULL, or what is wrong with it. */
static const char *parse(struct json_object *o, struct question *q)
{
	const char *nonce = string_of(o, "nonce");
	struct json_object *job;
	int64_t id = 0, task = UINT32_MAX;

	if (!cs_wire_nonce_good(nonce))
		return "bad question: no nonce";
	strcpy(q->nonce, nonce);
	if (!cs_ask_cmd_of(string_of(o, "cmd"), &q->ask.cmd))
		return "bad question: expected cmd status, explain, groups, users, top or params";
	if (json_object_object_get_ex(o, "job", &job))
		id = json_object_get_int64(job);
	if (json_object_object_get_ex(o, "task", &job))
		task = json_object_get_int64(job);
	if (task < 0 || task > UINT32_MAX)
		return "bad question: expected an array's task";
	q->ask.task = (uint32_t)task;
	if (id < 0 || id > UINT32_MAX || (q->ask.cmd == CS_ASK_EXPLAIN && !id))
		return "bad question: expected a job id";
	q->ask.job = (uint32_t)id;
	q->ask.fields = says(o, "fields");
	q->ask.verbose = says(o, "verbose");
	return NULL;
}

/* Open the credential; NULL, or what is wrong. */
static const char *open_question(munge_ctx_t munge, const char *credential,
				 struct question *q)
{
	void *payload = NULL;
	struct json_object *o = NULL;
	struct json_tokener *tok = json_tokener_new_ex(4);
	const char *wrong = NULL;
	int len = 0;
	gid_t gid;

	if (munge_decode(credential, munge, &payload, &len, &q->ask.uid,
			 &gid) != EMUNGE_SUCCESS)
		wrong = "munge does not accept the question's credential";
	else if (!tok || len <= 0)
		wrong = "bad question: expected a JSON object";
	else
		o = json_tokener_parse_ex(tok, payload, len);
	if (!wrong && (!o || !json_object_is_type(o, json_type_object)))
		wrong = "bad question: expected a JSON object";
	if (!wrong)
		wrong = parse(o, q);
	json_object_put(o);
	if (tok)
		json_tokener_free(tok);
	free(payload);
	return wrong;
}

/* ---- the answer ---------------------------------------------------------- */

char *cs_control_reply_text(struct json_object *o)
{
	const char *text = json_object_to_json_string_ext(
		o, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
	char *copy = text ? strdup(text) : NULL;

	json_object_put(o);
	return copy;
}

char *cs_control_reply_refusal(const char *text)
{
	struct json_object *o = json_object_new_object();

	json_object_object_add(o, "ok", json_object_new_boolean(0));
	json_object_object_add(o, "error", json_object_new_string(text));
	return cs_control_reply_text(o);
}

static char *answer_late(const struct question *q)
{
	char text[120];
	int64_t age_us;
	char *old;

	if (q->ask.cmd != CS_ASK_STATUS)
		return cs_control_reply_refusal(
			"the scheduling thread is busy, try again");
	old = cs_control_queue_published(&age_us);
	if (old && age_us < 10 * (int64_t)WAIT_US)
		return old;
	free(old);
	snprintf(
		text, sizeof(text),
		"the scheduling thread has given no sign for %.0f s; see slurmctld's log",
		(double)age_us / 1e6);
	return cs_control_reply_refusal(text);
}

static char *denied(void)
{
	struct json_object *o = json_object_new_object();

	json_object_object_add(o, "ok", json_object_new_boolean(0));
	json_object_object_add(o, "denied", json_object_new_boolean(1));
	json_object_object_add(
		o, "error",
		json_object_new_string(
			"only root, SlurmUser and operators may ask this; users may use cosched users, and cosched explain for their own jobs"));
	return cs_control_reply_text(o);
}

static char *answer(const struct cs_reply_setup *setup, struct question *q)
{
	char *text;

	q->ask.privileged = !q->ask.uid || q->ask.uid == setup->slurm_uid ||
			    validate_operator(q->ask.uid);
	if (!q->ask.privileged && q->ask.cmd != CS_ASK_EXPLAIN &&
	    q->ask.cmd != CS_ASK_USERS)
		return denied();
	text = cs_control_queue_ask(&q->ask, cs_gate_now_us() + WAIT_US);
	return text ? text : answer_late(q);
}

char *cs_control_reply(const struct cs_reply_setup *setup,
		       const char *credential, size_t *ret_len)
{
	struct question q = { 0 };
	munge_ctx_t munge = munge_ctx_create();
	const char *wrong;
	char *text, *sealed;

	if (!munge)
		return NULL;
	if (setup->munge_socket[0])
		munge_ctx_set(munge, MUNGE_OPT_SOCKET, setup->munge_socket);
	wrong = open_question(munge, credential, &q);
	if (wrong) {
		munge_ctx_destroy(munge);
		return plain_error(wrong, ret_len);
	}
	text = answer(setup, &q);
	sealed = text ? seal(munge, &q, text, ret_len) : NULL;
	free(text);
	munge_ctx_destroy(munge);
	return sealed;
}
