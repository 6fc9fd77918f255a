/* SPDX-License-Identifier: Apache-2.0 */
/* major2.c - a plugin for version 2 of the contract. */

__attribute__ ((visibility ("default"))) const void *nprof_plugin_v2 (void);

const void *
nprof_plugin_v2 (void)
{
  return 0;
}
