/* SPDX-License-Identifier: Apache-2.0 */
/* database.c - talks to InfluxDB for nprof view and nprof profiles; the sink influx writes. */

#include "stored/database.h"
#include "base/error.h"

#include <errno.h>
#include <netdb.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

/* -- Advice ------------------------------------------------------------------------ */

static gboolean
has_all_words (const char *text, const char *const *words)
{
  for (; *words; words++)
    if (strcasestr (text, *words))
      return TRUE;
  return FALSE;
}

char *
np_database_advice (const char *said)
{
  static const char *const full[] = { "too many open files", NULL };
  static const char *const absent[] = { "refused", "connect", "resolve", "timed out", NULL };
  static const char *const token[] = { "token", "unauthorized", "401", NULL };
  g_autofree char *influx = g_find_program_in_path ("influx");
  if (has_all_words (said, full))
    return g_strdup ("Delete unused profiles with nprof profiles rm NAME --db-endpoint URL, or "
                     "raise the limits of the server:\n"
                     "nofile 1048576, fs.file-max 197341270, vm.max_map_count 1048576\n");
  if (has_all_words (said, absent) && !influx)
    return g_strdup (
        "ERRO[0001] To install influxdb, go to https://portal.influxdata.com/downloads/ and follow "
        "the "
        "instructions there\n"
        "influxdb not setup correctly: exec: \"influx\": executable file not found in $PATH\n");
  if (has_all_words (said, absent) || has_all_words (said, token))
    return g_strdup ("ERRO[0000]                                              \n"
                     "influxdb token not setup correctly: exit status 1\n"
                     "Try executing \"systemctl start influxdb\" and \"influx setup\"\n");
  return NULL;
}

/* -- A request ------------------------------------------------------------------------ */

typedef struct {
  char *host, *port;
} Place;

/* Parses http://HOST[:PORT]. */
static gboolean
parse_url (const char *url, Place *place, GError **error)
{
  g_autoptr (GUri) uri = g_uri_parse (url, G_URI_FLAGS_NONE, NULL);
  if (!uri || g_strcmp0 (g_uri_get_scheme (uri), "http") || !g_uri_get_host (uri))
    return np_error_set (
        error, NP_EXIT_USAGE,
        "--db-endpoint %s: expected http://HOST:PORT (of https, drop it with influx)", url);
  int port = g_uri_get_port (uri);
  place->host = g_strdup (g_uri_get_host (uri));
  place->port = g_strdup_printf ("%d", port < 0 ? 8086 : port);
  return TRUE;
}

