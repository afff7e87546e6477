/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "query/ask_plugin.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/merge_list.h"
#include "plugins/wire/wire.h"
#include "conf/site_look.h"
#include "conf/slurm_conf.h"

#ifndef COSCHED_PLUGINDIR
#define COSCHED_PLUGINDIR "/usr/local/lib/cosched/slurm"
#endif

#define CONFIG_S 10
#define ANSWER_MS 10000
#define VALUE_MAX 8192

struct target {
	char where[VALUE_MAX], munge_socket[VALUE_MAX];
	struct cs_wire_peer peer;
	bool set; /* where cosched_socket says */
};

/* ---- where --------------------------------------------------------------- */

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

/* SlurmUser's id, out of "slurm(64030)". */
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

/* Would the plugin listen there?  It takes no HOST:PORT. */
static bool socket_good(const char *set)
{
	return *set == '/' || (is_port(set) && strlen(set) <= 5 &&
			       atoi(set) > 0 && atoi(set) < 65536);
}

/* It may have died of its configuration, or start without us next. */
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
		*set = '\0'; /* the plugin does not take it either */
	t->set = !socket && *set;
	t->peer.where = t->where;
	t->peer.timeout_ms = ANSWER_MS;
	return resolve(c, socket ? socket : set, t->where, sizeof(t->where),
		       err);
}

/* ---- asking -------------------------------------------------------------- */

/* Nobody listens: why, after Slurm's configuration. */
static int explain_silence(const struct cs_slurmconf *c, const char *where,
			   int rc, struct cs_err *err)
{
	struct cs_said said = { "" };

	if (cs_site_look_plugin_dir(c, COSCHED_PLUGINDIR, &said))
		return cs_err_set(err, rc, "%s: %s",
				  c->live ? "the plugin is not loaded"
					  : "slurmctld does not answer",
				  said.text);
	return cs_err_set(err, rc,
			  "%s but the plugin does not listen at '%s', though "
			  "PluginDir names it first: is this slurmctld's host, "
			  "was slurmctld restarted since? See cosched doctor",
			  c->live ? "slurmctld runs"
				  : "slurmctld does not answer, and",
			  where);
}

/* In words of who asked, where we know better than strerror(). */
static int explain_failure(const struct cs_slurmconf *c, const struct target *t,
			   int rc, struct cs_err *err)
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
	case -ETIMEDOUT:
		return cs_err_set(err, rc, "no answer from '%s' within %d s",
				  t->where, ANSWER_MS / 1000);
	default:
		return rc;
	}
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
		rc = cs_err_set(err, -EPERM, "%s", json_object_get_string(v));
	else
		rc = cs_err_set(err, -EPROTO,
				"the plugin's answer has no \"answer\"");
	if (!rc)
		*ret_answer = json_object_get(v);
	json_object_put(o);
	return rc;
}

static int ask(const struct cs_slurmconf *c, const char *socket,
	       const char *cmd, uint32_t job, uint32_t task,
	       struct json_object **ret_answer, struct cs_err *err)
{
	struct target t = { 0 };
	char *text;
	int rc = find_target(c, socket, &t, err);

	if (rc)
		return rc;
	rc = cs_wire_ask(&t.peer, cmd, job, task, &text, err);
	/* where it cannot listen the plugin goes to the default */
	if ((rc == -ENOENT || rc == -ECONNREFUSED) && t.set &&
	    !resolve(c, "", t.where, sizeof(t.where), err))
		rc = cs_wire_ask(&t.peer, cmd, job, task, &text, err);
	if (rc)
		return explain_failure(c, &t, rc, err);
	rc = read_answer(text, ret_answer, err);
	free(text);
	return rc;
}

int cs_ask_plugin(const char *socket, const char *cmd, uint32_t job,
		  uint32_t task, struct json_object **ret_answer,
		  struct cs_err *err)
{
	struct cs_slurmconf c;
	int rc = cs_slurmconf_read(&c, CONFIG_S);

	if (rc)
		return cs_err_set(err, rc, "no memory");
	cs_err_set(err, 0, "no memory");
	rc = ask(&c, socket, cmd, job, task, ret_answer, err);
	cs_slurmconf_done(&c);
	return rc;
}
