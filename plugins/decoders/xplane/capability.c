/* SPDX-License-Identifier: Apache-2.0 */
/* capability.c - finds the type of a GPU whose plane has no name of it: its vendor and compute
 * capability, by which XProf tells GPUs apart.  Without a vendor nothing is said. source:
 * openxla/xprof hardware_type_utils.cc */
#include "xplane.h"

typedef struct {
  bool named;
  char *vendor;         /* owned */
  int64_t major, minor; /* -1: not stated */
} Capability;

static int64_t
whole (const XpValue *value)
{
  return value->kind == XP_VALUE_INT && value->v.i >= 0            ? value->v.i
         : value->kind == XP_VALUE_UINT && value->v.u <= INT64_MAX ? (int64_t) value->v.u
                                                                   : -1;
}

static void
look_at (const XpPlane *plane, PbSpan body, Capability *c)
{
  XpValue value;
  gsize len;
  if (!xp_value_read (plane->dict, body, &value) || !value.stat)
    return;
  PbSpan name = value.stat->name;
  if (xp_is (name, "gpu_device_name") || xp_is (name, "device_type_string"))
    c->named = true;
  else if (xp_is (name, "device_vendor") && !c->vendor)
    c->vendor = xp_value_text (plane->dict, &value, &len);
  else if (xp_is (name, "compute_cap_major"))
    c->major = whole (&value);
  else if (xp_is (name, "compute_cap_minor"))
    c->minor = whole (&value);
}

static nprof_status
write_type (Xplane *x, nprof_track track, const char *type)
{
  const struct nprof_host *host = x->host;
  nprof_str key = nprof_intern (host, NPROF_KEY_DEVICE_TYPE);
  struct nprof_writer *w = host->writer (host);
  nprof_status status = w ? nprof_row (w, NPROF_FACT, track, key, 0, 0) : NPROF_E_NOMEM;
  if (status)
    return status;
  nprof_set_category (w, nprof_intern (host, "stats device_vendor, compute_cap_major, "
                                             "compute_cap_minor"));
  return nprof_attr_str (w, key, nprof_intern (host, type));
}

nprof_status
xp_capability (Xplane *x, const XpGroup *group)
{
  Capability c = { .major = -1, .minor = -1 };
  if (group->kind != XP_OF_GPU)
    return NPROF_OK;
  for (guint i = 0; i < group->members->len; i++) {
    const XpPlane *plane = xp_plane (x, g_array_index (group->members, uint32_t, i));
    for (guint k = 0; k < plane->plane_stats->len; k++)
      look_at (plane, g_array_index (plane->plane_stats, PbSpan, k), &c);
  }
  g_autofree char *vendor = c.vendor;
  if (c.named || !vendor || !*vendor || c.major < 0 || c.minor < 0)
    return NPROF_OK;
  g_autofree char *type
      = g_strdup_printf ("%s compute capability %" G_GINT64_FORMAT ".%" G_GINT64_FORMAT, vendor,
                         c.major, c.minor);
  return write_type (x, group->track, type);
}
