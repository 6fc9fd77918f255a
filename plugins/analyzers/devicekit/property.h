/* SPDX-License-Identifier: Apache-2.0 */
/* property.h - what the decoder of an input says of the whole of it. */
#ifndef AN_PROPERTY_H
#define AN_PROPERTY_H

#include <nprof/plugin.h>
#include <string.h>

/* Returns the value of that key; NULL: the decoder does not say it. */
static inline const char *
an_property (const struct nprof_input_info *input, const char *key)
{
  for (const char *const *p = input->properties; p && p[0]; p += 2)
    if (strcmp (p[0], key) == 0)
      return p[1];
  return NULL;
}

#endif
