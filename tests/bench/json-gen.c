/* SPDX-License-Identifier: Apache-2.0 */
/* json-gen.c - writes trace-event JSON of a given size, in the layout of one of two producers: what
 * keys there are, in which order, with which blanks. The numbers mean nothing; those of `coherent`,
 * which is Kineto's layout too, fit together as those of a training do: steps, modules, frames of
 * Python and operators that nest, a launch for each kernel. usage: json-gen kineto|coherent|furiosa
 * MEGABYTES FILE; prints the number of events.
 *
 * Layouts: libkineto's output_json.cpp (pretty, us with three decimals); Furiosa's
 * export_chrome_trace (Python's json.dump, one line, decimals as short as they can be). */
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  FILE *file;
  guint64 state, bytes, limit, events;
} Gen;

static guint
pick (Gen *g, guint n)
{
  g->state ^= g->state << 13;
  g->state ^= g->state >> 7;
  g->state ^= g->state << 17;
  return (guint) (g->state % n);
}

G_GNUC_PRINTF (2, 3)
static void
put (Gen *g, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  int n = vfprintf (g->file, format, args);
  va_end (args);
  if (n > 0)
    g->bytes += (guint64) n;
}

/* -- Kineto ---------------------------------------------------------------------- */

static const char *const operators[] = { "aten::empty",
                                         "aten::copy_",
                                         "aten::linear",
                                         "aten::addmm",
                                         "aten::view",
                                         "aten::gelu",
                                         "aten::add",
                                         "aten::layer_norm",
                                         "aten::as_strided",
                                         "aten::mm",
                                         "autograd::engine::evaluate_function: AddmmBackward0" };

static const char *const kernels[] = {
  "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::BFloat16>, "
  "at::detail::Array<char*, 3> >(int, at::native::CUDAFunctor_add<c10::BFloat16>, "
  "at::detail::Array<char*, 3>)",
  "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x256x64_warpgroupsize2x1x1_kernel__5x",
  "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
  "Memcpy HtoD (Pageable -> Device)"
};

static const char *const calls[]
    = { "torch/nn/modules/module.py(1518): _wrapped_call_impl",
        "torch/nn/modules/linear.py(113): forward", "<built-in function linear>" };

static void
kineto_event (Gen *g, const char *category, const char *name, guint pid, guint tid, guint64 ts,
              guint64 dur)
{
  put (g,
       "%s  {\n    \"ph\": \"X\", \"cat\": \"%s\", \"name\": \"%s\", \"pid\": %u, \"tid\": %u,\n"
       "    \"ts\": %" G_GUINT64_FORMAT ".%03u, \"dur\": %" G_GUINT64_FORMAT ".%03u,\n"
       "    \"args\": {\n      ",
       g->events ? ",\n" : "", category, name, pid, tid, ts / 1000, (guint) (ts % 1000), dur / 1000,
       (guint) (dur % 1000));
  g->events++;
}

static void
kineto_flow (Gen *g, char phase, guint id, guint pid, guint tid, guint64 ts)
{
  put (
      g,
      ",\n  {\n    \"ph\": \"%c\", \"id\": %u, \"pid\": %u, \"tid\": %u, \"ts\": %" G_GUINT64_FORMAT
      ".%03u,\n    \"cat\": \"ac2g\", \"name\": \"ac2g\"%s\n  }",
      phase, id, pid, tid, ts / 1000, (guint) (ts % 1000), phase == 'f' ? ", \"bp\": \"e\"" : "");
  g->events++;
}

/* A call of Python with an operator in it, a launch, and the kernel that it launched. */
static guint64
kineto_launch (Gen *g, guint64 host, guint64 *device, guint id)
{
  guint64 dur = 500 + pick (g, 40000), launch = 3000 + pick (g, 9000), busy = 800 + pick (g, 60000);
  kineto_event (g, "python_function", calls[pick (g, 3)], 2074, 2074, host, dur * 3);
  put (g, "\"Python parent id\": %u, \"Python id\": %u, \"Ev Idx\": %u\n    }\n  }", id, id + 1,
       4 * id);
  kineto_event (g, "cpu_op", operators[pick (g, 11)], 2074, 2074, host + 100, dur);
  put (g,
       "\"External id\": %u,\"Record function id\": 0, \"Concrete Inputs\": [\"\", \"\", \"%u\"], "
       "\"Input type\": [\"c10::BFloat16\", \"c10::BFloat16\", \"Scalar\"], \"Input Dims\": [[%u, "
       "4096], "
       "[4096, %u], []], \"Ev Idx\": %u\n    }\n  }",
       id, pick (g, 4), 1 + pick (g, 4096), 1 + pick (g, 14336), 4 * id + 1);
  kineto_event (g, "cuda_runtime", "cudaLaunchKernel", 2074, 2074, host + 200, launch);
  put (g, "\"External id\": %u,\"cbid\": 211, \"correlation\": %u\n    }\n  }", id, id);
  kineto_flow (g, 's', id, 2074, 2074, host + 200);
  *device = MAX (*device, host + 4000);
  kineto_event (g, "kernel", kernels[pick (g, 4)], 0, 7, *device, busy);
  put (g,
       "\"External id\": %u,\"queued\": 0, \"device\": 0, \"context\": 1, \"stream\": 7, "
       "\"correlation\": %u, \"registers per thread\": %u, \"shared memory\": %u, \"blocks per "
       "SM\": "
       "%u.%u, \"grid\": [%u, %u, 1], \"block\": [%u, 1, 1], \"est. achieved occupancy %%\": %u\n  "
       "  }\n  }",
       id, id, 16 + pick (g, 200), pick (g, 200000), pick (g, 30), pick (g, 999999),
       1 + pick (g, 2000), 1 + pick (g, 64), 32u << pick (g, 5), pick (g, 100));
  kineto_flow (g, 'f', id, 0, 7, *device);
  *device += busy + pick (g, 2000);
  return host + 200 + launch;
}

