/* SPDX-License-Identifier: Apache-2.0 */
/* samples-xplane.c - the samples of XSpace, for replay.c. */
#include "replay.h"

#include "../tools/xplane-samples.h"

const char replay_likely[] = "";

GByteArray *
replay_sample (guint number)
{
  const char *const *names = xplane_sample_names ();
  for (guint k = 0; k < number && *names; k++)
    names++;
  return *names ? xplane_sample (*names) : NULL;
}
