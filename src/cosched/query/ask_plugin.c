/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "query/ask_plugin.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "conf/merge_list.h"
#include "conf/plugin_dirs.h"
#include "plugins/wire/wire.h"
#include "conf/site_look.h"
#include "conf/slurm_conf.h"

#ifndef COSCHED_PLUGINDIR
#define COSCHED_PLUGINDIR "/usr/local/lib/cosched/slurm"
#endif

#define CONFIG_S 10
#define ANSWER_MS 10000
#define YOUNG_S 30	/* the plugin may not listen yet */
#define LISTENS_S 4	/* after slurmctld began it should: */
#define LISTENS_MS 3000 /* ... so we wait for it, from the first attempt on */
#define AGAIN_MS 100
#define VALUE_MAX 8192

struct target {
	char where[VALUE_MAX], munge_socket[VALUE_MAX];
	struct cs_wire_peer peer;
	bool set; /* cosched_socket's place */
};

/* ---- address ------------------------------------------------------------- */

/* Address of the first SlurmctldHost: "name(address)" or "name". */
static bool find_host(const struct cs_slurmconf *c, char *buf, size_t size)
{
	char host[256];
	char *address;

	if (!cs_slurmconf_get(c, "SlurmctldHost", host, sizeof(host)))
		return false;
	address = strchr(host, '(');
	if (address) {
		*address++ = '\0';
		address[strcspn(address, ")")] = '\0';
	}
	snprintf(buf, size, "%s", address && *address ? address : host);
	return true;
}

static bool is_port(const char *text)
{
	return *text && !text[strspn(text, "0123456789")];
}

static int resolve(const struct cs_slurmconf *c, const char *set, char *where,
		   size_t size, struct cs_err *err)
{
	char base[VALUE_MAX / 2];
	int n;

	if (*set == '/' || strchr(set, ':')) {
		n = snprintf(where, size, "%s", set);
	} else if (is_port(set)) {
		if (!find_host(c, base, sizeof(base)))
			strcpy(base, "localhost");
		n = snprintf(where, size, "%s:%s", base, set);
	} else if (*set) {
		return cs_err_set(err, -EINVAL,
				  "socket '%s', expected an absolute path, a "
				  "port or HOST:PORT",
				  set);
	} else if (cs_slurmconf_get(c, "StateSaveLocation", base,
				    sizeof(base))) {
		n = snprintf(where, size, "%s/cosched.sock", base);
	} else {
		return cs_err_set(err, -ENOENT,
				  "%s names no StateSaveLocation, expected it "
				  "or --socket",
				  c->source);
	}
	return n > 0 && (size_t)n < size ? 0
					 : cs_err_set(err, -ENAMETOOLONG,
						      "socket: name too long");
}

static void find_munge(const struct cs_slurmconf *c, struct target *t)
{
	char info[VALUE_MAX];
	const char *at;

	if (!cs_slurmconf_get(c, "AuthInfo", info, sizeof(info)))
		return;
	at = strstr(info, "socket=");
	if (!at)
		return;
	at += strlen("socket=");
	snprintf(t->munge_socket, sizeof(t->munge_socket), "%.*s",
		 (int)strcspn(at, ","), at);
	t->peer.munge_socket = t->munge_socket;
}

/* SlurmUser's id, from "slurm(64030)". */
static void find_uid(const struct cs_slurmconf *c, struct target *t)
{
	char user[256];
	const char *id;

	t->peer.uid = (uid_t)-1;
	if (!cs_slurmconf_get(c, "SlurmUser", user, sizeof(user)))
		return;
	id = strchr(user, '(');
	if (id)
		t->peer.uid = (uid_t)strtoul(id + 1, NULL, 10);
}

/* Would the plugin listen there?  It accepts no HOST:PORT. */
static bool socket_good(const char *set)
{
	return *set == '/' || (is_port(set) && strlen(set) <= 5 &&
			       atoi(set) > 0 && atoi(set) < 65536);
}

/* Its configuration may have killed it, or it may next start without us. */
static int slurmctld_silent(const struct cs_slurmconf *c, struct cs_err *err)
{
	struct cs_said said = { "" };
	bool wrong = c->source &&
		     cs_site_look_plugin_dir(c, COSCHED_PLUGINDIR, &said);

	return cs_err_set(err, -EHOSTDOWN,
			  wrong ? "slurmctld does not answer (%.80s); %s"
				: "slurmctld does not answer (%s)%s",
			  c->why ? c->why : "?", said.text);
}

