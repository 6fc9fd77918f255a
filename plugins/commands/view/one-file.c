/* SPDX-License-Identifier: Apache-2.0 */
/* one-file.c - the page of a profile as one HTML file.  Its answers are those of the routes, by the
 * question, packed into one text that no browser runs; base/packed.js looks them up. */

#include "one-file.h"
#include "ask.h"
#include "base/error.h"
#include "deflate.h"
#include "random.h"
#include "routes.h"
#include "stored/cells.h"
#include "system/by-text.h"

#include <string.h>

/* What the answers may have in all, before they are packed. */
#define MOST_BYTES (5u << 20)
/* A picture of the whole run has as many pixels at least. */
#define LEAST_PIXELS 2000
#define TILE_PIXELS 2048 /* as timeline/tiles.js has it */
#define NO_LANE G_MAXUINT32
#define NEXT_AT 32 /* where a picture says with which lane to go on */
#define PATIENCE_US (60 * G_USEC_PER_SEC)
#define NAMES_AT_ONCE 4096
#define LANES_AT_ONCE 64 /* as many as a picture is asked of */

typedef struct {
  NpView *view;
  NpProfile *profile;
  char *base;           /* "p/ID/GEN" */
  struct nprof_buf all; /* of each answer: bytes of its key, its key, bytes, its bytes */
  guint64 rows, kept_rows;
} Whole;

static void
put_part (struct nprof_buf *to, const void *data, gsize bytes)
{
  const guint8 size[4]
      = { (guint8) bytes, (guint8) (bytes >> 8), (guint8) (bytes >> 16), (guint8) (bytes >> 24) };
  nprof_put (to, size, sizeof size);
  nprof_put (to, data, bytes);
}

/* "p/ID/GEN/steps\nn=2000": the path without what all have in common, and parameters in order;
 * those of lanes say from which on. */
static char *
key_of (const NpRequest *r, guint32 from)
{
  GString *key = g_string_new (NULL);
  g_autoptr (GPtrArray) params = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 2; i < r->path->len; i++)
    g_string_append_printf (key, "%s%s", i > 2 ? "/" : "", np_request_segment (r, i));
  for (guint i = 0; i < r->params->len; i++) {
    const NpParam *p = &g_array_index (r->params, NpParam, i);
    if (from == NO_LANE || strcmp (p->name, "lanes"))
      g_ptr_array_add (params, g_strconcat (p->name, "=", p->value, NULL));
  }
  g_ptr_array_sort (params, np_by_text);
  for (guint i = 0; i < params->len; i++)
    g_string_append_printf (key, "\n%s", (char *) params->pdata[i]);
  if (from != NO_LANE)
    g_string_append_printf (key, "\nfrom=%u", from);
  return g_string_free (key, FALSE);
}

/* Long work answers 202 until it is done. */
static void
ask (Whole *w, NpRequest *request, NpReply *reply)
{
  const gint64 until = g_get_monotonic_time () + PATIENCE_US;
  np_reply_init (reply);
  np_route (w->view, request, reply);
  while ((reply->status == 202 || reply->status == 429) && g_get_monotonic_time () < until) {
    g_usleep (20000);
    np_reply_clear (reply);
    np_reply_init (reply);
    np_route (w->view, request, reply);
  }
}

/* Keeps the answer of a target below /api/v1/; what has none is left out, and the page says so
 * where it is asked for.  Returns the lane to go on with. */
static guint32
keep (Whole *w, guint32 from, const char *target)
{
  const char *why;
  guint32 next = NO_LANE;
  g_autofree char *url = g_strconcat ("/api/v1/", target, NULL);
  g_autoptr (NpRequest) request = np_request_parse (url, &why);
  NpReply reply;
  if (!request)
    return next;
  request->method = "GET";
  ask (w, request, &reply);
  if (reply.status == 200 && reply.fd < 0 && !reply.body.failed) {
    g_autofree char *key = key_of (request, from);
    put_part (&w->all, key, strlen (key));
    put_part (&w->all, reply.body.data, reply.body.len);
    if (from != NO_LANE && reply.body.len >= NEXT_AT + 4)
      next = GUINT32_FROM_LE (*(const guint32 *) (gconstpointer) (reply.body.data + NEXT_AT));
  }
  np_reply_clear (&reply);
  return next;
}

G_GNUC_PRINTF (2, 3)
static void
keep_below (Whole *w, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *below = g_strdup_vprintf (format, args);
  va_end (args);
  g_autofree char *target = g_strconcat (w->base, "/", below, NULL);
  keep (w, NO_LANE, target);
}

/* -- What is kept ------------------------------------------------------------------------------ */

/* What the page asks as it is opened, and its tabs; each as the page writes it. */
static const char *const questions[] = { "meta?lanes=columns",
                                         "names?of=over",
                                         "profile",
                                         "strip?pixels=1024",
                                         "s?n=1",
                                         "table/step_times?sort=-median_ns&n=1",
                                         "table/latency?sort=-total_ns&n=200",
                                         "operators?level=hlo&n=500",
                                         "operators?level=name&n=500",
                                         "operators?level=framework&n=500",
                                         "operators?level=hlo&n=10000",
                                         "operators?level=name&n=10000",
                                         "operators?level=framework&n=10000",
                                         "steps?n=2000",
                                         "steps?n=10000",
                                         "flame?by=launch",
                                         "memory",
                                         "roofline?level=operator",
                                         "gaps?sort=-duration_ns&n=500",
                                         "ranks?metric=step",
                                         "ranks?metric=busy",
                                         "ranks?metric=exposed",
                                         "sources" };

