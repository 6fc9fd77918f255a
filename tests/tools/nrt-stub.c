/* SPDX-License-Identifier: Apache-2.0 */
/* nrt-stub.c - stands for libnrt in tests: our own declarations after its public documentation,
 * calls written down, and failures on demand. A name of a call may carry @N, its Nth call.
 *   NRT_LOG=FILE        a line for each call
 *   NRT_TENSORS=...     of the model: IN1:in:F32:2x3;OUT:out:BF16:4
 *   NRT_FAIL=CALL=N,... calls that return a status
 *   NRT_HANG=CALL       waits in it for a signal; NRT_STUBBORN=1: SIGTERM does not end it
 *   NRT_DIE=CALL=N      ends the process in it: by signal N, or for 1000 + N by exit (N)
 *   NRT_VERSION=2.31.5.0
 *   NRT_NO_FILE=1       nrt_profile_stop writes nothing; NRT_PRINT=TEXT prints it there
 *   NRT_INSANE=WHAT     tensor infos that cannot be: count, name, usage, type, dims, shape, size */
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__ ((visibility ("default")))
#define MODEL ((void *) 0x1000)
#define SETS ((uintptr_t) 0x2000)

typedef struct {
  char name[256];
  int usage;
  size_t size;
  int dtype;
  uint32_t *shape;
  uint32_t n_dims;
} Info;

typedef struct {
  uint64_t n;
  Info tensors[];
} Infos;

typedef struct {
  char name[256];
  size_t size;
  unsigned char *data;
} Tensor;

static const struct {
  const char *name;
  int dtype;
  size_t width;
} types[] = { { "U64", 1, 8 },     { "I8", 2, 1 },      { "U8", 3, 1 },     { "I16", 4, 2 },
              { "U16", 5, 2 },     { "BF16", 6, 2 },    { "F16", 7, 2 },    { "I32", 8, 4 },
              { "U32", 9, 4 },     { "F32", 10, 4 },    { "FP32R", 11, 4 }, { "I64", 12, 8 },
              { "FP8_E3", 13, 1 }, { "FP8_E4", 14, 1 }, { "FP8_E5", 15, 1 } };

/* -- What the environment asks for ------------------------------------------------------- */

static const char *
asked (const char *name)
{
  const char *value = getenv (name);
  return value ? value : "";
}

/* Is `item` this call, its nth one?  *value is what stands behind =. */
static int
is_meant (char *item, const char *call, int nth, int *value)
{
  char *equals = strchr (item, '='), *at = strchr (item, '@');
  *value = equals ? atoi (equals + 1) : 1;
  if (equals)
    *equals = 0;
  if (at)
    *at = 0;
  return !strcmp (item, call) && (!at || atoi (at + 1) == nth);
}

/* The value that a variable has for this call, or 0. */
static int
value_for (const char *variable, const char *call, int nth)
{
  char *list = strdup (asked (variable)), *rest = NULL;
  int found = 0, value;
  for (char *item = strtok_r (list, ",", &rest); item; item = strtok_r (NULL, ",", &rest))
    if (is_meant (item, call, nth, &value))
      found = value;
  free (list);
  return found;
}

static int
count_call (const char *call)
{
  static struct {
    const char *name;
    int n;
  } calls[64];
  int i = 0;
  while (calls[i].name && strcmp (calls[i].name, call))
    i++;
  calls[i].name = call;
  return ++calls[i].n;
}

static void
die (int how)
{
  if (how >= 1000)
    exit (how - 1000);
  signal (how, SIG_DFL);
  raise (how);
}

static void
hang (void)
{
  if (*asked ("NRT_STUBBORN"))
    signal (SIGTERM, SIG_IGN);
  for (;;)
    pause ();
}

