/* SPDX-License-Identifier: Apache-2.0 */
/* option-check.c - checks that a component's table of options makes sense. */

#include "plugin/option.h"

#include <string.h>

#include "plugin/option-value.h"

/* Returns another option that is stored in the same bytes, or NULL. */
static const struct nprof_option *
overlap (const struct nprof_option *const *options, guint n, const struct nprof_option *o)
{
  for (guint i = 0; i < n; i++) {
    const struct nprof_option *p = options[i];
    if (np_option_size (p->type) && p->offset < o->offset + np_option_size (o->type)
        && o->offset < p->offset + np_option_size (p->type))
      return p;
  }
  return NULL;
}

static char *
place_problem (const struct nprof_component *c, guint i)
{
  const struct nprof_option *o = c->options[i];
  guint size = np_option_size (o->type);
  if (size > c->instance_size || o->offset > c->instance_size - size)
    return g_strdup_printf ("its %u bytes at offset %u lie beyond the instance of %u bytes", size,
                            o->offset, c->instance_size);
  if (o->offset % size)
    return g_strdup_printf ("its offset %u is no multiple of %u", o->offset, size);
  const struct nprof_option *other = overlap (c->options, i, o);
  return other ? g_strdup_printf ("it lies in the bytes of option %s", other->name) : NULL;
}

static char *
option_problem (const struct nprof_component *c, guint i)
{
  const struct nprof_option *o = c->options[i];
  if (!o->help || !*o->help)
    return g_strdup ("it has no help");
  for (guint j = 0; j < i; j++)
    if (strcmp (c->options[j]->name, o->name) == 0)
      return g_strdup ("it is declared twice");
  if (!np_option_size (o->type))
    return NULL;
  char *problem = np_option_range_problem (o);
  if (!problem)
    problem = place_problem (c, i);
  if (problem || !o->preset)
    return problem;
  guint64 value; /* of any type */
  if (np_option_store (o, o->preset, &value, NULL))
    return NULL;
  g_autofree char *want = np_option_expected (o);
  return g_strdup_printf ("its preset \"%s\" is not %s", o->preset, want);
}

char *
np_options_problem (const struct nprof_component *component)
{
  for (guint i = 0; component->options && component->options[i]; i++) {
    const struct nprof_option *o = component->options[i];
    if (o->size < offsetof (struct nprof_option, reserved))
      return g_strdup_printf ("option %u: its size %u is too small", i + 1, o->size);
    if (!o->name || !*o->name
        || o->name[strspn (o->name, "abcdefghijklmnopqrstuvwxyz0123456789_-")])
      return g_strdup_printf ("option %u: its name is not of a-z, 0-9, _ and -", i + 1);
    g_autofree char *problem = option_problem (component, i);
    if (problem)
      return g_strdup_printf ("option %s: %s", o->name, problem);
  }
  return NULL;
}
