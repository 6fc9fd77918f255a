/* SPDX-License-Identifier: Apache-2.0 */
/* inference.c - finds which phase a step of inference is, by the name that its program gives it.
 * sources: vLLM gpu_model_runner.py (record_function of execute_model), SGLang scheduler, ATOM */
#include "producers/inference.h"

#include <glib.h>
#include <stdio.h>
#include <string.h>

static Phase
phase_of (int64_t context, int64_t generated)
{
  if (context > 0 && generated > 0)
    return PHASE_MIXED;
  return context > 0 ? PHASE_PREFILL : generated > 0 ? PHASE_DECODE : PHASE_NONE;
}

/* Counts requests and tokens of both kinds. */
static Said
counted (long long r, long long t, long long generating, long long generated)
{
  return (Said){ phase_of (t, generated), r + generating, t, generated };
}

/* Reads vLLM's names: execute_context_R(T)_generation_R(T), with sums of query lengths
 * execute_N_context_R(sqT...)_..., and before 2025 execute_new_R_cached_R. */
static Said
of_vllm (const char *name)
{
  long long all, r, t, r2, t2;
  if (sscanf (name, "execute_context_%lld(%lld)_generation_%lld(%lld)", &r, &t, &r2, &t2) == 4)
    return counted (r, t, r2, t2);
  if (sscanf (name, "execute_%lld_context_%lld(sq%lldsk%*[^)])_generation_%lld(sq%lldsk", &all, &r,
              &t, &r2, &t2)
      == 5)
    return counted (r, t, r2, t2);
  if (sscanf (name, "execute_new_%lld_cached_%lld", &r, &r2) == 2)
    return (Said){ phase_of (r, r2), r + r2, -1, -1 };
  return (Said){ PHASE_NONE, -1, -1, -1 };
}

static int64_t
number_behind (const char *name, const char *word)
{
  const char *at = strstr (name, word);
  return at && g_ascii_isdigit (at[strlen (word)]) ? g_ascii_strtoll (at + strlen (word), NULL, 10)
                                                   : -1;
}

/* Reads SGLang's names: step[EXTEND bs=B toks=T], step[DECODE bs=B], step[MIXED ...],
 * step[TARGET_VERIFY bs=B].  A step of decoding gives a token to each request. */
static Said
of_sglang (const char *name)
{
  Said said = { PHASE_NONE, number_behind (name, "bs="), -1, -1 };
  g_autofree char *mode = g_strndup (name, strcspn (name, " ]"));
  int64_t tokens = number_behind (name, "toks=");
  if (g_str_has_suffix (mode, "VERIFY"))
    said.phase = PHASE_VERIFY;
  else if (g_str_equal (mode, "DECODE"))
    said = (Said){ PHASE_DECODE, said.requests, 0, said.requests };
  else if (g_str_equal (mode, "MIXED"))
    said.phase = PHASE_MIXED;
  else if (g_str_equal (mode, "EXTEND") || g_str_equal (mode, "PREFILL"))
    said = (Said){ PHASE_PREFILL, said.requests, tokens, 0 };
  return said;
}

/* Reads ATOM's names: prefill[bs=B tok=T], decode[bs=B tok=T]. */
static Said
of_atom (const char *name)
{
  int64_t requests = number_behind (name, "bs="), tokens = number_behind (name, "tok=");
  if (g_str_has_prefix (name, "prefill["))
    return (Said){ PHASE_PREFILL, requests, tokens, 0 };
  return (Said){ PHASE_DECODE, requests, 0, tokens };
}

static Said
of_any (const char *name)
{
  if (g_str_has_prefix (name, "execute_"))
    return of_vllm (name);
  if (g_str_has_prefix (name, "step["))
    return of_sglang (name + strlen ("step["));
  if (g_str_has_prefix (name, "prefill[bs=") || g_str_has_prefix (name, "decode[bs="))
    return of_atom (name);
  return (Said){ PHASE_NONE, -1, -1, -1 };
}

Said
inference_said (const char *name)
{
  Said said = of_any (name);
  if (said.requests == 0) /* others of a group work, and this one only takes part */
    said.phase = PHASE_NONE;
  return said;
}
