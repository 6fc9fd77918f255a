/* SPDX-License-Identifier: Apache-2.0 */
/* error.c - which exit status an error leads to. */

#include "base/error.h"

NP_DEFINE_DOMAIN ("np-error-quark", np_error)

NpExit
np_exit_worse (NpExit a, NpExit b)
{
  static const NpExit order[] = {
    NP_EXIT_INTERRUPTED, NP_EXIT_TERMINATED, NP_EXIT_PIPE, NP_EXIT_PLUGIN, NP_EXIT_USAGE,
    NP_EXIT_INPUT,       NP_EXIT_SINK,       NP_EXIT_GATE, NP_EXIT_LOSSES,
  };
  for (guint i = 0; i < G_N_ELEMENTS (order); i++)
    if (a == order[i] || b == order[i])
      return order[i];
  return NP_EXIT_OK;
}

GError *
np_error_join (GError **failed, GError *error)
{
  GError *other = error;
  if (!error)
    return NULL;
  if (!*failed || (!*(*failed)->message && *error->message)
      || (*error->message && (*failed)->code != error->code
          && (int) np_exit_worse ((NpExit) (*failed)->code, (NpExit) error->code) == error->code)) {
    other = *failed;
    *failed = error;
  }
  if (other && !*other->message)
    g_clear_error (&other);
  return other;
}

void
np_error_errno (GError **error, NpExit code, const char *path, int err)
{
  g_set_error (error, NP_ERROR, (int) code, "%s: %s", path, g_strerror (err));
}
