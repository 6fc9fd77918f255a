/* SPDX-License-Identifier: Apache-2.0 */
/* command.c - nprof plugins: lists what can be used, from where, with its options, attributes and
 * tables; and what was found but is not used, and why. */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/install-paths.h"
#include "base/log.h"
#include "base/suggest.h"
#include "cli/cli.h"
#include "keep.h"
#include "show.h"
#include "cli/command.h"
#include "plugin/component.h"
#include "plugin/option.h"

static int
fail (NpExit code, const char *text)
{
  g_autofree char *shown = np_printable (text, -1);
  g_printerr ("nprof: error: %s\n", shown);
  return (int) code;
}

static int
print (const GString *out)
{
  if (fwrite (out->str, 1, out->len, stdout) == out->len && fflush (stdout) == 0)
    return NP_EXIT_OK;
  if (errno == EPIPE)
    return NP_EXIT_PIPE;
  int err = errno;
  g_autofree char *why = g_strdup_printf ("stdout: %s", np_error_words (err));
  return fail (np_exit_of (err, NP_EXIT_SINK), why);
}

/* -- For people and programs ------------------------------------------------ */

/* `name` is NULL, NAME or KIND/NAME. */
static gboolean
matches (const NpRegistryEntry *m, const char *name)
{
  if (!name || strcmp (name, m->name) == 0)
    return TRUE;
  g_autofree char *full = g_strdup_printf ("%s/%s", np_kind_name (m->kind), m->name);
  return strcmp (name, full) == 0;
}

static int
unknown (NpRegistry *registry, const char *name)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  GPtrArray *all = np_registry_all (registry);
  for (guint i = 0; i < all->len; i++) {
    const NpRegistryEntry *m = all->pdata[i];
    g_ptr_array_add (names, strchr (name, '/')
                                ? g_strdup_printf ("%s/%s", np_kind_name (m->kind), m->name)
                                : g_strdup (m->name));
  }
  for (guint i = 0; np_plugins_words[i]; i++)
    g_ptr_array_add (names, g_strdup (np_plugins_words[i]));
  g_ptr_array_add (names, NULL);
  g_autofree char *hint
      = np_suggestion (np_suggest (name, (const char *const *) names->pdata));
  g_autofree char *text = g_strdup_printf ("no plugin named \"%s\"%s (nprof plugins lists them; "
                                           "NPROF_PLUGIN_PATH adds folders)",
                                           name, hint);
  return fail (NP_EXIT_USAGE, text);
}

/* Opens all plugins and sorts out those of this name, or all. */
static void
collect (NpRegistry *registry, const char *name, GPtrArray *usable, GPtrArray *unused)
{
  for (guint kind = NPROF_DECODER; kind <= NPROF_SINK; kind++) {
    g_autoptr (GPtrArray) some = np_registry_of_kind (registry, kind);
    for (guint i = 0; i < some->len; i++)
      if (matches (some->pdata[i], name))
        g_ptr_array_add (usable, some->pdata[i]);
  }
  GPtrArray *all = np_registry_all (registry);
  for (guint i = 0; i < all->len; i++)
    if (((NpRegistryEntry *) all->pdata[i])->problem && matches (all->pdata[i], name))
      g_ptr_array_add (unused, all->pdata[i]);
}

static void
write_text (GString *out, const char *name, GPtrArray *usable, GPtrArray *unused)
{
  for (guint i = 0; name && i < usable->len; i++)
    np_plugins_write_details (out, usable->pdata[i]);
  if (!name)
    np_plugins_write_list (out, usable);
  if (usable->len || !name)
    np_plugins_write_unused (out, unused);
}

static int
show (NpRegistry *registry, const char *name, gboolean json)
{
  g_autoptr (GPtrArray) usable = g_ptr_array_new (), unused = g_ptr_array_new ();
  collect (registry, name, usable, unused);
  if (name && !usable->len && !unused->len)
    return unknown (registry, name);

  g_autoptr (GString) out = g_string_new (NULL);
  if (json)
    np_plugins_write_json (out, usable, unused);
  else
    write_text (out, name, usable, unused);
  int code = print (out);
  if (code || !name || usable->len)
    return code;
  const NpRegistryEntry *m = unused->pdata[0];
  g_autofree char *text
      = g_strdup_printf ("%s %s: %s: %s", np_kind_name (m->kind), m->name, m->file, m->problem);
  return fail (NP_EXIT_PLUGIN, text);
}

/* -- For completions ------------------------------------------------------- */

static guint
kind_of (const char *name, gsize len)
{
  for (guint kind = NPROF_DECODER; kind <= NPROF_SINK; kind++)
    if (strlen (np_kind_name (kind)) == len && strncmp (name, np_kind_name (kind), len) == 0)
      return kind;
  return NP_KIND_UNKNOWN;
}

/* Prints the names of a kind, or KIND/NAME of all.  Opens nothing. */
static int
show_names (NpRegistry *registry, const char *kind_name)
{
  guint kind = kind_name ? kind_of (kind_name, strlen (kind_name)) : NP_KIND_UNKNOWN;
  if (kind_name && kind == NP_KIND_UNKNOWN)
    return fail (NP_EXIT_USAGE, "--names takes decoder, analyzer or sink, or nothing");
  g_autoptr (GString) out = g_string_new (NULL);
  GPtrArray *all = np_registry_all (registry);
  for (guint i = 0; i < all->len; i++) {
    const NpRegistryEntry *m = all->pdata[i];
    if (m->problem)
      continue;
    if (!kind_name)
      g_string_append_printf (out, "%s/%s\n", np_kind_name (m->kind), m->name);
    else if (m->kind == kind)
      g_string_append_printf (out, "%s\n", m->name);
  }
  return print (out);
}

