/* SPDX-License-Identifier: Apache-2.0 */
/* host-kind.c - the categories of spans of hosts. */
#include "producers/host-kind.h"

#include <glib.h>
#include <string.h>

/* source: Kineto's activity types (output_json.cpp); those of 2021 in capitals */
static const struct {
  const char *category;
  AnHostKind kind;
} kinds[] = {
  { "cpu_op", AN_HOST_OPERATOR },
  { "Operator", AN_HOST_OPERATOR },
  { "cuda_runtime", AN_HOST_CALL },
  { "Runtime", AN_HOST_CALL },
  { "cuda_driver", AN_HOST_CALL },
  { "hip_runtime", AN_HOST_CALL },
  { "Api", AN_HOST_CALL }, /* of ONNX Runtime */
  { "mtia_runtime", AN_HOST_CALL },
  { "xpu_runtime", AN_HOST_CALL },
  { "python_function", AN_HOST_FRAME },
  { "user_annotation", AN_HOST_NOTE },
};

AnHostKind
an_host_kind (const char *category)
{
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (strcmp (kinds[i].category, category) == 0)
      return kinds[i].kind;
  return g_str_has_suffix (category, ONNX_PROVIDER) ? AN_HOST_OPERATOR : AN_HOST_OTHER;
}
