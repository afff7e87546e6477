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

#define OLD_US 20000000 /* a published status is no sign of life after that */

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

static char *frame(enum cs_wire_kind kind, const char *body, size_t *ret_len)
{
	size_t len = strlen(body);
	char *f = malloc(CS_WIRE_HEAD + len);

	if (!f)
		return NULL;
	cs_wire_put_head((unsigned char *)f, kind, (uint32_t)len);
	memcpy(f + CS_WIRE_HEAD, body, len);
	*ret_len = CS_WIRE_HEAD + len;
	return f;
}

char *cs_control_error(const char *text, size_t *ret_len)
{
	return frame(CS_WIRE_ERROR, text, ret_len);
}

static munge_ctx_t open_munge(const struct cs_reply_setup *setup)
{
	munge_ctx_t munge = munge_ctx_create();

	if (munge && setup->munge_socket[0])
		munge_ctx_set(munge, MUNGE_OPT_SOCKET, setup->munge_socket);
	return munge;
}

/* @payload for @uid alone, as a credential; NULL: munge failed. */
static char *sealed(munge_ctx_t munge, uid_t uid, const char *payload, int n)
{
	char *cred = NULL;

	if (munge_ctx_set(munge, MUNGE_OPT_UID_RESTRICTION, uid) ==
		    EMUNGE_SUCCESS &&
	    munge_encode(&cred, munge, payload, n) == EMUNGE_SUCCESS)
		return cred;
	free(cred);
	return NULL;
}

char *cs_control_seal(const struct cs_reply_setup *setup,
		      const struct cs_question *q, const char *answer,
		      unsigned index, size_t *ret_len, bool *ret_last)
{
	size_t at = (size_t)index * CS_WIRE_SLICE, len = strlen(answer + at);
	size_t n = len < CS_WIRE_SLICE ? len : CS_WIRE_SLICE;
	munge_ctx_t munge = open_munge(setup);
	char *payload = malloc(CS_WIRE_LABEL_MAX + n);
	char *cred = NULL, *out = NULL;

	if (munge && payload) {
		int head = snprintf(payload, CS_WIRE_LABEL_MAX,
				    "cosched 1 %s %u %d\n", q->nonce, index,
				    n == len);

		memcpy(payload + head, answer + at, n);
		cred = sealed(munge, q->ask.uid, payload, head + (int)n);
	}
	if (cred)
		out = frame(CS_WIRE_ANSWER, cred, ret_len);
	*ret_last = n == len;
	free(cred);
	free(payload);
	if (munge)
		munge_ctx_destroy(munge);
	return out;
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
static const char *parse(struct json_object *o, struct cs_question *q)
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

const char *cs_control_open(const struct cs_reply_setup *setup,
			    const char *credential, struct cs_question *ret)
{
	munge_ctx_t munge = open_munge(setup);
	void *payload = NULL;
	struct json_object *o = NULL;
	struct json_tokener *tok = json_tokener_new_ex(4);
	const char *wrong = NULL;
	int len = 0;
	gid_t gid;

	*ret = (struct cs_question){ 0 };
	if (!munge || munge_decode(credential, munge, &payload, &len,
				   &ret->ask.uid, &gid) != EMUNGE_SUCCESS)
		wrong = "munge does not accept the question's credential";
	else if (!tok || len <= 0)
		wrong = "bad question: expected a JSON object";
	else
		o = json_tokener_parse_ex(tok, payload, len);
	if (!wrong && (!o || !json_object_is_type(o, json_type_object)))
		wrong = "bad question: expected a JSON object";
	if (!wrong)
		wrong = parse(o, ret);
	if (!wrong)
		ret->ask.privileged = !ret->ask.uid ||
				      ret->ask.uid == setup->slurm_uid ||
				      validate_operator(ret->ask.uid);
	json_object_put(o);
	if (tok)
		json_tokener_free(tok);
	free(payload);
	if (munge)
		munge_ctx_destroy(munge);
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

char *cs_control_late(const struct cs_ask *ask)
{
	char text[120];
	int64_t age_us;
	char *old;

	if (ask->cmd != CS_ASK_STATUS)
		return cs_control_reply_refusal(
			"the scheduling thread is busy, try again");
	old = cs_control_queue_published(&age_us);
	if (old && age_us < OLD_US)
		return old;
	free(old);
	snprintf(
		text, sizeof(text),
		"the scheduling thread has given no sign for %.0f s; see slurmctld's log",
		(double)age_us / 1e6);
	return cs_control_reply_refusal(text);
}

char *cs_control_denied(const struct cs_ask *ask)
{
	struct json_object *o;

	if (ask->privileged || ask->cmd == CS_ASK_EXPLAIN ||
	    ask->cmd == CS_ASK_USERS)
		return NULL;
	o = json_object_new_object();
	json_object_object_add(o, "ok", json_object_new_boolean(0));
	json_object_object_add(o, "denied", json_object_new_boolean(1));
	json_object_object_add(
		o, "error",
		json_object_new_string(
			"only root, SlurmUser and operators may ask this; users may use cosched users, and cosched explain for their own jobs"));
	return cs_control_reply_text(o);
}
