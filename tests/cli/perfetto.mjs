// SPDX-License-Identifier: Apache-2.0
// perfetto.mjs - loads traces into Perfetto's trace_processor and prints the answers to SQL
// queries as JSON, one line a query: an array of rows.
// usage: node perfetto.mjs FOLDER TRACE SQL...    FOLDER: what ./dev fetched (NPROF_PERFETTO)
//        node perfetto.mjs FOLDER                 stdin: a JSON array [TRACE, SQL...] a line
//
// The package is made for a web worker.  Here its glue code runs in node: the few globals of a
// worker are given to it, and three places of the glue are replaced so that it takes the
// WebAssembly from memory and hands out its bridge.
import fs from 'node:fs'
import path from 'node:path'
import readline from 'node:readline'
import vm from 'node:vm'
import { pathToFileURL } from 'node:url'

const [folder, ...request] = process.argv.slice(2)
const CHUNK = 32 << 20

function replaceIn(text, from, to) {
  if (!text.includes(from))
    throw new Error(`the glue code has changed: it does not hold \`${from}\``)
  return text.replace(from, to)
}

function loadBridge() {
  globalThis.self = globalThis
  globalThis.WorkerGlobalScope = function () {}
  const href = pathToFileURL(folder).href + '/'
  Object.defineProperty(globalThis, 'location', { value: { href }, configurable: true })
  globalThis.nprofWasm = new Uint8Array(fs.readFileSync(path.join(folder, 'trace_processor.wasm')))

  let glue = fs.readFileSync(path.join(folder, 'engine_bundle.node.js'), 'utf8')
  glue = replaceIn(glue, 'this.useMemory64 = hasMemory64Support();', 'this.useMemory64 = false;')
  glue = replaceIn(
    glue,
    'locateFile: (s) => s,',
    'locateFile: (s) => s, wasmBinary: globalThis.nprofWasm,',
  )
  glue = replaceIn(
    glue,
    'const wasmBridge = new wasm_bridge_1.WasmBridge();',
    'const wasmBridge = new wasm_bridge_1.WasmBridge(); globalThis.nprofBridge = wasmBridge;',
  )
  vm.runInThisContext(glue, { filename: 'glue.js' })
  return globalThis.nprofBridge
}

async function makeEngine(bridge, port) {
  const { EngineBase } = await import(pathToFileURL(path.join(folder, 'engine.mjs')).href)
  class Engine extends EngineBase {
    mode = 'WASM'
    id = 'nprof'
    constructor() {
      super()
      port.onmessage = message => this.onRpcResponseBytes(message.data)
    }
    rpcSendRequestBytes(data) {
      port.postMessage(data)
    }
  }
  return new Engine()
}

async function load(engine, trace) {
  await engine.resetTraceProcessor({}) // nothing stays of the trace before
  const bytes = new Uint8Array(fs.readFileSync(trace))
  for (let at = 0; at < bytes.length; at += CHUNK)
    await engine.parse(bytes.subarray(at, at + CHUNK))
  await engine.notifyEof()
}

async function ask(engine, sql) {
  const result = await engine.query(sql)
  const columns = result.columns()
  const rows = []
  for (const row = result.iter({}); row.valid(); row.next())
    rows.push(columns.map(column => row.get(column)))
  return rows
}

function print(rows) {
  return JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? Number(value) : value))
}

console.warn = () => {} // it warns of fields of answers that it does not know
const bridge = loadBridge()
while (!bridge.reqBufferAddr) await new Promise(resolve => setTimeout(resolve, 1)) // the module starts up
const channel = new MessageChannel()
bridge.initialize(channel.port1)
const engine = await makeEngine(bridge, channel.port2)
const requests = request.length
  ? [JSON.stringify(request)]
  : readline.createInterface(process.stdin)
for await (const line of requests) {
  const [trace, ...queries] = JSON.parse(line)
  await load(engine, trace)
  for (const sql of queries) console.log(print(await ask(engine, sql)))
}
channel.port1.close()
channel.port2.close()
process.exit(0)
