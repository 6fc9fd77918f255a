/* SPDX-License-Identifier: Apache-2.0 */
/* undefined.c - a plugin that needs a function which nobody defines. */

#include <nprof/plugin.h>

const struct nprof_plugin *nobody_defines_this (void);

const struct nprof_plugin *
nprof_plugin_v1 (void)
{
  return nobody_defines_this ();
}
