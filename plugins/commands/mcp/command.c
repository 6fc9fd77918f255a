/* SPDX-License-Identifier: Apache-2.0 */
/* command.c - nprof mcp: the tools of nprof ask as a server of the Model Context Protocol, over its
 * standard input and output. */
#include "cli/command.h"
#include "agent/server.h"
#include "base/install-paths.h"
#include "base/suggest.h"
#include "cli/cli.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

typedef struct {
  gboolean skill;
  char *client;
  char **roots;
} Asked;

static void
asked_clear (Asked *a)
{
  g_free (a->client);
  g_strfreev (a->roots);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Asked, asked_clear)

/* -- What people register ---------------------------------------------------------------------- */

/* @p is the program, @f the folder. */
static const struct {
  const char *name, *text;
} clients[] = {
  { "claude", "# in the project, or .mcp.json with the object that cursor has:\n"
              "claude mcp add nprof -- @p mcp @f\n" },
  { "codex", "# ~/.codex/config.toml\n[mcp_servers.nprof]\ncommand = \"@p\"\nargs = [\"mcp\", "
             "\"@f\"]\n" },
  { "vscode", "{\n  \"servers\": {\n    \"nprof\": { \"type\": \"stdio\", \"command\": \"@p\", "
              "\"args\": [\"mcp\", \"@f\"] }\n  }\n}\n" },
  { "cursor", "{\n  \"mcpServers\": {\n    \"nprof\": { \"command\": \"@p\", \"args\": [\"mcp\", "
              "\"@f\"] }\n  }\n}\n" },
  { "gemini", "{\n  \"mcpServers\": {\n    \"nprof\": { \"command\": \"@p\", \"args\": [\"mcp\", "
              "\"@f\"] }\n  }\n}\n" },
};

static const char *const here[] = { ".", NULL };

static const char *const *
roots_of (const Asked *a)
{
  return a->roots ? (const char *const *) a->roots : here;
}

/* Prints the text of a client with the program and the folder in place of @p and @f, if the server
 * would take the folder. */
static int
print_client (const char *text, const Asked *a)
{
  g_autoptr (GError) error = NULL;
  NpRoots *roots = np_roots_new (roots_of (a), &error);
  if (roots && np_roots_folders (roots)->len > 1)
    np_error_set (&error, NP_EXIT_USAGE,
                  "%s: expected one folder for --print-config; add others to what it prints",
                  a->roots[1]);
  np_roots_free (roots);
  if (error) {
    np_cli_tell_error (error, "mcp");
    return error->code;
  }
  g_autofree char *program = np_program_path (),
                  *folder = g_canonicalize_filename (*roots_of (a), NULL);
  g_auto (GStrv) words = g_strsplit (text, "@p", 2);
  g_auto (GStrv) rest = g_strsplit (words[1], "@f", 2);
  g_print ("%s%s%s%s%s", words[0], program, rest[0], folder, rest[1]);
  return NP_EXIT_OK;
}

static int
print_config (const Asked *a)
{
  const char *names[G_N_ELEMENTS (clients) + 1] = { NULL };
  for (guint i = 0; i < G_N_ELEMENTS (clients); i++) {
    names[i] = clients[i].name;
    if (!strcmp (names[i], a->client))
      return print_client (clients[i].text, a);
  }
  g_autofree char *list = g_strjoinv (", ", (char **) names);
  g_autofree char *text = g_strdup_printf ("--print-config: expected one of %s", list);
  np_cli_tell (text, "mcp");
  return NP_EXIT_USAGE;
}

static int
print_skill (void)
{
  g_autofree char *data = np_data_folder ();
  g_autofree char *path = data ? g_build_filename (data, "skill", "nprof", "SKILL.md", NULL) : NULL;
  g_autofree char *text = NULL;
  if (path && g_file_get_contents (path, &text, NULL, NULL)) {
    g_print ("%s", text);
    return NP_EXIT_OK;
  }
  np_cli_tell ("skill/nprof/SKILL.md is not installed beside this nprof", "mcp");
  return NP_EXIT_ROOM;
}

/* -- The server -------------------------------------------------------------------------------- */

static int
serve (const Asked *a)
{
  g_autoptr (GError) error = NULL;
  NpAgent *agent = np_agent_new (roots_of (a), &error);
  if (!agent) {
    np_cli_tell_error (error, "mcp");
    return error->code;
  }
  signal (SIGPIPE, SIG_IGN);
  gboolean heard = np_server_run (agent, STDIN_FILENO, STDOUT_FILENO, &np_cli_interrupt);
  np_agent_free (agent);
  return atomic_load (&np_cli_interrupt) ? atomic_load (&np_cli_interrupt)
         : heard                         ? NP_EXIT_OK
                                         : NP_EXIT_PIPE;
}

static int
run (int argc, char **argv)
{
  g_auto (Asked) a = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  const GOptionEntry entries[]
      = { { "print-config", 0, 0, G_OPTION_ARG_STRING, &a.client,
            "Print what claude, codex, vscode, cursor or gemini wants to be told", "CLIENT" },
          { "skill", 0, 0, G_OPTION_ARG_NONE, &a.skill,
            "Print the page that teaches agents the tools", NULL },
          { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &a.roots, NULL, "[ROOT...]" },
          G_OPTION_ENTRY_NULL };
  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_set_summary (context, "Answers agents about profiles below ROOT, which is the "
                                         "current folder unless it is given.");
  g_option_context_set_description (context, "Examples:\n"
                                             "  nprof mcp traces\n"
                                             "  nprof mcp --print-config claude traces\n"
                                             "  nprof mcp --skill");
  g_set_prgname ("nprof mcp");
  if (!g_option_context_parse (context, &argc, &argv, &error)
      && !np_cli_suggest_option (context, &error)) {
    np_cli_tell (error->message, "mcp");
    return NP_EXIT_USAGE;
  }
  return a.client ? print_config (&a) : a.skill ? print_skill () : serve (&a);
}

NP_COMMAND_RUNS (run)
