/* SPDX-License-Identifier: Apache-2.0 */
/* component.c - checks that a component keeps the rules of the contract. option.c checks its
 * options, table.c its tables. */

#include "plugin/component.h"

#include <nprof/sdk.h>
#include <string.h>

#include "base/vendor-name.h"
#include "plugin/option.h"
#include "rows/table.h"

const char *
np_kind_name (guint kind)
{
  static const char *const names[] = { "decoder", "analyzer", "sink" };
  return kind < G_N_ELEMENTS (names) ? names[kind] : "plugin";
}

/* -- The rules ------------------------------------------------------------- */

static char *
functions_problem (const struct nprof_component *c)
{
  if (c->choose && c->kind != NPROF_ANALYZER)
    return g_strdup ("it has a function choose, which only analyzers have");
  if (c->kind != NPROF_ANALYZER && (c->save || c->merge))
    return g_strdup ("it has functions save or merge, which only analyzers have");
  if (!c->save != !c->merge)
    return g_strdup ("it has one of save and merge: both or none are needed");
  if (c->kind == NPROF_ANALYZER && c->flags & NPROF_ANALYZER_ANSWERS)
    return c->consume || !c->table
               ? g_strdup ("it has NPROF_ANALYZER_ANSWERS: it needs `table`, and no consume")
               : NULL;
  if (c->kind != NPROF_DECODER)
    return c->consume ? NULL : g_strdup ("it has no function consume");
  if (!c->probe)
    return g_strdup ("it has no function probe");
  if (!c->plan != !c->decode_part)
    return g_strdup ("it has one of plan and decode_part: both or none are needed");
  if (c->join && !c->plan)
    return g_strdup ("it has join without plan and decode_part");
  if (!c->decode == !c->plan)
    return g_strdup ("it needs decode, or plan and decode_part, not both");
  return NULL;
}

/* Options of unknown types are gone by now where the plugin is for a newer contract.  In any other
 * they are a mistake, which np_options_problem does not look at. */
static char *
options_problem (const struct nprof_component *c)
{
  char *problem = np_options_problem (c);
  for (guint i = 0; !problem && c->options && c->options[i]; i++)
    if (c->options[i]->type > NPROF_OPT_LIST)
      problem = g_strdup_printf ("option %s has the unknown type %u", c->options[i]->name,
                                 c->options[i]->type);
  return problem;
}

static char *
attribute_problem (const struct nprof_component *c, guint i)
{
  const struct nprof_attribute *a = c->attributes[i];
  if (a->size < offsetof (struct nprof_attribute, help) + sizeof a->help)
    return g_strdup_printf ("attribute %u: its size %u is too small", i + 1, a->size);
  if (!a->key || !*a->key || !a->unit || !a->help)
    return g_strdup_printf ("attribute %u needs a key, a unit (\"\": none) and a help", i + 1);
  if (a->type < NPROF_INT64 || a->type > NPROF_ID128)
    return g_strdup_printf ("attribute %s has the unknown type %u", a->key, a->type);
  for (guint j = 0; j < i; j++)
    if (strcmp (c->attributes[j]->key, a->key) == 0)
      return g_strdup_printf ("attribute %s is declared twice", a->key);
  return NULL;
}

static char *
row_want_problem (const struct nprof_component *c, guint i)
{
  const struct nprof_row_want *want = c->row_wants[i];
  if (want->size < offsetof (struct nprof_row_want, member) + sizeof want->member)
    return g_strdup_printf ("row want %u: its size %u is too small", i + 1, want->size);
  if (!want->key || !*want->key || (want->member && !*want->member))
    return g_strdup_printf ("row want %u needs a key, and a member that is not empty or NULL",
                            i + 1);
  return NULL;
}

static char *
lists_problem (const struct nprof_component *c)
{
  char *problem = options_problem (c);
  for (guint i = 0; !problem && c->attributes && c->attributes[i]; i++)
    problem = attribute_problem (c, i);
  for (guint i = 0; !problem && c->tables && c->tables[i]; i++)
    problem = np_table_problem (c->tables[i]);
  for (guint i = 0; !problem && c->wants && c->wants[i]; i++)
    if (!*c->wants[i])
      problem = g_strdup_printf ("key %u of its wants is empty", i + 1);
  if (!problem && c->table_wants && !c->table)
    problem = g_strdup ("it lists tables in table_wants, but has no function `table` to read them");
  for (guint i = 0; !problem && c->row_wants && c->row_wants[i]; i++)
    problem = row_want_problem (c, i);
  return problem;
}

static gboolean
one_line (const char *text)
{
  return text && *text && g_utf8_validate (text, -1, NULL) && !strpbrk (text, "\r\n");
}

static char *
analyzer_problem (const struct nprof_component *c)
{
  if ((c->flags & NPROF_ANALYZER_CONTEXT) && c->order == NPROF_ORDER_TRACK)
    return g_strdup (
        "it has NPROF_ANALYZER_CONTEXT and asks for NPROF_ORDER_TRACK: tracks of hidden "
        "rows have no number to be ordered by");
  return NULL;
}

