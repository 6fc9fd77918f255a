/* SPDX-License-Identifier: Apache-2.0 */
/* payload.c - streams the tar of a NEFF through libarchive, keeps the members that are
 * needed, counts opcodes as they pass, and checks the hash.  Names are keys of a table, never
 * paths.  All bytes go through read_block, so that is where the run may stop. */
#include "neff.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define BLOCK 65536u
#define MAX_TEXT (64u << 20)  /* of all JSON and debug members together */
#define MAX_DEBUG (16u << 20) /* of one debug member */
#define MAX_STREAMS 4096u
#define MAX_WARNINGS 8u
#define FREE_INFLATE (64u << 20) /* what any payload may inflate to */
#define MAX_RATIO 256u           /* and how many times its size a larger one */

typedef struct {
  Neff *n;
  const guint8 *data;
  guint64 len, at, limit;
  guint64 inflated; /* of the payload, that far at least: libarchive forgets it when it fails */
  struct archive *archive;
  GChecksum *sum; /* NULL: the hash is not checked */
  nprof_status status;
} Source;

/* -- Bytes in --------------------------------------------------------------------------- */

static nprof_status
next_block (Source *s, const void **block, gsize *n)
{
  *block = s->data + s->at;
  *n = (gsize) MIN (BLOCK, s->len - s->at);
  if (s->sum)
    g_checksum_update (s->sum, *block, (gssize) *n);
  guint64 from = s->n->payload_at + s->at;
  s->at += *n;
  return s->n->host->progress (s->n->host, from, from + *n);
}

static nprof_status
check_limit (Source *s)
{
  gint64 inflated = archive_filter_bytes (s->archive, 0);
  if (inflated < 0 || (guint64) inflated <= s->limit)
    return NPROF_OK;
  return nprof_fail (s->n->host, NPROF_E_FORMAT,
                     "the payload inflates to more than %" G_GUINT64_FORMAT
                     " bytes after %" G_GUINT64_FORMAT " of its %" G_GUINT64_FORMAT
                     " bytes (byte %" G_GUINT64_FORMAT
                     " of the file), which no compiler writes; if it is right, set inflate_limit",
                     s->limit, s->at, s->len, s->n->payload_at + s->at);
}

static la_ssize_t
read_block (struct archive *archive, void *user, const void **block)
{
  Source *s = user;
  gsize n;
  if (s->status == NPROF_OK)
    s->status = check_limit (s);
  if (s->status == NPROF_OK)
    s->status = next_block (s, block, &n);
  if (s->status == NPROF_OK)
    return (la_ssize_t) n;
  archive_set_error (archive, EIO, "stopped");
  return ARCHIVE_FATAL;
}

static const char *
entry_name (struct archive_entry *entry)
{
  const char *name = archive_entry_pathname (entry);
  if (!name)
    name = archive_entry_pathname_utf8 (entry); /* other than ASCII, in the locale C */
  while (name && name[0] == '.' && name[1] == '/')
    for (name += 2; *name == '/'; name++)
      ;
  return name;
}

/* -- Their content ---------------------------------------------------------------------- */

static nprof_status
lost (Source *s, const NeffMember *member)
{
  Neff *n = s->n;
  if (s->status)
    return s->status;
  const char *why = archive_error_string (s->archive);
  guint64 at = n->payload_at + (n->packing == NEFF_TAR ? s->inflated : s->at);
  n->lost = TRUE;
  return nprof_damage (n->host, at,
                       "the payload cannot be read on%s%s: %s; behind byte %" G_GUINT64_FORMAT
                       " of the %s; copy the file again",
                       member ? " in member " : "", member ? member->name : "",
                       why ? why : "damaged", s->inflated,
                       n->packing == NEFF_GZIP ? "inflated payload" : "payload");
}

/* Reads the whole text; *done says that it is there. */
static nprof_status
keep_text (Source *s, NeffMember *member, gboolean *done)
{
  member->text = g_try_malloc (member->size + 1);
  if (!member->text)
    return nprof_fail (s->n->host, NPROF_E_NOMEM, "no memory for member %s", member->name);
  while (member->len < member->size) {
    la_ssize_t got
        = archive_read_data (s->archive, member->text + member->len, member->size - member->len);
    if (got <= 0) {
      g_clear_pointer (&member->text, g_free);
      *done = FALSE;
      return lost (s, member);
    }
    member->len += (gsize) got;
  }
  member->text[member->len] = '\0';
  s->n->kept += member->size;
  return NPROF_OK;
}

