/* SPDX-License-Identifier: Apache-2.0 */
/* strict-json.h - steps over strings and values of strict JSON without spaces, as nprof_put_json
 * writes it. */
#pragma once

/* Both return the end of what begins at `at`. */
static inline const char *
strict_json_skip_string (const char *at)
{
  for (at++; *at != '"'; at++)
    at += *at == '\\';
  return at + 1;
}

static inline const char *
strict_json_skip_value (const char *at)
{
  for (unsigned depth = 0;; at++) {
    if (*at == '"')
      at = strict_json_skip_string (at) - 1;
    else if (*at == '{' || *at == '[')
      depth++;
    else if (depth == 0 && (*at == ',' || *at == '}' || *at == ']' || *at == 0))
      return at;
    else if ((*at == '}' || *at == ']') && --depth == 0)
      return at + 1;
  }
}
