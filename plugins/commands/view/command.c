/* SPDX-License-Identifier: Apache-2.0 */
/* command.c - nprof view: stores profiles and serves them to a browser. */

#include "cli/command.h"
#include "admit.h"
#include "base/error.h"
#include "base/fence.h"
#include "command-groups.h"
#include "hand-over.h"
#include "one-file.h"
#include "stored/database.h"
#include "stored/ingest.h"
#include "system/json-writer.h"
#include "view.h"

#include <errno.h>
#include <nprof/store-reader.h>
#include <nprof/units.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
  NpCliOptions options;
  NpViewConfig config;
  NpReading *reading; /* its options */
  char *neff, *ntff, *store, *store_max, *upload_max, *address, *endpoint, *org;
  char *framed_by, *load_fast, *output_format, *output;
  char **hosts, **sources, **logs;
  int port;
  gboolean ingest_only, force, any_user, open_browser, plan, one, allow_export, no_export;
  int open_path; /* -1: where nobody else is served */
} Asked;

static void
asked_clear (Asked *a)
{
  np_cli_options_clear (&a->options);
  np_reading_free (a->reading);
  g_free (a->neff);
  g_free (a->ntff);
  g_free (a->store);
  g_free (a->store_max);
  g_free (a->upload_max);
  g_free (a->endpoint);
  g_free (a->org);
  g_free (a->address);
  g_strfreev (a->hosts);
  g_strfreev (a->sources);
  g_strfreev (a->logs);
  g_free (a->framed_by);
  g_free (a->load_fast);
  g_free (a->output_format);
  g_free (a->output);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Asked, asked_clear)

/* -- The command line --------------------------------------------------------------- */

/* Returns the options that are taken over word by word; of files whole paths. */
static GStrv
options_of (const NpCliOptions *o)
{
  g_autoptr (GStrvBuilder) words = g_strv_builder_new ();
  g_autofree char *jobs = g_strdup_printf ("%d", o->jobs),
                  *limit = g_strdup_printf ("%d", o->config->call_limit),
                  *annotations
                  = o->annotations ? g_canonicalize_filename (o->annotations, NULL) : NULL;
  for (char **analyzer = o->analyzers; analyzer && *analyzer; analyzer++)
    np_reading_add (words, "--analyzer", *analyzer);
  for (char **file = o->eager; file && *file; file++) {
    g_autofree char *path = g_canonicalize_filename (*file, NULL);
    np_reading_add (words, "--eager", path);
  }
  if (o->no_eager)
    g_strv_builder_add (words, "--no-eager");
  np_reading_add (words, "--annotations", annotations);
  np_reading_add (words, "--text-max", o->text_max);
  np_reading_add (words, "--call-limit", limit);
  np_reading_add (words, "--jobs", o->jobs ? jobs : NULL);
  return g_strv_builder_end (words);
}

/* Returns how each profile is read, from the command line or the page. */
static NpReading *
reading_of (const Asked *a)
{
  NpReading *r = np_reading_new ();
  r->decoder = g_strdup (a->options.decoder);
  r->options = options_of (&a->options);
  r->endpoint = g_strdup (a->endpoint);
  r->org = g_strdup (a->org);
  r->sources = g_strdupv (a->sources);
  r->force = a->force;
  r->keep_going = a->options.config->keep_going;
  r->allow_export = a->allow_export;
  return r;
}

/* Whoever owns the folder could put anything there under our name. */
static gboolean
is_usable (const char *store, GError **error)
{
  struct stat st;
  if (stat (store, &st))
    return TRUE;
  if (!S_ISDIR (st.st_mode))
    return np_error_set (
        error, NP_EXIT_USAGE,
        "--store %s: this is a file: expected the folder where profiles are stored", store);
  if (st.st_uid == geteuid ())
    return TRUE;
  return np_error_set (error, NP_EXIT_USAGE,
                       "%s belongs to another user: name a folder of yours by --store", store);
}

