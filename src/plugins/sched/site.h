/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CS_SCHED_SITE_H
#define CS_SCHED_SITE_H

/* Say what of this site's settings takes from mode act what it is for.  Takes
 * the configuration's read lock. */
void cs_site_warn(void);

#endif