/* -- Kineto, coherent --------------------------------------------------------------- */

#define LAUNCHES 500 /* of a step */
#define CALL 20000   /* ns from a launch to the next */

static void
coherent_operator (Gen *g, const char *name, guint id, guint64 start, guint64 dur)
{
  kineto_event (g, "cpu_op", name, 2074, 2074, start, dur);
  put (g,
       "\"External id\": %u,\"Record function id\": 0, \"Concrete Inputs\": [\"\", \"\", \"\"], "
       "\"Input type\": [\"c10::BFloat16\", \"c10::BFloat16\", \"c10::BFloat16\"], \"Input Dims\": "
       "[[%u], [%u, 1024], [1024, %u]], \"Ev Idx\": %u\n    }\n  }",
       id, 1024 << id % 3, 512 << id % 4, 1024 << id % 3, id);
}

static void
coherent_frame (Gen *g, const char *name, guint id, guint64 start, guint64 dur)
{
  kineto_event (g, "python_function", name, 2074, 2074, start, dur);
  put (g, "\"Python parent id\": %u, \"Python id\": %u, \"Ev Idx\": %u\n    }\n  }", id, id + 1,
       id);
}

static void
coherent_launch (Gen *g, guint id, guint64 at, guint64 *device)
{
  static const char *const modules[]
      = { "nn.Module: Attention_0", "nn.Module: MLP_0", "nn.Module: LayerNorm_0" };
  guint64 busy = 2000 + pick (g, 30000);
  coherent_frame (g, modules[id % 3], id, at, 18000);
  coherent_frame (g, calls[id % 3], id, at + 200, 17500);
  coherent_operator (g, "aten::linear", id, at + 1000, 15000);
  coherent_operator (g, "aten::addmm", id, at + 2000, 13000);
  kineto_event (g, "cuda_runtime", "cudaLaunchKernel", 2074, 2074, at + 5000, 4000);
  put (g, "\"External id\": %u,\"cbid\": 211, \"correlation\": %u\n    }\n  }", id, id);
  kineto_flow (g, 's', id, 2074, 2074, at + 5000);
  *device = MAX (*device, at + 10000);
  kineto_event (g, "kernel", kernels[id % 7 ? id % 2 : 2], 0, 7, *device, busy);
  put (g,
       "\"External id\": %u,\"queued\": 0, \"device\": 0, \"context\": 1, \"stream\": 7, "
       "\"correlation\": %u, \"registers per thread\": 90, \"shared memory\": 4096, \"grid\": [%u, "
       "1, "
       "1], \"block\": [128, 1, 1], \"est. achieved occupancy %%\": 50\n    }\n  }",
       id, id, 1 + pick (g, 2000));
  kineto_flow (g, 'f', id, 0, 7, *device);
  *device += busy + 1000 + pick (g, 2000);
}

static void
coherent_step (Gen *g, guint number, guint64 *host, guint64 *device)
{
  g_autofree char *name = g_strdup_printf ("ProfilerStep#%u", number);
  guint64 start = *host;
  for (guint i = 0; i < LAUNCHES; i++, *host += CALL)
    coherent_launch (g, number * LAUNCHES + i + 1, *host + 1000, device);
  *host = MAX (*host, *device) + 5000;
  kineto_event (g, "user_annotation", name, 2074, 2074, start, *host - start - 100);
  put (g, "\"External id\": %u\n    }\n  }", number);
}

static void
put_process (Gen *g, guint pid, const char *label)
{
  static const char *const names[] = { "process_name", "process_labels" };
  static const char *const keys[] = { "name", "labels" };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    put (g,
         ",\n  {\n    \"name\": \"%s\", \"ph\": \"M\", \"ts\": 3605057436108.407, \"pid\": %u, "
         "\"tid\": 0,\n"
         "    \"args\": {\n      \"%s\": \"%s\"\n    }\n  }",
         names[i], pid, keys[i], i ? label : "python3");
  g->events += 2;
}