static gboolean
find_store (Asked *a, GError **error)
{
  char folder[4096];
  g_autofree char *given = g_steal_pointer (&a->store);
  if (given) {
    a->config.store = a->store = g_canonicalize_filename (given, NULL);
    return is_usable (a->store, error);
  }
  if (!nprof_store_folder (folder, sizeof folder))
    return np_error_set (
        error, NP_EXIT_USAGE,
        "there is no home folder for profiles: set XDG_DATA_HOME, or give --store");
  a->config.store = a->store = g_strdup (folder);
  return is_usable (a->store, error);
}

/* Whole paths, for a server reads profiles from elsewhere. */
static gboolean
find_sources (Asked *a, GError **error)
{
  for (char **folder = a->sources; folder && *folder; folder++) {
    char *whole = g_canonicalize_filename (*folder, NULL);
    g_free (*folder);
    *folder = whole;
    if (g_file_test (whole, G_FILE_TEST_IS_DIR) && !strchr (whole, ':'))
      continue;
    return np_error_set (error, NP_EXIT_USAGE, "--source %s: %s", whole,
                         strchr (whole, ':') ? "expected a folder without : in its path"
                                             : "there is no such folder");
  }
  return TRUE;
}

/* Takes scheme, host and port alone, for it goes into a header. */
static gboolean
is_origin (const char *text)
{
  const char *host = g_str_has_prefix (text, "https://")  ? text + strlen ("https://")
                     : g_str_has_prefix (text, "http://") ? text + strlen ("http://")
                                                          : "";
  for (const char *p = host; *p; p++)
    if (!g_ascii_isalnum (*p) && !strchr (".:[]-_", *p))
      return FALSE;
  return *host;
}

static gboolean
stores_or_serves (const Asked *a)
{
  return a->store || a->store_max || a->upload_max || a->address || a->endpoint || a->org
         || a->framed_by || a->hosts || a->sources || a->logs || a->ingest_only || a->output
         || a->force || a->any_user || a->open_browser || a->plan || a->one || a->allow_export
         || a->no_export || a->open_path >= 0 || a->port != NP_VIEW_PORT;
}

static gboolean
to_view_config (Asked *a, GError **error)
{
  if (a->output_format && stores_or_serves (a))
    return np_error_set (
        error, NP_EXIT_USAGE,
        "--output-format prints and ends: nothing is stored or served, so it goes with "
        "-n, -s and -d alone");
  if (a->framed_by && !is_origin (a->framed_by)) {
    g_autofree char *shown = np_printable (a->framed_by, -1);
    return np_error_set (error, NP_EXIT_USAGE,
                         "--framed-by %s: expected the origin of a page, as http://localhost:6006",
                         shown);
  }
  a->config.framed_by = a->framed_by;
  if (a->port < 0 || a->port > 65535)
    return np_error_set (error, NP_EXIT_USAGE,
                         "--port %d: expected 1 to 65535, or 0 for any free one", a->port);
  a->config.address = a->address = a->address ? a->address : g_strdup ("localhost");
  a->options.config->no_export = a->no_export;
  a->config.port = (guint) a->port;
  a->config.hosts = a->hosts;
  a->config.any_user = a->any_user;
  if (a->org && !a->endpoint)
    a->endpoint = g_strdup (NP_DATABASE_URL);
  a->config.open_path
      = a->open_path >= 0 ? a->open_path : np_admit_is_private (a->address) && !a->any_user;
  if (!find_sources (a, error))
    return FALSE;
  a->config.reading = a->reading = reading_of (a);
  if (!np_cli_read_size ("--upload-max", a->upload_max ? a->upload_max : "8G",
                         &a->config.upload_max, error)
      || !np_cli_read_size ("--store-max", a->store_max ? a->store_max : "20G",
                            &a->config.store_max, error))
    return FALSE;
  a->reading->store_max = a->config.store_max;
  return find_store (a, error);
}

