/* SPDX-License-Identifier: Apache-2.0 */
/* foreign-format.c - the table of formats that no decoder reads: how each is known, what it is, and
 * what to do instead.  The first row that fits names the file; its content alone decides. */

#include "foreign/foreign-format.h"
#include "foreign/json-head.h"
#include "foreign/protobuf-head.h"

#include <string.h>

enum { MOST_KEYS = 4 };

/* A row fits when all that it states is true of the file's first bytes. */
typedef struct {
  const char *text; /* what it is, why it is not read, what makes what is read */
  const char *magic;
  gsize magic_len;
  gsize at;                        /* where `magic` stands */
  const char *contains[MOST_KEYS]; /* one of these stands anywhere */
  char opens;                      /* the first byte of JSON */
  const char *keys[MOST_KEYS];     /* all of these, of the object, or of an array's first objects */
  const char *within[MOST_KEYS];   /* one of these, up to two levels deeper */
  const char *matches;             /* a regular expression from the first byte on */
  gboolean (*is) (const guint8 *head, gsize len);
} Format;

#define RECORD                                                                                     \
  "record with torch.profiler and export_chrome_trace(), or JAX's profiler, and read that"
#define ROCPROFV3 "record with rocprofv3 --output-format json, and read that"
#define SPANS                                                                                      \
  "spans, but not as OTLP: send them to a collector's file exporter, and read what it writes"
#define ASCEND_BESIDE                                                                              \
  "name the trace_view.json or the ascend_pytorch_profiler.db beside it, or the folder of the run"
#define SQLITE_OTHER "an SQLite database, but "
#define STACKS                                                                                     \
  "sampled stacks without a timeline, which nprof writes (nprof flame) and does not read"
#define MAGIC(bytes) .magic = bytes, .magic_len = sizeof bytes - 1
#define SQLITE MAGIC ("SQLite format 3")
#ifdef NP_HAVE_SQLITE
#define UNREAD(decoder) "but none that the decoder " decoder " knows"
#else
#define UNREAD(decoder)                                                                            \
  "but this nprof was built without SQLite, which its decoder " decoder " needs"
#endif

/* Protocols 2 to 5 begin with PROTO. */
static gboolean
is_pickle (const guint8 *head, gsize len)
{
  return len >= 2 && head[0] == 0x80 && head[1] >= 2 && head[1] <= 5;
}

static gboolean
is_utf16 (const guint8 *head, gsize len)
{
  static const char marks[][2]
      = { { '\xff', '\xfe' }, { '\xfe', '\xff' }, { '{', 0 }, { 0, '{' }, { '[', 0 }, { 0, '[' } };
  for (guint i = 0; i < G_N_ELEMENTS (marks); i++)
    if (len >= 2 && !memcmp (head, marks[i], 2))
      return TRUE;
  return FALSE;
}

static gboolean
is_gperftools_cpu (const guint8 *head, gsize len)
{
  static const guint8 words[16] = { [8] = 3 }; /* 0 and 3, in eight bytes each */
  return len >= 40 && !memcmp (head, words, sizeof words) && !memcmp (head + 24 + 8, words, 8);
}

static gboolean
is_binary (const guint8 *head, gsize len)
{
  for (gsize i = 0; i < len; i++)
    if (head[i] < ' ' && !g_ascii_isspace (head[i]) && head[i] != '\b' && head[i] != 0x1b)
      return TRUE;
  return FALSE;
}

static gboolean
is_any (const guint8 *head, gsize len)
{
  (void) head;
  return len > 0;
}

