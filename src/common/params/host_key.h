/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slurm's own keys that bear on scheduling: one table (host_key_list.h) says what becomes
 * of each in mode act.  `cosched doctor`, `cosched conf`, slurmctld's log and
 * doc/admin/settings.md have it from here.
 */
#ifndef CS_PARAMS_HOST_KEY_H
#define CS_PARAMS_HOST_KEY_H

#include <stdbool.h>
#include <stddef.h>

/* Whose keys. */
enum cs_host_list {
	CS_HOST_LIST_SCHED,    /* items of SchedulerParameters */
	CS_HOST_LIST_SELECT,   /* of SelectTypeParameters */
	CS_HOST_LIST_PREEMPT,  /* of PreemptParameters */
	CS_HOST_LIST_MODE,     /* of PreemptMode */
	CS_HOST_LIST_PRIORITY, /* of PriorityFlags */
	CS_HOST_LIST_CTLD,     /* of SlurmctldParameters: some */
	CS_HOST_LIST_TOPOLOGY, /* of TopologyParam */
	CS_HOST_LIST_CLUSTER,  /* lines of slurm.conf: some */
	CS_HOST_LIST_NODE,     /* of a line NodeName */
	CS_HOST_LIST_PART,     /* of a line PartitionName */
	CS_HOST_LIST_RESV,     /* flags of a reservation */
	CS_HOST_LISTS
};

/* The releases that know a key. */
enum cs_host_release { CS_HOST_BOTH, CS_HOST_OLD, CS_HOST_NEW };

/* What becomes of a key in mode act. */
enum cs_host_care {
	CS_HOST_HONOURED, /* our decisions follow it */
	CS_HOST_SLURM,	  /* Slurm's own code applies it, in mode act as well */
	CS_HOST_WHOLE,	  /* Slurm's own test places all jobs: a warning */
	CS_HOST_NONE, /* it is about something that mode act does not have */
	CS_HOST_NOT   /* it is not honoured */
};

struct cs_host_key {
	enum cs_host_list list;
	enum cs_host_release release;
	enum cs_host_care care;
	const char *key;  /* with its '=', if it has one in a list */
	const char *test; /* ""; or a test of test/cluster */
	const char *text; /* a sentence, or "" */
};

/* The rows, in the table's order; @ret_n their number. */
const struct cs_host_key *cs_host_key_rows(size_t *ret_n);

/* The row of @list whose key is the @n bytes at @key, in any case; NULL: none. */
const struct cs_host_key *cs_host_key_find(enum cs_host_list list,
					   const char *key, size_t n);

/* The first key of SchedulerParameters that occurs in the @n bytes at @text, in any case,
 * as Slurm would find it; NULL: none. */
const struct cs_host_key *cs_host_key_inside(const char *text, size_t n);

/* The key of slurm.conf whose value is @list; NULL: of none whose value is a list of keys
 * with commas. */
const char *cs_host_key_name(enum cs_host_list list);

/*
 * Tell of each item of @value, the value of cs_host_key_name(@list), that mode act does
 * not honour, or whose number Slurm cannot read (host_number.h): one line each, with its
 * offset in @value.  An item that is in no row is
 * told as well if all items of @list have rows; one that begins with @prefix is ours.
 * O(items x rows), allocates nothing.
 */
void cs_host_key_tell(enum cs_host_list list, const char *value,
		      const char *prefix,
		      void (*tell)(void *arg, size_t at, const char *text),
		      void *arg);

#endif
