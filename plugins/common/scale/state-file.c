/* SPDX-License-Identifier: Apache-2.0 */
/* state-file.c - writes and reads files of states, every length checked. */

#include "scale/state-file.h"
#include "system/crc32.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>
#ifdef NP_HAVE_ZSTD
#include "system/late-zstd.h"
#endif

#define MAGIC "nprofst"
#define VERSION 1
#define HEAD 12 /* magic, version, sum */
#define MOST_BYTES (G_GUINT64_CONSTANT (1) << 32)

enum { PLAIN, ZSTD };

/* -- In memory --------------------------------------------------------------------------------- */

NpStateRank *
np_state_rank_copy (const NpStateRank *rank)
{
  NpStateRank *copy = g_memdup2 (rank, sizeof *rank);
  copy->host = g_strdup (rank->host);
  copy->file = g_strdup (rank->file);
  copy->digest = g_strdup (rank->digest);
  copy->source = g_strdup (rank->source);
  return copy;
}

void
np_state_rank_free (NpStateRank *rank)
{
  g_free (rank->host);
  g_free (rank->file);
  g_free (rank->digest);
  g_free (rank->source);
  g_free (rank);
}

NpState *
np_state_new (void)
{
  NpState *state = g_new0 (NpState, 1);
  state->ranks = g_ptr_array_new_with_free_func ((GDestroyNotify) np_state_rank_free);
  state->states = g_ptr_array_new_with_free_func ((GDestroyNotify) np_saved_free);
  return state;
}

void
np_state_free (NpState *state)
{
  g_free (state->nprof);
  g_free (state->options);
  g_ptr_array_unref (state->ranks);
  g_ptr_array_unref (state->states);
  g_free (state);
}

static int
by_number (gconstpointer pa, gconstpointer pb)
{
  const NpStateRank *a = *(NpStateRank *const *) pa, *b = *(NpStateRank *const *) pb;
  if (a->number != b->number)
    return a->number < b->number ? -1 : 1;
  return strcmp (a->digest, b->digest);
}

void
np_state_sort (NpState *state)
{
  g_ptr_array_sort (state->ranks, by_number);
}

/* -- Writing ----------------------------------------------------------------------------------- */

static void
put (GByteArray *to, guint64 value)
{
  guint64 le = GUINT64_TO_LE (value);
  g_byte_array_append (to, (const guint8 *) &le, sizeof le);
}

static void
put_bytes (GByteArray *to, const void *data, gsize len)
{
  put (to, len);
  g_byte_array_append (to, data, (guint) len);
}

static void
put_text (GByteArray *to, const char *text)
{
  put_bytes (to, text ? text : "", text ? strlen (text) : 0);
}

static void
put_states (GByteArray *to, const GPtrArray *states)
{
  put (to, states->len);
  for (guint i = 0; i < states->len; i++) {
    const NpSaved *saved = g_ptr_array_index (states, i);
    gsize len;
    const void *data = g_bytes_get_data (saved->state, &len);
    put_text (to, saved->analyzer);
    put_bytes (to, data, len);
  }
}

char *
np_states_digest (const GPtrArray *states)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  put_states (bytes, states);
  return g_compute_checksum_for_data (G_CHECKSUM_SHA256, bytes->data, bytes->len);
}

static void
put_rank (GByteArray *to, const NpStateRank *rank)
{
  put (to, (guint64) rank->number);
  put (to, (guint64) rank->world);
  put (to, (guint64) rank->begin);
  put (to, (guint64) rank->end);
  put_text (to, rank->host);
  put_text (to, rank->file);
  put_text (to, rank->digest);
  put_text (to, rank->source);
}

static GByteArray *
who_of (const NpState *state)
{
  GByteArray *to = g_byte_array_new ();
  put_text (to, state->nprof);
  put_text (to, state->options);
  put (to, state->ranks->len);
  for (guint i = 0; i < state->ranks->len; i++)
    put_rank (to, g_ptr_array_index (state->ranks, i));
  return to;
}

/* Replaces it by its compressed form.  FALSE: it stays as it is. */
static gboolean
compress_bytes (GByteArray *bytes)
{
#ifdef NP_HAVE_ZSTD
  gsize room = ZSTD_compressBound (bytes->len);
  g_autofree guint8 *to = g_malloc (room);
  gsize n = ZSTD_compress (to, room, bytes->data, bytes->len, 3);
  if (ZSTD_isError (n) || n >= bytes->len)
    return FALSE;
  memcpy (bytes->data, to, n);
  g_byte_array_set_size (bytes, (guint) n);
  return TRUE;
#else
  (void) bytes;
  return FALSE;
#endif
}

