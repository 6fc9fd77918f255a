/* SPDX-License-Identifier: Apache-2.0 */
/* columns.h - the columns of the tables of analyzer fusion. */
#pragma once

#include <nprof/table.h>

#define FUSIONS(C)                                                                                 \
  C (KEY, fusion, "name; of clones, that of the original")                                         \
  C (STRING, category, "loop fusion, output fusion, ...")                                          \
  C (KEY, program, "compiled program that holds it")                                               \
  C (UINT, calls, "how often it ran, on all devices")                                              \
  C (PS, total, "sum of its durations")                                                            \
  C (PS, self, "the same without what ran within")                                                 \
  C (UINT, members, "operators that it was made of")                                               \
  C (STRING, how, "compiler: it made one operator of them; parallel: one ran beside it")
NPROF_TABLE_ROW (fusions, FUSIONS)

#define FUSION_MEMBERS(C)                                                                          \
  C (KEY, fusion, "as in table fusions")                                                           \
  C (TEXT_KEY, member, "operator")                                                                 \
  C (STRING, opcode, "add, dot, ...")                                                              \
  C (TEXT, framework_op, "path of the framework")                                                  \
  C (STRING, seen, "yes: it also has an event of its own")                                         \
  C (KEY, program, "as in table fusions")
NPROF_TABLE_ROW (fusion_members, FUSION_MEMBERS)
