/** The documents as static pages: complete, readable without JavaScript and other hosts, and served below `/docs/`. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { parse } from 'yaml'
import type { Collection, Entry, OpenApi, Request } from '../../../build/docs/collection.ts'
import { buildDocs, built_docs, copySite } from '../../../build/docs/site.ts'
import type { RecordedExamples } from '../../src/derive/examples.ts'
import { worldOf } from '../world.ts'
import { anchorsOf, readPage } from './page.ts'

const folder = mkdtempSync(join(tmpdir(), 'atrium-site-'))
/** Documents that are not below `docs/`. */
const outside = new Map([
  ['typescript-sdk.md', 'sdk/typescript/README.md'],
  ['python-sdk.md', 'sdk/python/README.md'],
  ['changelog.md', 'CHANGELOG.md'],
  ['security.md', 'SECURITY.md'],
])
const pages = new Map<string, string>()
const files = new Set<string>()
const read = (path: string) => readFileSync(join(folder, path), 'utf8')

before(async () => {
  await buildDocs(built_docs)
  copySite(built_docs, folder)
  for (const file of globSync('**/*.*', { cwd: folder })) files.add(file)
  for (const file of files) if (file.endsWith('.html')) pages.set(file, read(file))
})
after(() => rmSync(folder, { recursive: true }))

const valuesOf = (html: string, attribute: string) =>
  [...html.matchAll(new RegExp(` ${attribute}="([^"]*)"`, 'g'))].map(([, value = '']) => value)

describe('the site', () => {
  it('has every document as a page with the same anchors, and its Markdown beside it', () => {
    const documents = [...files].filter((file) => file.endsWith('.md'))
    assert.ok(documents.length >= 75, `${documents.length} documents`)
    for (const file of documents) {
      const page = file.replace(/README\.md$/, 'index.md').replace(/\.md$/, '.html')
      const html = pages.get(page)
      assert.ok(html !== undefined, `${page} is missing`)
      assert.equal(posix.join(posix.dirname(page), besideOf(html)), file)
      const ids = new Set(valuesOf(html, 'id'))
      const source = outside.get(file) ?? `docs/${file}`
      for (const anchor of anchorsOf(readPage(source))) assert.ok(ids.has(anchor), `${page}#${anchor}`)
    }
  })

  it('has no link that leads nowhere, in pages and in llms.txt', () => {
    const faults: string[] = []
    let count = 0
    for (const [path, html] of pages) {
      for (const to of [...valuesOf(html, 'href'), ...valuesOf(html, 'src')]) {
        if (/^(?:https?:|mailto:)/.test(to)) continue
        count++
        const [file = '', anchor] = to.split('#')
        const target = file === '' ? path : posix.join(posix.dirname(path), file)
        const isThere = files.has(target)
        const isFound = anchor === undefined || valuesOf(pages.get(target) ?? '', 'id').includes(anchor)
        if (!isThere || !isFound) faults.push(`${path}: ${to}`)
      }
    }
    const listed = [...read('llms.txt').matchAll(/\]\(([^)]+)\)/g)].map(([, to = '']) => to)
    faults.push(...listed.filter((to) => !files.has(to)).map((to) => `llms.txt: ${to}`))
    assert.deepEqual(faults, [])
    assert.ok(count > 5000 && listed.length > 75, `${count} links, ${listed.length} in llms.txt`)
  })

  it('needs no script but for its search, and loads nothing from another host', () => {
    for (const [path, html] of pages) {
      const script = path === 'search.html' ? '<script src="search.js" defer></script>' : ''
      assert.doesNotMatch(html.replace(script, ''), /<script|<iframe| style=| on\w+="/, path)
      for (const to of valuesOf(html, 'src')) assert.doesNotMatch(to, /^\w+:|^\/\//, path)
      assert.equal(html.match(/<h1/g)?.length, 1, path)
    }
  })

  it('has the OpenAPI document as YAML with the same content', () => {
    const text = read('openapi.yaml')
    assert.deepEqual(parse(text), JSON.parse(read('openapi.json')))
    assert.match(text, /^openapi: 3\.1\.\d\n/)
  })
})