static int
connect_to (const Place *place)
{
  struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *list = NULL;
  const struct timeval patience = { .tv_sec = 30 };
  int fd = -1;
  if (getaddrinfo (place->host, place->port, &hints, &list))
    return -1;
  for (const struct addrinfo *a = list; a && fd < 0; a = a->ai_next) {
    fd = socket (a->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    setsockopt (fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt (fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience); /* of connect, too */
    if (fd >= 0 && connect (fd, a->ai_addr, a->ai_addrlen)) {
      close (fd);
      fd = -1;
    }
  }
  freeaddrinfo (list);
  return fd;
}

static gboolean
send_all (int fd, const char *text)
{
  gsize len = strlen (text);
  for (gsize at = 0; at < len;) {
    ssize_t n = send (fd, text + at, len - at, MSG_NOSIGNAL);
    if (n <= 0 && errno != EINTR)
      return FALSE;
    at += n > 0 ? (gsize) n : 0;
  }
  return TRUE;
}

/* Returns the whole answer, head and body; NULL: nobody answers.  It asks by HTTP/1.0, so that the
 * answer ends with the connection. */
static char *
ask (const Place *place, const char *method, const char *path)
{
  const char *token = g_getenv ("INFLUX_TOKEN");
  g_autofree char *secret
      = token ? g_strdup_printf ("Authorization: Token %s\r\n", token) : g_strdup ("");
  g_autofree char *text
      = g_strdup_printf ("%s %s HTTP/1.0\r\nHost: %s:%s\r\n%sContent-Length: 0\r\n\r\n", method,
                         path, place->host, place->port, secret);
  int fd = connect_to (place);
  GString *answer = g_string_new (NULL);
  char piece[4096];
  ssize_t n = fd >= 0 && send_all (fd, text) ? 1 : 0;
  while (n > 0 && answer->len < 1u << 20)
    if ((n = read (fd, piece, sizeof piece)) > 0)
      g_string_append_len (answer, piece, n);
  if (fd >= 0)
    close (fd);
  return g_string_free (answer, answer->len == 0);
}

static guint
status_of (const char *answer)
{
  const char *space = answer ? strchr (answer, ' ') : NULL;
  return space ? (guint) g_ascii_strtoull (space, NULL, 10) : 0;
}

static gboolean
refused (const char *url, const char *answer, GError **error)
{
  const char *body = answer ? strstr (answer, "\r\n\r\n") : NULL;
  return np_error_set (error, NP_EXIT_SINK, "%s: %s%.300s", url,
                       answer ? "it was not dropped: " : "nobody answers", body ? body + 4 : "");
}

/* -- Dropping -------------------------------------------------------------------------- */

static gboolean
drop_database (const Place *place, const char *url, const char *id, GError **error)
{
  g_autofree char *path = g_strdup_printf ("/query?q=DROP%%20DATABASE%%20%%22%s%%22", id);
  g_autofree char *answer = ask (place, "POST", path);
  return status_of (answer) == 200 && !strstr (answer, "\"error\"") ? TRUE
                                                                    : refused (url, answer, error);
}

/* Returns the number of the bucket of this name; "" when there is none, NULL with an error. */
static char *
find_bucket (const Place *place, const char *url, const char *org, const char *id, GError **error)
{
  g_autofree char *escaped = org ? g_uri_escape_string (org, NULL, FALSE) : NULL;
  g_autofree char *path
      = g_strdup_printf ("/api/v2/buckets?name=%s%s%s", id, org ? "&org=" : "", org ? escaped : "");
  g_autofree char *answer = ask (place, "GET", path);
  const char *list = answer ? strstr (answer, "\"buckets\"") : NULL;
  const char *first = list ? strstr (list, "\"id\"") : NULL;
  if (status_of (answer) == 404)
    return g_strdup ("");
  if (status_of (answer) != 200 || !list) {
    refused (url, answer, error);
    return NULL;
  }
  const char *quote = first ? strchr (first + 4, '"') : NULL;
  return quote ? g_strndup (quote + 1, strspn (quote + 1, "0123456789abcdef")) : g_strdup ("");
}

static gboolean
drop_bucket (const Place *place, const char *url, const char *org, const char *id, GError **error)
{
  g_autofree char *number = find_bucket (place, url, org, id, error);
  if (!number || !*number)
    return number != NULL;
  g_autofree char *path = g_strconcat ("/api/v2/buckets/", number, NULL);
  g_autofree char *answer = ask (place, "DELETE", path);
  return status_of (answer) == 204 || refused (url, answer, error);
}

gboolean
np_database_drop (const char *url, const char *org, const char *id, GError **error)
{
  Place place = { 0 };
  if (!parse_url (url, &place, error))
    return FALSE;
  g_autofree char *ping = ask (&place, "GET", "/ping");
  const char *version = ping ? strcasestr (ping, "x-influxdb-version:") : NULL;
  gboolean first
      = version && strchr (version + 19, '1') == version + 19 + strspn (version + 19, " v");
  gboolean good = !ping   ? refused (url, NULL, error)
                  : first ? drop_database (&place, url, id, error)
                          : drop_bucket (&place, url, org, id, error);
  g_free (place.host);
  g_free (place.port);
  return good;
}
