/* SPDX-License-Identifier: Apache-2.0 */
/* command.c - nprof new: writes the project of a new plugin, which builds and passes its tests at
 * once. Its text lies in sdk/template. */

#include "cli/cli.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>

#include "base/error.h"
#include "base/install-paths.h"
#include "base/suggest.h"
#include "base/vendor-name.h"
#include "cli/command.h"
#include "plugin/component.h"
#include "project-template.h"

#define MAX_NAME 48

/* Meson uses these as names of targets. */
static const char *const taken[] = { "all",           "benchmark",  "clean", "dist",      "install",
                                     "install-tests", "scan-build", "test",  "uninstall", NULL };

/* folder: below the template, where build.meson is what is the language's own of meson.build; also:
 * what it takes to build beside a compiler of C, which the test is in; uses and standard: for
 * meson. */
typedef struct {
  const char *name, *folder, *source, *also, *uses, *standard;
} Language;

static const Language languages[] = {
  { "c", "c", "plugin.c", "", "'c'", "" },
  { "c++", "cpp", "plugin.cpp", ", g++", "'c', 'cpp'", "'cpp_std=gnu++17', " },
  { "rust", "rust", "plugin.rs", ", rustc", "'c'", "" },
  { "python", "python", "plugin.py", ", python3 and its library", "'c'", "" },
};

static gboolean
fail (GError **error, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  return np_error_set (error, NP_EXIT_USAGE, "%s", text);
}

static gboolean
check_kind (const char *kind, GError **error)
{
  static const char *const kinds[] = { "decoder", "analyzer", "sink", NULL };
  if (g_strv_contains (kinds, kind))
    return TRUE;
  g_autofree char *hint = np_suggestion (np_suggest (kind, kinds));
  return fail (error, "no kind \"%s\"%s: decoder, analyzer or sink", kind, hint);
}

static const Language *
find_language (const char *name, GError **error)
{
  const char *names[G_N_ELEMENTS (languages) + 1] = { NULL };
  for (guint i = 0; i < G_N_ELEMENTS (languages); i++) {
    if (strcmp (languages[i].name, name) == 0)
      return &languages[i];
    names[i] = languages[i].name;
  }
  g_autofree char *all = g_strjoinv (", ", (char **) names);
  fail (error, "no language \"%s\": there are %s", name, all);
  return NULL;
}

static gboolean
check_name (const char *name, GError **error)
{
  if (g_str_has_prefix (name, "report-"))
    return fail (error,
                 "\"%s\": names that begin with report- are those of nprof's own reports: take "
                 "another name, such as acme.%s",
                 name, name);
  g_autofree char *wrong = np_vendor_name_problem (name, '-');
  if (wrong || !g_ascii_islower (*name) || g_str_has_suffix (name, "-"))
    return fail (error,
                 "\"%s\" is no name of a component: %s%s%sa letter a-z, then letters, digits and "
                 "-, such as my-format, or acme.format of a vendor",
                 name, wrong ? "it " : "", wrong ? wrong : "", wrong ? "; one is " : "");
  if (strlen (name) > MAX_NAME)
    return fail (error, "the name \"%s\" is longer than %d characters: take a shorter one", name,
                 MAX_NAME);
  if (g_strv_contains (taken, name) || g_str_has_prefix (name, "meson-"))
    return fail (error, "\"%s\" is a word of meson's, which builds the plugin: take another name",
                 name);
  return TRUE;
}

/* Returns the folder, transfer full. */
static char *
find_template (GError **error)
{
  g_autofree char *data = np_data_folder ();
  static const char *const places[] = { "template", "../sdk/template" }; /* installed, sources */
  for (guint i = 0; data && i < G_N_ELEMENTS (places); i++) {
    g_autofree char *folder = g_build_filename (data, places[i], NULL);
    g_autofree char *common = g_build_filename (folder, "common", NULL);
    if (g_file_test (common, G_FILE_TEST_IS_DIR))
      return g_steal_pointer (&folder);
  }
  fail (error,
        "the template of new plugins is not installed (looked in %s): install nprof-dev, or build "
        "nprof with meson install",
        data ? data : "share/nprof");
  return NULL;
}

static gboolean
make_folder (const char *folder, GError **error)
{
  if (g_mkdir (folder, 0777) == 0)
    return TRUE;
  if (errno == EEXIST)
    return fail (error,
                 "%s exists already, and nothing is overwritten: name another folder (nprof new "
                 "KIND NAME FOLDER)",
                 folder);
  np_error_errno (error, NP_EXIT_USAGE, folder, errno);
  return FALSE;
}

/* Returns how files begin as the index of a plugin writes it; transfer full. */
static char *
hex_of (const char *text)
{
  GString *hex = g_string_new (NULL);
  for (; *text; text++)
    g_string_append_printf (hex, "%02x", (guchar) *text);
  return g_string_free (hex, FALSE);
}

/* Returns what is the language's own of meson.build, transfer full. */
static char *
read_build (const char *template, const Language *language, GError **error)
{
  g_autofree char *path = g_build_filename (template, language->folder, "build.meson", NULL);
  g_autoptr (GError) failed = NULL;
  char *text = NULL;
  if (!g_file_get_contents (path, &text, NULL, &failed))
    fail (error, "%s", failed->message);
  return text;
}

