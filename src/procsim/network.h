/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The network, the nodes' interfaces to it, and interrupts; rules in network.c. */
#ifndef CS_PROCSIM_NETWORK_H
#define CS_PROCSIM_NETWORK_H

#include "procsim/world.h"

/* Send a message from @p to @to.  True: the sender must wait for cs_network_sent(). */
bool cs_network_send(struct cs_world *w, const struct cs_process *p,
		     const struct cs_process *to);
/* Message @id is at the interface of node @n. */
void cs_network_arrive(struct cs_world *w, struct cs_world_node *n,
		       uint32_t id);
/* The sender @p need not wait any longer. */
void cs_network_sent(struct cs_world *w, struct cs_process *p);
/* Interrupt the node of @p: to make the blocked process ready if it @wakes, else to boost
 * it if it is ready then. */
void cs_network_interrupt(struct cs_world *w, struct cs_process *p, bool wakes);
/* The interrupt for @p has been served. */
void cs_network_served(struct cs_world *w, struct cs_process *p);

#endif
