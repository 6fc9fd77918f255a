/* SPDX-License-Identifier: Apache-2.0 */
/* agent.c - runs a call: checks its arguments, finds its profile, and lets the tool answer. */
#include "agent/agent.h"

static gboolean
takes_profile (const NpTool *tool)
{
  return tool->args->type == NP_ARG_ID; /* the first argument of those that do */
}

static void
run_on_profile (NpCall *call)
{
  const char *id = call->args.id ? call->args.id : call->args.base, *device = call->args.device;
  call->profile = np_agent_profile (call, id);
  if (!call->profile || !np_profile_hold (call->profile, call))
    return;
  if (device && !call->args.base && !np_has_device (call, device)) {
    np_call_fail (call, "bad_argument", "argument device: the profile has no device of this name");
    np_nearest_devices (call, device);
  } else
    call->tool->run (call);
  if (np_sql_was_late (call->sql))
    np_call_fail (call, "timeout", "it took more than %u s: narrow it", call->tool->seconds);
  char why[700];
  if (nprof_store_damage (call->profile->store, why, sizeof why))
    np_call_fail (call, "unreadable", "the stored profile is damaged: open its file again");
  np_profile_let_go (call->profile);
}

void
np_call_run (NpCall *call)
{
  g_autoptr (GPtrArray) nearest = NULL;
  g_autofree char *missing = np_args_missing (call->tool, &call->args, &nearest);
  np_call_fail_argument (call, missing, nearest);
  if (!call->error.code && takes_profile (call->tool))
    run_on_profile (call);
  else if (!call->error.code)
    call->tool->run (call);
  if (call->error.code && !call->n_next && !call->error.nearest)
    np_call_next (call, "open", "the profiles that are there", NULL);
}