/* Writes the call down and returns the status that it shall have. */
static int
note (const char *call, const char *format, ...)
{
  char arguments[1024];
  va_list list;
  int nth = count_call (call), status = value_for ("NRT_FAIL", call, nth);
  FILE *log = fopen (*asked ("NRT_LOG") ? asked ("NRT_LOG") : "/dev/null", "a");
  va_start (list, format);
  vsnprintf (arguments, sizeof arguments, format, list);
  va_end (list);
  fprintf (log, "%s(%s) = %d\n", call, arguments, status);
  fclose (log);
  if (value_for ("NRT_DIE", call, nth))
    die (value_for ("NRT_DIE", call, nth));
  if (value_for ("NRT_HANG", call, nth))
    hang ();
  return status;
}

/* -- The model ------------------------------------------------------------------------------ */

static void
read_tensor (Info *t, const char *text)
{
  char usage[8] = "", type[16] = "", shape[128] = "", *rest = NULL;
  sscanf (text, "%255[^:]:%7[^:]:%15[^:]:%127s", t->name, usage, type, shape);
  t->usage = !strcmp (usage, "out");
  t->shape = calloc (32, sizeof *t->shape);
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (!strcmp (types[i].name, type)) {
      t->dtype = types[i].dtype;
      t->size = types[i].width;
    }
  for (char *n = strtok_r (shape, "x", &rest); n; n = strtok_r (NULL, "x", &rest)) {
    t->shape[t->n_dims++] = (uint32_t) atoi (n);
    t->size *= (size_t) atoi (n);
  }
}

static void
spoil (Infos *infos, const char *what)
{
  Info *t = infos->tensors;
  if (!strcmp (what, "count"))
    infos->n = (uint64_t) 1 << 60;
  else if (!strcmp (what, "more"))
    infos->n = 60000;
  else if (!strcmp (what, "name"))
    memset (t->name, 'x', sizeof t->name);
  else if (!strcmp (what, "control"))
    strcpy (t->name, "IN\x1b[2J");
  else if (!strcmp (what, "usage"))
    t->usage = 7;
  else if (!strcmp (what, "type"))
    t->dtype = 99;
  else if (!strcmp (what, "dims"))
    t->n_dims = 33;
  else if (!strcmp (what, "shape"))
    t->shape = (uint32_t *) 64;
  else if (!strcmp (what, "size"))
    t->size /= 4;
}

EXPORT int
nrt_get_model_tensor_info (void *model, Infos **out)
{
  int status = note ("nrt_get_model_tensor_info", "%s", model == MODEL ? "model" : "BAD");
  char *list = strdup (asked ("NRT_TENSORS")), *rest = NULL;
  size_t most = 1;
  for (const char *p = list; *p; p++)
    most += *p == ';';
  Infos *infos = calloc (1, sizeof *infos + most * sizeof (Info));
  for (char *item = strtok_r (list, ";", &rest); item; item = strtok_r (NULL, ";", &rest))
    read_tensor (&infos->tensors[infos->n++], item);
  spoil (infos, asked ("NRT_INSANE"));
  free (list);
  *out = status ? NULL : infos;
  if (status)
    free (infos);
  return status;
}

EXPORT int
nrt_free_model_tensor_info (Infos *infos)
{
  int status = note ("nrt_free_model_tensor_info", "");
  for (uint64_t i = 0; infos->n < 10000 && i < infos->n; i++)
    if (infos->tensors[i].shape != (uint32_t *) 64)
      free (infos->tensors[i].shape);
  free (infos);
  return status;
}

EXPORT int
nrt_load (const void *neff, size_t size, int32_t vnc, int32_t count, void **model)
{
  int status = note ("nrt_load", "%zu bytes, %d, %d", size, vnc, count);
  (void) neff;
  *model = status ? NULL : MODEL;
  return status;
}

EXPORT int
nrt_unload (void *model)
{
  return note ("nrt_unload", "%s", model == MODEL ? "model" : "BAD");
}

EXPORT int
nrt_init (int framework, const char *version, const char *other)
{
  return note ("nrt_init", "%d, \"%s\", \"%s\"", framework, version, other);
}

EXPORT void
nrt_close (void)
{
  note ("nrt_close", "");
}

/* -- Sets and tensors ------------------------------------------------------------------------- */

