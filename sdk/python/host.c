/* SPDX-License-Identifier: Apache-2.0 */
/* host.c - runs components of Python inside of nprof: begins Python at the first call, gives it the
 * plugin's text, and hands calls on.  nprof_to_c.py writes what stands before and behind this: the
 * texts, what is declared, and the entry. */

struct instance { /* nprof_plugin.py knows where its members lie */
  uint64_t handle;
  const struct nprof_host *host;
  uint64_t component;
  uint64_t options[32];
};

static struct {
  nprof_status (*open) (uint32_t component, void *self, const struct nprof_host *host);
  int32_t (*probe) (uint32_t component, const void *head, uint64_t len, const char *path);
  nprof_status (*decode) (uint64_t handle, const void *host, const void *data, uint64_t len);
  nprof_status (*consume) (uint64_t handle, const void *host, const void *batch);
  nprof_status (*finish) (uint64_t handle, const void *host);
  void (*close) (uint64_t handle);
} python;

/* What the first lines of Python read. */
static struct {
  const char *raw, *layer, *plugin, *file;
  const void *tables;
  void *calls;
  char why[1024];
} begin = { raw_text, layer_text, plugin_text, PLUGIN_FILE, table_places, &python, "" };

static const char first_lines[]
    = "def nprof_begin(at):\n"
      " import ctypes, sys, types\n"
      " names = ('raw', 'layer', 'plugin', 'file')\n"
      " class Begin(ctypes.Structure):\n"
      "  _fields_ = [(n, ctypes.c_char_p) for n in names] + [('tables', ctypes.c_void_p),\n"
      "   ('calls', ctypes.c_void_p), ('why', ctypes.c_char * 1024)]\n"
      " begin = Begin.from_address(at)\n"
      " own = {n: types.ModuleType(n) for n in ('nprof_raw', 'nprof_plugin')}\n"
      " before = {n: sys.modules.get(n) for n in own}\n"
      " try:\n"
      "  sys.modules.update(own)\n"
      "  for module, text in zip(own.values(), (begin.raw, begin.layer)):\n"
      "   exec(compile(text, module.__name__ + '.py', 'exec'), module.__dict__)\n"
      "  last = own['nprof_plugin']\n"
      "  kept = last.start(begin.plugin.decode(), begin.file.decode(), begin.tables, begin.calls)\n"
      "  sys.modules['nprof_plugin@%d' % at] = types.SimpleNamespace(kept=kept, module=last)\n"
      " except BaseException as error:\n"
      "  begin.why = ('%s: %s' % (type(error).__name__, error)).encode()[:1000]\n"
      " finally:\n"
      "  for n, module in before.items():\n"
      "   sys.modules.pop(n)\n"
      "   if module: sys.modules[n] = module\n";

/* Python's own functions, of those that every release has. */
static struct {
  int (*Py_IsInitialized) (void);
  void (*Py_InitializeEx) (int);
  void (*Py_SetPythonHome) (const wchar_t *); /* NULL: gone, and not needed */
  void *(*PyEval_SaveThread) (void);
  int (*PyGILState_Ensure) (void);
  void (*PyGILState_Release) (int);
  int (*PyRun_SimpleStringFlags) (const char *, void *);
} api;

/* Of a process that is Python already, and else the library that the plugin was built with, or any
 * that is called as one of these. */
static void *
find_python (void)
{
  static const char *const names[] = { PYTHON_LIBRARY,         "libpython3.14.so.1.0",
                                       "libpython3.13.so.1.0", "libpython3.12.so.1.0",
                                       "libpython3.11.so.1.0", "libpython3.10.so.1.0",
                                       "libpython3.9.so.1.0",  NULL };
  void *found = dlsym (RTLD_DEFAULT, "Py_IsInitialized") ? dlopen (NULL, RTLD_NOW) : NULL;
  for (uint32_t i = 0; !found && names[i]; i++)
    found = dlopen (names[i], RTLD_NOW | RTLD_GLOBAL);
  return found;
}

static int
find_functions (void *library)
{
  const struct {
    const char *name;
    void *place;
  } functions[] = {
    { "Py_IsInitialized", &api.Py_IsInitialized },
    { "Py_InitializeEx", &api.Py_InitializeEx },
    { "PyEval_SaveThread", &api.PyEval_SaveThread },
    { "PyGILState_Ensure", &api.PyGILState_Ensure },
    { "PyGILState_Release", &api.PyGILState_Release },
    { "PyRun_SimpleStringFlags", &api.PyRun_SimpleStringFlags },
    { "Py_SetPythonHome", &api.Py_SetPythonHome },
  };
  const uint32_t n = sizeof functions / sizeof functions[0];
  for (uint32_t i = 0; library && i < n; i++) {
    void *found = dlsym (library, functions[i].name);
    if (!found && i < n - 1)
      return 0;
    memcpy (functions[i].place, &found, sizeof found);
  }
  return library != NULL;
}

/* Python takes the locale of the environment; that of the process is nprof's. */
static void
initialize (void)
{
  char locale[256];
  snprintf (locale, sizeof locale, "%s", setlocale (LC_CTYPE, NULL));
  if (api.Py_SetPythonHome && access (PYTHON_FOLDER, R_OK) == 0)
    api.Py_SetPythonHome (PYTHON_HOME);
  api.Py_InitializeEx (0);
  setlocale (LC_CTYPE, locale);
  api.PyEval_SaveThread ();
}

static void
begin_python (void)
{
  if (!find_functions (find_python ())) {
    snprintf (begin.why, sizeof begin.why,
              "it is written in Python, whose library is not here: install libpython3");
    return;
  }
  if (!api.Py_IsInitialized ())
    initialize ();
  char text[sizeof first_lines + 100];
  snprintf (text, sizeof text, "%snprof_begin(%llu)\ndel nprof_begin\n", first_lines,
            (unsigned long long) (uintptr_t) &begin);
  int state = api.PyGILState_Ensure ();
  if (api.PyRun_SimpleStringFlags (text, NULL) && !begin.why[0])
    snprintf (begin.why, sizeof begin.why, "Python could not be begun");
  api.PyGILState_Release (state);
}

static int
is_begun (void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once (&once, begin_python);
  return python.close != NULL;
}

static nprof_status
open_component (uint32_t component, void *self, const struct nprof_host *host)
{
  struct instance *instance = self;
  instance->host = host;
  instance->component = component;
  if (!is_begun ())
    return host->fail (host, NPROF_E_UNSUPPORTED, begin.why);
  return python.open (component, self, host);
}

#ifdef HAS_DECODER
static nprof_status
decode (void *self, const void *data, uint64_t len)
{
  struct instance *instance = self;
  return python.decode (instance->handle, instance->host, data, len);
}
#endif

#ifdef HAS_READER
static nprof_status
consume (void *self, const struct nprof_batch *batch)
{
  struct instance *instance = self;
  return python.consume (instance->handle, instance->host, batch);
}

static nprof_status
finish (void *self)
{
  struct instance *instance = self;
  return python.finish (instance->handle, instance->host);
}
#endif

static void
close_component (void *self)
{
  struct instance *instance = self;
  if (instance->handle)
    python.close (instance->handle);
}
