/* SPDX-License-Identifier: Apache-2.0 */
/* null.c - a plugin whose entry returns nothing. */

#include <nprof/plugin.h>

const struct nprof_plugin *
nprof_plugin_v1 (void)
{
  return NULL;
}
