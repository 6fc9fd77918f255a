// SPDX-License-Identifier: Apache-2.0
// Pictures of each state of the page at each size, by day and by night: of a profile, of two compared, of the list; of
// profiles of several makers as opened and in each built-in layout; and those of documents. With what a script can say of
// them, and, where another build has made the same pictures, how they differ. `ninja view-shots` and `./dev pictures` run it.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import {
  LAYOUTS,
  SYNTHETIC,
  differing,
  drawn,
  folder,
  layout,
  made,
  openProfile,
  open,
  pixelsOf,
  put,
  rest,
  sample,
  axeOf,
  suite,
} from './harness.mjs'
import { indexed } from './indexed.mjs'
import { looksOf } from './looks.mjs'
import { SIZES, STATES, come, settle } from './states.mjs'
import { SOURCES, torchTrace } from './torch.mjs'

/** Folders of these pictures, of those of another build, and of small copies for the documents, if
 * any; and whether these are those of the other build, which are not judged. */
const {
  NPROF_SHOTS: out,
  NPROF_SHOTS_BEFORE: before,
  NPROF_SHOTS_DOCUMENTS: documents,
  NPROF_SHOTS_UNJUDGED: unjudged,
} = process.env
/** The largest share of pixels that may differ. */
const MOST = 0.001
const LOOKS = SIZES.flatMap(([width, height]) =>
  ['light', 'dark'].map(colorScheme => ({ viewport: { width, height }, colorScheme })),
)
for (const [name, text] of Object.entries(SOURCES)) put('code/' + name, text)
const view = suite(
  ['--source', path.join(folder, 'code'), put('rank0.pt.trace.json', torchTrace(6, 48))],
  'shots',
)

/** Profiles by name; made when they are first wanted. */
const PROFILES = {
  torch: () => view.url,
  tpu: () => view.add(SYNTHETIC),
  neuron: () => {
    fs.mkdirSync(path.join(folder, 'n'), { recursive: true })
    return view.add(
      madeIn('n', 'tools/ntff_make.py', [], 'synthetic_1.ntff'),
      path.join(made('neffs', 'tools/neff-make.py'), 'synthetic_debug.neff'),
    )
  },
  'neuron-operators': () => view.add(made('neuron.xplane.pb', 'view/fixtures.py', 'neuron')),
  ranks: () =>
    view.add(
      made('job', 'tools/ranks.py', '--layers', '2', '--steps', '6', '--slow', '3:1.5', '-o'),
    ),
  furiosa: () => {
    fs.mkdirSync(path.join(folder, 'f'), { recursive: true })
    execFileSync('python3', [
      '-B',
      path.join(process.env.NPROF_SOURCE, 'tests/tools/furiosa-make.py'),
      'make',
      path.join(folder, 'f'),
      '7',
      '5',
    ])
    return view.add(path.join(folder, 'f', 'synthetic_spans.csv'))
  },
}

function madeIn(name, script, args, file) {
  made(name, script, ...args)
  return path.join(folder, name, file)
}

const problems = []
/** So often a picture is taken again until it is the same as the one before. */
const TRIES = 10
/** A picture that the next one is the same as: code, for one, gets its colours when it has been
 * shown; and whether there was one. */
async function settled(page) {
  const how = { animations: 'disabled', mask: [page.locator('.foot span:last-of-type')] }
  await page.evaluate(() => document.querySelector('#status')?.replaceChildren())
  let last = await page.screenshot(how)
  for (let i = 0; i < TRIES; i++) {
    await settle(page)
    const next = await page.screenshot(how)
    if (next.equals(last)) return { png: next, still: true }
    last = next
  }
  return { png: last, still: false }
}

/** How a picture differs from that of the other build. */
async function against(file, name) {
  const old = path.join(before, name + '.png')
  if (!fs.existsSync(old)) return ['is new']
  if (fs.readFileSync(file).equals(fs.readFileSync(old))) return []
  const share = await differing(file, old, path.join(out, name + '.differs.png'))
  fs.appendFileSync(path.join(out, 'shares.txt'), `${(100 * share).toFixed(4)} % ${name}\n`)
  return share < MOST ? [] : [(100 * share).toFixed(2) + ' % of its pixels are others']
}

/** Keeps a picture without sentences that fade and room on the disk, and what a script and the
 * picture of another build say against it. Axe, which takes longer than all the rest, looks at each
 * kind of page once; at states the suite does. */
async function picture(page, name, axe = false) {
  const file = path.join(out, name + '.png'),
    { png, still } = await settled(page)
  fs.writeFileSync(file, png)
  if (unjudged) return
  const said = still ? [] : ['does not come to rest']
  said.push(...(await looksOf(page)))
  if (axe) said.push(...(await axeOf(page)))
  if (before) said.push(...(await against(file, name)))
  if (documents)
    fs.writeFileSync(path.join(documents, name + '.png'), indexed(await pixelsOf(file)))
  const lines = said.map(one => name + ': ' + one)
  problems.push(...lines)
  fs.appendFileSync(path.join(out, 'said.txt'), lines.map(one => one + '\n').join(''))
}

