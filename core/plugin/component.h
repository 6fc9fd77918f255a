/* SPDX-License-Identifier: Apache-2.0 */
/* component.h - a component as a plugin declares it: a copy that has all members of today's
 * contract, and whether it keeps the rules. */
#pragma once

#include <glib.h>
#include <nprof/plugin.h>

const char *np_kind_name (guint kind); /* "decoder"; "plugin" where it is unknown */

/* Returns a copy with all members of today's struct: those that an older plugin does not have are
 * NULL or 0; options and attributes of types that only a newer contract knows are left out.  The
 * copy belongs to `memory`, an array that frees with g_free. */
const struct nprof_component *np_component_copy (const struct nprof_component *component,
                                                 guint contract, GPtrArray *memory);

gboolean np_component_is_name (const char *name); /* [a-z0-9-]+, or vendor.name */
/* Returns whether the component declares a table of that name. */
gboolean np_component_has_table (const struct nprof_component *component, const char *name);
gboolean np_component_reads_table (const struct nprof_component *component, const char *name);
/* Says which rule a copy breaks, beside its kind and name: transfer full, or NULL. */
char *np_component_problem (const struct nprof_component *component);
