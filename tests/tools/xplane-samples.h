/* SPDX-License-Identifier: Apache-2.0 */
/* xplane-samples.h - small XSpace files by name, for tests and for people who try nprof. */
#pragma once

#include <glib.h>

/* "small", "all", "chunks", "absolute", "neuron", "fusion"; NULL for any other name. */
GByteArray *xplane_sample (const char *name);
const char *const *xplane_sample_names (void);

/* A record in place of stat `len` bytes long: gzip of text, as compressed_str_value holds it. */
GByteArray *xplane_gzip (const char *text);
