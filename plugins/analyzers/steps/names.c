/* SPDX-License-Identifier: Apache-2.0 */
/* names.c - the rules by which names of spans of hosts say what the host does; each name is looked
 * at once for each sort of span. */
#include "names.h"
#include "producers/own-frames.h"

#define ENOUGH 4096 /* bytes of a name that are looked at */

typedef struct {
  guint says;
  const char *names; /* a regular expression, whatever the case */
} Rule;

/* clang-format off */
static const Rule of_calls[] = {
  { NAME_LAUNCHES,
    "^(cuda|hip|cu|xpu|mtia)?_?(Launch|ExtLaunch|ModuleLaunch|HccModuleLaunch|"
    "ExtModuleLaunch|GraphLaunch|LaunchCooperative)" },
  { NAME_LAUNCHES_GRAPH,
    "GraphLaunch" },
  { NAME_BLOCKS,
    "Memcpy|Synchronize|Memset(?!Async)" },
  { NAME_ALLOCATES,
    "^(cuda|hip|cu)(Malloc|Free|HostAlloc|HostFree|MallocHost|HostRegister|HostUnregister|"
    "MemAlloc|MemFree|MallocAsync|FreeAsync|MallocManaged|MemCreate|MemMap|MemUnmap|MemAddress|"
    "MemSetAccess|MemRelease|ExtMalloc)" },
  { NAME_LOADS_CODE,
    "ModuleLoad|LibraryLoad|LinkCreate|ModuleGetFunction|LibraryGet|DeviceGetStreamPriorityRange|"
    "StreamCreate|cudaFuncGetAttributes|cuInit|cudaGetDeviceProperties|hipInit|"
    "hipGetDeviceProp|cudaDeviceGetAttribute|OccupancyMax|"
    "hipFuncGetAttributes|ctxCreate|PrimaryCtx" },
  { NAME_BEGINS_CAPTURE,
    "StreamBeginCapture|RICaptureBegin|GraphInstantiate" },
  { NAME_ENDS_CAPTURE,
    "StreamEndCapture|RICaptureEnd|GraphInstantiate" },
};

static const Rule of_spans[] = {
  { NAME_COMPILES,
    "compile|inductor|dynamo|cuModuleLoad|hipModuleLoad|cuLibraryLoad" },
  { NAME_WAITS,
    "ynchroniz" },
  { NAME_LOADS_DATA,
    "DataLoader|IteratorGetNext|IteratorV2::GetNext|InfeedEnqueue|data_?fetch|next_batch|"
    "get_batch|batch_generator" },
  { NAME_PREPARES_DATA,
    "image_transforms|image_processing|feature_extraction|tokeniz|processing_\\w+\\.py|"
    "zoom_shift|\\bPIL/|cv2|torchvision/transforms|scipy/ndimage|\\bresize\\b|_preprocess|"
    "\\bpreprocess(?![\\w/]*\\.py)|read_video|pyav|decord|"
    "\\bim(read|decode)|decode_(image|video|jpeg)" },
  /* source: torch/cuda/graphs.py, and as torch_npu and torch.xpu call them */
  { NAME_BEGINS_CAPTURE,
    "(^|/)torch\\w*/\\w+/graphs\\.py\\(\\d+\\): capture_begin$|built-in method capture_begin" },
  { NAME_ENDS_CAPTURE,
    "(^|/)torch\\w*/\\w+/graphs\\.py\\(\\d+\\): capture_end$|built-in method capture_end" },
  { NAME_IS_COMPILED,
    "^Torch-Compiled Region|^CompiledFunction(Backward)?$" },
  { NAME_COLLECTS,
    "\\bgc\\.collect|gc_collect|built-in method gc|garbage.?collect|^gc$" },
};

/* A frame loads data by the name of its function, and by its file where that is a library's: one
 * of the user's may have any name. */
static const char *const loader_files
    = "torch/utils/data/|torchdata/|tensorflow/python/data/|grain/";
/* clang-format on */

/* source: torch/profiler: "file(line): function" */
static const char *const frame = "^(.*)\\(\\d+\\): (.*)$";

/* What was found of a name, by the sort of its spans; no bit but SEEN is set without it. */
enum { AS_CALL, AS_FRAME, AS_OTHER, SORTS };
enum { SEEN = 1 << 15 };
typedef struct {
  guint16 as[SORTS];
} Said;

struct _StNames {
  const struct nprof_host *host;
  GRegex *calls[G_N_ELEMENTS (of_calls)], *spans[G_N_ELEMENTS (of_spans)];
  GRegex *frame, *loader_files;
  OwnFramesList *own_frames;
  GArray *said; /* of Said, by handle */
};

