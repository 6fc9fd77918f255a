/* SPDX-License-Identifier: Apache-2.0 */
/* api.h - the requests of InfluxDB's two interfaces as text: the address and the body.  Nothing is
 * sent here, and no secret stands in a request. format:
 * https://docs.influxdata.com/influxdb/v1/tools/api/, .../influxdb/v2/api/ */
#pragma once

#include <glib.h>

#define API_JSON "application/json"
#define API_LINES "text/plain; charset=utf-8"
#define API_FLUX "application/vnd.flux"
#define API_FORM "application/x-www-form-urlencoded"
#define API_CSV "application/csv"

enum { API_PRECISION_NS, API_PRECISION_US, API_PRECISION_MS, API_PRECISION_S };

struct api_place {
  const char *url;              /* without a slash at its end                     */
  const char *bucket;           /* 1.x: database                                  */
  const char *org, *org_id;     /* 2.x; NULL: not known                           */
  const char *profile;          /* n_ and 40 hex digits                           */
  int precision;
};

typedef struct {
  const char *method, *type, *accept;
  char *url, *body;
} ApiRequest;

void api_request_clear (ApiRequest *request);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ApiRequest, api_request_clear)

/* Returns NULL, or what is wrong with the url that a user gave: transfer none. */
const char *api_check_url (const char *url);

/* Asks which server it is. */
ApiRequest api_ping (const struct api_place *place);
ApiRequest api_health (const struct api_place *place);

/* api1.c is for InfluxDB 1.x. */
char *api1_write_url (const struct api_place *place);
ApiRequest api1_write_nothing (const struct api_place *place); /* is the database there and ours? */
ApiRequest api1_create (const struct api_place *place);
ApiRequest api1_find_profile (const struct api_place *place);
ApiRequest api1_drop_profile (const struct api_place *place);
/* `fields` ends in NULL. */
ApiRequest api1_count (const struct api_place *place, const char *measurement,
                       const char *const *fields);

/* api2.c is for InfluxDB 2.x. */
char *api2_write_url (const struct api_place *place);
ApiRequest api2_find_orgs (const struct api_place *place); /* by name when the place has one */
ApiRequest api2_find_bucket (const struct api_place *place);
ApiRequest api2_create (const struct api_place *place);
ApiRequest api2_find_profile (const struct api_place *place);
ApiRequest api2_drop_profile (const struct api_place *place);
/* Counts all measurements and fields. */
ApiRequest api2_count (const struct api_place *place);
