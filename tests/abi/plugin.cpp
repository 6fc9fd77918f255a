// SPDX-License-Identifier: Apache-2.0
// plugin.cpp - a decoder in C++17, the way the contract wants it: the instance is raw memory
// that points to a class, and no exception leaves a component.

#include <nprof/cursor.h>
#include <nprof/keys.h>
#include <nprof/sdk.h>
#include <nprof/text-sink.h>

#include <exception>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>

namespace {

class Decoder {
public:
  explicit Decoder (const nprof_host *host) : host_ (host) {}

  // One span of 1 ns a byte; `!` is no byte of this format.
  nprof_status decode (const char *data, uint64_t len)
  {
    nprof_writer *writer = host_->writer (host_);
    if (!writer)
      throw std::bad_alloc ();
    nprof_track track = host_->track (host_, 0, NPROF_TRACK_DEVICE, nprof_intern (host_, "device"),
                                      0, 0);
    nprof_str step = nprof_intern (host_, NPROF_KEY_STEP);
    for (uint64_t i = 0; i < len; i++) {
      if (data[i] == '!')
        throw std::runtime_error ("byte " + std::to_string (i) + ": `!` is not allowed");
      int64_t start = static_cast<int64_t> (i) * 1000;
      nprof_status status = nprof_span (writer, track, host_->intern (host_, data + i, 1), start, 1000);
      if (!status)
        status = nprof_attr_int (writer, step, static_cast<int64_t> (i));
      if (status)
        return status;
    }
    return host_->progress (host_, 0, len);
  }

private:
  const nprof_host *host_;
};

struct Instance {
  const nprof_host *host;
  Decoder *decoder;
};

int
probe (const void *head, size_t len, uint64_t, const char *)
{
  return len > 0 && *static_cast<const char *> (head) == 'c' ? 90 : 0;
}

nprof_status
open (void *self, const nprof_host *host)
{
  auto *instance = static_cast<Instance *> (self);
  instance->host = host;
  instance->decoder = new (std::nothrow) Decoder (host);
  return instance->decoder ? NPROF_OK : nprof_fail (host, NPROF_E_NOMEM, "no memory");
}

nprof_status
decode (void *self, const void *data, uint64_t len)
{
  auto *instance = static_cast<Instance *> (self);
  try {
    return instance->decoder->decode (static_cast<const char *> (data), len);
  } catch (const std::bad_alloc &) {
    return nprof_fail (instance->host, NPROF_E_NOMEM, "no memory");
  } catch (const std::exception &e) {
    return nprof_fail (instance->host, NPROF_E_FORMAT, "%s", e.what ());
  }
}

nprof_status
finish (void *)
{
  return NPROF_OK;
}

void
close (void *self)
{
  delete static_cast<Instance *> (self)->decoder;
}

const nprof_attribute step = { sizeof step, NPROF_INT64, NPROF_KEY_STEP, "", "place of the byte" };
const nprof_attribute *const attributes[] = { &step, nullptr };

nprof_component
make_component ()
{
  nprof_component c = {};
  c.size = sizeof c;
  c.kind = NPROF_DECODER;
  c.name = "cpp";
  c.summary = "one span a byte, in C++17";
  c.formats = "text that begins with c";
  c.attributes = attributes;
  c.instance_size = sizeof (Instance);
  c.probe = probe;
  c.open = open;
  c.decode = decode;
  c.finish = finish;
  c.close = close;
  return c;
}

const nprof_component decoder = make_component ();
const nprof_component *const components[] = { &decoder, nullptr };
const nprof_plugin plugin = { sizeof plugin, NPROF_CONTRACT, "cpp",     "0.1.0",
                              "Apache-2.0",  "",             components, 0, 0, nullptr };

} // namespace

extern "C" const nprof_plugin *
nprof_plugin_v1 (void)
{
  return &plugin;
}
