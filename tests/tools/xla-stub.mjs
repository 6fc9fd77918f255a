// SPDX-License-Identifier: Apache-2.0
// xla-stub.mjs - stands for the profiler's server of an XLA program in tests: HTTP/2 without TLS by Node.js' own http2, one
// port for each way to behave.  node xla-stub.mjs XSPACE: prints {name: port}, then each request as a line of JSON; ends
// with its stdin.
import http2 from 'node:http2'
import net from 'node:net'
import fs from 'node:fs'
import path from 'node:path'

const xspace = fs.readFileSync(process.argv[2])

const varint = value => {
  const bytes = []
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) + 128)
  return Buffer.from([...bytes, value])
}
const bytesField = (field, data) =>
  Buffer.concat([varint(field * 8 + 2), varint(data.length), data])
const frame = (message, flag = 0, length = message.length) => {
  const head = Buffer.alloc(5)
  head[0] = flag
  head.writeUInt32BE(length, 1)
  return Buffer.concat([head, message])
}

// The fields of a request as {number: value}, texts and numbers alike; 4 holds options.
const fields = data => {
  const found = {}
  let at = 0
  const take = () => {
    let value = 0
    for (let scale = 1; ; scale *= 128) {
      const byte = data[at++]
      value += (byte & 127) * scale
      if (byte < 128) return value
    }
  }
  while (at < data.length) {
    const tag = take()
    if (tag % 8 === 0) {
      found[tag >> 3] = take()
    } else {
      const size = take()
      found[tag >> 3] = data.subarray(at, at + size)
      at += size
    }
  }
  return found
}
const read = data => {
  const request = fields(data)
  const text = n => request[n]?.toString()
  return {
    ms: request[1],
    options: fields(request[4]),
    repository: text(5),
    session: text(6),
    host: text(7),
    emit: request[9],
  }
}

const ok = { 'grpc-status': '0' }
const answer = (stream, body, trailers) => {
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
  stream.on('wantTrailers', () => stream.sendTrailers(trailers))
  stream.end(body)
}
const refuse = (stream, status, message) =>
  stream.respond(
    {
      ':status': 200,
      'content-type': 'application/grpc',
      'grpc-status': status,
      'grpc-message': message,
    },
    { endStream: true },
  )
const tool = (name, data) =>
  bytesField(6, Buffer.concat([bytesField(1, Buffer.from(name)), bytesField(2, data)]))
const written = request => {
  const folder = path.join(request.repository, request.session)
  fs.mkdirSync(folder, { recursive: true })
  fs.writeFileSync(path.join(folder, request.host + '.xplane.pb'), xspace)
}
let calls = 0

const ways = {
  xspace: s => answer(s, frame(Buffer.concat([bytesField(8, xspace), Buffer.from([0x38, 0])])), ok),
  halves: s =>
    answer(
      s,
      frame(Buffer.concat([bytesField(8, xspace), bytesField(8, bytesField(4, Buffer.from('b')))])),
      ok,
    ),
  tool: s =>
    answer(
      s,
      frame(
        Buffer.concat([tool('trace.json.gz', Buffer.from('no')), tool('host.xplane.pb', xspace)]),
      ),
      ok,
    ),
  repository: (s, request) => (written(request), answer(s, frame(Buffer.alloc(0)), ok)),
  elsewhere: s => answer(s, frame(Buffer.alloc(0)), ok),
  empty: s => answer(s, frame(Buffer.from([0x38, 1])), ok),
  unimplemented: s => refuse(s, '12', 'unknown%20service%0Aof%20ours'),
  internal: s =>
    answer(s, Buffer.alloc(0), { 'grpc-status': '13', 'grpc-message': 'no%20device%1b[2J' }),
  deadline: s => refuse(s, '4', ''),
  strange: s => refuse(s, '99', 'odd'),
  unavailable: s => (++calls % 3 ? refuse(s, '14', 'not%20yet') : ways.xspace(s)),
  busy: s => refuse(s, '6', 'another%20session'),
  nostatus: s => answer(s, frame(bytesField(8, xspace)), {}),
  notfound: s => (s.respond({ ':status': 404 }), s.end('nothing here')),
  reset: s => s.close(http2.constants.NGHTTP2_INTERNAL_ERROR),
  hang: () => {},
  compressed: s => answer(s, frame(bytesField(8, xspace), 1), ok),
  cut: s => answer(s, frame(bytesField(8, xspace), 0, xspace.length + 100), ok),
  two: s =>
    answer(s, Buffer.concat([frame(bytesField(8, xspace)), frame(bytesField(8, xspace))]), ok),
  noframe: s => answer(s, Buffer.from([0, 0]), ok),
  garbage: s => answer(s, frame(Buffer.from('this is no message of anything')), ok),
  noxspace: s => answer(s, frame(bytesField(8, Buffer.from('no XSpace at all'))), ok),
  large: s => answer(s, frame(bytesField(8, bytesField(4, Buffer.alloc(48 << 20, 'x')))), ok),
}

const serve = way => {
  const server = http2.createServer()
  server.on('sessionError', () => {})
  server.on('stream', (stream, headers) => {
    const parts = []
    stream.on('error', () => {})
    stream.on('data', part => parts.push(part))
    stream.on('end', () => {
      const body = Buffer.concat(parts)
      const request = read(body.subarray(5))
      const framed = body[0] === 0 && body.readUInt32BE(1) === body.length - 5
      console.log(
        JSON.stringify({
          way,
          path: headers[':path'],
          type: headers['content-type'],
          te: headers.te,
          limit: headers['grpc-timeout'],
          framed,
          ...request,
        }),
      )
      ways[way](stream, request)
    })
  })
  return server
}
const http1 = () =>
  net.createServer(socket => {
    socket.on('error', () => {})
    socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n'))
  })

const ports = {}
for (const [name, server] of [
  ...Object.keys(ways).map(way => [way, serve(way)]),
  ['http1', http1()],
]) {
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
  ports[name] = server.address().port
}
console.log(JSON.stringify(ports))
process.stdin.resume()
process.stdin.on('end', () => process.exit(0))
