/* SPDX-License-Identifier: Apache-2.0 */
/* component-spec.h - a component as the user asks for it, "NAME:key=value,..."; unchecked. */
#pragma once

#include <glib.h>

struct nprof_component;

typedef struct {
  char *name;
  GPtrArray *keys, *values; /* of char *, same length */
  GHashTable *bare;         /* keys that stood alone, as "csv:excel"; their value is "yes" */
  const struct nprof_component *own; /* of the caller of the run, no plugin's; or NULL      */
  gboolean unasked;  /* nobody named it: the run goes on without it where it cannot be used */
  gboolean left_out; /* and it could not */
  gboolean saves;    /* an analyzer: its state is saved in place of tables (NpConfig.saved) */
  char **only_for; /* an analyzer: takes part where an input is of one of these decoders; or NULL */
  guint least_inputs; /* an analyzer: takes part where the run has as many inputs */
} NpSpec;

/* Parses "csv:delimiter=;,columns=a+b,note=\"x, y\",excel".  A comma in a value is written `\,` or
 * the value is quoted; `\"` and `\\` are a quote and a backslash, any other backslash is one.  A
 * value may be empty; a key given twice is an error.  Code NP_EXIT_USAGE. */
NpSpec *np_spec_parse (const char *text, GError **error);
NpSpec *np_spec_new (const char *name);
NpSpec *np_spec_new_unasked (const char *name);
void np_spec_set (NpSpec *spec, const char *key, const char *value); /* the last one wins */
void np_spec_free (NpSpec *spec);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NpSpec, np_spec_free)