/* Counts opcodes; byte 1 of each slot is its length in 32-bit words, and a stream with other
 * lengths is another layout. */
static nprof_status
count_opcodes (Source *s, NeffMember *member, gboolean *done)
{
  guint8 buffer[BLOCK];
  g_autofree guint64 *counts = g_new0 (guint64, 256);
  for (guint64 at = 0; at < member->size;) {
    gsize want = (gsize) MIN (sizeof buffer, member->size - at), have = 0;
    while (have < want) {
      la_ssize_t got = archive_read_data (s->archive, buffer + have, want - have);
      if (got <= 0) {
        *done = FALSE;
        return lost (s, member);
      }
      have += (gsize) got;
    }
    for (gsize i = 0; i < have; i += NEFF_SLOT) {
      if (buffer[i + 1] != NEFF_SLOT / 4)
        return NPROF_OK;
      counts[buffer[i]]++;
    }
    at += have;
  }
  member->opcodes = g_steal_pointer (&counts);
  s->n->streams++;
  return NPROF_OK;
}

static nprof_status
read_content (Source *s, NeffMember *member, gboolean *done)
{
  Neff *n = s->n;
  gboolean debug = neff_is_debug (member->name);
  if (debug || neff_is_json (member->name)) {
    guint64 limit = debug ? MAX_DEBUG : n->member_limit;
    if (member->size <= limit && member->size <= MAX_TEXT - n->kept)
      return keep_text (s, member, done);
    return NPROF_OK;
  }
  if (g_str_has_suffix (member->name, ".bin") && member->size % NEFF_SLOT == 0
      && n->streams < MAX_STREAMS)
    return count_opcodes (s, member, done);
  return NPROF_OK;
}

/* -- The tar ---------------------------------------------------------------------------- */

static void
pass_over (Source *s, const char *name, const char *what, const char *reason)
{
  Neff *n = s->n;
  guint64 at = n->payload_at;
  if (n->packing == NEFF_TAR)
    at += (guint64) archive_read_header_position (s->archive);
  n->host->skip (n->host, what, at, reason);
  if (++n->warnings > MAX_WARNINGS)
    return;
  nprof_log (n->host, NPROF_WARNING,
             "member \"%s\" at byte %" G_GUINT64_FORMAT " of the %s is skipped: %s",
             name ? name : "", (guint64) archive_read_header_position (s->archive),
             n->packing == NEFF_GZIP ? "inflated payload" : "payload", reason);
  if (n->warnings == MAX_WARNINGS)
    nprof_log (n->host, NPROF_WARNING,
               "further members that are skipped are only counted (table skipped)");
}

static gboolean
wanted (const char *name)
{
  return neff_is_json (name) || neff_is_debug (name) || g_str_has_suffix (name, ".bin");
}

/* Returns a member that is looked at, or NULL; *status says whether the run goes on. */
static NeffMember *
new_member (Source *s, struct archive_entry *entry, nprof_status *status)
{
  const char *name = entry_name (entry);
  if (archive_entry_filetype (entry) == AE_IFDIR)
    return NULL;
  if (!name || !*name)
    return pass_over (s, name, "member without a name", "it has no name that can be read"), NULL;
  if (neff_leads_out (name))
    return pass_over (s, name, "member that leads out", "its name is absolute or holds .."), NULL;
  if (archive_entry_filetype (entry) != AE_IFREG || archive_entry_hardlink (entry))
    return pass_over (s, name, "member that is no file", "it is a link or a device"), NULL;
  if (!wanted (name))
    return NULL;
  if (g_hash_table_size (s->n->members) == NEFF_MAX_MEMBERS) {
    *status
        = nprof_fail (s->n->host, NPROF_E_FORMAT,
                      "member \"%s\": the payload has more than %d JSON, bin and debug members, "
                      "which no compiler writes",
                      name, NEFF_MAX_MEMBERS);
    return NULL;
  }
  NeffMember *member = g_new0 (NeffMember, 1);
  member->name = g_utf8_make_valid (name, -1);
  member->at = (guint64) archive_read_header_position (s->archive);
  member->size = (guint64) MAX (archive_entry_size (entry), 0);
  return member;
}

/* Adds a member; the last of a name counts, as when a tar is unpacked. */
static void
add_member (Source *s, NeffMember *member)
{
  Neff *n = s->n;
  NeffMember *old = g_hash_table_lookup (n->members, member->name);
  if (old) {
    pass_over (s, member->name, "member that is replaced", "a later member has the same name");
    n->kept -= old->text ? old->size : 0;
  }
  g_hash_table_replace (n->members, member->name, member);
}