/** One size by day and one by night, at which axe looks at pages that are no states. */
const [DAY, NIGHT] = [LOOKS[0], LOOKS[5]]
const nameOf = (name, { colorScheme, viewport }) => [name, colorScheme, viewport.width].join('-')
for (const look of LOOKS) {
  const axe = look === DAY || look === NIGHT
  view.test(nameOf('states', look), async () => {
    const page = await openProfile(view.url, { ...look, brief: true })
    for (const [name, act] of STATES) {
      await come(page, act)
      await picture(page, nameOf(name.toLowerCase(), look))
    }
    assert.deepEqual(problems.splice(0), [])
  })
  view.test(nameOf('pages', look), async () => {
    const list = await open(view.server.base + '/', look)
    await list.getByRole('grid', { name: 'Profiles' }).waitFor()
    await picture(list, nameOf('list', look), axe)
    await list.locator('tbody input[type=checkbox]').first().check()
    await picture(list, nameOf('list-chosen', look), axe)
    const missing = await open(view.server.base + '/profile/n_' + '0'.repeat(40), look)
    await missing.locator('main.missing').waitFor()
    await picture(missing, nameOf('missing', look), axe)
    assert.deepEqual(problems.splice(0), [])
  })
}

for (const [profile, urlOf] of Object.entries(PROFILES)) {
  for (const look of [DAY, NIGHT]) {
    view.test(nameOf(profile, look), async () => {
      const page = await openProfile(await urlOf(), look)
      for (const name of LAYOUTS) {
        await layout(page, name)
        await picture(page, nameOf(profile + '-' + name, look), true)
      }
      await page.close()
      assert.deepEqual(problems.splice(0), [])
    })
  }
}

for (const look of LOOKS) {
  const axe = look === DAY || look === NIGHT
  view.test(nameOf('compare', look), async () => {
    const slower = torchTrace(6, 48)
    for (const event of slower.traceEvents) if (event.name === 'gemm_up') event.dur *= 1.4
    const ids = [view.url, await view.add(put('after.pt.trace.json', slower))].map(url =>
      url.split('/').pop(),
    )
    const page = await open(view.server.base + '/compare?a=' + ids[0] + '&b=' + ids[1], look)
    await page.locator('.diff .grid tbody tr').first().waitFor()
    for (const tab of ['diff table', 'diff flame', 'steps', 'latency', 'facts']) {
      await page.getByRole('tab', { name: tab, exact: true }).click()
      await page.waitForFunction(() => !document.querySelector('.diff [aria-busy]'))
      await drawn(page)
      await picture(page, nameOf('compare-' + tab.replace(' ', '-'), look), axe)
    }
    assert.deepEqual(problems.splice(0), [])
  })
}

/** Profiles that docs/tour.md shows as they open: those above, and these. */
const OPENED = {
  ...PROFILES,
  nsys: () => {
    const file = path.join(folder, 'opened.sqlite'),
      make = "import sys, nsys_make as m; m.nsys(sys.argv[1], '3.25.0', m.Made(1))"
    execFileSync('python3', ['-B', '-c', make, file], {
      env: { ...process.env, PYTHONPATH: path.join(process.env.NPROF_SOURCE, 'tests/tools') },
    })
    return view.add(file)
  },
  host: () => view.add(sample('node-workload.trace.json')),
}

/** Eight profiles as opened, small, for docs/tour.md. */
for (const [name, urlOf] of Object.entries(OPENED)) {
  view.test('opened ' + name, async () => {
    const page = await openProfile(await urlOf(), {
      viewport: { width: 1280, height: 800 },
      deviceScaleFactor: 0.625,
      brief: true,
    })
    await rest(page)
    await drawn(page)
    await picture(page, 'opened-' + name)
    assert.deepEqual(problems.splice(0), [])
  })
}

/** Those of README and docs/tour.md. */
view.test('documents', async () => {
  const page = await openProfile(await PROFILES.tpu(), { viewport: { width: 1280, height: 800 } })
  const keep = async name => {
    await rest(page)
    await drawn(page)
    await picture(page, 'view-' + name)
  }
  await layout(page, 'Roofline')
  await keep('roofline')
  await layout(page, 'Overview')
  await page.locator('.widget-operators tbody tr').first().click()
  await page.locator('.event-name').waitFor()
  await keep('overview')
  await page.keyboard.press('Escape')
  await page.locator('.part.idle').first().click()
  await page.locator('.widget-details', { hasText: 'Idle' }).waitFor()
  await keep('idle')
  assert.deepEqual(problems.splice(0), [])
})
