/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was learned, as JSON; cosched(1) lists the fields. */
#include <errno.h>
#include <string.h>

#include "learned/learned.h"
#include "sim/json_build.h"

static struct cs_build kind_of(const struct cs_learned_row *r)
{
	struct cs_build o = cs_build_object();

	cs_build_text(&o, "kind", r->name);
	cs_build_count(&o, "ended", r->ended);
	cs_build_count(&o, "runs", r->runs);
	cs_build_real(&o, "spread", r->spread);
	cs_build_count(&o, "partners", r->partners);
	if (r->bound > 0)
		cs_build_real(&o, "bound", r->bound);
	cs_build_count(&o, "admitted", r->admitted);
	return o;
}

int cs_learned_json(const struct cs_learned_file *f, double max_slowdown,
		    FILE *file)
{
	struct cs_build o = cs_build_object(), list = cs_build_list();
	size_t seen = cs_admission_seen(f->admission);

	for (int k = 0; k < cs_learned_kinds(f); k++) {
		struct cs_learned_row r = cs_learned_row(f, k, max_slowdown);
		struct cs_build kind = kind_of(&r);

		cs_build_part(&list, NULL, &kind);
	}
	cs_build_part(&o, "kinds", &list);
	cs_build_count(&o, "kinds_met", f->past->n_kind);
	cs_build_count(&o, "runs", f->past->n_run);
	cs_build_count(&o, "pairs_met", seen);
	cs_build_flag(&o, "bounds", seen >= CS_FIT_PAIRS_MIN);
	return cs_build_print(&o, file);
}

static struct cs_build partner(const struct cs_learned_pair *p)
{
	struct cs_build o = cs_build_object();

	cs_build_text(&o, "kind", p->name);
	if (p->bound > 0)
		cs_build_real(&o, "bound", p->bound);
	cs_build_count(&o, "runs", p->runs);
	cs_build_flag(&o, "may_share", p->may_share);
	return o;
}

int cs_learned_partners_json(const struct cs_learned_file *f, const char *name,
			     double max_slowdown, FILE *file)
{
	struct cs_build o = cs_build_object(), list = cs_build_list();
	bool found = false;

	for (int k = 0; k < cs_learned_kinds(f); k++) {
		if (strcmp(cs_learned_name(f, k), name))
			continue;
		found = true;
		for (int b = 0; b < cs_learned_kinds(f); b++) {
			struct cs_learned_pair p =
				cs_learned_pair(f, k, b, max_slowdown);
			struct cs_build x = partner(&p);

			cs_build_part(&list, NULL, &x);
		}
	}
	cs_build_text(&o, "kind", name);
	cs_build_real(&o, "level", CS_ADMISSION_LEVEL);
	cs_build_part(&o, "beside", &list);
	if (found)
		return cs_build_print(&o, file);
	json_object_put(cs_build_take(&o));
	return -ENOENT;
}
