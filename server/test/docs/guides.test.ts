/** Runs every guide as a reader would, after the set-up that the guides share. */
import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { after, before, it } from 'node:test'
import { guides } from '../../src/derive/guides.ts'
import { type Installation, newInstallation } from '../cli/installation.ts'
import { onOneEngine } from '../engines.ts'
import { readPage, root, targetOf } from './page.ts'
import { runPage } from './run-page.ts'

const set_up = readPage('docs/guides/README.md')
const pages = globSync('docs/guides/*.md', { cwd: root }).sort().map(readPage)

onOneEngine('guides', (engine) => {
  let installation: Installation
  let url: string
  before(async () => {
    installation = await newInstallation(engine)
    const defaults = { ATRIUM_CREDITS_PER_MINUTE: '1000', ATRIUM_CREDITS_PER_DAY: '100000' }
    const server = await installation.serve({ ...defaults, ATRIUM_EGRESS_ALLOWED_CIDRS: '127.0.0.0/8' })
    url = server.url
  })
  after(() => installation.remove())

  for (const page of pages) {
    it(`${page.path} prints what it shows`, async (t) => {
      const words = ['--organization', page.path, '--owner', 'ada@example.com']
      const { api_key } = await installation.json('init', ...words)
      const { ran, compared } = await runPage(page, { url, key: api_key.secret }, set_up)
      t.diagnostic(`${ran} blocks run, ${compared} outputs compared`)
      assert.ok(ran > 0)
    })
  }
})

it('the reference and the table of docs/guides/README.md list every guide, in the same order', () => {
  const listed = guides.map(({ path }) => path)
  assert.deepEqual(
    [...listed].sort(),
    pages.map(({ path }) => path),
  )
  assert.deepEqual([set_up.path, ...set_up.links.map((link) => targetOf(set_up, link))], listed)
})

it('every guide links to the set-up that it assumes', () => {
  for (const page of pages) {
    if (page.path === set_up.path) continue
    assert.ok(
      page.links.some((link) => targetOf(page, link) === set_up.path),
      page.path,
    )
  }
})