static const Format formats[] = {
  /* -- Databases: the names of tables stand in the schema, on the first pages. */
  { SQLITE,
    .contains
    = { "rocpd_kernel_dispatch_", "rocpd_metadata_", "rocpd_info_node_", "rocpd_region_" },
    .text = "a database of rocprofv3 (rocpd of ROCm 7), " UNREAD ("rocpd") ": " ROCPROFV3 },
  { SQLITE, .contains = { "compute_workload" },
    .text = "a database of rocprof-compute: metrics of kernels without a timeline: record with "
            "rocprofv3 --sys-trace, and read its _results.db" },
  { SQLITE, .contains = { "CUPTI_ACTIVITY_KIND", "TARGET_INFO_", "META_DATA_EXPORT" },
    .text = "a database that Nsight Systems exported, " UNREAD ("nsys") },
  { SQLITE, .contains = { "rocpd_" },
    .text = "a database of rocpd (.rpd), " UNREAD (
        "rocpd") ": convert it with rpd2tracing.py FILE.rpd FILE.json, and read that" },
  { SQLITE, .contains = { "CANN_API", "PYTORCH_API", "COMMUNICATION_OP", "SESSION_TIME_INFO" },
    .text = "a database of Ascend's profiler, " UNREAD ("ascend") },
  { SQLITE, .contains = { "CommAnalyzer", "StepTraceTime", "ClusterStepTraceTime" },
    .text = "a database of sums that Ascend's tools made (analysis.db): " ASCEND_BESIDE },
  { SQLITE, .text = SQLITE_OTHER "neither an export of Nsight Systems nor of rocpd: export the "
                                 "trace as JSON with the tool that wrote it, and read that" },

  /* -- Reports that only their own tools read. */
  { MAGIC ("NVIDIA Tegra Profiler Re"),
    .text = "a report of Nsight Systems (.nsys-rep), which only Nsight reads: export it with nsys "
            "export --type sqlite FILE.nsys-rep, and read the .sqlite" },
  { MAGIC ("QdstrmStartOfFile"),
    .text = "a recording of Nsight Systems that was never imported (.qdstrm): import it with "
            "QdstrmImporter, then nsys export --type sqlite, and read the .sqlite" },
  { MAGIC ("NVR\0"),
    .text = "a report of Nsight Compute (.ncu-rep): metrics of kernels, no timeline (ncu --import "
            "FILE --csv prints them): record the timeline with nsys profile, nsys export --type "
            "sqlite, and read the .sqlite" },
  { MAGIC ("OTF2"), .at = 2,
    .text = "a trace in OTF2, which nprof does not read: " ROCPROFV3
            ", where rocprofv3 made it; of other tools only otf2-print shows it" },
  { MAGIC ("FLR\0"),
    .text = "a recording of Java Flight Recorder, which has no accelerator in it: " RECORD },
  { .is = is_gperftools_cpu,
    .text = "a CPU profile of gperftools in its own format: " STACKS ": see it with go tool pprof "
            "BINARY FILE" },
  { MAGIC ("heap profile: "), .text = "a heap profile of gperftools in its own format: " STACKS
                                      ": see it with go tool pprof "
                                      "BINARY FILE" },

  /* -- Pickles. */
  { .is = is_pickle,
    .text = "a Python pickle, but neither a memory snapshot of PyTorch (the decoder torch-memory "
            "reads those of torch.cuda.memory._dump_snapshot) nor a dump of its Flight Recorder: "
            "for a profile, " RECORD },

  /* -- JSON, and what looks like it. */
  { .is = is_utf16,
    .text = "text in UTF-16: convert it with iconv -f UTF-16 -t UTF-8 FILE >FILE.utf8.json "
            "(UTF-16LE or UTF-16BE where it has no byte order mark), and read that" },
  { .opens = '{',
    .keys = { "resourceMetrics" },
    .text = "a file of metrics of OpenTelemetry (OTLP), which hold no spans: " RECORD },
  { .opens = '{',
    .keys = { "resourceLogs" },
    .text = "a file of logs of OpenTelemetry (OTLP), which hold no spans: " RECORD },
  { .opens = '{',
    .keys = { "schema" },
    .within = { "nodes", "ctrl_deps", "rf_id" },
    .text = "an execution trace (Chakra, of PyTorch's ExecutionTraceObserver), a graph without "
            "times: " RECORD },
  { .opens = '{',
    .keys = { "Layers", "Bindings" },
    .text = "a list of layers of an engine of TensorRT (trtexec --exportLayerInfo), which have no "
            "times: export those with --exportProfile and --exportTimes, and read these" },
  { .opens = '{',
    .keys = { "shared", "profiles" },
    .text = "a profile of speedscope: " STACKS ": open it in speedscope" },
  { .opens = '{',
    .keys = { "nodes", "startTime", "endTime" },
    .text = "a CPU profile of V8 (.cpuprofile): " STACKS ": open it in the browser's tools" },
  { .opens = '[',
    .matches = "\\[\\s*\\[\\s*-?\\d+(\\s*,\\s*-?\\d+)*\\s*\\]\\s*,\\s*\\[\\s*\\[",
    .text = "a memory timeline of PyTorch, but sums by time (export_memory_timeline to FILE.json): "
            "export it to FILE.raw.json.gz, and read that" },
  { .opens = '[',
    .within = { "SpanContext" },
    .text = "what OpenTelemetry's console exporter prints: " SPANS },
  { .opens = '{',
    .contains = { "\"SpanContext\"", "\"SpanKind." },
    .text = "what OpenTelemetry's console exporter prints: " SPANS },
  { .opens = '{',
    .contains = { "\"Communication Time Info\"", "\"Transport Type\"" },
    .text = "a file of sums that Ascend's profiler writes beside its trace: " ASCEND_BESIDE },
  { .opens = '{',
    .contains
    = { "\"ai_core_num\"", "\"ENV_VARIABLES\"", "\"parallel_group_info\"", "\"_profiler_level\"" },
    .text = "a file about a run that Ascend's profiler writes: " ASCEND_BESIDE },
  { .opens = '{',
    .text = "JSON, but no decoder knows this format (it has no \"traceEvents\"): " RECORD },
  { .opens = '[',
    .text = "JSON, but no decoder knows this format (no array of trace events, objects with "
            "\"ph\"): " RECORD },

  /* -- Text. */
  { .matches = "\"?(Kind\"?,\"?Agent_Id|Domain\"?,\"?Function|Node_Id\"?,\"?Logical_Node_Id)\"?,",
    .text = "a table of rocprofv3 (CSV), but none with times, as its _trace.csv: " ROCPROFV3 },
  { .matches = "[^\\n]*(Accelerator Core|Communication\\(Not Overlapped\\)|Total Reserved\\(MB\\)|"
               "Device Self Duration\\(us\\)|OP Type,Core Type|Level,API Name|"
               "Task Id,Hit Rate)[^\\n]*",
    .text = "a table that Ascend's profiler writes beside its trace: " ASCEND_BESIDE },
  { .matches = "(#[^\\n]*\\n)*nccl_\\w+\\{",
    .text = "a page of averages of NCCL Inspector for Prometheus, without a timeline: unset "
            "NCCL_INSPECTOR_PROM_DUMP for its log; for a profile, " RECORD },
  { .matches = "[^\\n\\0]*;[^\\n\\0]* \\d+\\r?(\\n[^\\n\\0]* \\d+\\r?){0,9}(\\n|$)",
    .text = "a file of folded stacks: " STACKS ": open them in speedscope or with flamegraph.pl" },
  { MAGIC ("version https://git-lfs"),
    .text = "a pointer of Git LFS, not the file: fetch it with git lfs pull" },
  { MAGIC ("<!DOCTYPE html"), .text = "a web page: what was downloaded is not the profile itself" },
  { MAGIC ("<html"), .text = "a web page: what was downloaded is not the profile itself" },

  /* -- Archives and programs. */
  { MAGIC ("ustar"), .at = 257,
    .text = "a tar archive: unpack it with tar -xf, and name the folder" },
  { MAGIC ("\xfd"
           "7zXZ"),
    .text = "compressed with xz: inflate it with xz -d first" },
  { MAGIC ("BZh"), .text = "compressed with bzip2: inflate it with bzip2 -d first" },
  { MAGIC ("7z\xbc\xaf\x27\x1c"), .text = "a 7-Zip archive: unpack it, and name the folder" },
  { MAGIC ("PK\3\4"), .text = "a zip archive: unpack it with unzip, and name the files" },
  { MAGIC ("\x7f"
           "ELF"),
    .text = "a program or library (ELF), no profile of one: did you mean to profile it?" },
  { MAGIC ("PAR1"),
    .text = "a Parquet file, but not of nprof's columns: the decoder parquet reads what the sink "
            "parquet wrote" },
  { MAGIC ("\x89PNG"), .text = "a picture (PNG), no profile: name the file of the trace" },
  { MAGIC ("%PDF-"), .text = "a document (PDF), no profile: name the file of the trace" },

  /* -- Protobuf: the loosest tests come last. */
  { .is = np_is_pprof,
    .text = "a profile of pprof (profile.proto), but none that the decoder pprof knows by its "
            "sample types: see it with go tool pprof FILE" },
  { .is = np_is_chakra,
    .text = "an execution trace of Chakra (.et), a graph without times: " RECORD },
  { .is = np_is_packets,
    .text = "packets in protobuf, as Perfetto writes them, but none that the decoder perfetto "
            "knows: write the trace again" },
  { .is = is_binary,
    .text = "binary, but no decoder knows this format: name one with -d if you are sure (nprof "
            "plugins lists them)" },
  { .is = is_any,
    .text = "text, but no decoder knows this format: name one with -d if you are sure (nprof "
            "plugins lists them)" },
};

