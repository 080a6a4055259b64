/** The guides: what they tell a reader to run is run, and does what they show. */
import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { guides } from '../../src/derive/guides.ts'
import { type Installation, newInstallation } from '../cli/installation.ts'
import { onOneEngine } from '../engines.ts'
import { anchorsOf, readPage, root, targetOf } from './page.ts'
import { runPage } from './run-page.ts'

const pages = globSync('docs/guides/*.md', { cwd: root }).sort().map(readPage)

onOneEngine('a guide', (engine) => {
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
    it(`${page.path} does what it shows, run line by line`, async (t) => {
      const words = ['--organization', page.path, '--owner', 'ada@example.com']
      const { api_key } = await installation.json('init', ...words)
      const { ran, compared } = await runPage(page, { url, key: api_key.secret })
      t.diagnostic(`${ran} blocks run, ${compared} outputs compared`)
      assert.ok(ran > 0)
    })
  }
})

it('every guide is in the list of guides, and in the table of the README', () => {
  const listed = guides.map(({ path }) => path)
  assert.deepEqual(
    [...listed].sort(),
    pages.map(({ path }) => path),
  )
  const readme = readPage('README.md')
  const linked = readme.links.map((link) => targetOf(readme, link)).filter((path) => path.startsWith('docs/guides/'))
  assert.deepEqual([...new Set(linked)], listed, 'in the same order')
})

it('no link of a guide leads nowhere', () => {
  for (const page of pages) {
    for (const link of page.links) {
      if (/^https?:/.test(link.to)) continue
      const path = targetOf(page, link)
      const about = `${page.path}: ${link.to}`
      assert.equal(globSync(path, { cwd: join(root) }).length, 1, about)
      if (link.anchor !== null) assert.ok(anchorsOf(readPage(path)).has(link.anchor), `${about}#${link.anchor}`)
    }
  }
})