static int find_target(const struct cs_slurmconf *c, const char *socket,
		       struct target *t, struct cs_err *err)
{
	char list[VALUE_MAX], set[VALUE_MAX] = "";

	if (!socket && !c->live)
		return slurmctld_silent(c, err);
	if (!socket &&
	    cs_slurmconf_get(c, "SchedulerParameters", list, sizeof(list)))
		cs_merge_list_get(list, "cosched_socket", set, sizeof(set));
	find_munge(c, t);
	find_uid(c, t);
	if (c->live && t->peer.uid == (uid_t)-1)
		return cs_err_set(err, -EINVAL,
				  "%s names no id of SlurmUser, expected one "
				  "such as \"slurm(64030)\"",
				  c->source);
	if (!socket && *set && !socket_good(set))
		*set = '\0'; /* the plugin does not accept it either */
	t->set = !socket && *set;
	t->peer.where = t->where;
	t->peer.timeout_ms = ANSWER_MS;
	return resolve(c, socket ? socket : set, t->where, sizeof(t->where),
		       err);
}

/* ---- asking -------------------------------------------------------------- */

/* When slurmctld began, or read its configuration again; -1: not known. */
static time_t began_s(const struct cs_slurmconf *c)
{
	struct tm tm = { .tm_isdst = -1 };
	char text[64];
	time_t at;

	if (!c->live || !cs_slurmconf_get(c, "BOOT_TIME", text, sizeof(text)) ||
	    !strptime(text, "%Y-%m-%dT%H:%M:%S", &tm))
		return -1;
	at = mktime(&tm);
	return at > time(NULL) ? -1 : at;
}

/* No listener: explain why, by Slurm's configuration. */
static int explain_silence(const struct cs_slurmconf *c, const char *where,
			   int rc, struct cs_err *err)
{
	struct cs_said said = { "" };
	time_t began = began_s(c), now = time(NULL);
	char dirs[VALUE_MAX];

	if (cs_site_look_plugin_dir(c, COSCHED_PLUGINDIR, &said))
		return cs_err_set(err, rc, "%s: %s",
				  c->live ? "the plugin is not loaded"
					  : "slurmctld does not answer",
				  said.text);
	if (cs_site_look_lacks(c, COSCHED_PLUGINDIR, &said))
		return cs_err_set(err, rc,
				  "the plugin does not listen at '%s': %s",
				  where, said.text);
	cs_plugin_dirs(c, COSCHED_PLUGINDIR, dirs, sizeof(dirs));
	if (cs_plugin_dirs_skipped(c, dirs, &said))
		return cs_err_set(err, rc, "the plugin is not loaded: %s",
				  said.text);
	if (began >= 0 && cs_site_look_newer(c, COSCHED_PLUGINDIR, began))
		return cs_err_set(err, rc,
				  "the plugin does not listen at '%s': its "
				  "files came after slurmctld had begun. "
				  "Restart slurmctld.",
				  where);
	if (began >= 0 && now - began < YOUNG_S)
		return cs_err_set(err, rc,
				  "slurmctld has begun, or read slurm.conf "
				  "again, %" PRId64 " s ago, and the plugin "
				  "does not listen at '%s' yet: ask again in a "
				  "few seconds",
				  (int64_t)(now - began), where);
	return cs_err_set(err, rc,
			  "%s but the plugin does not listen at '%s', though "
			  "PluginDir names it first: is this slurmctld's host, "
			  "was slurmctld restarted since? See cosched doctor",
			  c->live ? "slurmctld runs"
				  : "slurmctld does not answer, and",
			  where);
}

/* In the asker's terms, if we know better than strerror(). */
static int explain_failure(const struct cs_slurmconf *c, const struct target *t,
			   const char *cmd, int rc, struct cs_err *err)
{
	switch (rc) {
	case -ENOENT:
	case -ECONNREFUSED:
		return explain_silence(c, t->where, rc, err);
	case -EACCES:
		if (strncmp(err->text, "socket ", strlen("socket ")))
			return rc;
		return cs_err_set(err, rc,
				  "no permission for '%s': ask as root or "
				  "SlurmUser, or let the site set "
				  "cosched_socket=PORT",
				  t->where);
	case -EPROTO:
		/* it lists the commands that it knows */
		if (!strstr(err->text, "bad question: expected cmd"))
			return rc;
		return cs_err_set(err, rc,
				  "the plugin in slurmctld is older than this "
				  "command, and does not know '%s': restart "
				  "slurmctld",
				  cmd);
	case -ETIMEDOUT:
		return cs_err_set(err, rc, "no answer from '%s' within %d s",
				  t->where, ANSWER_MS / 1000);
	default:
		return rc;
	}
}