static guint
known_flags (guint kind)
{
  static const guint known[]
      = { [NPROF_DECODER] = NPROF_DECODER_FOLDER,
          [NPROF_ANALYZER] = NPROF_ANALYZER_NO_LINKS | NPROF_ANALYZER_CONTEXT
                             | NPROF_ANALYZER_NO_ROWS | NPROF_ANALYZER_ANSWERS,
          [NPROF_SINK] = NPROF_SINK_FILE | NPROF_SINK_FOLDER | NPROF_SINK_STDOUT };
  return kind < G_N_ELEMENTS (known) ? known[kind] : 0;
}

static char *
flags_problem (const struct nprof_component *c)
{
  guint unknown = c->flags & ~known_flags (c->kind);
  return unknown
             ? g_strdup_printf ("it has the flags 0x%x, which nprof/plugin.h does not have for %s",
                                unknown, np_kind_name (c->kind))
             : NULL;
}

static char *
sink_problem (const struct nprof_component *c)
{
  if (!(c->flags & NPROF_SINK_FILE))
    return NULL;
  if (!c->default_name || !*c->default_name)
    return g_strdup ("it writes a file but has no default_name");
  if (strchr (c->default_name, '/') || strstr (c->default_name, ".."))
    return g_strdup_printf ("its default_name \"%s\" holds / or ..", c->default_name);
  return NULL;
}

char *
np_component_problem (const struct nprof_component *c)
{
  if (!one_line (c->summary))
    return g_strdup ("it needs a summary of one line");
  if (c->instance_size == 0)
    return g_strdup ("its instance_size is 0, at least 1 is needed");
  if (c->order > NPROF_ORDER_DEVICE)
    return g_strdup_printf ("it asks for the unknown order %u", c->order);
  if (!np_option_order_valid (c))
    return g_strdup_printf (
        "its order_option \"%s\" names no option of type CHOICE with the choices "
        "input, track, time and device",
        c->order_option);
  char *problem = flags_problem (c);
  if (!problem)
    problem = functions_problem (c);
  if (!problem)
    problem = lists_problem (c);
  if (!problem && c->kind == NPROF_ANALYZER)
    problem = analyzer_problem (c);
  return problem || c->kind != NPROF_SINK ? problem : sink_problem (c);
}

gboolean
np_component_is_name (const char *name)
{
  /* Parts of reports are nprof's own, and name the version that they follow: report-furiosa-0.9. */
  if (name && g_str_has_prefix (name, "report-"))
    return !name[strspn (name, "abcdefghijklmnopqrstuvwxyz0123456789-.")];
  g_autofree char *wrong = np_vendor_name_problem (name, '-');
  return !wrong;
}

gboolean
np_component_has_table (const struct nprof_component *c, const char *name)
{
  for (const struct nprof_table *const *t = c->tables; t && *t; t++)
    if (strcmp ((*t)->name, name) == 0)
      return TRUE;
  return FALSE;
}

gboolean
np_component_reads_table (const struct nprof_component *c, const char *name)
{
  if (!c->table || !c->table_wants)
    return c->table != NULL;
  for (const char *const *want = c->table_wants; *want; want++)
    if (nprof_table_want_is (*want, name))
      return TRUE;
  return FALSE;
}

/* -- Plugins for another contract ------------------------------------------ */

/* Returns a copy of an array of structs that begin with {size, type}, without those of types beyond
 * first..last, which a plugin for a newer contract declares and this core cannot know. */
static gconstpointer
without_unknown (GPtrArray *memory, gconstpointer array, guint first, guint last)
{
  struct head {
    guint32 size, type;
  };
  const struct head *const *from = array;
  if (!from)
    return NULL;
  GPtrArray *kept = g_ptr_array_new ();
  for (guint i = 0; from[i]; i++)
    if (from[i]->type >= first && from[i]->type <= last)
      g_ptr_array_add (kept, (gpointer) from[i]);
  g_ptr_array_add (kept, NULL);
  gpointer *copy = g_ptr_array_free (kept, FALSE);
  g_ptr_array_add (memory, copy);
  return copy;
}

const struct nprof_component *
np_component_copy (const struct nprof_component *c, guint contract, GPtrArray *memory)
{
  struct nprof_component *copy = g_new0 (struct nprof_component, 1);
  g_ptr_array_add (memory, copy);
  memcpy (copy, c, MIN (c->size, sizeof *copy));
  copy->size = sizeof *copy;
  if (contract > NPROF_CONTRACT) {
    copy->options = without_unknown (memory, copy->options, NPROF_OPT_INT, NPROF_OPT_LIST);
    copy->attributes = without_unknown (memory, copy->attributes, NPROF_INT64, NPROF_ID128);
    copy->flags &= known_flags (copy->kind);
  }
  return copy;
}