GBytes *
np_state_to_bytes (const NpState *state)
{
  g_autoptr (GByteArray) who = who_of (state), states = g_byte_array_new ();
  put_states (states, state->states);
  guint64 len = states->len;
  guint8 codec = compress_bytes (states) ? ZSTD : PLAIN;
  GByteArray *file = g_byte_array_new ();
  g_byte_array_append (file, (const guint8 *) MAGIC, strlen (MAGIC));
  g_byte_array_append (file, &(guint8){ VERSION }, 1);
  g_byte_array_append (file, (const guint8[4]){ 0 }, 4);
  put_bytes (file, who->data, who->len);
  g_byte_array_append (file, &codec, 1);
  put (file, len);
  g_byte_array_append (file, states->data, states->len);
  guint32 sum = GUINT32_TO_LE (np_crc32 (0, file->data + HEAD, file->len - HEAD));
  memcpy (file->data + HEAD - 4, &sum, sizeof sum);
  return g_byte_array_free_to_bytes (file);
}

static gboolean
system_failed (const char *path, const char *what, GError **error)
{
  return np_error_set (error, np_exit_of (errno, NP_EXIT_SINK), "%s: %s: %s", path, what,
                       np_error_words (errno));
}

static gboolean
write_all (int fd, const guint8 *data, gsize len)
{
  for (gssize n; len; data += n, len -= (gsize) n)
    if ((n = write (fd, data, len)) < 0 && errno != EINTR)
      return FALSE;
    else
      n = MAX (n, 0);
  return fsync (fd) == 0;
}

gboolean
np_state_write (const NpState *state, const char *path, GError **error)
{
  g_autoptr (GBytes) bytes = np_state_to_bytes (state);
  g_autofree char *folder = g_path_get_dirname (path), *name = g_path_get_basename (path);
  g_autofree char *temp = g_strdup_printf ("%s/.%s.%d", folder, name, (int) getpid ());
  gsize len;
  const guint8 *data = g_bytes_get_data (bytes, &len);
  if (g_mkdir_with_parents (folder, 0777))
    return system_failed (folder, "cannot be made", error);
  int fd = g_open (temp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0)
    return system_failed (temp, "cannot be written", error);
  gboolean ok = write_all (fd, data, len);
  int cause = errno;
  ok = close (fd) == 0 && ok;
  if (ok && g_rename (temp, path) == 0)
    return TRUE;
  errno = ok ? errno : cause;
  system_failed (path, "cannot be written", error);
  g_unlink (temp);
  return FALSE;
}

/* -- Reading ----------------------------------------------------------------------------------- */

typedef struct {
  const guint8 *at, *end;
  gboolean damaged;
} In;

static guint64
get (In *in)
{
  guint64 le;
  if (in->damaged || (gsize) (in->end - in->at) < sizeof le) {
    in->damaged = TRUE;
    return 0;
  }
  memcpy (&le, in->at, sizeof le);
  in->at += sizeof le;
  return GUINT64_FROM_LE (le);
}

static const guint8 *
get_bytes (In *in, guint64 *len)
{
  *len = get (in);
  if (*len > (guint64) (in->end - in->at))
    in->damaged = TRUE;
  if (in->damaged) {
    *len = 0;
    return in->at;
  }
  in->at += *len;
  return in->at - *len;
}

static char *
get_text (In *in)
{
  guint64 len;
  const guint8 *text = get_bytes (in, &len);
  in->damaged = in->damaged || !g_utf8_validate ((const char *) text, (gssize) len, NULL);
  return in->damaged ? g_strdup ("") : g_strndup ((const char *) text, len);
}

static NpStateRank *
get_rank (In *in)
{
  NpStateRank *rank = g_new0 (NpStateRank, 1);
  rank->number = (gint64) get (in);
  rank->world = (gint64) get (in);
  rank->begin = (gint64) get (in);
  rank->end = (gint64) get (in);
  rank->host = get_text (in);
  rank->file = get_text (in);
  rank->digest = get_text (in);
  rank->source = get_text (in);
  in->damaged = in->damaged || rank->number < 0 || rank->world < 0;
  return rank;
}

/* A part of the content, which is not copied: states of many ranks are large. */
static NpSaved *
get_state (In *in, GBytes *content, const guint8 *begin)
{
  NpSaved *saved = g_new0 (NpSaved, 1);
  guint64 len;
  saved->analyzer = get_text (in);
  const guint8 *state = get_bytes (in, &len);
  saved->state = g_bytes_new_from_bytes (content, (gsize) (state - begin), len);
  return saved;
}

