/* SPDX-License-Identifier: Apache-2.0 */
/* option.c - puts the options that the user gave, and the presets of the others, into an instance.
 * component-spec.c has the grammar of the command line, option-value.c a single value. */

#include "plugin/option.h"

#include <string.h>

#include "base/error.h"
#include "base/suggest.h"
#include "plugin/component.h"
#include "plugin/option-value.h"

/* -- Error texts ----------------------------------------------------------- */

static gboolean
value_error (const struct nprof_component *c, const struct nprof_option *o, const char *text,
             GError **error)
{
  g_autofree char *want = np_option_expected (o);
  g_autofree char *hint = NULL;
  if (o->type == NPROF_OPT_CHOICE) {
    g_auto (GStrv) choices = g_strsplit (o->range, "|", -1);
    hint = np_suggestion (np_suggest (text, (const char *const *) choices));
  }
  return np_error_set (error, NP_EXIT_USAGE, "%s %s: option %s: \"%s\" is not %s%s",
                       np_kind_name (c->kind), c->name, o->name, np_option_shown (o, text), want,
                       hint ? hint : "");
}

static gboolean
key_error (const struct nprof_component *c, const char *key, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (guint i = 0; c->options && c->options[i]; i++)
    g_ptr_array_add (names, (char *) c->options[i]->name);
  g_ptr_array_add (names, NULL);
  g_autofree char *hint = np_suggestion (np_suggest (key, (const char *const *) names->pdata));
  g_autofree char *list = g_strjoinv (", ", (char **) names->pdata);
  const char *kind = np_kind_name (c->kind);
  if (names->len == 1)
    return np_error_set (error, NP_EXIT_USAGE, "%s %s: no option \"%s\": it has no options", kind,
                         c->name, key);
  return np_error_set (error, NP_EXIT_USAGE,
                       "%s %s: no option \"%s\"%s%s (nprof plugins %s/%s lists them)", kind,
                       c->name, key, *hint ? hint : ": it has ", *hint ? "" : list, kind, c->name);
}

/* -- Applying -------------------------------------------------------------- */

const char *
np_option_shown (const struct nprof_option *option, const char *value)
{
  gboolean hides = option && option->type == NPROF_OPT_SECRET && value && *value;
  return hides ? NP_HIDDEN : value;
}

/* Returns whether the spec gives a secret. */
static gboolean
holds_secret (const struct nprof_component *c, const NpSpec *spec)
{
  for (guint i = 0; i < spec->keys->len; i++) {
    const char *value = spec->values->pdata[i];
    if (np_option_shown (np_option_find (c, spec->keys->pdata[i]), value) != value)
      return TRUE;
  }
  return FALSE;
}

const struct nprof_option *
np_option_bare_secret (const struct nprof_component *c, const NpSpec *spec)
{
  for (guint i = 0; spec && i < spec->keys->len; i++) {
    const struct nprof_option *o = np_option_find (c, spec->keys->pdata[i]);
    const char *value = spec->values->pdata[i];
    if (o && o->type == NPROF_OPT_SECRET && *value && !strchr ("@$", *value))
      return o;
  }
  return NULL;
}

char *
np_option_text_shown (const struct nprof_component *c, const char *text)
{
  g_autoptr (NpSpec) spec = c ? np_spec_parse (text, NULL) : NULL;
  return spec && holds_secret (c, spec) ? np_option_spec_shown (c, spec) : g_strdup (text);
}

char *
np_option_spec_shown (const struct nprof_component *c, const NpSpec *spec)
{
  GString *shown = g_string_new (spec->name);
  for (guint i = 0; i < spec->keys->len; i++) {
    const char *key = spec->keys->pdata[i];
    g_string_append_printf (shown, "%c%s=%s", i ? ',' : ':', key,
                            np_option_shown (np_option_find (c, key), spec->values->pdata[i]));
  }
  return g_string_free (shown, FALSE);
}

const struct nprof_option *
np_option_find (const struct nprof_component *c, const char *name)
{
  for (guint i = 0; c->options && c->options[i]; i++)
    if (strcmp (c->options[i]->name, name) == 0)
      return c->options[i];
  return NULL;
}

