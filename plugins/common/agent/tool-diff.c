/* SPDX-License-Identifier: Apache-2.0 */
/* tool-diff.c - tool diff: what nprof diff says of two profiles, which knows the noise.  It runs
 * beside the server, as its rule needs the rows of both files. */
#include "agent/agent.h"

#include "base/error.h"
#include "stored/child.h"

#include <json-glib/json-glib.h>
#include <string.h>

static gboolean
is_unwanted (gpointer user)
{
  NpCall *call = user;
  return atomic_load (&call->cancelled) || g_get_monotonic_time () > call->until;
}

/* What is added or removed is inconclusive too: there is no ratio. */
static const char *
our_verdict (const char *verdict)
{
  static const char *const ours[] = { "same", "slower", "faster", NULL };
  for (guint i = 0; ours[i]; i++)
    if (!g_strcmp0 (ours[i], verdict))
      return ours[i];
  return "inconclusive";
}

static JsonObject *
object_of (JsonObject *object, const char *name)
{
  JsonNode *node = object ? json_object_get_member (object, name) : NULL;
  return node && json_node_get_node_type (node) == JSON_NODE_OBJECT ? json_node_get_object (node)
                                                                    : NULL;
}

static JsonArray *
array_of (JsonObject *object, const char *name)
{
  JsonNode *node = object ? json_object_get_member (object, name) : NULL;
  return node && json_node_get_node_type (node) == JSON_NODE_ARRAY ? json_node_get_array (node)
                                                                   : NULL;
}

/* Sums of nprof diff are means of steps: whole ps. */
static void
put_ns (NpCall *call, const char *key, JsonObject *from, const char *member)
{
  if (from && json_object_has_member (from, member) && !json_object_get_null_member (from, member))
    np_json_integer (&call->data.json, key,
                     np_ns_of (json_object_get_int_member_with_default (from, member, 0)));
}

static void
put_changes (NpCall *call, JsonArray *kernels)
{
  NpJson *j = &call->data.json;
  guint n = kernels ? json_array_get_length (kernels) : 0;
  np_json_array (j, "changes");
  for (guint i = 0; i < n; i++) {
    JsonObject *kernel = json_array_get_object_element (kernels, i);
    NpMark mark = np_call_mark (call);
    np_json_object (j, NULL);
    np_json_text (j, "what", "kernel");
    np_call_name (call, "name", json_object_get_string_member_with_default (kernel, "name", NULL));
    put_ns (call, "base_ns", kernel, "base_ps");
    put_ns (call, "new_ns", kernel, "new_ps");
    np_json_text (j, "verdict",
                  our_verdict (json_object_get_string_member_with_default (kernel, "verdict", "")));
    np_call_name (call, "why", json_object_get_string_member_with_default (kernel, "why", NULL));
    if (!np_call_end_item (call, mark, 40))
      break;
  }
  np_json_end_array (j);
}

static const char *
verdict_of (JsonObject *judged)
{
  return our_verdict (judged ? json_object_get_string_member_with_default (judged, "verdict", "")
                             : "");
}

/* A step, or a recording, of which there is one alone is told by all work of the device. */
static const char *
verdict_of_device (JsonObject *device)
{
  const char *verdict = verdict_of (object_of (device, "step"));
  return strcmp (verdict, "inconclusive") ? verdict : verdict_of (object_of (device, "work"));
}

static void
put_device (NpCall *call, JsonObject *device)
{
  NpJson *j = &call->data.json;
  JsonObject *step = object_of (device, "step");
  const char *verdict = verdict_of_device (device);
  gint64 base = json_object_get_int_member_with_default (step, "base_ps", 0),
         new = json_object_get_int_member_with_default (step, "new_ps", 0);
  np_json_bool (j, "comparable", TRUE);
  np_json_text (j, "verdict", verdict);
  put_ns (call, "step_base_ns", step, "base_ps");
  put_ns (call, "step_new_ns", step, "new_ps");
  if (base > 0)
    np_json_double (j, "ratio", (double) (gint64) ((double) new * 1e6 / (double) base + 0.5) / 1e6);
  put_changes (call, array_of (device, "kernels"));
  np_json_array (j, "unknown");
  np_json_end_array (j);
  call->certainty = strcmp (verdict, "inconclusive") ? "measured" : "inconclusive";
  np_call_say (call, "the new run is %s", strcmp (verdict, "same") ? verdict : "the same");
}

static void
take (NpCall *call, const char *text)
{
  g_autoptr (JsonParser) parser = json_parser_new_immutable ();
  JsonNode *root
      = json_parser_load_from_data (parser, text, -1, NULL) ? json_parser_get_root (parser) : NULL;
  JsonArray *devices = root ? array_of (json_node_get_object (root), "devices") : NULL;
  JsonObject *device = devices && json_array_get_length (devices)
                           ? json_array_get_object_element (devices, 0)
                           : NULL;
  if (device && object_of (device, "step")) {
    put_device (call, device);
    return;
  }
  np_call_abstain (call, "comparison", "not_comparable", NULL);
  np_call_say (call, "the two have no device in common");
  np_call_next (call, "open", "what is in a profile", NULL);
}

void
np_tool_diff (NpCall *call)
{
  const NpArgs *a = &call->args;
  if (a->device || a->step.given || a->rank.given || a->from_ns.given || a->to_ns.given) {
    np_call_abstain (call, "comparison", "out_of_scope", NULL);
    np_call_say (call, "two profiles are compared as a whole");
    np_call_next (call, "diff", "as a whole", "base", a->base, "new", a->other, NULL);
    return;
  }
  NpAgentProfile *base = call->profile, *new = np_agent_profile (call, a->other);
  if (!new)
    return;
  call->second = g_strdup (new->shown);
  const char *const words[] = { np_agent_program (call->agent),
                                "diff",
                                "-q",
                                "--format",
                                "json",
                                "--top",
                                "12",
                                "--",
                                base->path,
                                new->path,
                                NULL };
  GString *out;
  g_autofree char *said = NULL;
  call->until = g_get_monotonic_time () + (gint64) call->tool->seconds * G_USEC_PER_SEC;
  int status = np_child_run ((char **) words, NULL, &out, &said, is_unwanted, call);
  if (g_get_monotonic_time () > call->until)
    np_call_fail (call, "timeout", "the comparison took more than %u s", call->tool->seconds);
  else if (status != NP_EXIT_OK && status != NP_EXIT_LOSSES)
    np_call_fail (call, "unreadable", "the two cannot be compared: nprof diff says why");
  else
    take (call, out->str);
  g_string_free (out, TRUE);
}
