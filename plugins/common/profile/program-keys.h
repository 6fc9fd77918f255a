/* SPDX-License-Identifier: Apache-2.0 */
/* program-keys.h - what decoders of traces declare that carry what XLA says of its programs. */
#pragma once

#define XLA_ATTRIBUTES                                                                             \
  NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_FLOPS, "flop", "as the file declares"),                  \
      NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_MODEL_FLOPS, "flop", "without recomputation"),       \
      NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_BYTES_ACCESSED, "byte",                              \
                       "read and written, any memory"),                                            \
      NPROF_ATTRIBUTE (NPROF_UINT64, NPROF_KEY_RUN_ID, "", "one execution of a program"),          \
      NPROF_ATTRIBUTE (NPROF_UINT64, NPROF_KEY_PROGRAM_ID, "", "compiled program"),                \
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_HLO_OP, "", "name of the HLO instruction"),         \
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_HLO_MODULE, "", "name of the HLO module"),          \
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_HLO_CATEGORY, "",                                   \
                       "category of the HLO instruction"),                                         \
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_FRAMEWORK_OP, "", "path of the framework")
