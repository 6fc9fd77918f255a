// SPDX-License-Identifier: Apache-2.0
// Opens the page of `nprof report -o page.html` in headless Chromium: it asks nobody for anything, says no error,
// axe finds nothing, by day, by night and on paper, and a click on a head sorts.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { OF_COLOURS, SYNTHETIC, folder, axeOf, newContext, put, sample } from './harness.mjs'

const { NPROF, NPROF_SOURCE, NPROF_TEST_DATA } = process.env

function pageOf(...inputs) {
  return pageWith([], ...inputs)
}

function pageWith(options, ...inputs) {
  const file = path.join(folder, path.basename(inputs[0]) + '.html')
  execFileSync(NPROF, ['report', '-q', '-o', file, ...options, ...inputs], { stdio: 'ignore' })
  return pathToFileURL(file).href
}

let page

/** Opens it in the page that all tests of this file share. */
async function opened(url, colorScheme) {
  if (!page || page.isClosed()) page = await (await newContext({ bypassCSP: true })).newPage()
  const problems = []
  for (const event of ['pageerror', 'console', 'request']) page.removeAllListeners(event)
  page.on('pageerror', error => problems.push(String(error)))
  page.on('console', message => {
    if (message.type() === 'error') problems.push(message.text())
  })
  page.on('request', request => {
    if (request.url() !== url) problems.push('asked for ' + request.url())
  })
  await page.emulateMedia({ media: 'screen', colorScheme })
  await page.setViewportSize({ width: 1280, height: 720 })
  await page.goto(url)
  return { page, problems }
}

/** As it opens, with all that is closed, printed, and by the other light. */
async function clean(url, colorScheme, other) {
  const { page, problems } = await opened(url, colorScheme)
  assert.deepEqual([...problems, ...(await axeOf(page))], [])
  for (const one of await page.locator('details').all()) await one.evaluate(e => (e.open = true))
  assert.deepEqual(await axeOf(page), [])
  await page.emulateMedia({ media: 'print' })
  assert.deepEqual(await axeOf(page), [])
  if (other) {
    await page.emulateMedia({ media: 'screen', colorScheme: other })
    assert.deepEqual(await axeOf(page, 'html', OF_COLOURS), [])
  }
}

const inputs = [SYNTHETIC, sample('node-workload.trace.json')]
if (NPROF_TEST_DATA)
  inputs.push(path.join(NPROF_TEST_DATA, 'json', 'hta_nccl_parser_config_nccl_data.json.gz'))
for (const input of inputs) test(path.basename(input), () => clean(pageOf(input), 'dark', 'light'))

/** A product of matrices whose shapes are known, and memory, with names that would be elements. */
function drawn() {
  const name = 'aten::mm',
    evil = '<img src=x onerror=alert(1)>' + 'long'.repeat(60)
  const traceEvents = [
    span('ProfilerStep#0', 'user_annotation', 0, 1000, 1, 100, {}),
    span(name, 'cpu_op', 5, 13, 1, 100, {
      'Input Dims': [
        [4096, 4096],
        [4096, 4096],
      ],
      'Input type': ['c10::BFloat16', 'c10::BFloat16'],
    }),
    span('cudaLaunchKernel', 'cuda_runtime', 10, 2, 1, 100, { correlation: 1 }),
    span('gemm', 'kernel', 15, 900, 7, 0, { device: 0, stream: 7, correlation: 1 }),
    span(evil, 'cpu_op', 20, 500, 1, 100, {}),
    {
      ph: 'i',
      s: 't',
      name: '[memory]',
      cat: 'cpu_instant_event',
      ts: 30,
      pid: 100,
      tid: 1,
      args: {
        Bytes: 4096,
        Addr: 8192,
        'Device Type': 1,
        'Device Id': 0,
        'Total Allocated': 4096,
        'Total Reserved': 4096,
      },
    },
  ]
  return put('drawn.json', {
    deviceProperties: [{ id: 0, name: 'NVIDIA A100-SXM4-80GB' }],
    traceEvents,
  })
}

