#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What a job of the demonstration runs: job.sh EMULATE RUN PROFILES PROFILE SECONDS
exec "$1" job --run "$2" --profiles "$3" --profile "$4" --seconds "$5"
