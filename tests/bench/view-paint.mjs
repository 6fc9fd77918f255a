// SPDX-License-Identifier: Apache-2.0
// view-paint.mjs - how soon the page of nprof view shows lanes of a stored profile in headless Chromium, and how its frames and its
// heap fare while it is panned and zoomed. Prints JSON.
// Environment: NPROF, NPROF_VIEWER_NPM, NPROF_BENCH_STORE, NPROF_BENCH_ID.
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import path from 'node:path'

const { NPROF, NPROF_VIEWER_NPM, NPROF_BENCH_STORE: store, NPROF_BENCH_ID: id } = process.env
const { chromium } = createRequire(path.join(NPROF_VIEWER_NPM, 'package.json'))('playwright-core')

const server = spawn(NPROF, ['view', '--store', store, '--port', '0', '-q'], { stdio: ['ignore', 'pipe', 'ignore'] })
const url = await new Promise(resolve => server.stdout.once('data', data => resolve(/http:\S+:\d+/.exec(data)[0] + '/profile/' + id)))
const browser = await chromium.launch({ executablePath: process.env.NPROF_CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--enable-precise-memory-info'] })

/** Runs in the page: notes when a canvas of the timeline has coloured pixels. */
function watch() {
  const coloured = canvas => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
    let n = 0
    for (let i = 0; i < data.length; i += 4) if (data[i + 3] && Math.max(data[i], data[i + 1], data[i + 2]) - Math.min(data[i], data[i + 1], data[i + 2]) > 40) n++
    return n
  }
  const look = () => {
    for (const canvas of document.querySelectorAll('.timeline canvas')) if (canvas.width > 400 && coloured(canvas) > 2000) { window.paintedAt = performance.now(); return }
    requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
}

async function paint() {
  const context = await browser.newContext({ viewport: { width: 2000, height: 1100 } }), page = await context.newPage()
  await page.addInitScript(meter)
  await page.addInitScript(watch)
  await page.goto(url)
  await page.waitForFunction(() => window.paintedAt, undefined, { timeout: 60000 })
  return { page, context, ms: await page.evaluate(() => window.paintedAt) }
}

/** Runs in the page, before it: notes what scripts take of each frame. */
function meter() {
  window.scripts = []
  const original = window.requestAnimationFrame.bind(window)
  window.requestAnimationFrame = run => original(now => {
    const began = performance.now()
    run(now)
    const spent = performance.now() - began, last = window.scripts.at(-1)
    if (last && last.now === now) last.ms += spent
    else window.scripts.push({ now, ms: spent })
  })
}

/** Rectangles of the answers for one tile: what is in sight at once. @param {import('playwright-core').Page} page */
function countRectangles(page) {
  const tiles = new Map()
  page.on('response', async answer => {
    const found = /\/v\?(.*)/.exec(answer.url())
    if (!found || !answer.ok()) return
    const query = new URLSearchParams(found[1]), key = query.get('l') + '/' + query.get('i'), body = await answer.body().catch(() => null)
    if (body) tiles.set(key, (tiles.get(key) ?? 0) + body.readUInt32LE(12))
  })
  return () => Math.max(0, ...tiles.values())
}

const quantile = (values, q) => [...values].sort((a, b) => a - b)[Math.floor(values.length * q)]

/** Frames while the window moves and changes its width 200 times. */
async function move(page) {
  const rectangles = countRectangles(page)
  await page.evaluate(() => {
    window.frames_ = []
    let last = performance.now()
    const tick = now => { window.frames_.push(now - last); last = now; if (!window.still) requestAnimationFrame(tick) }
    window.scripts.length = 0
    requestAnimationFrame(tick)
  })
  const box = await page.locator('.timeline canvas').last().boundingBox()
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
  for (let i = 0; i < 200; i++) {
    await page.keyboard.down('Control')
    await page.mouse.wheel(0, (i % 20 < 10 ? -1 : 1) * 120)
    await page.keyboard.up('Control')
    await page.mouse.wheel(((i * 7) % 5 - 2) * 60, 0)
  }
  const { frames, scripts } = await page.evaluate(() => { window.still = true; return { frames: window.frames_.slice(2), scripts: window.scripts.map(one => one.ms) } })
  const heap = await page.evaluate(() => performance.memory.usedJSHeapSize / 1e6)
  return { frames: frames.length, frame_p95: quantile(frames, 0.95), script_p95: quantile(scripts, 0.95), rectangles: rectangles(), heap_mb: heap }
}

const painted = []
let result = {}
await (await paint()).context.close() // code caches
for (let i = 0; i < 5; i++) {
  const { page, context, ms } = await paint()
  painted.push(ms)
  if (i === 4) result = await move(page)
  await context.close()
}
await browser.close()
server.kill('SIGINT')
console.log(JSON.stringify({ painted, ...result }))