/* Prints NAME, type, range and help of each option, between tabs. */
static int
show_options (NpRegistry *registry, const char *name)
{
  const char *slash = name ? strchr (name, '/') : NULL;
  guint kind = slash ? kind_of (name, (gsize) (slash - name)) : NP_KIND_UNKNOWN;
  if (kind == NP_KIND_UNKNOWN)
    return fail (NP_EXIT_USAGE, "--options takes KIND/NAME, such as sink/csv");
  g_autoptr (GError) error = NULL;
  const NpRegistryEntry *m = np_registry_get (registry, kind, slash + 1, &error);
  if (!m)
    return fail ((NpExit) error->code, error->message);
  g_autoptr (GString) out = g_string_new (NULL);
  for (guint i = 0; m->component->options && m->component->options[i]; i++) {
    const struct nprof_option *o = m->component->options[i];
    g_autofree char *help = np_printable (o->help, -1);
    g_string_append_printf (out, "%s\t%s\t%s\t%s\n", o->name, np_option_type_name (o->type),
                            o->range ? o->range : "", help);
  }
  return print (out);
}

/* -- The user's own -------------------------------------------------------- */

/* *known: the word is a command. */
static int
keep (char **rest, gboolean *known)
{
  g_autoptr (GString) out = g_string_new (NULL);
  g_autoptr (GError) error = NULL;
  if (np_plugins_keep (rest[0], rest[1], known, out, &error))
    return *known ? print (out) : NP_EXIT_OK;
  return fail ((NpExit) error->code, error->message);
}

/* -- The command ----------------------------------------------------------- */

typedef struct {
  gboolean json, names, options;
  char **rest;
} Wish;

static gboolean
parse (Wish *wish, int argc, char **argv, GError **error)
{
  const GOptionEntry entries[]
      = { { "json", 0, 0, G_OPTION_ARG_NONE, &wish->json, "Print JSON", NULL },
          { "names", 0, 0, G_OPTION_ARG_NONE, &wish->names,
            "Print only names: of a kind (nprof plugins --names sink), or KIND/NAME of all", NULL },
          { "options", 0, 0, G_OPTION_ARG_NONE, &wish->options,
            "Print only options, one a line: name, type, range, help between tabs (nprof plugins "
            "--options sink/csv)",
            NULL },
          { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_STRING_ARRAY, &wish->rest, NULL,
            "[NAME]" },
          G_OPTION_ENTRY_NULL };
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_set_summary (
      context, "Lists decoders, analyzers and sinks, or all about NAME (or KIND/NAME): options,\n"
               "attributes, tables, and the file it comes from.");
  g_option_context_set_description (
      context,
      "nprof plugins install FILE.so    into the folder of your own, with its NAME.plugin and "
      "hash\n"
      "nprof plugins list               what is there, and whether it is as it was installed\n"
      "nprof plugins disable NAME       nobody uses the component; enable takes that back\n"
      "nprof plugins remove NAME        NAME.so leaves that folder\n"
      "\n"
      "Plugins are looked for in the folders of NPROF_PLUGIN_PATH (separated by :), then in\n"
      "$XDG_DATA_HOME/nprof/plugins, then where nprof is installed.  The first of a name wins.");
  g_set_prgname ("nprof plugins"); /* what "Usage:" shows */
  return g_option_context_parse (context, &argc, &argv, error)
         || np_cli_suggest_option (context, error);
}

static int
run (int argc, char **argv)
{
  Wish wish = { FALSE };
  g_autoptr (GError) error = NULL;
  gboolean ok = parse (&wish, argc, argv, &error);
  g_auto (GStrv) rest = wish.rest;
  if (!ok) {
    g_autofree char *text
        = g_strdup_printf ("%s (nprof plugins --help tells more)", error->message);
    return fail (NP_EXIT_USAGE, text);
  }
  gboolean alone = !wish.json && !wish.names && !wish.options, known = FALSE;
  if (alone && rest && rest[0] && (!rest[1] || !rest[2])) {
    int code = keep (rest, &known);
    if (known)
      return code;
  }
  if (alone && rest && rest[0] && rest[1]) {
    g_autofree char *hint = np_suggestion (np_suggest (rest[0], np_plugins_words)),
                    *shown = np_printable (rest[0], -1);
    g_autofree char *text
        = g_strdup_printf ("plugins %s: expected install, list, disable, enable or remove before a "
                           "NAME%s (nprof plugins NAME shows one)",
                           shown, hint);
    return fail (NP_EXIT_USAGE, text);
  }
  if ((rest && rest[0] && rest[1]) || wish.json + wish.names + wish.options > 1)
    return fail (NP_EXIT_USAGE, "plugins takes one NAME, and one of --json, --names and --options "
                                "(nprof plugins --help tells more)");

  const char *name = rest ? rest[0] : NULL;
  g_autofree char *installed = np_installed_plugins ();
  NpRegistry *registry = np_registry_new (installed);
  int code = wish.names     ? show_names (registry, name)
             : wish.options ? show_options (registry, name)
                            : show (registry, name, wish.json);
  np_registry_free (registry);
  return code;
}

NP_COMMAND_RUNS (run)
