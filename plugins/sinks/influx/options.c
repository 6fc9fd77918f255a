/* SPDX-License-Identifier: Apache-2.0 */
/* options.c - reads the options that say where the server is and who asks it, and those that do not
 * fit the server that answers. check.c reads what the server says. */
#include "influx.h"
#include "secret.h"

#include <string.h>

const char *
influx_given (const char *text)
{
  return text && *text ? text : NULL;
}

/* 127.0.0.1 is local, 127.example.com is not. */
static gboolean
is_local (const char *url)
{
  g_autofree char *host = NULL;
  g_uri_split (url, G_URI_FLAGS_PARSE_RELAXED, NULL, NULL, &host, NULL, NULL, NULL, NULL, NULL);
  return host
         && (!g_ascii_strcasecmp (host, "localhost") || !strcmp (host, "::1")
             || (g_str_has_prefix (host, "127.") && !host[strspn (host, "0123456789.")]));
}

nprof_status
influx_open_place (struct influx_sink *self)
{
  struct api_place *place = &self->server.place;
  const char *wrong = api_check_url (self->url);
  if (wrong) /* without the url, which may hold a password */
    return nprof_fail (self->host, NPROF_E_OPTION, "url=: %s", wrong);
  if (influx_given (self->bucket) && influx_given (self->db))
    return nprof_fail (self->host, NPROF_E_OPTION,
                       "bucket= (InfluxDB 2) and db= (1.x) are two names for one thing: give one");
  self->place_url = g_strdup (self->url);
  for (size_t len = strlen (self->place_url); len && self->place_url[len - 1] == '/';)
    self->place_url[--len] = '\0';
  place->url = self->place_url;
  place->bucket = influx_given (self->bucket) ? self->bucket
                  : influx_given (self->db)   ? self->db
                                              : "nprof";
  place->org = influx_given (self->org);
  place->precision = self->precision;
  place->profile = self->profile;
  return NPROF_OK;
}

nprof_status
influx_open_secrets (struct influx_sink *self)
{
  g_autofree char *why = NULL;
  if (self->api != 1 && !secret_read (self->token_file, "INFLUX_TOKEN", &self->token, &why))
    return nprof_fail (self->host, NPROF_E_OPTION, "token_file=: %s", why);
  if (self->api != 2
      && !secret_read (self->password_file, "INFLUX_PASSWORD", &self->password, &why))
    return nprof_fail (self->host, NPROF_E_OPTION, "password_file=: %s", why);
  if (self->api == 1 && influx_given (self->token_file))
    return nprof_fail (self->host, NPROF_E_OPTION,
                       "token_file=: InfluxDB 1.x takes no token: give "
                       "user= and password_file=");
  if (self->api == 2 && influx_given (self->password_file))
    return nprof_fail (self->host, NPROF_E_OPTION,
                       "password_file=: InfluxDB 2 takes no password: give token_file=");
  if ((self->token || self->password) && g_str_has_prefix (self->url, "http://")
      && !is_local (self->url))
    nprof_log (self->host, NPROF_WARNING,
               "%s is not encrypted: whoever sees the traffic can read the token or password",
               self->place_url);
  return NPROF_OK;
}

void
influx_tell_unused (const struct influx_sink *self)
{
  int api = self->server.api;
  const struct {
    const char *name;
    gboolean unused;
  } options[] = {
    { "org=", api == 1 && influx_given (self->org) },
    { "token_file=", api == 1 && influx_given (self->token_file) },
    { "user=", api == 2 && influx_given (self->user) },
    { "password_file=", api == 2 && influx_given (self->password_file) },
  };
  for (guint k = 0; k < G_N_ELEMENTS (options); k++)
    if (options[k].unused)
      nprof_log (self->host, NPROF_WARNING, "%s is not used: %s is InfluxDB %s", options[k].name,
                 self->place_url, api == 1 ? "1.x" : "2");
  if (api == 1 && self->password && !influx_given (self->user))
    nprof_log (self->host, NPROF_WARNING,
               "the password is not used: no user is named, give user= as well");
}
