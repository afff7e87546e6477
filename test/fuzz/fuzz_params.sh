#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck source-path=SCRIPTDIR source=run.sh
. "${srcdir:-.}/test/fuzz/run.sh"
fuzz fuzz_params "$src"/test/fuzz/params/*