/* Is it for lack of right? */
static bool denied(struct json_object *o)
{
	struct json_object *v;

	return json_object_object_get_ex(o, "denied", &v) &&
	       json_object_get_boolean(v);
}

static int read_answer(const char *text, struct json_object **ret_answer,
		       struct cs_err *err)
{
	struct json_object *o = json_tokener_parse(text), *ok, *v;
	int rc;

	if (!json_object_is_type(o, json_type_object) ||
	    !json_object_object_get_ex(o, "ok", &ok))
		rc = cs_err_set(err, -EPROTO,
				"the plugin's answer is no JSON object");
	else if (json_object_get_boolean(ok) &&
		 json_object_object_get_ex(o, "answer", &v))
		rc = 0;
	else if (json_object_object_get_ex(o, "error", &v))
		rc = cs_err_set(err, denied(o) ? -EACCES : -EPERM, "%s",
				json_object_get_string(v));
	else
		rc = cs_err_set(err, -EPROTO,
				"the plugin's answer has no \"answer\"");
	if (!rc)
		*ret_answer = json_object_get(v);
	json_object_put(o);
	return rc;
}

static bool is_silent(int rc)
{
	return rc == -ENOENT || rc == -ECONNREFUSED;
}

/* At the place that is set, or at the default: a plugin that cannot listen at the first,
 * since another program does, say, uses the other. */
static int ask_at_both(const struct cs_slurmconf *c, const struct target *t,
		       const struct cs_wire_question *q, char **ret_text,
		       struct cs_err *err)
{
	char where[sizeof(t->where)];
	struct cs_wire_peer other = t->peer;
	int rc = cs_wire_ask(&t->peer, q, ret_text, err), second;
	struct cs_err first = *err;

	other.where = where;
	if (!rc || !t->set)
		return rc;
	second = resolve(c, "", where, sizeof(where), err)
			 ?: cs_wire_ask(&other, q, ret_text, err);
	if (!second || is_silent(rc))
		return second;
	*err = first;
	return rc;
}

/* Has slurmctld, with our plugin, begun a moment ago?  A reconfigure is such a beginning
 * from 23.11 on. */
static bool listens_soon(const struct cs_slurmconf *c)
{
	struct cs_said said = { "" };
	time_t began = began_s(c);

	return began >= 0 && time(NULL) - began < LISTENS_S &&
	       !cs_site_look_plugin_dir(c, COSCHED_PLUGINDIR, &said) &&
	       !cs_site_look_lacks(c, COSCHED_PLUGINDIR, &said) &&
	       !cs_site_look_newer(c, COSCHED_PLUGINDIR, began);
}

static int ask(const struct cs_slurmconf *c, const char *socket,
	       const struct cs_wire_question *q,
	       struct json_object **ret_answer, struct cs_err *err)
{
	struct target t = { 0 };
	char *text;
	int rc = find_target(c, socket, &t, err);

	if (rc)
		return rc;
	rc = ask_at_both(c, &t, q, &text, err);
	for (int ms = 0; is_silent(rc) && ms < LISTENS_MS && listens_soon(c);
	     ms += AGAIN_MS) {
		poll(NULL, 0, AGAIN_MS);
		rc = ask_at_both(c, &t, q, &text, err);
	}
	if (rc)
		return explain_failure(c, &t, q->cmd, rc, err);
	rc = read_answer(text, ret_answer, err);
	free(text);
	return rc;
}

int cs_ask_plugin(const char *socket, const struct cs_wire_question *q,
		  struct json_object **ret_answer, struct cs_err *err)
{
	struct cs_slurmconf c;
	int rc = cs_slurmconf_read(&c, CONFIG_S);

	if (rc)
		return cs_err_set(err, rc, "no memory");
	cs_err_set(err, 0, "no memory");
	rc = ask(&c, socket, q, ret_answer, err);
	cs_slurmconf_done(&c);
	return rc;
}
