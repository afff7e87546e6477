/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The event log: one JSON object per line, the same from the simulator and from
 * slurmctld (cosched-log(5) lists every field).
 *
 * The functions format one line, with its '\n', into the caller's buffer, and return
 * its length, as snprintf: if that is not less than @size, the buffer was too small,
 * nothing usable was written, and the caller must pass a larger one.  No clock, no
 * file.  User strings are escaped; bytes that are not UTF-8 become '?', and a string is
 * cut at 256 bytes.
 */
#ifndef CS_LOG_WRITE_LINE_H
#define CS_LOG_WRITE_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/engine.h"
#include "estimate/estimate.h"

/* {"ev":"header",...}; @profiles NULL: there is no profile file; @boot_us 0: no "boot"
 * (simulations).  @after NULL: the engine is new; else what preceded the header
 * ("rotation" or "loss").  @mode: in force; told if @p says otherwise.  @act_slice: the
 * slice that mode act would have, where @p has none for mode shadow; else NULL. */
int cs_log_header(char *buf, size_t size, const struct cs_machine *m,
		  const struct cs_params *p, enum cs_mode mode,
		  const char *act_slice, const struct cs_profiles *profiles,
		  int64_t boot_us, const char *after, const char *version);

/* What node @n is: the members of a machine type. */
struct cs_log_out;
void cs_log_put_shape(struct cs_log_out *o, const struct cs_node *n);

/* "profiles_digest" of the header, for a file with the profiles @p. */
#define CS_LOG_DIGEST_SIZE 17
void cs_log_digest(const struct cs_profiles *p, char buf[CS_LOG_DIGEST_SIZE]);

/*
 * The line of an event: SUBMIT ("submit"), CHANGE ("change"), REQUEUE ("requeue"),
 * CANCEL, STARTED ("start": @action may be NULL, else it gives group, role,
 * case, limit), REFUSED ("refuse", needs @action), FINISH, SUSPEND, RESUME,
 * LIMIT ("limit"), NODE ("node"), RESERVATION, TICK.  @e gives what the event
 * does not hold (node sets of a job's options); it may be NULL.
 */
int cs_log_event(char *buf, size_t size, const struct cs_engine *e,
		 const struct cs_event *ev, const struct cs_action *action);

/* {"ev":"decide"}: the instant of a decide that returned actions or changed what later
 * ones return.  @steps > 0: it paused after so many; @nodes [@words], or NULL: it was about
 * a part of the machine (cs_engine_decide_part()). */
int cs_log_decide(char *buf, size_t size, int64_t t_us, size_t actions,
		  int64_t steps, const uint64_t *nodes, uint32_t words);

/* An action other than a start ("limit", "disband"); with @would, any action of shadow
 * mode ("would"). */
int cs_log_action(char *buf, size_t size, int64_t t_us,
		  const struct cs_action *action, bool would);

/* {"ev":"estimates"}: a set of estimates of @of begins. */
int cs_log_estimates_begin(char *buf, size_t size, int64_t t_us,
			   enum cs_estimate_of of);

/* {"ev":"estimate"}: when a waiting job probably starts. */
int cs_log_estimate(char *buf, size_t size, int64_t t_us,
		    const struct cs_estimate *x);

#endif
