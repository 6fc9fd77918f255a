// SPDX-License-Identifier: Apache-2.0
// speedscope.mjs - runs speedscope's own importer on traces: node speedscope.mjs NODE_MODULES
// TRACE...  Prints one line of JSON a trace: [[[name, total weight] of each thread], complaints].
//
// The package is a page whose importer is one function of a bundle, so the page is started with a
// document that swallows everything, and that function is called.  The version is pinned by ./dev.
import fs from 'node:fs'
import vm from 'node:vm'

const [modules, ...traces] = process.argv.slice(2)
const folder = `${modules}/speedscope/dist/release`
const bundle = fs.readdirSync(folder).find(name => /^speedscope-.*\.js$/.test(name))
const code = fs.readFileSync(`${folder}/${bundle}`, 'utf8')
const importer = code.match(
  /function ([\w$]+)\(t\)\{return [\w$]+\(t\)\?[\w$]+\(t\):[\w$]+\(t\)\?[\w$]+\(t\.traceEvents/,
)
if (!importer) throw new Error('this speedscope has no importer where version 1.25.0 has it')

const anything = new Proxy(function () {}, {
  get: (_, key) => (key === Symbol.toPrimitive ? () => 0 : anything),
  apply: () => anything,
  construct: () => anything,
  set: () => true,
})
const complaints = []
const say = (...words) => {
  complaints.push(words.join(' '))
}
const context = vm.createContext({
  window: anything,
  document: anything,
  navigator: anything,
  location: anything,
  self: anything,
  console: { log: say, warn: say, error: say, assert: (good, ...words) => good || say(...words) },
  performance,
  setTimeout: () => 0,
  clearTimeout: () => 0,
  URL,
  TextDecoder,
  Uint8Array,
})
process.on('uncaughtException', () => {}) // of the page, which has no document
process.on('unhandledRejection', () => {})
try {
  vm.runInContext(
    code.replace('(()=>{', `(()=>{globalThis.importTrace=t=>${importer[1]}(t);`),
    context,
  )
} catch {
  /* the same */
}

for (const trace of traces) {
  complaints.length = 0
  context.trace = JSON.parse(fs.readFileSync(trace, 'utf8'))
  const { profiles } = vm.runInContext('importTrace(trace)', context)
  console.log(JSON.stringify([profiles.map(p => [p.getName(), p.getTotalWeight()]), complaints]))
}
process.exitCode = 0
setImmediate(() => process.exit())
