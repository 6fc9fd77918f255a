/* SPDX-License-Identifier: Apache-2.0 */
/* log-repeats.c - says the first warnings of each reason and counts the others. */

#include "base/log-repeats.h"

#include <nprof/plugin.h>
#include <pthread.h>
#include <string.h>

typedef struct {
  guint64 count;
  char *what; /* the first one, as an example; NULL: of many reasons */
} Reason;

struct NpRepeats {
  NpLog *log;
  pthread_mutex_t lock;
  GHashTable *by_text; /* reason_of (what) -> Reason, which belongs to `all` */
  GPtrArray *all;      /* of Reason, in order of appearance                  */
  Reason *others;      /* beyond NP_REPEATS_REASONS, or NULL; in `all`       */
};

static void
reason_free (gpointer data)
{
  Reason *reason = data;
  g_free (reason->what);
  g_free (reason);
}

NpRepeats *
np_repeats_new (NpLog *log)
{
  NpRepeats *self = g_new0 (NpRepeats, 1);
  self->log = log;
  pthread_mutex_init (&self->lock, NULL);
  self->by_text = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->all = g_ptr_array_new_with_free_func (reason_free);
  return self;
}

void
np_repeats_free (NpRepeats *self)
{
  if (!self)
    return;
  g_hash_table_unref (self->by_text);
  g_ptr_array_unref (self->all);
  pthread_mutex_destroy (&self->lock);
  g_free (self);
}

static gboolean
in_word (char c)
{
  return g_ascii_isalnum (c) || c == '_' || c == '.' || (c & 0x80);
}

/* Copies a word, or '#' for one that holds a digit.  Returns its end. */
static const char *
put_word (GString *to, const char *at)
{
  gboolean digit = FALSE;
  const char *end = at;
  for (; in_word (*end); end++)
    digit |= g_ascii_isdigit (*end);
  if (digit)
    g_string_append_c (to, '#');
  else
    g_string_append_len (to, at, end - at);
  return end;
}

/* Returns the reason of a warning, transfer full. */
static char *
reason_of (const char *what)
{
  GString *reason = g_string_new (NULL);
  for (const char *at = what; *at;) {
    const char *quoted = *at == '"' ? strchr (at + 1, '"') : NULL;
    if (in_word (*at)) {
      at = put_word (reason, at);
      continue;
    }
    g_string_append_c (reason, *at);
    at = quoted ? quoted + 1 : at + 1;
  }
  return g_string_free (reason, FALSE);
}

static Reason *
add_reason (NpRepeats *self, const char *what)
{
  Reason *reason = g_new0 (Reason, 1);
  reason->what = g_strdup (what);
  g_ptr_array_add (self->all, reason);
  return reason;
}

static Reason *
find_reason (NpRepeats *self, const char *what)
{
  g_autofree char *text = reason_of (what);
  Reason *reason = g_hash_table_lookup (self->by_text, text);
  if (reason)
    return reason;
  if (g_hash_table_size (self->by_text) < NP_REPEATS_REASONS) {
    reason = add_reason (self, what);
    g_hash_table_insert (self->by_text, g_steal_pointer (&text), reason);
    return reason;
  }
  if (!self->others)
    self->others = add_reason (self, NULL);
  return self->others;
}

void
np_repeats_say (NpRepeats *self, const char *who, const char *what)
{
  pthread_mutex_lock (&self->lock);
  if (++find_reason (self, what)->count <= NP_REPEATS_SAID)
    np_log (self->log, NPROF_WARNING, "%s: %s", who, what);
  pthread_mutex_unlock (&self->lock);
}

void
np_repeats_end (NpRepeats *self)
{
  for (guint i = 0; i < self->all->len; i++) {
    const Reason *reason = g_ptr_array_index (self->all, i);
    if (reason->count > NP_REPEATS_SAID)
      np_log (self->log, NPROF_WARNING, "%" G_GUINT64_FORMAT " more like this were not said: %s",
              reason->count - NP_REPEATS_SAID,
              reason->what ? reason->what : "records that are damaged for other reasons");
  }
}
