/* SPDX-License-Identifier: Apache-2.0 */
/* error.c - which exit status an error leads to. */

#include "base/error.h"

#include "system/room.h"

NP_DEFINE_DOMAIN ("np-error-quark", np_error)

NpExit
np_exit_worse (NpExit a, NpExit b)
{
  static const NpExit order[] = {
    NP_EXIT_INTERRUPTED, NP_EXIT_TERMINATED, NP_EXIT_PIPE, NP_EXIT_ROOM, NP_EXIT_PLUGIN,
    NP_EXIT_USAGE,       NP_EXIT_INPUT,      NP_EXIT_SINK, NP_EXIT_GATE, NP_EXIT_LOSSES,
  };
  for (guint i = 0; i < G_N_ELEMENTS (order); i++)
    if (a == order[i] || b == order[i])
      return order[i];
  return NP_EXIT_OK;
}

gboolean
np_error_set (GError **error, NpExit code, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_propagate_error (error, g_error_new_valist (NP_ERROR, (int) code, format, args));
  va_end (args);
  return FALSE;
}

gboolean
np_error_hand_on (GError **error, GError **kept)
{
  if (!*kept)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (kept));
  return FALSE;
}

gboolean
np_error_elsewhere (GError **error)
{
  return np_error_set (error, NP_EXIT_ELSEWHERE, "another stage failed");
}

gboolean
np_error_interrupted (GError **error)
{
  return np_error_set (error, NP_EXIT_INTERRUPTED, "the run was ended");
}

gboolean
np_error_is_silent (const GError *error)
{
  return error->domain == NP_ERROR
         && (error->code == NP_EXIT_ELSEWHERE || error->code == NP_EXIT_INTERRUPTED);
}

/* Returns whether the new failure decides the exit status rather than the one that is known. */
static gboolean
decides (const GError *known, const GError *error)
{
  if (np_error_is_silent (error))
    return FALSE;
  if (np_error_is_silent (known))
    return TRUE;
  return known->code != error->code
         && (int) np_exit_worse ((NpExit) known->code, (NpExit) error->code) == error->code;
}

GError *
np_error_join (GError **failed, GError *error)
{
  GError *other = error;
  if (!error)
    return NULL;
  if (!*failed || decides (*failed, error)) {
    other = *failed;
    *failed = error;
  }
  if (other && np_error_is_silent (other))
    g_clear_error (&other);
  return other;
}

/* -- No room ---------------------------------------------------------------- */

NpExit
np_exit_of (int err, NpExit otherwise)
{
  return np_no_room (err) ? NP_EXIT_ROOM : otherwise;
}

static const char *
mend_of (int err)
{
  switch (err) {
  case ENOMEM:
    return "run it where more memory is free";
  case EMFILE:
  case ENFILE:
    return "allow it more open files (ulimit -n)";
  case EROFS:
    return "choose a folder on a disk that can be written";
  default:
    return "free some space, or choose another folder";
  }
}

const char *
np_error_words (int err)
{
  if (!np_no_room (err))
    return g_strerror (err);
  g_autofree char *words
      = g_strdup_printf ("%s: this machine had no room: %s", g_strerror (err), mend_of (err));
  return g_intern_string (words);
}

gboolean
np_error_errno (GError **error, NpExit code, const char *path, int err)
{
  return np_error_set (error, np_exit_of (err, code), "%s: %s", path, np_error_words (err));
}