static gboolean
parse (Asked *a, int argc, char **argv)
{
  const GOptionEntry extra[] = {
    { "neff-path", 'n', 0, G_OPTION_ARG_FILENAME, &a->neff,
      "The compiled model that the NTFF was recorded of", "NEFF" },
    { "session-file", 's', 0, G_OPTION_ARG_FILENAME, &a->ntff, "What the device recorded", "NTFF" },
    { "ingest-only", 0, 0, G_OPTION_ARG_NONE, &a->ingest_only,
      "Store the profiles and end; start no server", NULL },
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &a->output,
      "Write the page of the profile as one HTML file, and end", "FILE" },
    { "force", 0, 0, G_OPTION_ARG_NONE, &a->force,
      "Read again what is stored already; annotations stay", NULL },
    { "port", 0, 0, G_OPTION_ARG_INT, &a->port, "Serve here (default: 3001)", "N" },
    { "address", 0, 0, G_OPTION_ARG_STRING, &a->address,
      "Serve other machines too: there is no password (default: localhost)", "ADDRESS" },
    { "allow-host", 0, 0, G_OPTION_ARG_STRING_ARRAY, &a->hosts,
      "A further name of this machine in URLs; may be given again", "NAME" },
    { "framed-by", 0, 0, G_OPTION_ARG_STRING, &a->framed_by,
      "A page from there may show this one in a frame", "ORIGIN" },
    { "any-user", 0, 0, G_OPTION_ARG_NONE, &a->any_user,
      "Serve all users of this machine, not you and root alone", NULL },
    { "open", 0, 0, G_OPTION_ARG_NONE, &a->open_browser, "Open the page in a browser", NULL },
    { "source", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &a->sources,
      "Store files below DIR that rows name as their source; may be given again", "DIR" },
    { "db-endpoint", 0, 0, G_OPTION_ARG_STRING, &a->endpoint,
      "Write it to this InfluxDB too (with --db-org: http://localhost:8086)", "URL" },
    { "db-org", 0, 0, G_OPTION_ARG_STRING, &a->org, "Its organization", "ORG" },
    { "store", 0, 0, G_OPTION_ARG_FILENAME, &a->store,
      "Where profiles are stored (default: $XDG_DATA_HOME/nprof/profiles)", "DIR" },
    { "store-max", 0, 0, G_OPTION_ARG_STRING, &a->store_max,
      "Beyond it the least used ones go that can be read again (default: 20G)", "SIZE" },
    { "upload-max", 0, 0, G_OPTION_ARG_STRING, &a->upload_max,
      "The largest file that the page may send (default: 8G)", "SIZE" },
    { "open-path", 0, 0, G_OPTION_ARG_NONE, &a->open_path,
      "The page may name files of this machine to read (default: if you alone are served)", NULL },
    { "no-open-path", 0, G_OPTION_FLAG_REVERSE, G_OPTION_ARG_NONE, &a->open_path, "It may not",
      NULL },
    { "allow-export", 0, 0, G_OPTION_ARG_NONE, &a->allow_export,
      "Have nsys export reports (.nsys-rep) that the page sends", NULL },
    { "no-export", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_NONE, &a->no_export, "", NULL },
    { "logdir", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &a->logs,
      "The runs of a TensorBoard folder, as tensorboard has the word", "DIR" },
    { "load_fast", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_STRING, &a->load_fast, "", NULL },
    { "output-format", 0, 0, G_OPTION_ARG_STRING, &a->output_format,
      "Print as neuron-profile view does, and end: summary-text, summary-json or json", "FORMAT" },
    { "plan", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_NONE, &a->plan, "", NULL },
    { "one", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_NONE, &a->one, "", NULL },
    G_OPTION_ENTRY_NULL
  };
  g_autoptr (GError) error = NULL;
  a->port = NP_VIEW_PORT;
  a->open_path = -1;
  if (!np_cli_parse (&a->options, NP_CLI_WHOLE, extra,
                     "Stores profiles and serves them to a browser.",
                     "Several files are one profile of several inputs.  Without inputs the list of "
                     "all stored\n"
                     "profiles is served.\n"
                     "\n"
                     "Examples:\n"
                     "  nprof view profile.xplane.pb\n"
                     "  nprof view -n model.neff -s profile.ntff\n"
                     "  nprof view logs/ --port 6006       the runs of a TensorBoard folder\n"
                     "  nprof view -o page.html FILE       the page as one file, without a server\n"
                     "  nprof view --ingest-only FILE      store it; a running nprof view shows it",
                     argc, argv))
    return FALSE;
  if (to_view_config (a, &error))
    return TRUE;
  np_cli_tell_error (error, "view");
  return FALSE;
}

