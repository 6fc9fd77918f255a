// SPDX-License-Identifier: Apache-2.0
// Runs `nprof view` over files and drives its page in headless Chromium. All test files of a process have one
// browser, and those over the same inputs one server, with a store of its own below a temporary folder.
import assert from 'node:assert/strict'
import { execFile, execFileSync, spawn } from 'node:child_process'
import fs from 'node:fs'
import { createRequire } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'

const { NPROF, NPROF_SOURCE, NPROF_VIEWER_NPM, NPROF_SHOTS } = process.env
const load = createRequire(path.join(NPROF_VIEWER_NPM, 'package.json'))
const { chromium } = load('playwright-core')
const axeSource = fs.readFileSync(load.resolve('axe-core/axe.min.js'), 'utf8')
export const sample = name => path.join(NPROF_SOURCE, 'share', 'samples', name)
export const SYNTHETIC = sample('synthetic_tpu.xplane.pb')

export const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'nprof-view-'))
process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true }))

/** Writes a file into the folder of the test. */
export function put(name, content) {
  const file = path.join(folder, name)
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(
    file,
    typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content),
  )
  return file
}

/** What a command of nprof prints. */
export async function nprof(...args) {
  const { stdout } = await promisify(execFile)(NPROF, args, { maxBuffer: 1 << 28 }).catch(error => {
    if (error.code === 3 || error.code === 6) return error
    throw error
  })
  return stdout
}

/** The command that a widget copies, a line each. */
export const commandsOf = async widget =>
  (
    await widget
      .getByTitle(/^Copy as command/)
      .first()
      .getAttribute('title')
  )
    .replace('Copy as command: ', '')
    .split('\n')

/** What a line with a command of nprof prints in a shell. */
export async function inShell(line) {
  const command = line.replace(/^nprof/, process.env.NPROF)
  return (await promisify(execFile)('sh', ['-c', command], { maxBuffer: 1 << 28 })).stdout
}

/** What queries that a widget copies print, in a shell: a list of rows for each of its statements. */
export async function printedBy(widget) {
  const printed = []
  for (const line of (await commandsOf(widget)).filter(one => one.startsWith('nprof sql '))) {
    const stdout = await inShell(line.replace('nprof sql', 'nprof sql -q --format json'))
    printed.push(
      ...stdout
        .trim()
        .split(/(?<=\])\n\n(?=\[)/)
        .map(text => JSON.parse(text)),
    )
  }
  return printed
}

/** Fields of a line of CSV. */
export const fieldsOfLine = line =>
  [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain,
  )

/** Rows that `nprof run -s csv` writes, as objects by column; all columns where none are named. */
export const csvOf = async (input, columns, ...more) =>
  rowsOf(
    await nprof(
      'run',
      '-q',
      ...more,
      '-s',
      'csv' + (columns ? ':columns=' + columns.join('+') : ''),
      '-o',
      '-',
      input,
    ),
  )

/** Rows of a table of the decoder, likewise. */
export const tableOf = async (input, name) =>
  rowsOf(await nprof('run', '-q', '-s', 'csv:table=' + name, '-o', '-', input))

/** @param {string} text of CSV, whose fields have no line feed */
function rowsOf(text) {
  const [head, ...rows] = text.trim().split('\n').map(fieldsOfLine)
  return rows.map(row => Object.fromEntries(head.map((key, i) => [key, row[i]])))
}

/** Spans that csv has, with times in ps. */
export async function spansOf(input) {
  const rows = await csvOf(input, ['kind', 'start_ns', 'duration_ns', 'process', 'thread', 'name'])
  return rows
    .filter(row => row.kind === 'span')
    .map(row => ({
      ...row,
      start: psOf(row.start_ns),
      end: psOf(row.start_ns) + psOf(row.duration_ns),
      duration: psOf(row.duration_ns),
    }))
}

/** The part of a span that lies in a range of times, ps. */
export const insideOf = (span, { t0, t1 }) =>
  (span.end < t1 ? span.end : t1) - (span.start > t0 ? span.start : t0)

/** A table of `nprof report --format json` as objects. */
export async function table(name, ...args) {
  const { tables } = JSON.parse(
    await nprof('report', '--format', 'json', '--top', '0', '-q', ...args),
  )
  const found = tables.find(one => one.name === name)
  assert.ok(found, 'the report has no table ' + name)
  return found.rows.map(row =>
    Object.fromEntries(found.columns.map((column, i) => [column, row[i]])),
  )
}