static void
put_steps (Gen *g, guint64 host)
{
  guint64 device = host;
  for (guint number = 0; g->bytes < g->limit; number++)
    coherent_step (g, number, &host, &device);
  put_process (g, 2074, "CPU");
  put_process (g, 0, "GPU 0");
}

static void
put_launches (Gen *g, guint64 host)
{
  guint64 device = host;
  for (guint id = 1; g->bytes < g->limit; id++)
    host = kineto_launch (g, host, &device, id);
}

static void
kineto (Gen *g, void (*put_events) (Gen *g, guint64 host))
{
  put (g,
       "{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [\n    {\n      \"id\": 0, \"name\": "
       "\"NVIDIA H100 80GB HBM3\", \"totalGlobalMem\": 84942979072\n    }\n  ],\n"
       "  \"displayTimeUnit\": \"ms\",\n  \"baseTimeNanoseconds\": 1727743122000000000,\n"
       "  \"traceEvents\": [\n");
  put_events (g, 3605057436108407);
  put (g, "\n  ],\n  \"traceName\": \"trace.json\"\n}\n");
}

/* -- Furiosa ---------------------------------------------------------------------- */

static const char *const npu_operators[]
    = { "LowLevelConv2d", "LowLevelPad",       "LowLevelMask", "LowLevelExpand", "LowLevelReshape",
        "LowLevelSlice",  "LowLevelTranspose", "Load",         "Store" };

/* As Python prints a float: no zeros at its end, one decimal at least. */
static void
python_us (char *text, guint64 ns)
{
  int n = sprintf (text, "%" G_GUINT64_FORMAT ".%03u", ns / 1000, (guint) (ns % 1000));
  while (text[n - 1] == '0' && text[n - 2] != '.')
    n--;
  text[n] = '\0';
}

static void
furiosa_event (Gen *g, const char *name, const char *category, guint64 ts, guint64 dur, guint tid)
{
  char start[40], length[40];
  python_us (start, ts);
  python_us (length, dur);
  put (g,
       "%s{\"name\": \"%s\", \"cat\": \"%s\", \"ph\": \"X\", \"ts\": %s, \"dur\": %s, \"pid\": "
       "3547, "
       "\"tid\": %u",
       g->events ? ", " : "", name, category, start, length, tid);
  g->events++;
}

static guint64
furiosa_inference (Gen *g, guint64 ts, guint number)
{
  guint64 dur = 200000 + pick (g, 900000), at = ts + 1000;
  furiosa_event (g, "Inference", "Nux", ts, dur, 41);
  put (g, "}");
  furiosa_event (g, "Quantize", "Nux", at, 3000 + pick (g, 70000), 41);
  put (g, ", \"args\": {\"operator_index\": \"0\"}}");
  guint pe = pick (g, 2), n = 30 + pick (g, 60);
  furiosa_event (g, "Execution", "NPU", at, 9000 + pick (g, 110000), 10000000 + pe);
  put (g, ", \"args\": {\"pe_index\": \"%u\", \"execution_index\": \"%u\"}}", pe, number);
  for (guint i = 0; i < n; i++) {
    guint64 took = 2 + pick (g, i % 5 ? 3 : 3000);
    furiosa_event (g, npu_operators[pick (g, 9)], "NPU", at, took, 10000000 + pe);
    put (g,
         ", \"args\": {\"pe_index\": \"%u\", \"execution_index\": \"%u\", \"instruction_index\": "
         "\"%u\"}}",
         pe, number, i);
    at += took;
  }
  return ts + dur + pick (g, 50000);
}

static void
furiosa (Gen *g)
{
  put (g, "[");
  guint64 at = 0;
  for (guint number = 0; g->bytes < g->limit; number++)
    at = furiosa_inference (g, at, number);
  for (guint pe = 0; pe < 2; pe++)
    put (g,
         ", {\"ph\": \"M\", \"name\": \"thread_name\", \"pid\": 3547, \"tid\": %u, \"args\": "
         "{\"name\": "
         "\"NPU %u\"}}",
         10000000 + pe, pe);
  put (g, "]");
}

int
main (int argc, char **argv)
{
  Gen g = { .state = 88172645463325252 };
  if (argc == 4)
    g.limit = (guint64) (g_ascii_strtod (argv[2], NULL) * 1e6);
  if (argc != 4
      || (strcmp (argv[1], "kineto") && strcmp (argv[1], "coherent") && strcmp (argv[1], "furiosa"))
      || !(g.file = fopen (argv[3], "w"))) {
    fprintf (stderr, "usage: json-gen kineto|coherent|furiosa MEGABYTES FILE\n");
    return 1;
  }
  if (argv[1][0] == 'k')
    kineto (&g, put_launches);
  else if (argv[1][0] == 'c')
    kineto (&g, put_steps);
  else
    furiosa (&g);
  if (fclose (g.file)) {
    perror (argv[3]);
    return 1;
  }
  printf ("%" G_GUINT64_FORMAT " events\n", g.events);
  return 0;
}
