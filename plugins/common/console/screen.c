/* SPDX-License-Identifier: Apache-2.0 */
/* screen.c - tells the sink text of the terminal that is behind a pager. */

#include "console/screen.h"
#include "base/fence.h"
#include "console/pager.h"

#include <string.h>

void
np_screen_clear (NpScreen *screen)
{
  g_free (screen->color);
}

static gboolean
goes_to_stdout (const NpConfig *config)
{
  return config->output && g_str_equal (config->output, "-");
}

int
np_screen_execute (const NpScreen *screen, NpCliOptions *o, NpSpec *text)
{
  if (text && screen->color)
    np_spec_set (text, "color", screen->color);
  NpPager *pager
      = text && !screen->no_pager && goes_to_stdout (o->config) ? np_pager_begin () : NULL;
  if (!pager)
    return np_cli_execute (o);
  np_fence_settle (); /* a process that begins anew would not wait for the pager */
  g_autofree char *columns = g_strdup_printf ("%u", np_pager_columns (pager));
  np_spec_set (text, "width", columns);
  np_spec_set (text, "paged", "yes");
  int code = np_cli_execute (o);
  np_pager_end (pager);
  return code;
}
