// SPDX-License-Identifier: Apache-2.0
// view-acts.mjs - what a new user waits for with a trace of PyTorch of 300 MB: the shell, lanes and the verdict after the page was
// asked for while the file is read, then how many acts of the mouse, and how many keys, it takes to find the slowest kernel of step
// 3, its line, and why the device was idle before it, what its frames cost and how soon it answers. Prints JSON.
// Environment: NPROF, NPROF_VIEWER_NPM, NPROF_BENCH_FOLDER (where the trace and the stores go), NPROF_BENCH_MB, NPROF_BENCH_RUNS
// (how often the trace is read, each time by a server and for a page of its own).
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { answers, calm, frames } from './view-frames.mjs'
import { SOURCES, findByKeys, findByMouse, torchEvents } from '../view/torch.mjs'

const {
  NPROF,
  NPROF_VIEWER_NPM,
  NPROF_BENCH_FOLDER: folder,
  NPROF_BENCH_MB: megabytes = '300',
  NPROF_BENCH_RUNS: runs = '1',
} = process.env
const { chromium } = createRequire(path.join(NPROF_VIEWER_NPM, 'package.json'))('playwright-core')
const STEPS = 8,
  KERNEL_BYTES = 465 // of a kernel with its launch and its operator
const trace = path.join(folder, 'rank0.pt.trace.json'),
  code = path.join(folder, 'code')

function writeTrace() {
  fs.mkdirSync(code, { recursive: true })
  for (const [name, text] of Object.entries(SOURCES)) fs.writeFileSync(path.join(code, name), text)
  const file = fs.openSync(trace, 'w')
  let text =
      '{"schemaVersion":1,"deviceProperties":[{"id":0,"name":"NVIDIA H100"}],"traceEvents":[',
    comma = ''
  for (const event of torchEvents(
    STEPS,
    Math.round((Number(megabytes) * 1e6) / KERNEL_BYTES / STEPS),
  )) {
    text += comma + JSON.stringify(event)
    comma = ',\n'
    if (text.length < 1 << 20) continue
    fs.writeSync(file, text)
    text = ''
  }
  fs.writeSync(file, text + ']}')
  fs.closeSync(file)
}

/** Runs in the page, before it: keeps when each thing was first on the screen, by the clock of the page, which may load itself again. It looks when the
 * page has changed. */
function watch(things) {
  const wanted = new Map(things)
  const observer = new MutationObserver(() => {
    for (const [what, selector] of wanted) {
      if (!document.querySelector(selector)) continue
      wanted.delete(what)
      requestAnimationFrame(() =>
        setTimeout(() => {
          sessionStorage[what] ??= performance.timeOrigin + performance.now()
        }),
      )
    }
    if (!wanted.size) observer.disconnect()
  })
  observer.observe(document, { childList: true, subtree: true })
}

/** Goes to a page: ms until it shows each thing. */
async function appearances(page, address, things) {
  await page.addInitScript(watch, things)
  const asked = performance.timeOrigin + performance.now()
  await page.goto(address)
  await page.waitForFunction(all => all.every(([what]) => sessionStorage[what]), things, {
    timeout: 300000,
    polling: 1000,
  })
  return page.evaluate(
    ([all, from]) => Object.fromEntries(all.map(([what]) => [what, sessionStorage[what] - from])),
    [things, asked],
  )
}

/** Things that are waited for, and what tells that they are there. */
const THINGS = [
  ['shell', '.profile-name'],
  ['lanes', '.grow-row, .timeline .row'],
  ['verdict', '.verdict h1'],
]

/** A server that reads the trace into an empty store. */
async function serve() {
  const store = path.join(folder, 'store')
  fs.rmSync(store, { recursive: true, force: true })
  const server = spawn(
    NPROF,
    ['view', '--store', store, '--port', '0', '-q', '--source', code, trace],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  )
  const url = await new Promise(resolve =>
    server.stdout.once('data', data => resolve(/http:\S+/.exec(data)[0])),
  )
  return {
    url,
    end: () =>
      new Promise(resolve => {
        server.once('exit', resolve)
        server.kill('SIGINT')
      }),
  }
}

writeTrace()
fs.fsyncSync(fs.openSync(trace, 'r'))
const browser = await chromium.launch({
  executablePath: process.env.NPROF_CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
})
const found = {
  bytes: fs.statSync(trace).size,
  shell: [],
  lanes: [],
  verdict: [],
  acts: 0,
  keys: 0,
}
for (let run = 0; run < Number(runs); run++) {
  const context = await browser.newContext({
      viewport: { width: 1440, height: 900 },
      reducedMotion: 'reduce',
    }),
    page = await context.newPage()
  const server = await serve(),
    waited = await appearances(page, server.url, THINGS)
  for (const [what] of THINGS) found[what].push(waited[what])
  await page.locator('.timeline .row').first().waitFor({ timeout: 300000 })
  if (run === 0) {
    found.acts = (await findByMouse(page)).acts
    await page.goto(server.url)
    await page.locator('.timeline .row').first().waitFor()
    found.keys = (await findByKeys(page)).keys
    await page.goto(server.url)
    await page.locator('.timeline .row').first().waitFor()
    await calm(page)
    Object.assign(found, await answers(page, 'ampere'))
    found.frames = await frames(browser, page, ['pan', 'zoom', 'scroll'])
  }
  await context.close()
  await server.end()
}
await browser.close()
console.log(JSON.stringify(found))