describe('the collection of requests', () => {
  let requests: readonly Request[]
  const world = worldOf('sqlite')
  before(async () => {
    const { item: folders } = JSON.parse(read('atrium.postman_collection.json')) as Collection
    requests = folders.flatMap(({ item }) => item.map(({ request }) => request))
  })

  /** Sends a request as an application does that opens the collection. */
  const send = async ({ method, url, header, body }: Request): Promise<number> => {
    const values = { base_url: world.server.url, $guid: randomUUID() }
    const filled = (text: string) =>
      text.replaceAll(/\{\{([$\w]+)\}\}/g, (_, name: keyof typeof values) => values[name])
    const headers = header.flatMap(({ key, value, disabled }) =>
      disabled ? [] : [[key, filled(value)] as [string, string]],
    )
    const { raw } = (body ?? {}) as { readonly raw?: string }
    const { status } = await fetch(filled(url.raw), {
      method,
      headers: [...headers, ['authorization', `Bearer ${world.acme.key}`]],
      ...(raw === undefined ? {} : { body: raw }),
    })
    return status
  }

  it('has each operation once', () => {
    const named = Object.values(JSON.parse(read('openapi.json')).paths as Record<string, object>)
    assert.equal(requests.length, named.flatMap((methods) => Object.keys(methods)).length)
    assert.ok(requests.every(({ description }) => description !== ''))
  })

  it('has the recorded example of each operation', () => {
    const { operations } = JSON.parse(read('examples.json')) as RecordedExamples
    const { paths } = JSON.parse(read('openapi.json')) as OpenApi
    for (const { method, url, body } of requests) {
      const path = `/${url.path.join('/').replaceAll(/:(\w+)/g, '{$1}')}`
      const id = paths[path]?.[method.toLowerCase()]?.operationId ?? ''
      const example = operations[id]?.request
      assert.ok(example, `${method} ${path}`)
      const valuesOf = (entries: readonly Entry[]) => Object.fromEntries(entries.map(({ key, value }) => [key, value]))
      assert.deepEqual(valuesOf(url.variable), example.params, id)
      assert.deepEqual(valuesOf(url.query.filter(({ disabled }) => !disabled)), example.query, id)
      const { raw } = (body ?? {}) as { readonly raw?: string }
      assert.deepEqual(raw && JSON.parse(raw), typeof example.body === 'object' ? example.body : undefined, id)
    }
  })

  it('works after the two variables are set', async () => {
    const create = requests.find(({ method, url }) => method === 'POST' && url.path.join('/') === 'v1/workspaces')
    const list = requests.find(({ method, url }) => method === 'GET' && url.path.join('/') === 'v1/workspaces')
    assert.ok(create && list)
    assert.deepEqual([await send(create), await send(create), await send(list)], [200, 200, 200])
  })
})

function besideOf(html: string): string {
  return /<link rel="alternate" type="text\/markdown" href="([^"]+)">/.exec(html)?.[1] ?? ''
}

describe('the server', () => {
  const world = worldOf('sqlite')
  const open = (path: string) => world.get(path, { key: null })

  it('answers every file of the site below /docs/ with its type and a policy that allows no script', async () => {
    const types = {
      html: 'text/html',
      md: 'text/markdown',
      txt: 'text/plain',
      css: 'text/css',
      json: 'application/json',
      js: 'text/javascript',
    }
    for (const [ending, type] of Object.entries({ ...types, yaml: 'application/yaml' })) {
      const file = [...files].find((each) => each.endsWith(`.${ending}`)) ?? ''
      const answer = await open(`/docs/${file}`)
      assert.deepEqual([answer.status, answer.headers['content-type']], [200, `${type}; charset=utf-8`], file)
      assert.equal(answer.text, read(file))
      const policy = String(answer.headers['content-security-policy'])
      assert.match(policy, /^default-src 'none'; style-src 'self'; img-src/)
      assert.equal(policy.includes('script-src'), false)
    }
    const picture = await fetch(`${world.server.url}/docs/pictures/board.png`)
    assert.deepEqual(Buffer.from(await picture.arrayBuffer()), readFileSync(join(folder, 'pictures/board.png')))
  })

  it('allows the script of the search on its page only', async () => {
    const { headers } = await open('/docs/search.html')
    assert.match(String(headers['content-security-policy']), /; script-src 'self'$/)
  })

  it('answers 304 to a known tag, and compresses', async () => {
    const url = `${world.server.url}/docs/guides/first-call.html`
    const first = await fetch(url, { headers: { 'accept-encoding': 'gzip' } })
    assert.equal(first.headers.get('content-encoding'), 'gzip')
    assert.equal(await first.text(), read('guides/first-call.html'))
    const again = await fetch(url, { headers: { 'if-none-match': first.headers.get('etag') ?? '' } })
    assert.equal(again.status, 304)
  })

  it('answers nothing else below /docs/', async () => {
    for (const path of ['/docs/none.html', '/docs/guides', '/docs/..%2fpackage.json', '/docs/%2e%2e/package.json']) {
      const { status, body } = await open(path)
      assert.deepEqual([status, body.error.code], [404, 'resource_not_found'], path)
    }
  })
})
