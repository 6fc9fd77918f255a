// SPDX-License-Identifier: Apache-2.0
// clients.mjs - asks nprof mcp as real clients do: both generations of the protocol's own, its inspector, and ajv
// over what came.  node clients.mjs NPROF ROOT PROFILE, in a folder with the packages of package.json; PROFILE lies
// in ROOT.  Prints TAP.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import test from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'

const [nprof, root, profile] = process.argv.slice(2).map(word => path.resolve(word))
const installed = createRequire(process.cwd() + '/package.json')
const load = name => import(pathToFileURL(installed.resolve(name)).href)
const schemas = path.join(import.meta.dirname, '..', '..', '..', 'share', 'schema')
const server = { command: nprof, args: ['mcp', root], env: { ...process.env } }
const FOREVER =
  'with recursive c(n) as (select 1 union all select n + 1 from c) select max(n) from c'

const { default: Ajv } = await load('ajv/dist/2020.js')
const ajv = new Ajv({ strict: true, allowUnionTypes: true, allErrors: true })
const fits = Object.fromEntries(
  fs
    .readdirSync(schemas)
    .filter(file => file.startsWith('answer-'))
    .map(file => [
      file.slice('answer-'.length, -'.json'.length),
      ajv.compile(JSON.parse(fs.readFileSync(path.join(schemas, file), 'utf8'))),
    ]),
)

/** One conversation. `call` takes a tool, its arguments and a signal that cancels it. */
async function converse(client, transport, call) {
  await client.connect(transport)
  const ask = async (name, args, signal) => {
    const result = await call(name, args, signal),
      answer = result.structuredContent
    assert.deepEqual(JSON.parse(result.content[0].text), answer) // some clients see the one alone, some the other
    assert.ok(fits[name](answer), name + ': ' + ajv.errorsText(fits[name].errors))
    assert.equal(Boolean(result.isError), 'error' in answer)
    return answer
  }
  const { tools } = await client.listTools()
  assert.deepEqual(tools.map(tool => tool.name).sort(), Object.keys(fits).sort())
  const { id } = await ask('open', { path: profile })
  assert.equal(id, (await ask('open', { path: profile })).id)
  assert.ok((await ask('verdict', { id })).data.code)
  assert.deepEqual((await ask('sql', { id, query: 'select 1 one' })).data.rows, [[1]])
  assert.ok((await ask('table', { id, name: 'operatorz' })).error.nearest.includes('operators'))
  assert.equal(
    (await ask('open', { path: '../../../../../../etc/passwd' })).error.code,
    'outside_roots',
  )
  await assert.rejects(call('nope', {}), error => error.code === -32602)
  const stop = new AbortController(),
    began = Date.now()
  setTimeout(() => stop.abort('enough'), 150)
  await assert.rejects(call('sql', { id, query: FOREVER }, stop.signal))
  assert.ok(Date.now() - began < 5000)
  assert.equal((await ask('open', { path: profile })).id, id) // it goes on
  await client.close()
}

test('summaries of reports fit their schema', async () => {
  const summary = JSON.parse(fs.readFileSync(path.join(schemas, 'summary.json'), 'utf8'))
  const fit = ajv.compile(summary)
  const files = fs
    .readdirSync(root)
    .filter(file => /\.(json|pb|gz|db|sqlite)$/.test(file))
    .map(file => path.join(root, file))
  for (const file of files) {
    const words = ['report', '-q', '--format', 'json', file]
    const { stdout } = await promisify(execFile)(nprof, words).catch(error => error)
    assert.ok(!stdout || fit(JSON.parse(stdout)), file + ': ' + ajv.errorsText(fit.errors))
  }
})

const INFO = { name: 'nprof-tests', version: '1' }

test('the client of the first SDK', async () => {
  const { Client } = await load('@modelcontextprotocol/sdk/client/index.js'),
    { StdioClientTransport } = await load('@modelcontextprotocol/sdk/client/stdio.js')
  const client = new Client(INFO)
  await converse(client, new StdioClientTransport(server), (name, args, signal) =>
    client.callTool({ name, arguments: args }, undefined, { signal }),
  )
})

