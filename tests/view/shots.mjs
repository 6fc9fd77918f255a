// SPDX-License-Identifier: Apache-2.0
// shots.mjs FOLDER - pictures of each built-in layout, at 1440x900 and 1024x700, by day and by night, of profiles of
// several makers and of two compared, and those of documents, with what a script can say of them. `ninja view-shots` runs it.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import {
  LAYOUTS,
  LOOKS,
  SYNTHETIC,
  drawn,
  folder,
  layout,
  made,
  openProfile,
  open,
  put,
  rest,
  sample,
  seriousOf,
  suite,
} from './harness.mjs'
import { looksOf } from './looks.mjs'
import { SOURCES, torchTrace } from './torch.mjs'

const out = process.env.NPROF_SHOTS
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
/** Keeps a picture, and what a script and axe say against it. */
async function picture(page, name) {
  await page.screenshot({ path: path.join(out, name + '.png') })
  problems.push(
    ...[...(await looksOf(page)), ...(await seriousOf(page))].map(one => name + ': ' + one),
  )
}

const nameOf = (name, { colorScheme, viewport }) => [name, colorScheme, viewport.width].join('-')
for (const [profile, urlOf] of Object.entries(PROFILES)) {
  for (const look of LOOKS) {
    view.test(nameOf(profile, look), async () => {
      const page = await openProfile(await urlOf(), look)
      for (const name of LAYOUTS) {
        await layout(page, name)
        await picture(page, nameOf(profile + '-' + name, look))
      }
      await page.close()
      assert.deepEqual(problems.splice(0), [])
    })
  }
}

for (const look of LOOKS) {
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
      await picture(page, nameOf('compare-' + tab.replace(' ', '-'), look))
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
    })
    await rest(page)
    await drawn(page)
    await picture(page, 'opened-' + name)
    assert.deepEqual(problems.splice(0), [])
  })
}

/** Those of README and docs/tour.md; docs/images has them in fewer colours: `convert X.png +dither -colors 128 PNG8:docs/images/X.png`. */
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