/** Runs a generator of the tests in Python; gives the path of the file that it is to write. */
export function made(name, script, ...args) {
  const file = path.join(folder, name)
  fs.mkdirSync(path.dirname(file), { recursive: true })
  execFileSync('python3', ['-B', path.join(NPROF_SOURCE, 'tests', script), ...args, file])
  return file
}

/** A time as people read it: three digits and a unit. */
export function shortTime(ps) {
  const [unit, one] = Object.entries({ s: 1e12, ms: 1e9, us: 1e6, ns: 1e3 }).find(
    ([, one]) => Number(ps) >= one,
  ) ?? ['ps', 1]
  return (Number(ps) / one).toPrecision(3) + ' ' + unit
}

/** What a cause of table gaps is called, on the page as in the report. */
export const causeName = cause =>
  ({
    host: 'not launched yet',
    launch: 'from launch to start',
    wait: 'gaps in queued work',
    dma: 'waiting for a transfer',
    collective: 'waiting for a collective',
    unlinked: 'launch not recorded',
  })[cause]

/** The colour of a canvas at a point of the screen. */
export const colourAt = (canvas, { x, y }) =>
  canvas.evaluate(
    (element, at) => {
      const box = element.getBoundingClientRect()
      return [
        ...element
          .getContext('2d')
          .getImageData(Math.round(at.x - box.left), Math.round(at.y - box.top), 1, 1).data,
      ].join()
    },
    { x, y },
  )

/** How many pixels of two pictures differ; those of a larger one all do. @param {import('playwright-core').Page} page that compares them @param {Buffer} a @param {Buffer} b */
export const unlike = (page, a, b) =>
  page.evaluate(
    async pictures => {
      const [x, y] = await Promise.all(
        pictures.map(async source => {
          const image = new Image()
          image.src = source
          await image.decode()
          const context = Object.assign(document.createElement('canvas'), {
            width: image.width,
            height: image.height,
          }).getContext('2d')
          context.drawImage(image, 0, 0)
          return context.getImageData(0, 0, image.width, image.height)
        }),
      )
      if (x.width !== y.width || x.height !== y.height) return Infinity
      const [p, q] = [x, y].map(one => new Uint32Array(one.data.buffer))
      return p.reduce((count, value, i) => count + (value !== q[i]), 0)
    },
    [a, b].map(one => 'data:image/png;base64,' + one.toString('base64')),
  )