static gboolean
write_project (const Language *language, const char *kind, const char *name, const char *folder,
               GError **error)
{
  g_autofree char *template = find_template (error);
  g_autofree char *build = template ? read_build (template, language, error) : NULL;
  if (!build || !make_folder (folder, error))
    return FALSE;
  g_autofree char *table = g_strdelimit (g_strdup (name), "-", '_');
  g_autofree char *ident = g_strdelimit (g_strdup (table), ".", '_');
  g_autofree char *upper = g_ascii_strup (name, -1);
  g_autofree char *hex = hex_of (name);
  /* Who compares versions takes 1.0.0-rc1 for a later one than 1.0.0. */
  g_autofree char *release = g_strndup (NPROF_VERSION, strcspn (NPROF_VERSION, "-"));
  const char *const words[] = { "BUILD",    build, /* first, as it holds others */
                                "NAME",     name,
                                "TABLE",    table,
                                "IDENT",    ident,
                                "UPPER",    upper,
                                "HEX",      hex,
                                "KIND",     kind,
                                "NPROF",    release,
                                "SOURCE",   language->source,
                                "ALSO",     language->also,
                                "USES",     language->uses,
                                "STANDARD", language->standard,
                                NULL };
  const char *const parts[][2] = { { "common", "" }, { kind, "" }, { language->folder, kind } };
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++) {
    g_autofree char *from = g_build_filename (template, parts[i][0], parts[i][1], NULL);
    if (np_template_write (from, folder, words, error))
      continue;
    g_prefix_error (error, "%s is incomplete, remove it: ", folder);
    return FALSE;
  }
  return TRUE;
}

/* Warns when a plugin has this name: plugins of NPROF_PLUGIN_PATH come first, so the other would
 * not be used any more. */
static void
warn_if_known (const char *kind, const char *name)
{
  g_autofree char *installed = np_installed_plugins ();
  NpRegistry *registry = np_registry_new (installed);
  GPtrArray *all = np_registry_all (registry);
  for (guint i = 0; i < all->len; i++) {
    const NpRegistryEntry *m = all->pdata[i];
    if (!m->problem && strcmp (m->name, name) == 0 && strcmp (np_kind_name (m->kind), kind) == 0)
      g_printerr ("nprof: warning: there is a %s %s already, in %s: the first in the order of the "
                  "folders is used, and hides the other\n",
                  kind, name, m->file);
  }
  np_registry_free (registry);
}

static int
say (const GError *error)
{
  g_autofree char *shown = np_printable (error->message, -1);
  g_printerr ("nprof: error: %s (nprof new --help tells more)\n", shown);
  return error->code;
}

static gboolean
parse (char ***rest, char **language, int argc, char **argv, GError **error)
{
  const GOptionEntry entries[] = { { "language", 'l', 0, G_OPTION_ARG_STRING, language,
                                     "c (the default), c++, rust or python", "LANGUAGE" },
                                   { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, rest,
                                     NULL, "decoder|analyzer|sink NAME [FOLDER]" },
                                   G_OPTION_ENTRY_NULL };
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_set_summary (context, "Writes the project of a new plugin into FOLDER (NAME).");
  g_option_context_set_description (
      context, "It holds a plugin that works, its test, a manual page, and the index NAME.plugin.\n"
               "meson builds it against this nprof, which pkg-config finds as nprof-plugin.\n"
               "\n"
               "Example:\n"
               "  nprof new decoder my-format\n"
               "  cd my-format && meson setup build && meson test -C build\n"
               "  nprof new --language rust sink acme.server\n"
               "\n"
               "nprof-tutorial(7) builds a decoder step by step.");
  g_set_prgname ("nprof new"); /* what "Usage:" shows */
  if (!g_option_context_parse (context, &argc, &argv, error)
      && !np_cli_suggest_option (context, error))
    return FALSE;
  guint n = *rest ? g_strv_length (*rest) : 0;
  if (n == 2 || n == 3)
    return TRUE;
  return fail (error,
               "new takes a kind, a name, and perhaps a folder: nprof new decoder my-format");
}

static int
run (int argc, char **argv)
{
  g_auto (GStrv) rest = NULL;
  g_autofree char *spoken = NULL;
  const Language *language;
  g_autoptr (GError) error = NULL;
  if (!parse (&rest, &spoken, argc, argv, &error) || !check_kind (rest[0], &error)
      || !check_name (rest[1], &error)
      || !(language = find_language (spoken ? spoken : "c", &error))) {
    error->code = NP_EXIT_USAGE;
    return say (error);
  }
  const char *folder = rest[2] ? rest[2] : rest[1];
  if (!write_project (language, rest[0], rest[1], folder, &error))
    return say (error);
  warn_if_known (rest[0], rest[1]);
  g_autofree char *quoted = g_shell_quote (folder);
  g_autofree char *shown
      = np_printable (strpbrk (folder, " '\"\\$&;()<>|*?`") ? quoted : folder, -1);
  g_print ("%s holds the %s %s, which works as it is.  Build and test it:\n"
           "  cd %s\n"
           "  meson setup build && meson test -C build\n"
           "Use it:\n"
           "  NPROF_PLUGIN_PATH=$PWD/build nprof plugins %s\n"
           "README.md tells what to change.\n",
           shown, rest[0], rest[1], shown, rest[1]);
  return NP_EXIT_OK;
}

NP_COMMAND_RUNS (run)
