/* SPDX-License-Identifier: Apache-2.0 */
/* advice.c - what mends a row or a cell that breaks the contract, by what was found; a rule's
 * own advice holds for the rest. */

#include "check.h"

static const struct {
  const char *found, *mend;
  gboolean too_much;
} advice[] = {
  { "*.plugin does not list *", "write a group [KIND NAME] for each component of the file" },
  { "*, which nprof does not read",
    "a decoder has magic and suffixes, an analyzer rank, inputs, decoder, details, page.TABLE and "
    "off.TABLE: FILES of nprof-plugin(3)" },
  { "*writing fails after byte*", "return what write and close return" },
  { "*: duration *", "a duration is -1, where the file has no end, or 0 and more" },
  { "*do not fit int64*",
    "times are ps in int64: check that start + duration fits before the row" },
  { "*106 days*", "give the origin with host->origin, and times from there" },
  { "*: an instant has a duration*", "an instant lasts 0: write a span" },
  { "*: track * of another input*", "keep the handle that host->track returned to this instance" },
  { "*: track *", "give what host->track returned, and stop where that is 0" },
  { "*: the parent *", "give what host->track returned, or 0 for the root of the input" },
  { "*is no kind that a component makes*", "a track is of a kind of nprof/plugin.h, but INPUT" },
  { "*is no kind*", "a row is of a kind of nprof/plugin.h: NPROF_SPAN to NPROF_GAP" },
  { "*unknown type*", "a value is of a type of nprof/plugin.h: NPROF_INT64 to NPROF_ID128" },
  { "*declared is*", "give the type that is declared, or declare the one that is given" },
  { "*neither 0 nor 1*", "a bool is 0 or 1" },
  { "*an id128 of*", "an id128 has 16 bytes" },
  { "*no UTF-8*", "text is UTF-8: intern mends what is none, nprof_attr_bytes does not" },
  { "*points beyond the bytes*", "write bytes with nprof_attr_bytes, which says where they lie" },
  { "*no known string*", "give what host->intern or nprof_intern returned" },
  { "*unknown string*", "give what host->intern or nprof_intern returned" },
  { "*is no string*", "give what host->intern or nprof_intern returned" },
  { "*a counter has no value*", "write it with nprof_counter" },
  { "*a fact has*", "a fact has one attribute, whose key is its name" },
  { "*a flow row has*", "a flow has its flow, its family as category, and flow_phase" },
  { "*counts of the writer*", "begin rows and attributes with nprof_row and nprof_attr" },
  { "*stands on an earlier row*", "ids are unique within the input: of the file, or its byte" },
  { "*its own ancestor*", "a parent is the id of the row around it: look for circles in the file" },
  { "*errors and warnings*", "count with host->skip what is skipped; warn once", TRUE },
  { "*without a call of progress*",
    "call host->progress every 100,000 rows, and return what it returns", TRUE },
  { "*made of an input of*", "bound what is made by the bytes that are there", TRUE },
  { "*after it had failed*", "return what flush returned, at once" },
  { "*although a call of the host*", "return what fail, damage and the other calls returned" },
  { "*is no status*", "return NPROF_OK or one of NPROF_E_NOMEM to NPROF_CANCELLED" },
  { "*did not say why*", "return nprof_fail (host, status, \"what, and where\")" },
  { "*after the first row*", "call origin and property before the first row" },
  { "*from another thread*", "a thread of its own calls only what is [any-thread]" },
  { "*finish was called by*", "leave finish to the core, and call a function of its own" },
  { "*is a ratio, and holds*",
    "a ratio is 0 to 1; say \"may be above 1\" in the column's help, or of what it is a quotient "
    "(a / b)" },
  { "*declares NPROF_ANALYZER_NO_ROWS*", "leave NPROF_ANALYZER_NO_ROWS out of its flags" },
  { "*is not in `tables`*", "list the table in the component's tables" },
  { "*holds an unknown*", "give what host->intern returned" },
  { "*a writer in close*", "write the last rows in finish" },
  { "*still held after close*", "call batch_unref for each batch_ref" },
  { "*did not batch_ref*", "call batch_unref once for each batch_ref" },
  { "*after the call that had lent it*",
    "keep a batch with batch_ref, or copy what is needed later" },
  { "*which it may only read*", "copy what is to be changed: others look at the same columns" },
  { "*used a NULL pointer*", "look at what may be NULL: optional columns, and what calls return" },
  { "*beyond the end of*", "compare with the length that came with it before each access" },
  { "*ended the process with exit status*",
    "return a status from each call; only nprof ends the process" },
};

/* Returns the number of the advice; that behind the last: none. */
static guint
find (const char *found)
{
  guint i = 0;
  while (i < G_N_ELEMENTS (advice)
         && !(found && g_pattern_match_simple (advice[i].found, found)))
    i++;
  return i;
}

const char *
np_check_advice (const char *found, const char *otherwise)
{
  guint i = find (found);
  return i < G_N_ELEMENTS (advice) ? advice[i].mend : otherwise;
}

gboolean
np_check_is_too_much (const char *found)
{
  guint i = find (found);
  return i < G_N_ELEMENTS (advice) && advice[i].too_much;
}
