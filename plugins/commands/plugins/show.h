/* SPDX-License-Identifier: Apache-2.0 */
/* show.h - shows the plugins there are; private to plugins*.c.  All append to `out`; usable
 * and unused are of NpRegistryEntry, usable ones are opened. */
#pragma once

#include "plugin/registry.h"

void np_plugins_write_list (GString *out, GPtrArray *usable);
void np_plugins_write_details (GString *out, const NpRegistryEntry *module);
void np_plugins_write_unused (GString *out, GPtrArray *unused); /* and why */
void np_plugins_write_json (GString *out, GPtrArray *usable, GPtrArray *unused);
