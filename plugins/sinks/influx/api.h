/* SPDX-License-Identifier: Apache-2.0 */
/* api.h - the requests of InfluxDB's two interfaces as text: the address and the body.  Nothing is
 * sent here, and no secret stands in a request. format:
 * https://docs.influxdata.com/influxdb/v1/tools/api/, .../influxdb/v2/api/ */
#pragma once

#include <glib.h>

enum { API_PRECISION_NS, API_PRECISION_US, API_PRECISION_MS, API_PRECISION_S };

struct api_place {
  const char *url;          /* without a slash at its end                     */
  const char *bucket;       /* 1.x: database                                  */
  const char *org, *org_id; /* 2.x; NULL: not known                           */
  const char *profile;      /* n_ and 40 hex digits                           */
  int precision;
};

enum api_what {
  API_PING,
  API_HEALTH,
  API1_WRITE, /* without a body: is the database there and ours? */
  API1_CREATE,
  API1_FIND_PROFILE,
  API1_DROP_PROFILE,
  API1_COUNT, /* all fields of a measurement */
  API2_WRITE,
  API2_FIND_ORGS,
  API2_FIND_ORG, /* by its name */
  API2_FIND_BUCKET,
  API2_CREATE,
  API2_FIND_PROFILE,
  API2_DROP_PROFILE,
  API2_COUNT, /* all measurements and fields */
};

typedef struct {
  const char *method, *type, *accept; /* `type`, `accept`: NULL where there is none */
  char *url, *body;
} ApiRequest;

/* `measurement` is that of API1_COUNT, or NULL. */
ApiRequest api_request (const struct api_place *place, enum api_what what, const char *measurement);
void api_request_clear (ApiRequest *request);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ApiRequest, api_request_clear)

/* Returns NULL, or what is wrong with the url that a user gave: transfer none. */
const char *api_check_url (const char *url);
