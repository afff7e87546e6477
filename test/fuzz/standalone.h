/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A fuzz target without a fuzzing engine:
 *
 *	TARGET [-n TIMES] [-t SECONDS] [-s SEED] FILE...
 *
 * checks each file as it is and then TIMES mutations of each, the same for the
 * same SEED, and so on with others until the SECONDS are over; without a file
 * one input on stdin.  A crash is the only failure.  The input of the run under way
 * stands in TARGET.input if it crashes.
 *
 * The target brings what is declared here; standalone.c brings main().
 */
#ifndef CS_STANDALONE_H
#define CS_STANDALONE_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern const char fuzz_name[];	       /* of the target */
extern const char *const fuzz_words[]; /* to insert; NULL behind the last */

#endif