static gboolean
damaged (const char *path, const char *why, GError **error)
{
  return np_error_set (error, NP_EXIT_INPUT, "%s: %s: make it again with nprof map", path, why);
}

static gboolean
get_who (NpState *state, const guint8 *data, guint64 len)
{
  In in = { data, data + len, FALSE };
  state->nprof = get_text (&in);
  state->options = get_text (&in);
  guint64 n = get (&in);
  for (guint64 i = 0; i < n && !in.damaged; i++)
    g_ptr_array_add (state->ranks, get_rank (&in));
  return !in.damaged && in.at == in.end && state->ranks->len;
}

static gboolean
get_states (NpState *state, GBytes *bytes)
{
  gsize len;
  const guint8 *data = g_bytes_get_data (bytes, &len);
  In in = { data, data + len, FALSE };
  guint64 n = get (&in);
  for (guint64 i = 0; i < n && !in.damaged; i++)
    g_ptr_array_add (state->states, get_state (&in, bytes, data));
  return !in.damaged && in.at == in.end;
}

static gboolean
inflate_states (NpState *state, const char *path, const guint8 *data, gsize len, guint64 room,
                GError **error)
{
#ifdef NP_HAVE_ZSTD
  if (room > MOST_BYTES || ZSTD_getFrameContentSize (data, len) != room)
    return damaged (path, "its compressed content is damaged", error);
  guint8 *content = g_try_malloc (room + 1);
  gsize n = content ? ZSTD_decompress (content, room, data, len) : 0;
  g_autoptr (GBytes) bytes = g_bytes_new_take (content, content ? room : 0);
  return (content && n == room && get_states (state, bytes))
         || damaged (path, "its compressed content is damaged", error);
#else
  (void) state, (void) data, (void) len, (void) room;
  return np_error_set (
      error, NP_EXIT_USAGE,
      "%s: it is compressed with zstd, and this nprof was built without it: install "
      "libzstd-dev and build nprof again",
      path);
#endif
}

static gboolean
check_head (const char *path, const guint8 *data, gsize len, GError **error)
{
  guint32 sum;
  if (len < HEAD || memcmp (data, MAGIC, strlen (MAGIC)) != 0)
    return np_error_set (
        error, NP_EXIT_INPUT,
        "%s: this is no state of ranks: of profiles nprof map -o FOLDER makes the states "
        "that nprof reduce joins",
        path);
  if (data[7] > VERSION)
    return np_error_set (
        error, NP_EXIT_USAGE,
        "%s: a state of version %d, this nprof knows version %d: use the nprof that made it", path,
        data[7], VERSION);
  if (data[7] != VERSION)
    return damaged (path, "its version is none that there ever was", error);
  memcpy (&sum, data + HEAD - 4, sizeof sum);
  return GUINT32_FROM_LE (sum) == np_crc32 (0, data + HEAD, len - HEAD)
         || damaged (path, "it is cut, or its bytes have changed", error);
}

static gboolean
read_bytes (NpState *state, const char *path, const guint8 *data, gsize len, gboolean with_states,
            GError **error)
{
  if (!check_head (path, data, len, error))
    return FALSE;
  In in = { data + HEAD, data + len, FALSE };
  guint64 n_who;
  const guint8 *who = get_bytes (&in, &n_who);
  if (in.damaged || !get_who (state, who, n_who) || in.at == in.end)
    return damaged (path, "it does not say who its ranks are", error);
  guint8 codec = *in.at++;
  guint64 room = get (&in);
  gsize left = (gsize) (in.end - in.at);
  if (!with_states)
    return TRUE;
  if (codec == ZSTD && !in.damaged)
    return inflate_states (state, path, in.at, left, room, error);
  g_autoptr (GBytes) bytes = g_bytes_new (in.at, left);
  return (!in.damaged && codec == PLAIN && room == left && get_states (state, bytes))
         || damaged (path, "its states are damaged", error);
}

NpState *
np_state_read (const char *path, gboolean with_states, GError **error)
{
  g_autofree char *data = NULL;
  gsize len;
  g_autoptr (GError) cause = NULL;
  g_autoptr (NpState) state = np_state_new ();
  if (!g_file_get_contents (path, &data, &len, &cause))
    np_error_set (error, NP_EXIT_INPUT, "%s", cause->message);
  else if (read_bytes (state, path, (const guint8 *) data, len, with_states, error))
    return g_steal_pointer (&state);
  return NULL;
}