/** What the page of nprof view fills work that computes with, by day and by night. */
const themed = [
  ...fs
    .readFileSync(path.join(NPROF_SOURCE, 'share/viewer/style/theme.css'), 'utf8')
    .matchAll(/ --k: (#\w+);/g),
].map(([, colour]) => colour)

/** Such as #8fb4ec. */
const hexOf = rgb =>
  '#' + [...rgb.matchAll(/\d+/g)].map(([one]) => Number(one).toString(16).padStart(2, '0')).join('')

for (const scheme of ['light', 'dark']) {
  test(`every picture has a name, and its numbers open: ${scheme}`, async () => {
    const { page, problems } = await opened(pageWith(['-a', 'flame'], drawn()), scheme)
    await page.setViewportSize({ width: 1024, height: 900 })
    const heads = (await page.locator('h2').allInnerTexts()).slice(1, 5)
    assert.deepEqual(heads, [
      'What the step is made of',
      'Roofline of GPU 0',
      'Memory at its peak, by holder',
      'Flame graph',
    ])
    const unnamed = await page
      .locator('svg:not([role=img][aria-label]):not([aria-hidden=true])')
      .count()
    assert.equal(unnamed, 0)
    const { fill } = await page.locator('.bar rect.compute').evaluate(e => getComputedStyle(e))
    assert.equal(hexOf(fill), themed[scheme === 'light' ? 0 : 1])
    for (const one of await page.locator('summary').all()) await one.click()
    assert.equal(await page.locator('details:not([open])').count(), 0)
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0)
    assert.deepEqual([...problems, ...(await axeOf(page))], [])
  })
}

test('a memory-bound operator is filled as work that computes, as in the page', async () => {
  const { page } = await opened(pageOf(SYNTHETIC), 'light')
  const { fill, bound } = await page.locator('.roofline .dot').evaluateAll(dots => ({
    fill: [...new Set(dots.map(dot => getComputedStyle(dot).fill))],
    bound: dots.length,
  }))
  assert.ok(bound > 1)
  assert.deepEqual(fill.map(hexOf), [themed[0]])
})

/** Declarations of a style, each with its selector. */
function rulesOf(file) {
  const text = fs.readFileSync(path.join(NPROF_SOURCE, file), 'utf8').replace(/\/\*.*?\*\//gs, '')
  return [...text.matchAll(/([^{}]+)\{([^{}]*)\}/g)].flatMap(([, selectors, body]) =>
    selectors.split(',').flatMap(one =>
      body
        .split(';')
        .map(said => said.trim())
        .filter(said => said && /\./.test(one))
        .map(said => one.trim() + ' ' + said),
    ),
  )
}

test('what the report and the page have alike stands in one style', () => {
  const own = new Set(rulesOf('plugins/sinks/text/report.css'))
  assert.ok(own.size > 30)
  for (const name of ['page', 'rest', 'timeline', 'widgets'])
    assert.deepEqual(
      rulesOf(`share/viewer/style/${name}.css`).filter(one => own.has(one)),
      [],
    )
})

/** A file of each further kind, as the makers of other tests write them. */
function otherKinds() {
  const code = `import os, sys; sys.path[0:0] = [sys.argv[1] + '/tests/cli']; import samples
for decoder in sys.argv[2:]:
    paths = samples.samples_for(decoder)
    print(next((path for path in paths if 'spans' in path), paths[0]))
samples.made_by('neuron-tools-make.py', 'tools')
print(os.path.abspath('tools/synthetic_device.json'))`
  const own = path.join(folder, 'kinds')
  fs.mkdirSync(own)
  const said = execFileSync(
    'python3',
    [
      '-B',
      '-c',
      code,
      NPROF_SOURCE,
      'furiosa',
      'ntff',
      'neff',
      'nsys',
      'torch-memory',
      'neuron-system',
    ],
    {
      cwd: own,
      encoding: 'utf8',
      env: { ...process.env, NPROF_SAMPLES: path.join(NPROF_SOURCE, 'share', 'samples') },
    },
  )
  return said.trim().split('\n')
}

test('pages of every other kind of profile', async () => {
  for (const input of otherKinds())
    await clean(pageOf(input), 'light', 'dark').catch(error => {
      throw new Error(`${input}: ${error.message}`)
    })
})

const span = (name, cat, ts, dur, tid, pid, args) => ({
  ph: 'X',
  name,
  cat,
  ts,
  dur,
  tid,
  pid,
  args,
})

/** A rank of two whose collectives of each step last so long. */
function rankOf(rank, us) {
  const traceEvents = [0, 1000].flatMap((at, i) => [
    span('ProfilerStep#' + i, 'user_annotation', at, 900, 1, 100, {}),
    span('cudaLaunchKernel', 'cuda_runtime', at + 2, 2, 1, 100, { correlation: i + 1 }),
    span('ncclDevKernel_AllReduce_Sum_f32_RING_LL', 'kernel', at + 500 - us, us, 7, 0, {
      device: 0,
      stream: 7,
      correlation: i + 1,
      'Collective name': 'allreduce',
      'In msg nelems': 1000,
      'Out msg nelems': 1000,
      dtype: 'Float',
      'Group size': 2,
    }),
  ])
  return put(`rank${rank}.json`, {
    distributedInfo: { backend: 'nccl', rank, world_size: 2 },
    traceEvents,
  })
}

test('pages of several ranks, and of a job', async () => {
  const ranks = [rankOf(0, 300), rankOf(1, 40)]
  const url = pageOf(...ranks)
  await clean(url, 'light', 'dark')
  assert.match(fs.readFileSync(new URL(url), 'utf8'), /<h1>Profile: job of 2 ranks: rank0\.json, /)
  const state = path.join(folder, 'job.nprof-state'),
    file = path.join(folder, 'job.html')
  execFileSync(NPROF, ['map', '-q', '-o', state, ...ranks], { stdio: 'ignore' })
  execFileSync(NPROF, ['reduce', '-q', '--format', 'html', '-o', file, state], { stdio: 'ignore' })
  await clean(pathToFileURL(file).href, 'light')
})

test('the verdict stands first, and a click on a head sorts', async () => {
  const traceEvents = [10, 30, 20].flatMap((dur, i) => [
    span('cudaLaunchKernel', 'cuda_runtime', 100 * i, 2, 1, 100, { correlation: i + 1 }),
    span('kernel' + i, 'kernel', 100 * i + 5, dur, 7, 0, {
      device: 0,
      stream: 7,
      correlation: i + 1,
    }),
  ])
  const { page, problems } = await opened(pageOf(put('made.json', { traceEvents })), 'light')
  assert.match(await page.locator('strong').first().innerText(), /^[A-Z-]+: /)
  const heads = await page.locator('h2').allInnerTexts()
  assert.match(heads[0], /^Summary of PyTorch, GPU 0/)
  const kernels = page.locator('details:has(h2:has-text("Kernels"))')
  await kernels.locator('summary').click()
  const table = kernels.locator('table')
  await table.locator('th button:has-text("calls")').first().click()
  await table.locator('th button:has-text("kernel")').last().click()
  assert.deepEqual(await table.locator('tbody tr td:last-child').allInnerTexts(), [
    'kernel0',
    'kernel1',
    'kernel2',
  ])
  assert.deepEqual(problems, [])
})