static gboolean
has_magic (const Format *f, const guint8 *head, gsize len)
{
  return len >= f->at + f->magic_len && !memcmp (head + f->at, f->magic, f->magic_len);
}

static gboolean
contains_one (const Format *f, const guint8 *head, gsize len)
{
  for (guint i = 0; i < MOST_KEYS && f->contains[i]; i++)
    if (memmem (head, len, f->contains[i], strlen (f->contains[i])))
      return TRUE;
  return FALSE;
}

static gboolean
matches (const char *expression, const guint8 *head, gsize len)
{
  g_autoptr (GRegex) regex = g_regex_new (expression, G_REGEX_RAW, G_REGEX_MATCH_ANCHORED, NULL);
  return g_regex_match_full (regex, (const char *) head, (gssize) MIN (len, 4096), 0, 0, NULL,
                             NULL);
}

static gboolean
has_keys (const Format *f, const guint8 *head, gsize len)
{
  const guint depth = f->opens == '{' ? 1 : 2;
  for (guint i = 0; i < MOST_KEYS && f->keys[i]; i++)
    if (!np_json_head_has (head, len, f->keys[i], depth))
      return FALSE;
  if (!f->within[0])
    return TRUE;
  for (guint i = 0; i < MOST_KEYS && f->within[i]; i++)
    if (np_json_head_has (head, len, f->within[i], depth + 2))
      return TRUE;
  return FALSE;
}

