/* SPDX-License-Identifier: Apache-2.0 */
/* sides.c - decides whether an event ran on a device or on a host.  Its category says so; where
 * that says nothing, the labels of its process and thread do.  A pid never does: in a container
 * that of a host's process is as small as the number of a device. rule: nprof-decoder-chrome(7),
 * DEVICES */
#include "trace-event/trace-event.h"

typedef struct {
  const char *category;
  size_t len;
  ChSide side;
} Sided;

#define SIDED(category, side)                                                                      \
  {                                                                                                \
    category, sizeof category - 1, side                                                            \
  }

/* These categories are of one side; unlisted ones (hpu_op, collective_comm, overhead, ac2g, ...)
 * are on hosts and on devices. source: ActivityType.h of Kineto, the capitalised ones of 2021. */
static const Sided categories[] = {
  SIDED ("kernel", CH_DEVICE),
  SIDED ("Kernel", CH_DEVICE),
  SIDED ("gpu_memcpy", CH_DEVICE),
  SIDED ("Memcpy", CH_DEVICE),
  SIDED ("gpu_memset", CH_DEVICE),
  SIDED ("Memset", CH_DEVICE),
  SIDED ("gpu_user_annotation", CH_DEVICE),
  SIDED ("mtia_ccp_events", CH_DEVICE),
  SIDED ("cuda_sync", CH_DEVICE),
  SIDED ("xpu_sync", CH_DEVICE),
  SIDED ("gpu_op", CH_DEVICE), /* of Intel's unitrace */
  SIDED ("cpu_op", CH_HOST),
  SIDED ("Operator", CH_HOST),
  SIDED ("user_annotation", CH_HOST),
  SIDED ("python_function", CH_HOST),
  SIDED ("cpu_instant_event", CH_HOST),
  SIDED ("cuda_runtime", CH_HOST),
  SIDED ("Runtime", CH_HOST),
  SIDED ("cuda_driver", CH_HOST),
  SIDED ("xpu_runtime", CH_HOST),
  SIDED ("xpu_driver", CH_HOST),
  SIDED ("mtia_runtime", CH_HOST),
  SIDED ("glow_runtime", CH_HOST),
  SIDED ("privateuse1_runtime", CH_HOST),
  SIDED ("privateuse1_driver", CH_HOST),
  SIDED ("Session", CH_HOST), /* these two and Api of ONNX Runtime; its Kernel is as above */
  SIDED ("Node", CH_HOST),
  SIDED ("Api", CH_HOST),
};

ChSide
ch_side_of_category (const TeValue *category)
{
  for (gsize i = 0; i < G_N_ELEMENTS (categories); i++)
    if (categories[i].len == category->len
        && memcmp (categories[i].category, category->p, category->len) == 0)
      return categories[i].side;
  return CH_BY_LABEL;
}

/* Tells the side of an event without a category by its args, which say on which stream of which
 * device it ran. */
static ChSide
side_of_args (const ChPart *part, const TeEvent *event)
{
  const TeValue *args = &event->value[TE_ARGS];
  TeValue value;
  bool device = te_has (event, TE_ARGS) && memmem (args->p, args->len, "\"stream\"", 8)
                && ch_member_of_args (part->c->scanner, event, "stream", &value)
                && ch_member_of_args (part->c->scanner, event, "device", &value);
  return device ? CH_DEVICE : CH_BY_LABEL;
}

/* Categories are few and take turns, so the last of each kind of text are remembered.  The text is
 * not empty. */
static const ChCategory *
find_category (ChPart *part, const TeValue *text)
{
  unsigned char first = (unsigned char) text->p[0];
  unsigned char end = (unsigned char) text->p[text->len - 1];
  ChCategory *last
      = &part->categories[(text->len * 31 + first * 7u + end) % G_N_ELEMENTS (part->categories)];
  if (text->len != last->text.len || !ch_same_bytes (text->p, last->text.p, text->len))
    *last = (ChCategory){ *text, ch_name (part->names, text), ch_side_of_category (text) };
  part->category_at = text->p;
  return part->category = last;
}

/* An event is asked more than once. */
static inline const ChCategory *
category_of (ChPart *part, const TeValue *text)
{
  return part->category_at == text->p ? part->category : find_category (part, text);
}

ChSide
ch_side (ChPart *part, const TeEvent *event)
{
  const TeValue *text = &event->value[TE_CAT];
  if (!te_has (event, TE_CAT))
    return side_of_args (part, event);
  return text->len ? category_of (part, text)->side : CH_BY_LABEL;
}

nprof_str
ch_category (ChPart *part, const TeEvent *event)
{
  const TeValue *text = &event->value[TE_CAT];
  return te_has (event, TE_CAT) && text->len ? category_of (part, text)->str : 0;
}

/* -- Labels ---------------------------------------------------------------------------------- */

static bool
begins_as_device (const char *text)
{
  static const char *const kinds[] = { "GPU", "XPU", "HPU", "MTIA", "NPU", "TPU" };
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++) {
    if (!g_str_has_prefix (text, kinds[i]))
      continue;
    const char *number = text + strlen (kinds[i]);
    if (g_ascii_isdigit (number[*number == ' ']))
      return true;
  }
  return false;
}

/* Recognises "GPU 0", "GPU2", "RANK 1 - GPU", "/device:TPU:0"; "python (GPU 0)", a name and a label
 * in one; "RANK 1 DEVICE<host>[Intel ...". producers: Kineto, rpd2tracing.py, TraceLens, xprof,
 * nprof, unitrace */
bool
ch_names_device (const char *text)
{
  const char *last = g_str_has_suffix (text, ")") ? strrchr (text, '(') : NULL;
  return begins_as_device (text) || (last && begins_as_device (last + 1))
         || g_str_has_prefix (text, "/device:") || g_str_has_suffix (text, " - GPU")
         || strstr (text, "DEVICE<");
}