static gboolean
check_keys (const struct nprof_component *c, const NpSpec *spec, GError **error)
{
  for (guint i = 0; i < spec->keys->len; i++) {
    const char *key = g_ptr_array_index (spec->keys, i);
    const struct nprof_option *o = np_option_find (c, key);
    if (!o)
      return key_error (c, key, error);
    if (!np_option_size (o->type))
      return np_error_set (error, NP_EXIT_USAGE,
                           "%s %s: option %s has type %u, which only a newer nprof knows: "
                           "leave it out or update nprof",
                           np_kind_name (c->kind), c->name, key, o->type);
    if (o->type != NPROF_OPT_BOOL && g_hash_table_contains (spec->bare, key))
      return np_error_set (error, NP_EXIT_USAGE, "%s %s: option %s needs a value: %s:%s=VALUE",
                           np_kind_name (c->kind), c->name, key, c->name, key);
  }
  return TRUE;
}

static const char *
spec_value (const NpSpec *spec, const char *key)
{
  guint i;
  if (!spec || !g_ptr_array_find_with_equal_func (spec->keys, key, g_str_equal, &i))
    return NULL;
  return g_ptr_array_index (spec->values, i);
}

gboolean
np_options_apply (const struct nprof_component *component, const NpSpec *spec, void *instance,
                  GStringChunk *strings, GError **error)
{
  if (spec && !check_keys (component, spec, error))
    return FALSE;
  for (guint i = 0; component->options && component->options[i]; i++) {
    const struct nprof_option *o = component->options[i];
    if (!np_option_size (o->type))
      continue;
    const char *given = spec_value (spec, o->name), *text = given ? given : o->preset;
    if (!text)
      return np_error_set (error, NP_EXIT_USAGE,
                           "%s %s: option %s is required (%s): write %s:%s=VALUE",
                           np_kind_name (component->kind), component->name, o->name, o->help,
                           component->name, o->name);
    if (!np_option_store (o, text, (char *) instance + o->offset, strings))
      return value_error (component, o, text, error);
  }
  return TRUE;
}

gboolean
np_options_check (const struct nprof_component *component, const NpSpec *spec, GError **error)
{
  g_autofree void *scratch = g_malloc0 (component->instance_size);
  GStringChunk *strings = g_string_chunk_new (256);
  gboolean ok = np_options_apply (component, spec, scratch, strings, error);
  g_string_chunk_free (strings);
  return ok;
}

static const char *const order_names[] = { "input", "track", "time", "device" };

const char *
np_order_name (guint order)
{
  return order < G_N_ELEMENTS (order_names) ? order_names[order] : "unknown";
}

/* Returns the order of this name, or G_MAXUINT. */
static guint
order_of_name (const char *name)
{
  for (guint k = 0; k < G_N_ELEMENTS (order_names); k++)
    if (g_str_equal (name, order_names[k]))
      return NPROF_ORDER_INPUT + k;
  return G_MAXUINT;
}

static const struct nprof_option *
order_option (const struct nprof_component *component)
{
  return component->order_option ? np_option_find (component, component->order_option) : NULL;
}

gboolean
np_option_order_valid (const struct nprof_component *component)
{
  const struct nprof_option *o = order_option (component);
  if (!o || o->type != NPROF_OPT_CHOICE || !o->range)
    return !component->order_option;
  g_auto (GStrv) range = g_strsplit (o->range, "|", -1);
  for (guint i = 0; range[i]; i++)
    if (order_of_name (range[i]) == G_MAXUINT)
      return FALSE;
  return TRUE;
}

guint
np_option_order (const struct nprof_component *component, const void *instance)
{
  const struct nprof_option *o = order_option (component);
  if (!o)
    return component->order;
  gint32 choice = *(const gint32 *) ((const char *) instance + o->offset);
  g_auto (GStrv) range = g_strsplit (o->range, "|", -1);
  return order_of_name (range[choice]);
}

/* -- Showing --------------------------------------------------------------- */

void
np_options_to_json (NpJson *json, const char *key, const struct nprof_component *component)
{
  np_json_array (json, key);
  for (guint i = 0; component->options && component->options[i]; i++) {
    const struct nprof_option *o = component->options[i];
    np_json_object (json, NULL);
    np_json_text (json, "name", o->name);
    np_json_text (json, "type", np_option_type_name (o->type));
    np_json_text (json, "default", np_option_shown (o, o->preset));
    np_json_text (json, "range", o->range);
    np_json_text (json, "help", o->help);
    np_json_end_object (json);
  }
  np_json_end_array (json);
}