static gboolean
fits (const Format *f, const guint8 *head, gsize len)
{
  if (f->magic && !has_magic (f, head, len))
    return FALSE;
  if (f->is && !f->is (head, len))
    return FALSE;
  if (f->opens && (np_json_head_opens (head, len) != f->opens || !has_keys (f, head, len)))
    return FALSE;
  return (!f->contains[0] || contains_one (f, head, len))
         && (!f->matches || matches (f->matches, head, len));
}

const char *
np_foreign_format (const guint8 *head, gsize len)
{
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    if (fits (&formats[i], head, len))
      return formats[i].text;
  return NULL;
}

/* Adds the name behind CREATE TABLE, where it is a plain one; returns whether it did. */
static gboolean
add_table (GString *to, const char *p, const char *end)
{
  const char *begin = p += p < end && *p && strchr ("\"'`[", *p) != NULL;
  while (p < end && p - begin < 64 && (g_ascii_isalnum (*p) || (*p && strchr ("_.-", *p))))
    p++;
  if (p == begin || (p - begin > 7 && !memcmp (begin, "sqlite_", 7)))
    return FALSE;
  g_string_append (to, to->len ? ", " : "");
  g_string_append_len (to, begin, p - begin);
  return TRUE;
}

char *
np_foreign_tables (const guint8 *head, gsize len)
{
  static const char create[] = "CREATE TABLE ";
  const char *p = (const char *) head, *end = p + len;
  g_autoptr (GString) names = g_string_new (NULL);
  const char *text = np_foreign_format (head, len);
  guint n = 0;
  if (!text || !g_str_has_prefix (text, SQLITE_OTHER))
    return NULL;
  while (n < 3 && (p = memmem (p, (gsize) (end - p), create, strlen (create)))) {
    p += strlen (create);
    n += add_table (names, p, end);
  }
  return n ? g_strdup (names->str) : NULL;
}

const char *
np_foreign_format_told (const char *error)
{
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    if (strstr (error, formats[i].text))
      return formats[i].text;
  return NULL;
}
