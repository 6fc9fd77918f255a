/* SPDX-License-Identifier: Apache-2.0 */
/* check.h - the rules that nprof check exercises on a plugin, each in a process of its own, and
 * what comes back from there.  What the command prints is cli/check.c's. */
#pragma once

#include <sys/types.h>
#include <stdatomic.h>

#include "testhost.h"

#define NP_CHECK_MOST_COMPONENTS 64u
#define NP_CHECK_PLUGIN 3u /* beside NPROF_DECODER ...: a rule of the file as a whole */

/* -- Between the processes ------------------------------------------------- */

typedef struct {
  char what[24];
  guint64 from, len;
} NpCheckLent;

typedef enum { NP_CHECK_PASS, NP_CHECK_FAIL, NP_CHECK_UNTRIED } NpCheckVerdict;

/* The report lies in memory that the process of a rule shares with nprof, which reads it when that
 * process has ended, in whatever way. */
typedef struct {
  gboolean done;      /* the rule came to its end                                */
  pid_t pid;          /* the process of the rule                                 */
  gboolean forked;    /* a copy of it has returned from a call                   */
  char fork_call[24]; /* that call, or the first that left a process behind      */
  char text[32768];   /* what was found, or why it could not be tried: lines            */
  guint n_text;
  gboolean untried;
  gboolean repeats;   /* it found something that the rule `rows` had found */

  char step[96];      /* what was being tried                                    */
  char call[24];      /* the last call of the component                          */
  gint64 taken;       /* us, by calls of consume and table                       */
  guint n_taken;      /* of these calls                                          */
  gint depth;         /* calls that have not returned                            */
  gint64 since;       /* us, monotonic: when it began                            */

  gboolean faulted;   /* at this address, which it may not touch */
  gboolean read;       /* it was read there, not written; of processors that tell it */
  gboolean no_address; /* the processor did not tell it: a pointer that is none */
  guint64 fault;
  guint n_lent;       /* all ever; the last ones are kept */
  NpCheckLent lent[256];

  guint64 used;       /* a bit for each option given by the user that the component has */
  guint n_components; /* by the rule `load` */
  struct {
    guint kind;
    char name[64];
  } components[NP_CHECK_MOST_COMPONENTS];
} NpCheckReport;

typedef struct {
  const char *path;      /* of the plugin, full */
  const guint8 *sample;  /* a file that a decoder reads; NULL: none */
  gsize n_sample;
  const char *sample_path;
  gint64 call_limit;     /* us that one call may take */
  const atomic_int *interrupt;
  guint number;          /* of the component in the plugin */
  const char *known;     /* what the rule `rows` has found, which others do not repeat; NULL */
  gboolean usual;        /* lives for what holds after any of them are the usual ones */
  char **given;          /* KEY=VALUE: options that the user gives; NULL: none */
  pid_t server;          /* that lives from rule to rule; 0: none */
  NpCheckReport *report;

  /* in the process of a rule */
  const struct nprof_plugin *plugin;
  const struct nprof_component *component; /* all members present */
  char *options;         /* so that no required one is missing */
  NprofTestWatch watch;
  int printed;           /* the file that its stdout and stderr go to */
} NpCheck;

/* -- Rules ----------------------------------------------------------------- */

typedef struct {
  const char *name;
  guint kinds;                  /* bits: 1 << NPROF_DECODER ..., NP_CHECK_PLUGIN */
  void (*run) (NpCheck *check); /* in the process of the rule */
  const char *mend;             /* what to do where it finds something */
} NpCheckRule;

extern const NpCheckRule np_check_rules[]; /* ends with a NULL name */

/* These run in the process of a rule. */
char *np_check_open (NpCheck *check, const struct nprof_plugin **plugin); /* as np_plugin_open */
void np_check_found (NpCheck *check, const char *format, ...) G_GNUC_PRINTF (2, 3);
void np_check_take (NpCheck *check, char *problem); /* found unless NULL; takes it */
void np_check_untried (NpCheck *check, const char *why);
void np_check_step (NpCheck *check, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* The usual: small guarded batches, watched. */
NprofTestConfig np_check_config (NpCheck *check);
/* On the sample; without one a decoder has no bytes, and others have rows of the test host. */
NprofTestLife np_check_life (NpCheck *check);
/* Returns whether a decoder reads the sample; if not, the rule cannot be tried. */
gboolean np_check_has_sample (NpCheck *check);
/* Runs NP_CHECK_LIVES lives of all sorts, for what must hold after any of them; what they give and
 * break is for other rules. */
#define NP_CHECK_LIVES 7
void np_check_lives (NpCheck *check, gboolean guarded);

/* Returns the bytes that malloc has given out, with what its caches hold; 0: it does not say. */
gsize np_check_memory (void);              /* process.c */

void np_check_load (NpCheck *check);        /* declared.c */
void np_check_entry (NpCheck *check);
void np_check_declaration (NpCheck *check);
char *np_check_fingerprint (const struct nprof_plugin *plugin); /* of all that it declares */
void np_check_names (NpCheck *check);       /* names.c */
void np_check_rows (NpCheck *check);        /* rows.c */
void np_check_growth (NpCheck *check);
void np_check_options (NpCheck *check);     /* options.c */
/* Returns "k=v,...": what the user gives, and what cannot be left out, without that one option. */
char *np_check_options_but (NpCheck *check, const struct nprof_option *but);
void np_check_probe (NpCheck *check);       /* hostile.c */
void np_check_hostile (NpCheck *check);
void np_check_truncated (NpCheck *check);
void np_check_empty (NpCheck *check);       /* lives.c */
void np_check_variations (NpCheck *check);
void np_check_merge (NpCheck *check);
void np_check_no_memory (NpCheck *check);
void np_check_cancel (NpCheck *check);
void np_check_full_disk (NpCheck *check);
void np_check_allocation (NpCheck *check);  /* allocation.c */
void np_check_process (NpCheck *check);     /* process.c */
void np_check_silence (NpCheck *check);
void np_check_leaks (NpCheck *check);

/* -- Running one ----------------------------------------------------------- */

typedef struct {
  NpCheckVerdict verdict;
  char *text;       /* what was found, a line each, or why it could not be tried; NULL */
  gboolean forks;   /* what broke is the rule np_check_fork, whichever was tried */
  const char *stops; /* what it does that would cost each further rule as much; NULL: nothing */
  const char *mend; /* what to do */
} NpCheckResult;

/* No process may come back from a call but the one that made it; it is watched in all rules. */
extern const NpCheckRule np_check_fork;

/* Returns what mends that which was found, else the advice of the rule. */
const char *np_check_advice (const char *found, const char *otherwise); /* advice.c */
/* Returns whether it took so much that further rules would take hundred times as much. */
gboolean np_check_is_too_much (const char *found);

/* Runs a rule in a process of its own, and ends the process if it does not end itself. */
NpCheckResult np_check_run (NpCheck *check, const NpCheckRule *rule); /* child.c */
/* again.c: returns "RULE: what it breaks: the mend" of what one run does not show, or NULL;
 * transfer full. */
char *np_check_again (NpCheck *check, guint kind);
/* Makes nprof the parent of what its children leave behind. */
void np_check_adopt (void); /* orphans.c */
/* Ends the group and all children but the spared one, and those that are being made meanwhile;
 * returns whether there were any. */
gboolean np_check_end_all (pid_t group, pid_t spared);
/* Returns what the report says of memory that was touched; transfer full. */
char *np_check_fault (const NpCheckReport *report); /* fault.c */
/* Tells in which call, and at which step, the process was; transfer full. */
char *np_check_place (const NpCheckReport *report);