/* -- The formats of neuron-profile view ------------------------------------------------ */

/* The command that prints what that program prints in a format. */
static const struct {
  const char *format, *words[8];
} formats[] = {
  { "summary-text", { "report", "--style", "neuron" } },
  { "summary-json", { "report", "--style", "neuron", "--format", "json" } },
  { "json", { "run", "-a", "neuron", "-s", "report-neuron-json", "-o", "-" } },
};

static int
print_format (const Asked *a, GPtrArray *inputs)
{
  guint f = 0;
  while (f < G_N_ELEMENTS (formats) && !g_str_equal (a->output_format, formats[f].format))
    f++;
  if (f == G_N_ELEMENTS (formats)) {
    g_autofree char *shown = np_printable (a->output_format, -1);
    g_autofree char *text = g_strdup_printf (
        "--output-format %s: expected summary-text, summary-json or json; Parquet and other "
        "formats are written by nprof run -s parquet|csv|chrome -o PATH",
        shown);
    np_cli_tell (text, "view");
    return NP_EXIT_USAGE;
  }
  g_autoptr (GPtrArray) words = g_ptr_array_new ();
  for (guint i = 0; i < G_N_ELEMENTS (formats[f].words) && formats[f].words[i]; i++)
    g_ptr_array_add (words, (char *) formats[f].words[i]);
  if (a->options.decoder) {
    g_ptr_array_add (words, (char *) "-d");
    g_ptr_array_add (words, a->options.decoder);
  }
  g_ptr_array_add (words, (char *) "--");
  for (guint i = 0; i < inputs->len; i++)
    g_ptr_array_add (words, inputs->pdata[i]);
  int n = (int) words->len;
  g_ptr_array_add (words, NULL);
  return np_cli_command (n, (char **) words->pdata);
}

/* -- Profiles ------------------------------------------------------------------------ */

/* Puts the NEFF first, because the order decides the profile's name. */
static GPtrArray *
inputs_of (const Asked *a)
{
  GPtrArray *inputs = g_ptr_array_new_with_free_func (g_free);
  if (a->neff)
    g_ptr_array_add (inputs, g_strdup (a->neff));
  if (a->ntff)
    g_ptr_array_add (inputs, g_strdup (a->ntff));
  for (char **folder = a->logs; folder && *folder; folder++)
    g_ptr_array_add (inputs, g_strdup (*folder));
  for (guint i = 0; i < a->options.config->inputs->len; i++)
    g_ptr_array_add (inputs, g_strdup (a->options.config->inputs->pdata[i]));
  return inputs;
}

static char *
label_of (const NpIngestProfile *p)
{
  g_autofree char *first = g_path_get_basename (p->paths->pdata[0]);
  return p->paths->len == 1 ? g_steal_pointer (&first)
                            : g_strdup_printf ("%s + %u", first, p->paths->len - 1);
}

/* Says which profiles were not read because they are stored already, unless -q asks for silence. */
static void
say_here (const Asked *a, const GPtrArray *profiles)
{
  for (guint i = 0; a->options.verbosity > NPROF_ERROR && i < profiles->len; i++) {
    const NpIngestProfile *p = profiles->pdata[i];
    if (!p->here || !p->paths->len)
      continue;
    g_autofree char *label = label_of (p);
    g_autofree char *shown = np_printable (label, -1);
    g_printerr ("nprof: %s is already here (--force reads it again)\n", shown);
  }
}

/* Writes the store, then the database: a failure there leaves the store. */
static int
ingest_one (const NpIngest *ingest, const NpIngestProfile *p)
{
  int code = p->here ? NP_EXIT_OK : np_ingest_run (ingest, p);
  if (!ingest->endpoint || (code != NP_EXIT_OK && code != NP_EXIT_LOSSES))
    return code;
  return (int) np_exit_worse ((NpExit) code, (NpExit) np_ingest_database (ingest, p));
}