/** Starts a server, of this build where no other nprof is named, at a port or at any. */
export async function serve(
  args,
  store = path.join(folder, 'store'),
  { nprof: command = NPROF, env = process.env, at = 0 } = {},
) {
  const child = spawn(command, ['view', '--store', store, '--port', String(at), '-q', ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said = { out: '', err: '' }
  children.add(child)
  child.stderr.on('data', data => {
    said.err += data
  })
  const up = await new Promise(resolve => {
    child.stdout.on('data', data => {
      said.out += data
      if (said.out.includes('ctrl-c')) resolve(true)
    })
    child.on('exit', () => resolve(false))
    child.on('error', error => {
      said.err += error
      resolve(false)
    })
  })
  if (!up) throw new Error('nprof view ended: ' + said.err)
  const port = Number(said.out.match(/ at http:\/\/[^/]*:(\d+)\//)[1]),
    base = 'http://localhost:' + port
  return {
    child,
    said,
    port,
    base,
    profile: said.out.match(/\/profile\/n_[0-9a-f]{40}/g)?.map(one => base + one) ?? [],
    end: () => ended(child),
  }
}

function ended(child) {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode)
  return new Promise(resolve => {
    child.on('exit', resolve)
    child.kill('SIGINT')
  })
}

const ARGS = [
  '--no-sandbox',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]
const WINDOW = { viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' }
let browser,
  shared,
  first,
  whole,
  taken = false
const problems = []

/** How long a wait may be, in ms: far more than any takes beside load; it ends only what would never come. */
const PATIENCE = 180000

/** Most tests look at whole tables; `brief`: tables are as they are first opened. */
const wholeTables = context =>
  context.addInitScript(() => {
    if (location.origin !== 'null') localStorage.setItem('nprof-whole', 'yes')
  })

async function contextOf({ brief, ...how }) {
  const context = await newContext(how)
  if (!brief) await wholeTables(context)
  return context
}

/** A browser of its own in the one that runs. */
export async function newContext(options) {
  const context = await browser.newContext(options)
  context.setDefaultTimeout(PATIENCE)
  return context
}

/** What the browser says of answers, and of the icon of a page that was left for the next test before it had come. */
const OTHERS = /Failed to load resource|icon\.svg' from origin 'null'/

/** Complaints of a page fail the test: errors, what its policy forbids, and what it asks of others. */
function watch(page) {
  page.problems = problems
  page.on('pageerror', error => problems.push('error: ' + (error.stack ?? error)))
  page.on('console', message => {
    if (message.type() === 'error' && !OTHERS.test(message.text()))
      problems.push('console: ' + message.text())
  })
  page.on('request', request => {
    if (!request.url().startsWith(page.origin) && !/^(data|blob):/.test(request.url()))
      problems.push('asked elsewhere: ' + request.url())
  })
}

/** Options that the first page of a test can have, and gives back at its end; with others it is one of a fresh browser. */
const OF_FIRST = ['brief', 'colorScheme', 'permissions', 'viewport']

/** A page of the browser that tests share, for a test's first that of the tests before: a load in a new one takes twice the
 * CPU. */
async function sharedPage({ again, brief, viewport, colorScheme }) {
  shared ??= await newContext({ ...WINDOW, permissions: ['clipboard-read', 'clipboard-write'] })
  if (brief) {
    await whole?.dispose()
    whole = undefined
  } else whole ??= await wholeTables(shared)
  const page = (taken && !again) || !first ? await shared.newPage() : first
  if (viewport) await page.setViewportSize(viewport)
  if (colorScheme) await page.emulateMedia({ colorScheme })
  return page
}

/** For a test that has no more use for what it opened before. */
export const AGAIN = { again: true }

/** Opens a page, in the browser that all tests share, or in a fresh one where options are given ({} will do) that a first
 * page cannot have, with AGAIN in the page that the test has; `before` is told of that page before it goes anywhere. */
export async function open(url, options) {
  const { context, before, ...how } = options ?? {},
    names = Object.keys(options ?? {}),
    likeFirst = !taken && names.length && names.every(name => OF_FIRST.includes(name)),
    fresh = options && !how.again && !likeFirst
  const page = fresh
    ? await (context ?? (await contextOf({ ...WINDOW, ...how }))).newPage()
    : await sharedPage(how)
  if (page !== first) watch(page)
  page.origin = new URL(url).origin
  if (!fresh && !taken) {
    first = page
    taken = true
  }
  before?.(page)
  await page.goto(url)
  return page
}

/** Opens a profile and waits for its lanes, and for the figures that come behind them. Times count from nprof's origin, as
 * those of csv do, unless the address says otherwise. */
export async function openProfile(url, options) {
  const page = await open(
    /[?&]z=/.test(url) ? url : url + (url.includes('?') ? '&' : '?') + 'z=origin',
    options,
  )
  await page.locator('.timeline .row').first().waitFor()
  await page.waitForFunction(
    () =>
      document.querySelector('.scope-chip') &&
      !document.querySelector('.timeline[aria-busy], .figure-list[aria-busy]'),
  )
  await drawn(page)
  return page
}

/** The figure of a name among those of the run: what is said of it. */
export const figureOf = (page, name) =>
  page
    .locator('.figure-list dt', { hasText: new RegExp('^' + name + '$') })
    .locator('xpath=following-sibling::dd[1]')

/** Waits until what changed is laid out and drawn: the frame in which it is, and the one behind it. */
export const drawn = page =>
  page.evaluate(
    () => new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  )

/** Forgets what pages kept in the shared browser, and closes them, all but the first, and all other browsers. The first
 * leaves its page, so that what that still asks is no part of the next test, nor what a test that failed held back. */
async function tidy() {
  if (first?.isClosed()) first = undefined
  await first?.unrouteAll({ behavior: 'ignoreErrors' })
  if (first && /^http/.test(first.url())) {
    await first.evaluate(() => localStorage.clear()).catch(() => {})
    await first.goto('about:blank')
    await first.setViewportSize(WINDOW.viewport)
    await first.emulateMedia({ colorScheme: null })
  }
  for (const one of shared?.pages() ?? []) if (one !== first) await one.close()
  for (const context of browser.contexts()) if (context !== shared) await context.close()
  await first?.mouse.move(0, 0)
  taken = false
}

const servers = new Map()
/** All that run, also those of a test that failed. */
const children = new Set()
before(async () => {
  browser = await chromium.launch({
    executablePath: process.env.NPROF_CHROMIUM,
    args: ARGS,
    ignoreDefaultArgs: NPROF_SHOTS ? ['--hide-scrollbars'] : [],
  })
})
after(async () => {
  await browser?.close()
  for (const child of children) await ended(child)
})

/** Writes to a server as its page does. A connection that the server closed while a file was being made is opened again. */
export async function write(base, method, route, body) {
  const first = await fetch(base + '/').catch(() => fetch(base + '/')),
    token = /nprof-token" content="([^"]*)"/.exec(await first.text())[1]
  const answer = await fetch(base + '/api/v1/' + route, {
    method,
    headers: { 'Content-Type': 'application/json', 'X-Nprof-Token': token, Origin: base },
    body: JSON.stringify(body),
  })
  const said = await answer.json()
  if (!answer.ok) throw new Error(method + ' ' + route + ': ' + said.error.text)
  return said
}

/** Has a server read files as one profile; gives its address when that is done. */
export async function add(base, ...paths) {
  const { profiles } = await write(base, 'POST', 'open', {
    paths,
    force: false,
    keep_going: false,
    decoder: '',
    one: true,
  })
  const id = profiles[0].profile
  await until(paths + ' to be read', async () => {
    const { profile, gen } = await (await fetch(base + '/api/v1/p/' + id)).json()
    if (profile.error) throw new Error(profile.error.text)
    return gen
  })
  return base + '/profile/' + id
}

/** One server over `inputs` for the tests of a file; files over the same inputs share it. A store makes it their own: files that put the same bytes need one, since equal bytes are one profile, by the name that came first. */
export function suite(inputs, store = 'store') {
  const here = {},
    key = store + ' ' + inputs
  before(async () => {
    if (!servers.has(key))
      servers.set(
        key,
        serve(await (typeof inputs === 'function' ? inputs() : inputs), path.join(folder, store)),
      )
    here.browser = browser
    here.server = await servers.get(key)
    here.url = here.server.profile[0] ?? here.server.base + '/'
  })
  here.add = (...paths) => add(here.server.base, ...paths)
  here.test = (name, body, skip = false) =>
    test(name, { skip }, async () => {
      problems.length = 0
      let found
      try {
        await body()
      } finally {
        found = [...problems]
        await tidy()
      }
      assert.deepEqual(found, [])
    })
  return here
}

/** The window as its chip says it, in ps from nprof's origin. */
export const windowOf = async page =>
  windowIn(await page.locator('.scope-chip > button').first().getAttribute('title'))

/** The same from what the chip says. */
export function windowIn(text) {
  const [, a, b] = /window (-?[\d,.]+) – (-?[\d,.]+) ns/.exec(text)
  return { t0: psOf(a), t1: psOf(b) }
}

/** Half of the last digit of a number as the page writes it, in its unit: so far it may be from the exact one. */
export const halfOf = number => 0.500001 * 10 ** -(number.split('.')[1] ?? '').length

/** "4,225,886.874" (ns) is 4225886874n. */
export function psOf(text) {
  const [whole, rest = ''] = text.replaceAll(',', '').split('.')
  return BigInt(whole) * 1000n + (whole.startsWith('-') ? -1n : 1n) * BigInt(rest.padEnd(3, '0'))
}

/** Where a time of a row lies on the screen. */
export async function pointOf(page, row, t, lane = 0) {
  const { t0, t1 } = await windowOf(page)
  const canvas = await page.locator('.timeline .over').boundingBox()
  await scrollTo(rowOf(page, row))
  const box = await rowOf(page, row).boundingBox()
  return {
    x: canvas.x + (Number(t - t0) / Number(t1 - t0)) * canvas.width,
    y: box.y + 10 + lane * 18,
  }
}

/** Scrolls to what the page may put anew meanwhile: then playwright's own call fails. */
export const scrollTo = what => what.evaluate(one => one.scrollIntoViewIfNeeded())

/** A row of the tree by its name; "device › row" looks below a heading. */
export function rowOf(page, name) {
  const [last, above] = name.split(' › ').reverse()
  const rows = page.locator('.tree .row', {
    has: page.locator('.name', { hasText: exactly(last) }),
  })
  return above ? rows.nth(Number(above)) : rows.first()
}

const exactly = text => new RegExp('^' + text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&') + '$')

/** Waits until a condition holds; nothing sleeps longer than it must. */
export async function until(what, check, ms = PATIENCE) {
  const end = Date.now() + ms
  for (;;) {
    const value = await check()
    if (value) return value
    if (Date.now() > end) throw new Error('did not come: ' + what)
    await new Promise(resolve => setTimeout(resolve, 30))
  }
}

/** Holds back what a page asks for by addresses that match. */
export async function hold(page, addresses) {
  let answer
  const held = []
  await page.route(addresses, route => (answer ? answer(route) : held.push(route)))
  return {
    /** Waits for `count` questions, and answers these and all that come behind them, by the server where `how` says nothing
     * else: a page may give up a question and ask anew. */
    async go(how = route => route.continue(), count = 1) {
      await until('what is held back', () => held.length >= count)
      answer = route => how(route).catch(() => {})
      for (const route of held.splice(0)) await answer(route)
    },
    /** Holds back what is asked from now on. */
    again: () => {
      answer = undefined
    },
  }
}

/** Drags with the mouse, with keys held. */
export async function drag(page, from, to, { keys = [], button = 'left' } = {}) {
  for (const key of keys) await page.keyboard.down(key)
  await page.mouse.move(from.x, from.y)
  await page.mouse.down({ button })
  await page.mouse.move((from.x + to.x) / 2, (from.y + to.y) / 2)
  await page.mouse.move(to.x, to.y)
  await page.mouse.up({ button })
  for (const key of keys) await page.keyboard.up(key)
}

/** Goes with Tab to what has this name, in a part of the page where one is given. */
export async function tabTo(page, name, within = 'body') {
  for (let i = 0; i < 120; i++) {
    const here = await page.evaluate(part => {
      const one = document.activeElement
      return one?.closest(part) ? (one.getAttribute('aria-label') ?? one.textContent).trim() : null
    }, within)
    if (here !== null && (name instanceof RegExp ? name.test(here) : name === here)) return
    await page.keyboard.press('Tab')
  }
  throw new Error('Tab does not lead to ' + name)
}

/** Types where people search: words, @ and times, > and a command. By a selector of CSS: to find a label playwright looks at
 * each element of the page, which took a quarter of the time of tests that ask often. */
export async function ask(page, text) {
  await page.locator('input[aria-label="Search the whole profile"]').fill(text)
  await page.locator('.search-box:not([aria-busy])').waitFor()
  await page.keyboard.press('Enter')
  await page.locator('.timeline .over').focus()
}

/** Fields of Details by their names. */
export async function fieldsOf(page) {
  return page
    .locator('.widget-details')
    .evaluate(element =>
      Object.fromEntries(
        [...element.querySelectorAll('dt')].map(dt => [
          dt.textContent.trim(),
          dt.nextElementSibling.textContent.trim(),
        ]),
      ),
    )
}

/** Goes to an event by clicking its bar and waits for Details. */
export async function clickEvent(page, row, t, name, lane = 0) {
  const { x, y } = await pointOf(page, row, t, lane)
  await page.mouse.click(x, y)
  await page.locator('.widget-details .event-name', { hasText: name }).waitFor()
}

/** Names of layouts that differ: the frame, and those of old links that put a view in front. */
export const LAYOUTS = [
  'Standard',
  'Code',
  'operator-framework',
  'operator-hlo',
  'operator-timeline',
  'Steps',
  'Memory',
  'Roofline',
  'Flame',
  'Ranks',
  'SQL',
]

/** Shows a layout and waits for the answers of its widgets. */
export async function layout(page, name) {
  await ask(page, '>layout ' + name)
  await rest(page)
  await drawn(page)
}

/** What the dialog about the profile says, by its names. */
export async function aboutOf(page) {
  await ask(page, '>about this profile')
  const dialog = page.getByRole('dialog', { name: 'About this profile' }),
    said = await dialog
      .locator('dt')
      .evaluateAll(all =>
        Object.fromEntries(all.map(one => [one.textContent, one.nextElementSibling.textContent])),
      )
  await page.keyboard.press('Escape')
  return said
}

/** Puts a view in front; it is added where it has no tab yet. */
export async function openTab(page, name) {
  const tab = page.getByRole('tab', { name, exact: true })
  if (await tab.count()) await tab.first().click({ position: { x: 4, y: 8 } })
  else await ask(page, '>show ' + name)
}

/** Closes the tab in front, by its cross: that is there when the pointer comes from elsewhere. */
export async function closeTab(page, name) {
  const tab = page.getByRole('tab', { name, exact: true })
  await page.locator('h1').first().hover()
  await tab.hover()
  await tab.locator('.lm-TabBar-tabCloseIcon').click()
}

/** A group of choices, in a list that a button opens. */
const choices = (page, group) => page.locator(`.menu-list [role=group][aria-label^="${group}"]`)

/** Chooses in such a list. */
export async function choose(page, group, value) {
  await page
    .locator('button[popovertarget]:has(+ .menu-list > [role=group][aria-label^="' + group + '"])')
    .click()
  await choices(page, group).locator(`[data-value="${value}"]`).click()
}

/** What is chosen there. */
export const chosen = (page, group) =>
  choices(page, group).locator('[aria-checked=true]').getAttribute('data-value')

const SCOPE = 'Scope'
/** Of which part of the run tables and charts are; `one` is a page, or what is on it. */
export const scopeTo = (one, scope) => choose(one.page?.() ?? one, SCOPE, scope)
export const scopeOf = one =>
  (one.page?.() ?? one).locator('.scope-chip [data-value]').first().getAttribute('data-value')

/** Waits until no widget in sight asks. */
export const rest = page =>
  until(
    'answers',
    async () => (await page.locator('.widget:not(.lm-mod-hidden) [aria-busy]').count()) === 0,
  )

/** Cells of a column of a grid. */
export const cellsOf = (grid, column) => grid.locator(`td[data-column=${column}]`).allTextContents()

/** Returns the values of a column of a grid from the top: exact numbers, texts, null for unknown ones; rows that unfolded do not count. */
const valuesOf = (grid, at) =>
  grid.locator('tbody tr:not(.child)').evaluateAll(
    (rows, at) =>
      rows.map(row => {
        const cell = row.cells[at],
          text = (cell.querySelector('span[title]')?.title || cell.textContent)
            .replace(" from nprof's origin", '')
            .trim()
        if (cell.querySelector('.unknown')) return null
        return cell.classList.contains('number')
          ? Number(text.replace(/,| [np]s$/g, '')) / (text.endsWith(' ps') ? 1000 : 1)
          : cell.textContent.trim()
      }),
    at,
  )

/** Holds all cells of a grid against rows of a report, in its order: exact numbers stand in titles, a null is unknown. */
export async function cellsAre(grid, rows) {
  await until('its rows', async () => (await grid.locator('tbody tr').count()) === rows.length)
  const shown = await grid
    .locator('tbody tr')
    .evaluateAll(all =>
      all.map(row =>
        [...row.cells].map(cell => [
          cell.dataset.column,
          cell.querySelector('.unknown')
            ? null
            : (cell.querySelector('span[title]')?.title || cell.textContent)
                .replace(" from nprof's origin", '')
                .trim(),
        ]),
      ),
    )
  let numbers = 0
  shown.forEach((cells, i) => {
    for (const [column, text] of cells) {
      const key = column.replace(/_ns$/, '_ps'),
        value = rows[i][key in rows[i] ? key : column]
      assert.notEqual(value, undefined, column)
      if (value === null || text === null) assert.equal(text, value, column)
      else if (/_ps$/.test(key))
        assert.equal(
          / ps$/.test(text) ? Number(text.slice(0, -3)) : Number(psOf(text.replace(' ns', ''))),
          Number(value),
          column,
        )
      else if (typeof value === 'number') assert.equal(Number(text), value, column)
      else if (typeof value !== 'boolean') assert.equal(text, String(value), column)
      numbers += typeof value === 'number' || /_ps$/.test(key)
    }
  })
  return numbers
}

/** Clicks each header of a grid twice: its rows stand in the order that it says, from the top and from the bottom. */
export async function sortsByEach(grid) {
  const headers = grid.getByRole('columnheader'),
    count = await headers.count()
  for (let i = 0; i < count; i++) {
    const seen = new Set()
    for (let click = 0; click < 2; click++) {
      await headers.nth(i).getByRole('button').click()
      await until('rows by ' + (await headers.nth(i).textContent()), async () => {
        const [how, values] = [
          await headers.nth(i).getAttribute('aria-sort'),
          await valuesOf(grid, i),
        ]
        const known = values.filter(value => value !== null)
        const good =
          how !== 'none' &&
          !seen.has(how) &&
          !values.slice(0, known.length).includes(null) &&
          known.every(
            (value, k) =>
              k === 0 || (how === 'descending' ? known[k - 1] >= value : known[k - 1] <= value),
          )
        return good && seen.add(how)
      })
    }
  }
  return count
}

/** Rules of axe that look at colours: by day and by night it says the same but for these. */
export const OF_COLOURS = ['color-contrast', 'link-in-text-block']

/** What axe finds in a page, or in what a selector names, of any weight and by all rules where none
 * are named: rule, element and reason. */
export async function axeOf(page, within = 'html', rules) {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axeSource + ';0')
  return page.evaluate(
    async ([within, rules]) => {
      const { violations } = await globalThis.axe.run(within, {
        resultTypes: ['violations'],
        ...(rules && { runOnly: rules }),
      })
      return violations.flatMap(one =>
        one.nodes
          .slice(0, 3)
          .map(
            node =>
              one.id +
              ': ' +
              node.html.slice(0, 160) +
              ' ' +
              (node.any[0]?.message ?? node.failureSummary),
          ),
      )
    },
    [within, rules],
  )
}

/** Sizes and colours in which the page is looked at. */
export const LOOKS = [
  [1440, 900],
  [1024, 700],
].flatMap(([width, height]) =>
  ['light', 'dark'].map(colorScheme => ({ viewport: { width, height }, colorScheme })),
)

/** The pixels of a picture, four bytes each. */
export async function pixelsOf(file) {
  const page = await browser.newPage()
  const { width, height, data } = await page.evaluate(
    async src => {
      const image = Object.assign(new Image(), { src })
      await image.decode()
      const { width, height } = image,
        canvas = Object.assign(document.createElement('canvas'), { width, height }),
        context = canvas.getContext('2d')
      context.drawImage(image, 0, 0)
      return { width, height, data: [...context.getImageData(0, 0, width, height).data] }
    },
    'data:image/png;base64,' + fs.readFileSync(file, 'base64'),
  )
  await page.close()
  return { width, height, data }
}

/** The share of pixels in which two pictures differ; where some do, a picture has them in red. */
export async function differing(one, other, to) {
  const page = await browser.newPage(),
    [a, b] = [one, other].map(file => 'data:image/png;base64,' + fs.readFileSync(file, 'base64'))
  const { share, url } = await page.evaluate(
    async ([a, b]) => {
      const [first, second] = await Promise.all(
        [a, b].map(async src => {
          const image = Object.assign(new Image(), { src })
          await image.decode()
          const canvas = Object.assign(document.createElement('canvas'), {
            width: image.width,
            height: image.height,
          })
          canvas.getContext('2d').drawImage(image, 0, 0)
          return canvas
        }),
      )
      if (first.width !== second.width || first.height !== second.height) return { share: 1 }
      const [p, q] = [first, second].map(one =>
        one.getContext('2d').getImageData(0, 0, one.width, one.height),
      )
      const [x, y] = [p, q].map(one => new Uint32Array(one.data.buffer))
      let count = 0
      for (let i = 0; i < x.length; i++)
        if (x[i] !== y[i]) {
          x[i] = 0xff0000ff
          count++
        }
      first.getContext('2d').putImageData(p, 0, 0)
      return { share: count / x.length, url: first.toDataURL() }
    },
    [a, b],
  )
  await page.close()
  if (share && url) fs.writeFileSync(to, url.split(',')[1], 'base64')
  return share
}

/** A picture for people, where NPROF_SHOTS names a folder. */
export async function shot(page, name) {
  if (NPROF_SHOTS) await page.screenshot({ path: path.join(NPROF_SHOTS, name + '.png') })
}