static void
keep_questions (Whole *w)
{
  g_autofree char *head = g_strconcat ("p/", w->profile->id, NULL);
  keep (w, NO_LANE, head);
  keep (w, NO_LANE, "server");
  for (guint i = 0; i < G_N_ELEMENTS (questions); i++)
    keep_below (w, "%s", questions[i]);
  const guint64 labels = nprof_store_n (w->profile->store, NPROF_STORE_S_LABELS);
  for (guint64 from = 0; from < labels && w->all.len < MOST_BYTES; from += NAMES_AT_ONCE)
    keep_below (w, "names?from=%" G_GUINT64_FORMAT "&n=%u", from, NAMES_AT_ONCE);
}

/* Keeps the windows of a line of the first screen, as base/step-by.js asks for them. */
static void
keep_windows_of (Whole *w, const NpCells *lines, guint64 line)
{
  g_autofree char *input = np_cells_text (lines, line, "input"),
                  *device = np_cells_text (lines, line, "device");
  g_autoptr (GString) where = g_string_new ("input=");
  if (!input || !device)
    return;
  np_put_quoted (where, input);
  g_string_append (where, " and device=");
  np_put_quoted (where, device);
  g_autofree char *escaped = g_uri_escape_string (where->str, NULL, FALSE);
  keep_below (w, "table/verdict_windows?where=%s&n=10000", escaped);
}

/* The windows of the verdict are the steps of the page where the file states none. */
static void
keep_windows (Whole *w)
{
  NpCells lines = { 0 };
  struct nprof_query *query = np_profile_query (w->profile);
  if (!query)
    return;
  if (np_cells_open (&lines, w->profile->store, query, "summary"))
    for (guint64 line = 0; line < lines.rows; line++)
      if (np_cells_is (&lines, line, "label", "step"))
        keep_windows_of (w, &lines, line);
  np_cells_clear (&lines);
  np_profile_give_back (w->profile, query);
}

/* Each as the page asks for the tables of a subject. */
static void
keep_tables (Whole *w)
{
  const struct nprof_store_table *t;
  for (guint32 i = 0; (t = nprof_store_table_at (w->profile->store, i)); i++) {
    const char *name = np_profile_string (w->profile, t->name);
    if (t->rows && w->all.len < MOST_BYTES / 2)
      keep_below (w, "table/%s?n=300", name);
  }
}

/* Keeps a picture of all lanes, in as many answers as it takes. */
static void
keep_lanes (Whole *w, const char *question)
{
  const guint64 lanes = nprof_store_n (w->profile->store, NPROF_STORE_S_LANES);
  for (guint32 from = 0; from < lanes;) {
    const guint32 behind = (guint32) MIN (lanes, (guint64) from + LANES_AT_ONCE);
    g_autofree char *target
        = g_strdup_printf ("%s/%slanes=%u-%u", w->base, question, from, behind - 1);
    const guint32 next = keep (w, from, target);
    from = next > from && next < behind ? next : behind;
  }
}

static void
keep_level (Whole *w, int level)
{
  const gint64 size = (gint64) TILE_PIXELS << level;
  const struct nprof_store_meta *m = w->profile->meta;
  gint64 tile = m->first / size - (m->first % size < 0);
  for (; tile * size < m->last && w->all.len < MOST_BYTES; tile++) {
    g_autofree char *question = g_strdup_printf ("v?l=%d&i=%" G_GINT64_FORMAT "&", level, tile);
    keep_lanes (w, question);
  }
}

/* Pictures of the whole run, and finer ones as long as there is room. */
static void
keep_pictures (Whole *w)
{
  const struct nprof_store_meta *m = w->profile->meta;
  int level = 0;
  for (guint64 pixel = (guint64) (m->last - m->first) / LEAST_PIXELS; pixel > 1; pixel >>= 1)
    level++;
  level = MIN (level, 50);
  for (int up = 2; up >= 0; up--)
    keep_level (w, level + up);
  for (int finer = level - 1; finer >= 0 && finer > level - 5 && w->all.len < MOST_BYTES / 2;
       finer--)
    keep_level (w, finer);
}

/* Keeps what can be told of each row, of all or of none. */
static void
keep_rows (Whole *w)
{
  const guint64 lanes = nprof_store_n (w->profile->store, NPROF_STORE_S_LANES);
  const gsize before = w->all.len;
  for (guint32 lane = 0; lane < lanes; lane++)
    w->rows += nprof_store_lane_at (w->profile->store, lane)->rows;
  for (guint32 lane = 0; lane < lanes; lane++) {
    const guint64 rows = nprof_store_lane_at (w->profile->store, lane)->rows;
    for (guint64 row = 0; row < rows && w->all.len < MOST_BYTES; row++, w->kept_rows++)
      keep_below (w, "e?row=%u.%" G_GUINT64_FORMAT, lane, row);
  }
  if (w->kept_rows < w->rows) {
    w->all.len = before;
    w->kept_rows = 0;
  }
}

