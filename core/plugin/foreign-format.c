/* SPDX-License-Identifier: Apache-2.0 */
/* foreign-format.c - knows formats of other tools by their first bytes, for the error that no
 * decoder reads them. */

#include "plugin/foreign-format.h"

#include <string.h>

typedef struct {
  const char *path;
  const guint8 *head;
  gsize len;
} File;

#define RECORD                                                                                     \
  "record with torch.profiler and export_chrome_trace(), or JAX's profiler, and read that"

static gboolean
begins (const File *f, const char *magic, gsize n)
{
  return f->len >= n && !memcmp (f->head, magic, n);
}

static gboolean
head_contains (const File *f, const char *text)
{
  return memmem (f->head, f->len, text, strlen (text)) != NULL;
}

/* -- Tests that are more than a magic number ---------------------------------- */

static gboolean
is_sqlite (const File *f)
{
  return begins (f, "SQLite format 3", 16);
}

/* The names of tables stand in the schema, on the first pages. */
static gboolean
is_nsys_sqlite (const File *f)
{
  return is_sqlite (f)
         && (head_contains (f, "CUPTI_ACTIVITY_KIND") || head_contains (f, "TARGET_INFO_"));
}

static gboolean
is_rpd (const File *f)
{
  return is_sqlite (f) && (head_contains (f, "rocpd_") || g_str_has_suffix (f->path, ".rpd"));
}

/* Protocols 2 to 5 begin with PROTO. */
static gboolean
is_pickle (const File *f)
{
  return f->len >= 2 && f->head[0] == 0x80 && f->head[1] >= 2 && f->head[1] <= 5;
}

static gboolean
is_tar (const File *f)
{
  return f->len >= 262 && !memcmp (f->head + 257, "ustar", 5);
}

static gboolean
is_chakra (const File *f)
{
  gsize at = 0;
  while (at < f->len && g_ascii_isspace (f->head[at]))
    at++;
  return at < f->len && f->head[at] == '{' && head_contains (f, "\"schema\"")
         && (head_contains (f, "chakra") || head_contains (f, "\"nodes\""));
}

static gboolean
is_utf16 (const File *f)
{
  return begins (f, "\xff\xfe", 2) || begins (f, "\xfe\xff", 2) || begins (f, "{\0", 2)
         || begins (f, "\0{", 2) || begins (f, "[\0", 2) || begins (f, "\0[", 2);
}

/* -- Perfetto's protobuf ------------------------------------------------------ */

/* Reads a varint; FALSE: it is cut off. */
static gboolean
varint (const guint8 **at, const guint8 *end, guint64 *value)
{
  *value = 0;
  for (guint shift = 0; *at < end && shift < 64; shift += 7) {
    guint8 byte = *(*at)++;
    *value |= (guint64) (byte & 0x7f) << shift;
    if (byte < 0x80)
      return TRUE;
  }
  return FALSE;
}

/* Returns the byte behind a field of that wire type; NULL: it lies beyond the end. */
static const guint8 *
skip (const guint8 *at, const guint8 *end, guint wire)
{
  guint64 n = 0;
  if (wire == 1 || wire == 5)
    n = wire == 1 ? 8 : 4;
  else if ((wire != 0 && wire != 2) || !varint (&at, end, &n))
    return NULL;
  else if (wire == 0)
    return at;
  return n <= (guint64) (end - at) ? at + n : NULL;
}

/* These are TracePacket.timestamp = 8 and trusted_packet_sequence_id = 10 of the first packet:
 * Perfetto's trace_packet.proto. */
static gboolean
is_perfetto (const File *f)
{
  const guint8 *at = f->head + 1, *end = f->head + f->len;
  guint64 length, tag;
  if (!begins (f, "\n", 1) || !varint (&at, end, &length))
    return FALSE;
  if (g_str_has_suffix (f->path, ".pftrace") || g_str_has_suffix (f->path, ".perfetto-trace"))
    return TRUE;
  end = at + MIN (length, (guint64) (end - at));
  while (at && at < end && varint (&at, end, &tag)) {
    if (tag == (8 << 3) || tag == (10 << 3))
      return TRUE;
    at = skip (at, end, tag & 7);
  }
  return FALSE;
}

/* -- All of them -------------------------------------------------------------- */

static const struct {
  gboolean (*is) (const File *f); /* NULL: begins with this: */
  const char *magic;
  const char *text;
} formats[] = {
  { NULL, "NVIDIA Tegra Profiler Re",
    "a report of Nsight Systems (.nsys-rep), which only Nsight reads: export it with nsys export "
    "--type sqlite FILE.nsys-rep, and read the .sqlite" },
  { is_nsys_sqlite, NULL,
    "a database that Nsight Systems exported, for the decoder nsys, which this nprof was built "
    "without (it needs SQLite)" },
  { is_rpd, NULL,
    "a database of rocpd (.rpd), for the decoder nsys, which this nprof was built without (it "
    "needs SQLite): convert it with rpd2tracing.py FILE.rpd FILE.json, and read that" },
  { is_sqlite, NULL,
    "an SQLite database, but neither an export of Nsight Systems nor of rocpd: export the trace as "
    "JSON with the tool that wrote it, and read that" },
  { is_perfetto, NULL,
    "a trace of Perfetto in protobuf (.pftrace): convert it with traceconv json FILE FILE.json, "
    "and "
    "read that" },
  { is_pickle, NULL,
    "a Python pickle, but no memory snapshot of PyTorch (the decoder torch-memory reads those of "
    "torch.cuda.memory._dump_snapshot): for a profile, " RECORD },
  { is_tar, NULL, "a tar archive: unpack it with tar -xf, and name the folder" },
  { is_chakra, NULL,
    "an execution trace (Chakra, of PyTorch's ExecutionTraceObserver), a graph without "
    "times: " RECORD },
  { is_utf16, NULL,
    "text in UTF-16: convert it with iconv -f UTF-16 -t UTF-8 FILE >FILE.utf8.json (UTF-16LE or "
    "UTF-16BE where it has no byte order mark), and read that" },
  { NULL,
    "\xfd"
    "7zXZ",
    "compressed with xz: inflate it with xz -d first" },
  { NULL, "BZh", "compressed with bzip2: inflate it with bzip2 -d first" },
  { NULL, "7z\xbc\xaf\x27\x1c", "a 7-Zip archive: unpack it, and name the folder" },
  { NULL, "PK\3\4", "a zip archive: unpack it with unzip, and name the files" },
  { NULL, "version https://git-lfs",
    "a pointer of Git LFS, not the file: fetch it with git lfs pull" },
  { NULL, "<!DOCTYPE html", "a web page: what was downloaded is not the profile itself" },
};

const char *
np_foreign_format (const char *path, const guint8 *head, gsize len)
{
  const File f = { path, head, len };
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    if (formats[i].is ? formats[i].is (&f)
                      : begins (&f, formats[i].magic, strlen (formats[i].magic)))
      return formats[i].text;
  return NULL;
}
