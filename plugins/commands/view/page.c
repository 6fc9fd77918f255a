/* SPDX-License-Identifier: Apache-2.0 */
/* page.c - serves the page. index.html is made for each request: its @WORDS@ are replaced. It names
 * the other files below /page-VERSION/, which changes with any of them, so that browsers keep them
 * and what they compiled of them. */

#include "page.h"
#include "system/once.h"
#include "deflate.h"
#include "random.h"

#include <string.h>

typedef struct {
  char *text;
  gsize len;
  const char *type;
  NpOnce packing;
  struct nprof_buf packed; /* its gzip, made when it is first wanted; empty: not worth it */
} File;

struct NpPage {
  GHashTable *files; /* name -> File */
  char *version;     /* 16 hex digits over all files */
};

static void
file_free (gpointer data)
{
  File *file = data;
  nprof_buf_clear (&file->packed);
  np_once_clear (&file->packing);
  g_free (file->text);
  g_free (file);
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
  np_once_init (&file->packing);
  if (found)
    g_hash_table_insert (page->files, g_strdup (name), file);
  else
    file_free (file);
}

static char *
version_of (const NpPage *page, const char *const *files)
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  for (guint i = 0; files[i]; i++) {
    const File *file = g_hash_table_lookup (page->files, files[i]);
    g_checksum_update (sum, (const guchar *) files[i], -1);
    if (file)
      g_checksum_update (sum, (const guchar *) file->text, (gssize) file->len);
  }
  return g_strndup (g_checksum_get_string (sum), 16);
}

NpPage *
np_page_new (const char *const *files, char **folders)
{
  NpPage *page = g_new0 (NpPage, 1);
  page->files = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, file_free);
  for (guint i = 0; files[i]; i++)
    read_file (page, files[i], folders);
  page->version = version_of (page, files);
  return page;
}

void
np_page_free (NpPage *page)
{
  if (!page)
    return;
  g_hash_table_unref (page->files);
  g_free (page->version);
  g_free (page);
}

const char *
np_page_text (const NpPage *page, const char *name)
{
  const File *file = g_hash_table_lookup (page->files, name);
  return file ? file->text : NULL;
}

/* Replaces each `word` of the text. */
static char *
replace (const char *text, const char *word, const char *by)
{
  g_auto (GStrv) parts = g_strsplit (text, word, -1);
  return g_strjoinv (by, parts);
}

/* It is shown where the page was not built: its libraries come from the npm registry. */
static const char no_page[]
    = "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>nprof</title>"
      "<meta name=\"nprof-token\" content=\"@TOKEN@\"></head><body>"
      "<p>This nprof was built without its page: <code>./dev demo</code> fetches what it needs.  "
      "The "
      "answers are there: <a href=\"/api/v1/profiles\">/api/v1/profiles</a>.</p></body></html>\n";

static void
answer_index (const NpPage *page, const char *token, const char *first, NpReply *reply)
{
  const File *index = g_hash_table_lookup (page->files, "index.html");
  char nonce[33];
  np_random_hex (nonce, 32);
  const char *const words[][2] = {
    { "@TOKEN@", token }, { "@NONCE@", nonce }, { "@VERSION@", page->version }, { "@FIRST@", first }
  };
  char *text = g_strdup (index ? index->text : no_page);
  for (guint i = 0; i < G_N_ELEMENTS (words); i++) {
    g_autofree char *before = text;
    text = replace (before, words[i][0], words[i][1]);
  }
  reply->type = "text/html; charset=utf-8";
  reply->nonce = g_strdup (nonce);
  nprof_put_text (&reply->body, text);
  g_free (text);
}

static gboolean
is_version (const NpPage *page, const NpRequest *r)
{
  const char *first = r->path->len > 1 ? np_request_segment (r, 0) : "";
  return g_str_has_prefix (first, "page-") && !strcmp (first + strlen ("page-"), page->version);
}

/* The name of a file, as its segments from `first` on say. */
static char *
name_of (const NpRequest *r, guint first)
{
  GString *name = g_string_new (NULL);
  for (guint i = first; i < r->path->len; i++)
    g_string_append_printf (name, "%s%s", i > first ? "/" : "", np_request_segment (r, i));
  return g_string_free (name, FALSE);
}

/* Its gzip, or NULL where it is not worth one. */
static const struct nprof_buf *
packed_of (File *file)
{
  if (np_once_enter (&file->packing)) {
    nprof_put (&file->packed, file->text, file->len);
    if (file->len <= 512 || !np_gzip (&file->packed, NP_GZIP_OFTEN))
      nprof_buf_clear (&file->packed);
    np_once_leave (&file->packing);
  }
  return file->packed.len ? &file->packed : NULL;
}

static void
answer_file (const NpPage *page, File *file, gboolean kept, const NpRequest *r, NpReply *reply)
{
  const struct nprof_buf *packed = r->gzip ? packed_of (file) : NULL;
  reply->type = file->type;
  reply->packed = packed != NULL;
  if (kept)
    reply->etag = g_strdup_printf ("\"%s\"", page->version);
  nprof_put (&reply->body, packed ? packed->data : file->text, packed ? packed->len : file->len);
}

static gboolean
is_profile (const NpRequest *r)
{
  return r->path->len >= 2 && r->path->len <= 3 && !strcmp (np_request_segment (r, 0), "profile");
}

static gboolean
is_place (const NpRequest *r)
{
  const char *first = np_request_segment (r, 0);
  return r->path->len == 0
         || (r->path->len == 1 && (!strcmp (first, "compare") || !strcmp (first, "index.html")))
         || is_profile (r) || (r->path->len == 2 && !strcmp (first, "v"));
}

void
np_page_answer (const NpPage *page, const char *token, const char *first, const NpRequest *r,
                NpReply *reply)
{
  gboolean kept = is_version (page, r);
  g_autofree char *name = name_of (r, kept ? 1 : 0);
  File *file = g_hash_table_lookup (page->files, name);
  if (strcmp (r->method, "GET")) {
    np_reply_fail (reply, 405, "", "the page is read with GET");
  } else if (is_place (r)) {
    answer_index (page, token, first, reply);
  } else if (file) {
    answer_file (page, file, kept, r, reply);
  } else {
    np_reply_fail (reply, 404, "the list of profiles is at /", "there is no such page");
  }
}
