/* SPDX-License-Identifier: Apache-2.0 */
/* vendor-name.h - names of components, tables and extensions: nprof's own have no dot, a third
 * party's are vendor.name, so that no later release takes a name that somebody has. */
#pragma once

#include <glib.h>

/* Says what is wrong with the name, as "is not of ...": transfer full, or NULL.  Beside a-z and 0-9
 * it may hold `mark`, and one dot between vendor and name. */
char *np_vendor_name_problem (const char *name, char mark);