static int
ingest_all (const NpIngest *ingest, GPtrArray *profiles)
{
  NpExit worst = NP_EXIT_OK;
  for (guint i = 0; i < profiles->len; i++) {
    const NpIngestProfile *p = profiles->pdata[i];
    int code = ingest_one (ingest, p);
    worst = np_exit_worse (worst, (NpExit) code);
    if (code != NP_EXIT_OK && code != NP_EXIT_LOSSES)
      continue;
    g_print ("Profile \"%s\" is ready to view\n", p->id);
    fflush (stdout);
  }
  return (int) worst;
}

/* Prints a line of JSON a profile, for a server that is asked to open files. */
static int
print_plan (const GPtrArray *profiles)
{
  struct nprof_buf text = { 0 };
  for (guint i = 0; i < profiles->len; i++) {
    const NpIngestProfile *p = profiles->pdata[i];
    g_autofree char *label = p->paths->len ? label_of (p) : NULL;
    NpJson j = { .buf = &text };
    np_json_object (&j, NULL);
    np_json_text (&j, "profile", p->id);
    np_json_bool (&j, "here", p->here);
    np_json_text (&j, "label", label);
    np_json_array (&j, "paths");
    for (guint k = 0; k < p->paths->len; k++)
      np_json_text (&j, NULL, p->paths->pdata[k]);
    np_json_end_array (&j);
    np_json_end_object (&j);
    nprof_put_char (&text, '\n');
  }
  fwrite (text.data, 1, text.len, stdout);
  nprof_buf_clear (&text);
  return NP_EXIT_OK;
}

/* -- Serving ------------------------------------------------------------------------- */

static void
print_place (const char *url, const GPtrArray *profiles)
{
  if (profiles->len == 1)
    g_print ("View profile at %s/profile/%s\n", url, ((NpIngestProfile *) profiles->pdata[0])->id);
  else
    g_print ("View a list of profiles at %s/\n", url);
  fflush (stdout);
}

static void
open_in_browser (const char *url, const GPtrArray *profiles)
{
  g_autofree char *place
      = profiles->len == 1
            ? g_strdup_printf ("%s/profile/%s", url, ((NpIngestProfile *) profiles->pdata[0])->id)
            : g_strconcat (url, "/", NULL);
  char *words[] = { (char *) "xdg-open", place, NULL };
  g_autoptr (GError) error = NULL;
  if (!g_spawn_async (NULL, words, NULL,
                      G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL,
                      NULL, NULL, NULL, &error))
    g_printerr ("nprof: warning: --open: %s\n", error->message);
}

/* Leaves the profiles to the nprof view of this very store that has the port. */
static int
hand_over (const Asked *a, const NpIngest *ingest, GPtrArray *profiles)
{
  NpExit worst = NP_EXIT_OK;
  g_autofree char *url = np_url_of (a->config.address, a->config.port);
  for (guint i = 0; i < profiles->len; i++) {
    const NpIngestProfile *p = profiles->pdata[i];
    worst = np_exit_worse (worst, (NpExit) ingest_one (ingest, p));
  }
  if (worst == NP_EXIT_OK || worst == NP_EXIT_LOSSES) {
    print_place (url, profiles);
    if (a->open_browser)
      open_in_browser (url, profiles);
  }
  return (int) worst;
}

static void
warn_of_address (const Asked *a)
{
  const char *address = a->config.address;
  if (np_admit_is_private (address))
    return;
  g_printerr ("nprof: warning: --address %s: there is no password: whoever reaches this address "
              "sees all profiles%s\n",
              address,
              a->config.open_path
                  ? ", and reads files of yours by their path (--no-open-path turns that off)"
                  : "; opening files by their path is off (--open-path turns it on)");
}

static int
serve (const Asked *a, GPtrArray *profiles, NpLog *log)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (NpView) view
      = np_view_new (&a->config, np_cli_modules ((NpCliOptions *) &a->options), log, &error);
  if (!view || !np_view_start (view, &error)) {
    np_cli_tell_error (error, "view");
    return error->code;
  }
  for (guint i = 0; i < profiles->len; i++) {
    const NpIngestProfile *p = profiles->pdata[i];
    if (p->here && (!a->endpoint || !p->paths->len))
      continue;
    g_autoptr (NpReading) reading = np_reading_copy (a->reading);
    for (guint k = 0; k < p->paths->len; k++)
      g_ptr_array_add (reading->paths, g_strdup (p->paths->pdata[k]));
    reading->label = label_of (p);
    np_view_read (view, p->id, reading);
  }
  g_autofree char *url = np_view_url (view);
  warn_of_address (a);
  print_place (url, profiles);
  g_print ("ctrl-c to exit\n");
  fflush (stdout);
  if (a->open_browser)
    open_in_browser (url, profiles);
  np_view_wait (view, &np_cli_interrupt);
  return NP_EXIT_OK;
}

