/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs that give their cores back while a time slice has them stopped (rest.c). */
#ifndef CS_LIFECYCLE_REST_H
#define CS_LIFECYCLE_REST_H

#include "state/stage.h"

/* A job that the host had suspended by itself rests from now on. */
void cs_rest_begin(struct cs_engine *e, struct cs_ejob *j);
/* The actions; what they ask for is taken for done until refused.  0, -ENOMEM. */
int cs_rest_stop(struct cs_engine *e, struct cs_ejob *j);
int cs_rest_go_on(struct cs_engine *e, struct cs_ejob *j);
/* It was refused.  0; -EINVAL: others have its cores meanwhile, -ENOMEM: it is not taken
 * back. */
int cs_rest_refused(struct cs_engine *e, struct cs_ejob *j);
/* The host did it unasked.  The same; nothing has changed then. */
int cs_rest_moved(struct cs_engine *e, struct cs_ejob *j, bool stopped);

#endif
