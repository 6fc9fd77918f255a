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
  // A line of pixels every 20: all of them would take longer than the page takes to paint.
  const coloured = canvas => {
    let n = 0
    for (let y = 10; y < canvas.height; y += 20) {
      const { data } = canvas.getContext('2d').getImageData(0, y, canvas.width, 1)
      for (let i = 0; i < data.length; i += 4) if (data[i + 3] && Math.max(data[i], data[i + 1], data[i + 2]) - Math.min(data[i], data[i + 1], data[i + 2]) > 40) n++
    }
    return n
  }
  const look = () => {
    for (const canvas of document.querySelectorAll('.timeline canvas')) if (canvas.width > 400 && coloured(canvas) > 200) { window.paintedAt = performance.now(); return }
    requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
}

async function paint() {
  const context = await browser.newContext({ viewport: { width: 2000, height: 1100 } }), page = await context.newPage()
  await page.addInitScript(meter)
  await page.addInitScript(watch)
  await page.waitForTimeout(1500) // Chromium loads parts of its own window
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

/** Answers with pictures, as they come to a page. @param {import('playwright-core').Page} page */
function picturesOf(page) {
  const pictures = []
  page.on('response', async answer => {
    const found = /\/v\?(.*)/.exec(answer.url())
    const body = found && answer.ok() ? await answer.body().catch(() => null) : null
    if (body) pictures.push({ level: Number(new URLSearchParams(found[1]).get('l')), body })
  })
  return pictures
}

const psOf = text => BigInt(Math.round(Number(text.replaceAll(',', '')) * 1000))

/** Rectangles that the window shows: those of the latest zoom's pictures that touch it. */
async function inSight(page, pictures) {
  const [, t0, t1] = /window (-?[\d,.]+) – (-?[\d,.]+) ns/.exec(await page.locator('.window-text').textContent()), level = pictures.at(-1)?.level
  let sum = 0
  for (const { body } of pictures.filter(one => one.level === level)) {
    const lanes = body.readUInt32LE(8), n = body.readUInt32LE(12), start = body.readBigInt64LE(16), p = body.readBigInt64LE(24), at = 40 + lanes * 16
    const [from, to] = [t0, t1].map(text => Number((psOf(text) - start) * 16n / p))
    for (let i = 0; i < n; i++) if (body.readUInt32LE(at + 4 * i) < to && body.readUInt32LE(at + 4 * (n + i)) > from) sum++
  }
  return sum
}

/** Answered and drawn. */
const settled = page => page.waitForFunction(() => document.querySelector('.foot')?.textContent?.includes('ms/answer')).then(() => page.waitForTimeout(200))

/** Unfolds all rows and zooms in until so many rectangles are in sight, else to where most are; gives how many. @param {import('playwright-core').Page} page */
async function crowd(page, pictures) {
  await page.setViewportSize({ width: 2560, height: 1440 })
  for (const key of ['2', 'e']) await page.keyboard.press(key)
  if (!await page.locator('.tree .row[aria-expanded=true]').count()) await page.keyboard.press('e')
  const seen = []
  while (seen.length < 20 && !(seen.at(-1) >= WANTED)) {
    await page.keyboard.press('w')
    await settled(page)
    seen.push(await inSight(page, pictures))
  }
  const most = Math.max(...seen)
  if (seen.at(-1) === most) return most
  await page.keyboard.press('0')
  for (let i = 0; i <= seen.indexOf(most); i++) await page.keyboard.press('w')
  await settled(page)
  return most
}

const quantile = (values, q) => [...values].sort((a, b) => a - b)[Math.floor(values.length * q)]

const WANTED = 50000

/** Frames while the window moves and changes its width 200 times. */
async function move(page) {
  const pictures = picturesOf(page), rectangles = await crowd(page, pictures)
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
  return { frames: frames.length, frame_p95: quantile(frames, 0.95), script_p95: quantile(scripts, 0.95), rectangles, heap_mb: heap }
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