static nprof_status
read_entry (Source *s, struct archive_entry *entry, gboolean *done)
{
  nprof_status status = NPROF_OK;
  NeffMember *member = new_member (s, entry, &status);
  if (!member)
    return status;
  status = read_content (s, member, done);
  add_member (s, member);
  return status;
}

static nprof_status
read_tar (Source *s)
{
  nprof_status status = NPROF_OK;
  gboolean done = TRUE; /* FALSE: the rest is lost */
  while (status == NPROF_OK && done) {
    struct archive_entry *entry;
    int result = archive_read_next_header (s->archive, &entry);
    if (s->status)
      return s->status;
    if (result == ARCHIVE_EOF)
      return NPROF_OK;
    if (result != ARCHIVE_OK && result != ARCHIVE_WARN)
      return lost (s, NULL);
    s->inflated = (guint64) archive_read_header_position (s->archive);
    status = read_entry (s, entry, &done);
  }
  return status;
}

static nprof_status
open_and_read (Source *s)
{
  s->archive = archive_read_new ();
  if (!s->archive)
    return nprof_fail (s->n->host, NPROF_E_NOMEM, "no memory to read the payload");
  archive_read_support_filter_gzip (s->archive);
  archive_read_support_format_tar (s->archive);
  nprof_status status = NPROF_OK;
  if (archive_read_open (s->archive, s, NULL, read_block, NULL) != ARCHIVE_OK)
    status = lost (s, NULL);
  else
    status = read_tar (s);
  archive_read_free (s->archive);
  s->archive = NULL;
  return status;
}

/* -- The hash --------------------------------------------------------------------------- */

static GChecksumType
hash_type (const Neff *n)
{
  return n->header.pkg_version == NEFF_MD5 ? G_CHECKSUM_MD5 : G_CHECKSUM_SHA256;
}

/* Returns whether the MD5 is that of the payload: so it is up to compiler 2.16; from 2.18 on it is
 * of something else, which is not known. Where no compiler is named nothing is said. checked on 167
 * public NEFF */
static bool
hashes_payload (Neff *n)
{
  g_autoptr (JsonNode) root = NULL;
  if (n->header.pkg_version != NEFF_MD5)
    return true;
  if (!neff_member (n, "info.json") || neff_json (n, "info.json", &root) || !root)
    return false;
  const char *version = neff_string (json_node_get_object (root), "tool_version");
  unsigned major = 0, minor = 0;
  if (!version || sscanf (version, "%u.%u", &major, &minor) != 2)
    return false;
  return major < 2 || (major == 2 && minor < 18);
}

static nprof_status
check_hash (Source *s)
{
  guint8 digest[32];
  gsize len = sizeof digest;
  while (s->at < s->len) { /* what lies behind the tar's end */
    const void *block;
    gsize n;
    nprof_status status = next_block (s, &block, &n);
    if (status)
      return status;
  }
  const struct nprof_host *host = s->n->host;
  if (!s->sum)
    return host->property (host, "hash_check", "unknown");
  g_checksum_get_digest (s->sum, digest, &len);
  gboolean same = memcmp (digest, s->n->header.hash, len) == 0;
  if (!same && !hashes_payload (s->n))
    return host->property (host, "hash_check", "unknown");
  if (!same)
    nprof_log (host, NPROF_WARNING,
               "the %s of the payload, %s, is not the one at byte 172 of the header: the file was "
               "changed or "
               "damaged, or its writer hashes otherwise",
               hash_type (s->n) == G_CHECKSUM_MD5 ? "MD5" : "SHA-256",
               g_checksum_get_string (s->sum));
  return host->property (host, "hash_check", same ? "ok" : "mismatch");
}

nprof_status
neff_payload (Neff *n, const guint8 *payload, guint64 len, gboolean whole)
{
  Source s = { .n = n, .data = payload, .len = len };
  gboolean known = n->header.pkg_version == NEFF_SHA256 || n->header.pkg_version == NEFF_MD5;
  s.limit = n->inflate_limit;
  if (s.limit == 0)
    s.limit = FREE_INFLATE + (len > G_MAXUINT64 / MAX_RATIO - FREE_INFLATE ? len : len * MAX_RATIO);
  if (known && whole)
    s.sum = g_checksum_new (hash_type (n));
  n->members = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, neff_member_free);
  nprof_status status = open_and_read (&s);
  if (status == NPROF_OK)
    status = check_hash (&s);
  g_clear_pointer (&s.sum, g_checksum_free);
  return status;
}