/* -- The file ---------------------------------------------------------------------------------- */

/* A text must not end the element that it stands in. Nothing can be put into a script to keep it
 * from that, for "<!" and "</s" may be operators there: esbuild writes "<\/" where a string or a
 * pattern has "</script" or "</style". What has one of these all the same is refused, and so is
 * "<script", which behind "<!--" hides the end. */
static gboolean
put_inside (struct nprof_buf *out, const char *name, const char *text, GError **error)
{
  static const char *const ends[] = { "</script", "</style", "<script" };
  g_autofree char *low = g_ascii_strdown (text, -1);
  for (guint i = 0; i < G_N_ELEMENTS (ends); i++)
    if (strstr (low, ends[i]))
      return np_error_set (error, NP_EXIT_USAGE,
                           "%s has %s, which would end it within the page: build nprof again", name,
                           ends[i]);
  nprof_put_text (out, text);
  return TRUE;
}

static void
put_head (const char *nonce, struct nprof_buf *out)
{
  g_autofree char *head = g_strdup_printf (
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "script-src 'nonce-%s'; style-src 'nonce-%s'; img-src data:; base-uri 'none'; "
      "form-action 'none'\">\n<title>nprof</title>\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<meta name=\"nprof-nonce\" content=\"%s\">\n",
      nonce, nonce, nonce);
  nprof_put_text (out, head);
}

/* The answers are base64: no name of a profile is a word of the file. */
static void
put_answers (Whole *w, struct nprof_buf *out)
{
  np_gzip (&w->all, NP_GZIP_ONCE);
  g_autofree char *text = g_base64_encode ((const guchar *) w->all.data, w->all.len);
  g_autofree char *begin = g_strdup_printf (
      "<script type=\"application/octet-stream\" id=\"answers\" data-profile=\"%s\" "
      "data-rows=\"%" G_GUINT64_FORMAT "\" data-kept=\"%" G_GUINT64_FORMAT "\">",
      w->profile->id, w->rows, w->kept_rows);
  nprof_put_text (out, begin);
  nprof_put_text (out, text);
  nprof_put_text (out, "</script>\n");
}

static gboolean
put_page (Whole *w, struct nprof_buf *out, GError **error)
{
  const char *script = np_page_text (w->view->page, "lib/whole.js"),
             *style = np_page_text (w->view->page, "lib/whole.css");
  char nonce[33];
  if (!script || !style)
    return np_error_set (error, NP_EXIT_USAGE,
                         "this nprof was built without its page: ./dev demo fetches what it needs");
  np_random_hex (nonce, 32);
  put_head (nonce, out);
  g_autofree char *begin = g_strdup_printf ("<style nonce=\"%s\">\n", nonce),
                  *run = g_strdup_printf ("<script type=\"module\" nonce=\"%s\">\n", nonce);
  nprof_put_text (out, begin);
  if (!put_inside (out, "lib/whole.css", style, error))
    return FALSE;
  nprof_put_text (out, "</style>\n</head>\n<body>\n<div id=\"app\"></div>\n"
                       "<div id=\"said\" class=\"sr-only\" aria-live=\"polite\" data-say></div>\n");
  put_answers (w, out);
  nprof_put_text (out, run);
  if (!put_inside (out, "lib/whole.js", script, error))
    return FALSE;
  nprof_put_text (out, "</script>\n</body>\n</html>\n");
  if (out->failed)
    np_error_set (error, NP_EXIT_ROOM, "no memory is left");
  return !out->failed;
}

static void
keep_all (Whole *w)
{
  keep_questions (w);
  keep_windows (w);
  keep_lanes (w, "over?");
  keep_tables (w);
  keep_pictures (w);
  keep_rows (w);
}

gboolean
np_ask_page (NpAsk *ask)
{
  g_autoptr (GError) error = NULL;
  if (!np_one_file (ask->view, ask->id, &ask->reply->body, &error))
    return np_reply_fail (ask->reply, 500, "", "%s", error->message);
  ask->reply->type = "text/html; charset=utf-8";
  ask->reply->download = g_strdup ("");
  return TRUE;
}

gboolean
np_one_file (NpView *view, const char *id, struct nprof_buf *out, GError **error)
{
  char why[700] = "";
  Whole w = { .view = view, .profile = np_opened_get (view->opened, id, why, sizeof why) };
  if (!w.profile)
    return np_error_set (error, NP_EXIT_INPUT, "%s: %s", id,
                         *why ? why : "there is no such profile");
  w.base = g_strdup_printf ("p/%s/%016" G_GINT64_MODIFIER "x", id, w.profile->meta->generation);
  keep_all (&w);
  gboolean good = put_page (&w, out, error);
  nprof_buf_clear (&w.all);
  g_free (w.base);
  np_profile_unref (w.profile);
  return good;
}
