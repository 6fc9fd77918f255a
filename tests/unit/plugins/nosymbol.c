/* SPDX-License-Identifier: Apache-2.0 */
/* nosymbol.c - a shared object that is no plugin. */

__attribute__ ((visibility ("default"))) int nothing (void);

int
nothing (void)
{
  return 0;
}