for (const mode of ['legacy', 'auto', { pin: '2026-07-28' }]) {
  test('the second client, ' + JSON.stringify(mode), async () => {
    const { Client } = await load('@modelcontextprotocol/client'),
      { StdioClientTransport } = await load('@modelcontextprotocol/client/stdio')
    const client = new Client(INFO, { versionNegotiation: { mode } })
    await converse(client, new StdioClientTransport(server), (name, args, signal) =>
      client.callTool({ name, arguments: args }, { signal }),
    )
  })
}

// Each tool about each file; some files have nothing of what is asked, and say so.
const ANSWERS = [
  ['verdict', {}],
  ['verdict', { from_ns: 0, to_ns: 1000000 }],
  ['verdict', { step: 1 }],
  ['schema', {}],
  ['schema', { table: 'kernels' }],
  ['table', { name: 'devices' }],
  ['table', { name: 'operators', sort: '-self_ps', limit: 5 }],
  ['table', { name: 'kernels' }],
  ['table', { name: 'nothing' }],
  ['explain', { what: 'operator', name: '(longest)' }],
  ['explain', { what: 'idle' }],
  ['explain', { what: 'finding', row: 0 }],
  ['explain', { what: 'step', row: 1 }],
  ['window', { from_ns: 0, to_ns: 1000000 }],
  ['sql', { query: 'select kind, count(*) from events group by 1' }],
  ['sql', { query: 'select nothing' }],
  ['ranks', {}],
]

function* filesBelow(folder) {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const whole = path.join(folder, entry.name)
    if (entry.isDirectory()) yield* filesBelow(whole)
    else if (entry.isFile()) yield whole
  }
}

const given = process.env.NPROF_TEST_DATA
test(
  'answers about all real files fit their schemas',
  { skip: given ? false : 'NPROF_TEST_DATA names no folder' },
  async () => {
    const { Client } = await load('@modelcontextprotocol/client'),
      { StdioClientTransport } = await load('@modelcontextprotocol/client/stdio')
    const client = new Client(INFO, { versionNegotiation: { mode: 'auto' } })
    await client.connect(new StdioClientTransport({ ...server, args: ['mcp', given] }))
    const ask = async (name, args, file) => {
      const called = await client.callTool({ name, arguments: args }, { timeout: 120000 })
      const answer = called.structuredContent
      assert.ok(fits[name](answer), `${file}: ${name}: ${ajv.errorsText(fits[name].errors)}`)
      return answer
    }
    let opened = 0
    for (const file of filesBelow(given)) {
      let answer
      do answer = await ask('open', { path: file }, file)
      while (answer.abstained)
      if (answer.error) continue
      opened++
      for (const [name, args] of ANSWERS) await ask(name, { id: answer.id, ...args }, file)
      await ask('diff', { base: answer.id, new: answer.id }, file)
    }
    assert.ok(opened > 0, given)
    await client.close()
  },
)

for (const protocolEra of ['legacy', 'auto', 'modern']) {
  test('the inspector, ' + protocolEra, async () => {
    fs.writeFileSync(
      'inspector.json',
      JSON.stringify({
        mcpServers: { nprof: { type: 'stdio', command: nprof, args: ['mcp', root], protocolEra } },
      }),
    )
    const inspect = (...words) =>
      promisify(execFile)(
        'node_modules/.bin/node',
        [
          'node_modules/.bin/mcp-inspector',
          '--cli',
          '--config',
          'inspector.json',
          '--server',
          'nprof',
          ...words,
        ],
        { env: { ...process.env, MCP_INSPECTOR_SECRET_STORE: 'memory' } },
      )
    const listed = await inspect('--method', 'tools/list', '--strict')
    assert.equal(JSON.parse(listed.stdout).tools.length, 9)
    assert.doesNotMatch(listed.stderr, /warn/i)
    const called = ['--method', 'tools/call', '--tool-name', 'open', '--tool-args-json']
    await assert.rejects(inspect(...called, '{"path":"/etc/passwd"}'), error => error.code === 5)
    const loaded = await inspect(
      ...called,
      JSON.stringify({ path: profile }),
      '--load',
      '--load-requests',
      '300',
      '--load-concurrency',
      '8',
    )
    assert.deepEqual(JSON.parse(loaded.stdout).errorMessages, [])
  })
}
