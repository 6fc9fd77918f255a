/* SPDX-License-Identifier: Apache-2.0 */
/* cli.h - what the commands of nprof share; command.h has what each of them is. */
#pragma once

#include "pipeline/run.h"

/* nprof run: takes argv with its own name first and returns the exit status. */
int np_cli_run (int argc, char **argv);
/* The same of the command that argv begins with. */
int np_cli_command (int argc, char **argv);

/* Prints which nprof this is. */
void np_cli_print_version (void);

/* The signals that end a run set it. */
extern atomic_int np_cli_interrupt;

/* -- Options that the commands share --------------------------------------- */

typedef struct {
  NpConfig *config;
  int verbosity;        /* a level of the log */
  NpRegistry *registry; /* of np_cli_modules */
  char *config_file;
  gboolean no_progress;
  /* These are raw texts, which np_cli_parse turns into `config`. */
  char *decoder, *from, *to, *text_max, *annotations;
  gboolean no_eager;
  char **eager, **analyzers, **sinks, **steps, **tracks, **names, **where, **inputs;
  GArray *ors; /* of NpCliOr: what stood before each --or */
  int jobs;
} NpCliOptions;

/* Where --or stood: so many of the repeated options are before it. */
typedef struct {
  guint steps, tracks, names, where;
} NpCliOr;
/* Returns what --step says of alternative i, the last that it has; NULL: nothing. */
const char *np_cli_step (const NpCliOptions *options, guint i);

void np_cli_options_clear (NpCliOptions *options);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (NpCliOptions, np_cli_options_clear)

/* These are the options that a command has, and what --help says it takes where that is not
 * INPUT... */
enum {
  NP_CLI_SINKS = 1,
  NP_CLI_OUTPUT = 2,
  NP_CLI_PAIR = 4,
  NP_CLI_DEMANDS = 8,
  NP_CLI_WHOLE = 16,
  NP_CLI_QUERY = 32,
  NP_CLI_CLIP = 64,
  NP_CLI_NAME = 128,
  NP_CLI_TOOL = 256,
  NP_CLI_VERB = 512
};
/* NP_CLI_WHOLE leaves out the options that select rows; NP_CLI_CLIP adds --clip to them. */

/* Says on stderr what was wrong with the command line, control characters escaped, and that the
 * --help of `command` tells more. */
void np_cli_tell (const char *message, const char *command);
/* Names the option that an unknown one was probably meant to be, in the error of a parser that
 * failed; returns FALSE, so that a caller may say `parse (...) || np_cli_suggest_option (...)`. */
gboolean np_cli_suggest_option (GOptionContext *context, GError **error);
/* The same of an error; of one that no other use would mend, it sends nobody to --help. */
void np_cli_tell_error (const GError *error, const char *command);
/* Reads --top, which is how many rows are shown, 0: all; *top stays where it is not given (NULL).
 * NP_EXIT_USAGE: it is no such number. */
gboolean np_cli_read_top (const char *text, guint *top, GError **error);
/* Reads the size that an option gives, such as 500M.  NP_EXIT_USAGE. */
gboolean np_cli_read_size (const char *option, const char *text, guint64 *bytes, GError **error);
/* Warns on stderr, unless -q was given. */
void np_cli_warn (const NpCliOptions *options, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* Parses the shared options, and `extra` ones of the command (NULL-terminated, or NULL).  `summary`
 * is one line behind "nprof COMMAND [OPTION...] INPUT...", `description` the text below the
 * options.  FALSE: the error has been printed; the status is NP_EXIT_USAGE. */
gboolean np_cli_parse (NpCliOptions *options, guint which, const GOptionEntry *extra,
                       const char *summary, const char *description, int argc, char **argv);
/* Sets what the options say to all decoders that have it, as recordings of graphs, in a
 * configuration.  NP_EXIT_USAGE. */
gboolean np_cli_hints (const NpCliOptions *options, NpConfig *config, GError **error);
/* Returns the word as a shell takes it, quoted where it needs it; transfer full. */
char *np_cli_shell_word (const char *word);
/* Returns the plugins of this nprof, looked for once. */
NpRegistry *np_cli_modules (NpCliOptions *options);
/* Returns a spec of the command line as people may see it and files keep it: its secrets are
 * hidden; transfer full. NULL of NULL. */
char *np_cli_spec_shown (NpCliOptions *options, guint kind, const char *text);
/* A call of a plugin that ends the process begins the command anew without it, until somebody gets
 * an output; not where an input cannot be read twice. */
void np_cli_begin_again (GPtrArray *inputs);
/* Runs options->config. */
int np_cli_execute (NpCliOptions *options);
