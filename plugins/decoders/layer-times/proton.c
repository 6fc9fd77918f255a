/* SPDX-License-Identifier: Apache-2.0 */
/* proton.c - reads the tree that Triton's Proton writes (.hatchet): scopes with kernels in them,
 * each with the sum of its time.
 * shape: third_party/proton of Triton, and one public file */
#include "layers.h"

#include <string.h>

/* What a frame says; those below it stand behind it. */
typedef struct {
  LtLayer layer;
  gint parent;   /* -1: none */
  gint64 within; /* the time of those below it; LT_NONE: they have none */
} Frame;

typedef struct {
  Layers *self;
  GArray *frames; /* of Frame */
} Tree;

static void
take_name (Tree *t, struct nprof_pull *p, LtLayer *l)
{
  if (!nprof_pull_enter (p, NPROF_PULL_OBJECT))
    return;
  while (nprof_pull_next (p))
    if (nprof_pull_is (p, "name"))
      l->name = lt_text (t->self, p);
}

static double
add (double sum, const struct nprof_pull *p)
{
  int64_t number;
  if (nprof_read_scaled (p->text.at, p->text.len, 0, &number) > NPROF_DECIMAL_ROUNDED)
    return sum;
  return isnan (sum) ? (double) number : sum + (double) number;
}

/* flops, flops8, flops16 ... are of types of elements. */
static bool
is_flops (const struct nprof_pull *p)
{
  const struct nprof_pull_text *key = &p->key;
  if (key->len < 5 || memcmp (key->at, "flops", 5) != 0)
    return false;
  size_t i = 5;
  while (i < key->len && key->at[i] >= '0' && key->at[i] <= '9')
    i++;
  return i == key->len;
}

static void
take_metrics (Tree *t, struct nprof_pull *p, LtLayer *l)
{
  nprof_str type = 0, number = 0;
  int64_t count;
  if (!nprof_pull_enter (p, NPROF_PULL_OBJECT))
    return;
  while (nprof_pull_next (p)) {
    if (nprof_pull_is (p, "device_id"))
      number = lt_text (t->self, p);
    else if (nprof_pull_is (p, "device_type"))
      type = lt_text (t->self, p);
    else if (p->kind != NPROF_PULL_NUMBER)
      continue;
    else if (nprof_pull_is (p, "time (ns)"))
      l->total = lt_time (p->text.at, p->text.len, 3);
    else if (nprof_pull_is (p, "count"))
      l->calls
          = nprof_read_decimal (p->text.at, p->text.len, 1, &count) && count >= 0 ? count : LT_NONE;
    else if (nprof_pull_is (p, "bytes"))
      l->bytes = add (l->bytes, p);
    else if (is_flops (p))
      l->flops = add (l->flops, p);
  }
  if (!type || !number)
    return;
  g_autofree char *both = g_strdup_printf ("%s %s", nprof_text (t->self->host, type),
                                           nprof_text (t->self->host, number));
  l->device = nprof_intern (t->self->host, both);
}

/* A frame is known by its children, whose depth the reader of JSON limits. */
static nprof_status
take_frame (Tree *t, struct nprof_pull *p, gint parent)
{
  const gint me = (gint) t->frames->len;
  const uint64_t at = nprof_pull_at (p);
  const Frame frame = { lt_layer (0), parent, LT_NONE };
  LtLayer l = lt_layer (0);
  nprof_status status = NPROF_OK;
  if (!nprof_pull_enter (p, NPROF_PULL_OBJECT))
    return lt_damage (t->self, at, "it is no object");
  g_array_append_val (t->frames, frame);
  while (!status && nprof_pull_next (p)) {
    if (nprof_pull_is (p, "frame"))
      take_name (t, p, &l);
    else if (nprof_pull_is (p, "metrics"))
      take_metrics (t, p, &l);
    else if (nprof_pull_is (p, "children") && nprof_pull_enter (p, NPROF_PULL_ARRAY))
      while (!status && nprof_pull_next (p))
        status = take_frame (t, p, me);
  }
  g_array_index (t->frames, Frame, me).layer = l;
  return status;
}

/* -- Layers ------------------------------------------------------------------------------------ */

static nprof_str
scope_of (const Tree *t, gint parent)
{
  g_autoptr (GString) scope = g_string_new (NULL);
  for (gint i = parent; i >= 0; i = g_array_index (t->frames, Frame, i).parent) {
    const Frame *f = &g_array_index (t->frames, Frame, i);
    if (f->parent < 0) /* ROOT */
      break;
    g_string_prepend (scope, scope->len ? ";" : "");
    g_string_prepend (scope, nprof_text (t->self->host, f->layer.name));
  }
  return scope->len ? t->self->host->intern (t->self->host, scope->str, scope->len) : 0;
}

/* Gives each frame the time of those below it. */
static void
sum_up (Tree *t)
{
  for (guint i = t->frames->len; i-- > 1;) {
    const Frame *f = &g_array_index (t->frames, Frame, i);
    const gint64 time = f->layer.total != LT_NONE ? f->layer.total : f->within;
    gint64 *to = f->parent >= 0 ? &g_array_index (t->frames, Frame, f->parent).within : NULL;
    if (to && time != LT_NONE)
      *to = *to == LT_NONE ? time : *to + MIN (time, G_MAXINT64 - *to);
  }
}

/* A scope is a row where it says what its kernels did; kernels always are. */
static void
put_frame (Tree *t, const Frame *f)
{
  LtLayer l = f->layer;
  const bool says = l.total != LT_NONE || !isnan (l.flops) || !isnan (l.bytes);
  if (!says || f->parent < 0)
    return;
  if (!l.name)
    l.name = nprof_intern (t->self->host, "(unnamed)");
  l.around = f->within != LT_NONE;
  l.scope = scope_of (t, f->parent);
  if (l.total == LT_NONE)
    l.total = f->within;
  g_array_append_val (t->self->layers, l);
}

/* Behind the tree stands what the devices are. */
nprof_status
lt_proton (Layers *self)
{
  struct nprof_pull p = nprof_pull (self->data, self->len);
  Tree t = { self, g_array_new (FALSE, FALSE, sizeof (Frame)) };
  nprof_status status = NPROF_OK;
  if (nprof_pull_next (&p) && nprof_pull_enter (&p, NPROF_PULL_ARRAY) && nprof_pull_next (&p))
    status = take_frame (&t, &p, -1);
  if (!status && !nprof_pull_end (&p))
    status = lt_damage (self, nprof_pull_at (&p), p.why);
  sum_up (&t);
  for (guint i = 0; i < t.frames->len && !status; i++)
    put_frame (&t, &g_array_index (t.frames, Frame, i));
  g_array_unref (t.frames);
  return status ? status : lt_write (self);
}
