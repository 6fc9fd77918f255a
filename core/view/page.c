/* SPDX-License-Identifier: Apache-2.0 */
/* page.c - serves the page.  index.html is made for each request: @TOKEN@ and @NONCE@ in it are replaced. */

#include "view/page.h"
#include "view/random.h"

#include <string.h>

typedef struct {
  char *text;
  gsize len;
  const char *type;
} File;

struct NpPage {
  GHashTable *files; /* name -> File */
};

static void
file_free (gpointer data)
{
  g_free (((File *) data)->text);
  g_free (data);
}

static const char *
type_of (const char *name)
{
  static const struct {
    const char *ending, *type;
  } types[] = { { ".html", "text/html; charset=utf-8" },
                { ".js", "text/javascript; charset=utf-8" },
                { ".css", "text/css; charset=utf-8" },
                { ".svg", "image/svg+xml" },
                { ".json", "application/json" },
                { ".woff2", "font/woff2" },
                { ".png", "image/png" },
                { ".txt", "text/plain; charset=utf-8" },
                { ".map", "application/json" },
                { ".ico", "image/x-icon" } };
  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    if (g_str_has_suffix (name, types[i].ending))
      return types[i].type;
  return "application/octet-stream";
}

static void
read_file (NpPage *page, const char *name, char **folders)
{
  File *file = g_new0 (File, 1);
  gboolean found = FALSE;
  for (char **folder = folders; *folder && !found; folder++) {
    g_autofree char *path = g_build_filename (*folder, name, NULL);
    found = g_file_get_contents (path, &file->text, &file->len, NULL);
  }
  file->type = type_of (name);
  if (found)
    g_hash_table_insert (page->files, g_strdup (name), file);
  else
    file_free (file);
}

NpPage *
np_page_new (const char *const *files, char **folders)
{
  NpPage *page = g_new0 (NpPage, 1);
  page->files = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, file_free);
  for (guint i = 0; files[i]; i++)
    read_file (page, files[i], folders);
  return page;
}

void
np_page_free (NpPage *page)
{
  if (!page)
    return;
  g_hash_table_unref (page->files);
  g_free (page);
}

/* Replaces each `word` of the text. */
static char *
replace (const char *text, const char *word, const char *by)
{
  g_auto (GStrv) parts = g_strsplit (text, word, -1);
  return g_strjoinv (by, parts);
}

/* Where the page was not built: its libraries come from the npm registry. */
static const char no_page[]
    = "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>nprof</title>"
      "<meta name=\"nprof-token\" content=\"@TOKEN@\"></head><body>"
      "<p>This nprof was built without its page: <code>./dev demo</code> fetches what it needs.  "
      "The "
      "answers are there: <a href=\"/api/v1/profiles\">/api/v1/profiles</a>.</p></body></html>\n";

static void
answer_index (const NpPage *page, const char *token, NpReply *reply)
{
  const File *index = g_hash_table_lookup (page->files, "index.html");
  char nonce[33];
  np_random_hex (nonce, 32);
  g_autofree char *with_token = replace (index ? index->text : no_page, "@TOKEN@", token);
  g_autofree char *text = replace (with_token, "@NONCE@", nonce);
  reply->type = "text/html; charset=utf-8";
  reply->nonce = g_strdup (nonce);
  nprof_put_text (&reply->body, text);
}

/* The name of a file, as its segments say. */
static char *
name_of (const NpRequest *r)
{
  GString *name = g_string_new (NULL);
  for (guint i = 0; i < r->path->len; i++)
    g_string_append_printf (name, "%s%s", i ? "/" : "", np_request_segment (r, i));
  return g_string_free (name, FALSE);
}

static gboolean
is_place (const NpRequest *r)
{
  const char *first = np_request_segment (r, 0);
  return r->path->len == 0
         || (r->path->len == 1 && (!strcmp (first, "compare") || !strcmp (first, "index.html")))
         || (r->path->len >= 2 && r->path->len <= 3 && !strcmp (first, "profile"))
         || (r->path->len == 2 && !strcmp (first, "v"));
}

void
np_page_answer (const NpPage *page, const char *token, const NpRequest *r, NpReply *reply)
{
  g_autofree char *name = name_of (r);
  const File *file = g_hash_table_lookup (page->files, name);
  if (strcmp (r->method, "GET")) {
    np_reply_fail (reply, 405, "", "the page is read with GET");
  } else if (is_place (r)) {
    answer_index (page, token, reply);
  } else if (file) {
    reply->type = file->type;
    nprof_put (&reply->body, file->text, file->len);
  } else {
    np_reply_fail (reply, 404, "the list of profiles is at /", "there is no such page");
  }
}
