/* SPDX-License-Identifier: Apache-2.0 */
/* api.c - what both interfaces share: the url, and the request that asks which server answers
 * there. */
#include "api.h"

#include <string.h>

void
api_request_clear (ApiRequest *request)
{
  g_free (request->url);
  g_free (request->body);
  *request = (ApiRequest){ 0 };
}

const char *
api_check_url (const char *url)
{
  gboolean https = g_str_has_prefix (url, "https://");
  if (!https && !g_str_has_prefix (url, "http://"))
    return "expected http://HOST:PORT or https://HOST:PORT";
  const char *host = url + (https ? 8 : 7);
  size_t len = strcspn (host, "/?#");
  if (!len || *host == ':')
    return "the name of the host is missing: http://HOST:PORT";
  if (memchr (host, '@', len))
    return "no user and no password belong there: give user= and INFLUX_PASSWORD or password_file=";
  if (strpbrk (host, "?#"))
    return "no parameters belong there: give org=, bucket=, user= as options, and secrets as "
           "INFLUX_TOKEN or INFLUX_PASSWORD";
  for (const char *at = url; *at; at++)
    if ((guchar) *at <= ' ' || *at == 0x7f)
      return "it holds a space or a control character";
  return NULL;
}

static ApiRequest
get (const struct api_place *place, const char *path)
{
  return (ApiRequest){ .method = "GET", .url = g_strconcat (place->url, path, NULL) };
}

ApiRequest
api_ping (const struct api_place *place)
{
  return get (place, "/ping");
}

ApiRequest
api_health (const struct api_place *place)
{
  return get (place, "/health");
}