static int
set_number (const void *set)
{
  return (int) (((uintptr_t) set - SETS) / 16);
}

EXPORT int
nrt_allocate_tensor_set (void **set)
{
  static int n;
  int status = note ("nrt_allocate_tensor_set", "");
  *set = status ? NULL : (void *) (SETS + 16 * (uintptr_t) ++n);
  return status;
}

EXPORT void
nrt_destroy_tensor_set (void **set)
{
  note ("nrt_destroy_tensor_set", "set%d", set_number (*set));
  *set = NULL;
}

EXPORT int
nrt_add_tensor_to_tensor_set (void *set, const char *name, Tensor *t)
{
  return note ("nrt_add_tensor_to_tensor_set", "set%d, \"%s\", \"%s\"", set_number (set), name,
               t->name);
}

EXPORT int
nrt_tensor_allocate (int place, int vnc, size_t size, const char *name, Tensor **out)
{
  int status = note ("nrt_tensor_allocate", "%d, %d, %zu, \"%s\"", place, vnc, size, name);
  *out = NULL;
  if (status)
    return status;
  Tensor *t = calloc (1, sizeof *t);
  snprintf (t->name, sizeof t->name, "%s", name);
  t->size = size;
  t->data = malloc (size + 1);
  memset (t->data, 0xA5, size);
  *out = t;
  return 0;
}

EXPORT void
nrt_tensor_free (Tensor **t)
{
  note ("nrt_tensor_free", "\"%s\"", (*t)->name);
  free ((*t)->data);
  free (*t);
  *t = NULL;
}

EXPORT int
nrt_tensor_write (Tensor *t, const void *data, size_t offset, size_t size)
{
  unsigned long sum = 0;
  for (size_t i = 0; i < size; i++)
    sum = sum * 31 + ((const unsigned char *) data)[i];
  int status = note ("nrt_tensor_write", "\"%s\", %zu, %zu, sum %lu", t->name, offset, size, sum);
  if (!status)
    memcpy (t->data + offset, data, size);
  return status;
}

EXPORT int
nrt_tensor_read (const Tensor *t, void *data, size_t offset, size_t size)
{
  int status = note ("nrt_tensor_read", "\"%s\", %zu, %zu", t->name, offset, size);
  if (!status)
    memcpy (data, t->data + offset, size);
  return status;
}

/* -- Executions -------------------------------------------------------------------------------- */

static const char *
base_name (const char *path)
{
  const char *slash = strrchr (path, '/');
  return slash ? slash + 1 : path;
}

EXPORT int
nrt_profile_start (void *model, const char *path)
{
  return note ("nrt_profile_start", "%s, \"%s\"", model == MODEL ? "model" : "BAD",
               base_name (path));
}

EXPORT int
nrt_profile_stop (const char *path)
{
  int status = note ("nrt_profile_stop", "\"%s\"", base_name (path));
  FILE *file = status || *asked ("NRT_NO_FILE") ? NULL : fopen (path, "w");
  if (*asked ("NRT_PRINT"))
    puts (asked ("NRT_PRINT"));
  fflush (stdout);
  if (file) {
    fputs ("NTFF of the stub\n", file);
    fclose (file);
  }
  return status;
}

EXPORT int
nrt_execute (void *model, const void *inputs, void *outputs)
{
  const char *notifications = getenv ("NEURON_RT_ENABLE_DGE_NOTIFICATIONS");
  return note ("nrt_execute", "%s, set%d, set%d%s", model == MODEL ? "model" : "BAD",
               set_number (inputs), set_number (outputs), notifications ? ", dge" : "");
}

#ifndef NO_VERSION
typedef struct {
  uint64_t number[4];
  char detail[128], hash[64];
} Version;

EXPORT int
nrt_get_version (Version *version, size_t size)
{
  int status = note ("nrt_get_version", "%zu", size);
  memset (version, 0, size);
  sscanf (asked ("NRT_VERSION"), "%lu.%lu.%lu.%lu", &version->number[0], &version->number[1],
          &version->number[2], &version->number[3]);
  return status;
}
#endif