/* -- The page as one file ---------------------------------------------------------------- */

/* Writes it; says how large it is, but where stdout has the page itself. */
static gboolean
write_page (const Asked *a, const struct nprof_buf *page, GError **error)
{
  g_autoptr (GError) cause = NULL;
  g_autofree char *shown = np_printable (a->output, -1);
  if (g_str_equal (a->output, "-")) {
    fwrite (page->data, 1, page->len, stdout);
    if (!fflush (stdout))
      return TRUE;
    np_error_errno (error, NP_EXIT_SINK, "stdout", errno);
    return FALSE;
  }
  if (!g_file_set_contents (a->output, page->data, (gssize) page->len, &cause))
    return np_error_set (error, NP_EXIT_SINK, "%s", cause->message);
  g_print ("%s: %s\n", shown, nprof_bytes ((double) page->len).text);
  return TRUE;
}

/* Stores the profile and writes its page. */
static int
make_page (const Asked *a, const NpIngest *ingest, const GPtrArray *profiles, NpLog *log)
{
  g_autoptr (GError) error = NULL;
  const NpIngestProfile *p = profiles->pdata[0];
  int code = ingest_one (ingest, p);
  if (code != NP_EXIT_OK && code != NP_EXIT_LOSSES)
    return code;
  g_autoptr (NpView) view
      = np_view_new (&a->config, np_cli_modules ((NpCliOptions *) &a->options), log, &error);
  struct nprof_buf page = { 0 };
  if (!view || !np_one_file (view, p->id, &page, &error) || !write_page (a, &page, &error)) {
    np_cli_tell_error (error, "view");
    code = error->code;
  }
  nprof_buf_clear (&page);
  return code;
}

static int
run (int argc, char **argv)
{
  g_auto (Asked) a = { 0 };
  g_autoptr (GError) error = NULL;
  if (!parse (&a, argc, argv))
    return NP_EXIT_USAGE;
  g_autoptr (GPtrArray) inputs = inputs_of (&a);
  if (a.output_format)
    return print_format (&a, inputs);
  const NpIngest ingest
      = { &a.options, a.config.store, a.force, a.endpoint, a.org, a.config.store_max, a.sources };
  gboolean pair = a.neff || a.ntff;
  g_autoptr (GPtrArray) profiles = np_view_profiles (&ingest, inputs, a.one || pair, &error);
  if (!profiles) {
    np_cli_tell_error (error, "view");
    return error->code;
  }
  if (a.ingest_only && !profiles->len) {
    np_cli_tell ("--ingest-only: no input: name a file or a folder", "view");
    return NP_EXIT_USAGE;
  }
  if (a.output && profiles->len != 1) {
    np_cli_tell ("-o: expected one profile: name its files, or one folder of a job", "view");
    return NP_EXIT_USAGE;
  }
  if (a.plan)
    return print_plan (profiles);
  say_here (&a, profiles);
  np_cli_begin_again (inputs);
  if (a.ingest_only)
    return ingest_all (&ingest, profiles);
  if (a.output) {
    NpLog *log = np_log_new (a.options.verbosity, STDERR_FILENO);
    int code = make_page (&a, &ingest, profiles, log);
    np_log_free (log);
    return code;
  }
  if (np_view_serves (a.config.address, a.config.port, a.config.store))
    return hand_over (&a, &ingest, profiles);
  np_fence_settle (); /* what reads for the server is a process of its own */
  NpLog *log = np_log_new (a.options.verbosity, STDERR_FILENO);
  int code = serve (&a, profiles, log);
  np_log_free (log);
  return code;
}

NP_COMMAND_RUNS (run)