static GRegex *
regex (const char *pattern)
{
  const GRegexCompileFlags how = G_REGEX_CASELESS | G_REGEX_RAW | G_REGEX_OPTIMIZE;
  GRegex *r = g_regex_new (pattern, how, 0, NULL);
  g_assert (r);
  return r;
}

StNames *
st_names_new (const struct nprof_host *host)
{
  StNames *n = g_new0 (StNames, 1);
  n->host = host;
  for (guint i = 0; i < G_N_ELEMENTS (of_calls); i++)
    n->calls[i] = regex (of_calls[i].names);
  for (guint i = 0; i < G_N_ELEMENTS (of_spans); i++)
    n->spans[i] = regex (of_spans[i].names);
  n->frame = regex (frame);
  n->loader_files = regex (loader_files);
  n->own_frames = own_frames_list_new (host);
  n->said = g_array_new (FALSE, TRUE, sizeof (Said));
  return n;
}

void
st_names_free (StNames *n)
{
  if (!n)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (of_calls); i++)
    g_regex_unref (n->calls[i]);
  for (guint i = 0; i < G_N_ELEMENTS (of_spans); i++)
    g_regex_unref (n->spans[i]);
  g_regex_unref (n->frame);
  g_regex_unref (n->loader_files);
  own_frames_list_free (n->own_frames);
  g_array_unref (n->said);
  g_free (n);
}

static guint
by_rules (GRegex *const *names, const Rule *rules, guint n, const char *name)
{
  guint says = 0;
  for (guint i = 0; i < n; i++)
    says |= g_regex_match (names[i], name, 0, NULL) ? rules[i].says : 0;
  return says;
}

static guint
by_spans (const StNames *n, const char *name)
{
  return by_rules (n->spans, of_spans, G_N_ELEMENTS (of_spans), name);
}

static guint
of_frame (const StNames *n, const char *name)
{
  g_autoptr (GMatchInfo) parts = NULL;
  guint says = by_spans (n, name);
  if (!g_regex_match (n->frame, name, 0, &parts))
    return says;
  g_autofree char *file = g_match_info_fetch (parts, 1), *function = g_match_info_fetch (parts, 2);
  const gboolean loads = (by_spans (n, function) & NAME_LOADS_DATA)
                         || g_regex_match (n->loader_files, file, 0, NULL);
  return (says & ~(guint) NAME_LOADS_DATA) | (loads ? NAME_LOADS_DATA : 0);
}

static guint
whose_frame (const StNames *n, const char *name)
{
  const int rank = own_frames_rank (own_frames_is (n->own_frames, name));
  return rank == FRAME_RANK_RUNTIME   ? NAME_OF_RUNTIME
         : rank == FRAME_RANK_KERNELS ? NAME_OF_KERNELS
                                      : 0;
}

static guint
look_at (const StNames *n, const char *name, guint sort)
{
  if (sort == AS_FRAME) {
    const guint whose = whose_frame (n, name), says = of_frame (n, name);
    return whose | (whose & NAME_OF_KERNELS ? says & ~(guint) NAME_PREPARES_DATA : says);
  }
  guint says = by_spans (n, name);
  if (sort == AS_OTHER && own_frames_are_named (name))
    says |= whose_frame (n, name);
  if (sort == AS_CALL)
    says |= by_rules (n->calls, of_calls, G_N_ELEMENTS (of_calls), name);
  return says;
}

static guint
sort_of (AnHostKind kind)
{
  return kind == AN_HOST_CALL ? AS_CALL : kind == AN_HOST_FRAME ? AS_FRAME : AS_OTHER;
}

guint
st_name_said (const StNames *n, nprof_str name, AnHostKind kind)
{
  if (name >= n->said->len)
    return 0;
  return g_array_index (n->said, Said, name).as[sort_of (kind)] & ~(guint) SEEN;
}

guint
st_name_says (StNames *n, nprof_str name, AnHostKind kind)
{
  if (name >= n->said->len)
    g_array_set_size (n->said, MAX (name + 1, n->said->len * 2));
  guint16 *said = &g_array_index (n->said, Said, name).as[sort_of (kind)];
  if (G_LIKELY (*said))
    return *said & ~(guint) SEEN;
  g_autofree char *text = g_strndup (nprof_text (n->host, name), ENOUGH);
  *said = (guint16) (look_at (n, text, sort_of (kind)) | SEEN);
  return *said & ~(guint) SEEN;
}
