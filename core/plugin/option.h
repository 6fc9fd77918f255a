/* SPDX-License-Identifier: Apache-2.0 */
/* option.h - options of components: from a spec to checked values in an instance, by the one
 * declaration in the component. */
#pragma once

#include <glib.h>
#include <nprof/plugin.h>

#include "base/suggest.h"
#include "plugin/component-spec.h"
#include "system/json-writer.h"

/* Writes presets and the spec's values (NULL: none) into a cleared instance.  Strings are
 * kept in `strings`, which must outlive the instance.  Errors: unknown key (with the near one),
 * value out of range (with the range), required option missing; code NP_EXIT_USAGE. */
gboolean np_options_apply (const struct nprof_component *component, const NpSpec *spec,
                           void *instance, GStringChunk *strings, GError **error);
/* Returns whether np_options_apply would work, before anything is opened. */
gboolean np_options_check (const struct nprof_component *component, const NpSpec *spec,
                           GError **error);
/* Returns the value as people may see it: a secret is NP_HIDDEN.  option may be NULL. */
const char *np_option_shown (const struct nprof_option *option, const char *value);
#define NP_HIDDEN "(hidden)"
/* Returns the option whose value in the spec is the secret itself, neither @FILE nor $NAME; NULL:
 * none.  spec may be NULL. */
const struct nprof_option *np_option_bare_secret (const struct nprof_component *component,
                                                  const NpSpec *spec);
/* Returns "NAME:key=value,key=value" of a spec, its secrets hidden; transfer full. */
char *np_option_spec_shown (const struct nprof_component *component, const NpSpec *spec);
/* Returns such a text with its secrets hidden; transfer full.  component may be NULL. */
char *np_option_text_shown (const struct nprof_component *component, const char *text);
/* Returns NULL when the component has none of that name. */
const struct nprof_option *np_option_find (const struct nprof_component *component,
                                           const char *name);
/* option-check.c: says what is wrong with a component's table of options: transfer full, or NULL.
 * Options of a type that this core does not know are skipped. */
char *np_options_problem (const struct nprof_component *component);

/* Returns "time" for NPROF_ORDER_TIME, and "unknown" for an unknown order. */
const char *np_order_name (guint order);
/* Returns whether order_option, where it is set, names an option of type CHOICE whose choices are
 * orders. */
gboolean np_option_order_valid (const struct nprof_component *component);
/* Returns NPROF_ORDER_INPUT ...: the value of the option that order_option names, else the
 * component's. */
guint np_option_order (const struct nprof_component *component, const void *instance);

const char *np_option_type_name (guint type); /* option-value.c */
/* Puts [{name, type, default, range, help}] for `nprof plugins --json`. */
void np_options_to_json (NpJson *json, const char *key, const struct nprof_component *component);
