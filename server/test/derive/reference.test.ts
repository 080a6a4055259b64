/** The reference page: all of it comes from the server, and its policy allows no other origin. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { runInNewContext } from 'node:vm'
import { errorKinds } from '../../src/api/declare/errors.ts'
import { requestHeaders } from '../../src/derive/openapi/headers.ts'
import { anchorsOf, linksOf, readPage } from '../docs/page.ts'
import { openWorld, type World } from '../world.ts'

let world: World
before(async () => {
  world = await openWorld('sqlite')
})
after(() => world.close())

const open = (path: string) => world.get(path, { key: null })

it('is a page that loads only scripts of the server', async () => {
  const page = await open('/docs')
  assert.deepEqual([page.status, page.headers['content-type']], [200, 'text/html; charset=utf-8'])
  const scripts = [...page.text.matchAll(/<script src="([^"]+)">/g)].map((match) => match[1] as string)
  assert.deepEqual(scripts, ['/docs/start.js', '/docs/scalar.js'])
  assert.doesNotMatch(page.text, /https?:|\/\/|<script>/)
  for (const path of scripts) {
    const script = await open(path)
    assert.deepEqual([script.status, script.headers['content-type']], [200, 'text/javascript; charset=utf-8'])
    assert.ok(script.text.length > 0)
  }
})

it('shows the document of this server and sends its requests there', async () => {
  const { text } = await open('/docs/start.js')
  assert.match(text, /"url":"\/docs\/reference\.json"/)
  assert.match(text, /servers: \[\{ url: location\.origin \}\]/)
})

interface Shown {
  readonly info: object
  readonly paths: object
  readonly webhooks: object
  readonly components: object
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly 'x-tagGroups': readonly { readonly name: string; readonly tags: readonly string[] }[]
}

/** The page knows one schema per media type, so it leaves out the responses of dry runs. */
function withoutDryRun(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const { 'application/json; profile=dry-run': _dryRun, ...rest } = value as Record<string, unknown>
  return rest
}

it('shows the operations, events and objects of the document, with guides, manuals and errors', async () => {
  const shown = (await open('/docs/reference.json')).body as Shown
  const document = (await open('/v1/openapi.json')).body as Shown
  for (const part of ['webhooks', 'components'] as const) assert.deepEqual(shown[part], document[part])
  assert.deepEqual(shown.paths, JSON.parse(JSON.stringify(document.paths), withoutDryRun))
  const groups = new Map(shown['x-tagGroups'].map(({ name, tags }) => [name, tags]))
  assert.deepEqual([...groups.keys()].slice(2, -1), [...document['x-tagGroups'].map(({ name }) => name)])
  assert.deepEqual([...groups.keys()].slice(0, 2), ['Guides', 'Manuals'])
  assert.deepEqual(groups.get('Errors'), Object.keys(errorKinds))
  assert.deepEqual(
    shown.tags.map(({ name }) => name),
    [...groups.values()].flat(),
    'every tag is in a group, and no two have one name',
  )
  assert.equal(new Set(shown.tags.map(({ name }) => name)).size, shown.tags.length)
})

it('explains every error code with its cause, what to do, and an example', async () => {
  const { tags } = (await open('/docs/reference.json')).body as Shown
  const page = readPage('docs/errors.md')
  for (const code of Object.keys(errorKinds)) {
    const text = tags.find(({ name }) => name === code)?.description ?? ''
    assert.match(text, /\*\*Cause:\*\* \S[\s\S]*\*\*What to do:\*\* \S[\s\S]*```json\n/)
    const [, example = ''] = /```json\n([\s\S]*?)\n```/.exec(text) ?? []
    assert.equal(JSON.parse(example).error.code, code)
    assert.ok(anchorsOf(page).has(code) && page.text.includes(example), `docs/errors.md has no section ${code}`)
  }
})

it('has the targets of all its links', async () => {
  const { tags } = (await open('/docs/reference.json')).body as Shown
  const slug = (name: string) =>
    name
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(/[ _]/g, '-')
  const places = new Set(tags.map(({ name }) => `#tag/${slug(name)}`))
  let count = 0
  for (const { name, description } of tags) {
    for (const { to, anchor } of linksOf(description)) {
      if (/^https?:/.test(to)) continue
      count += 1
      if (to === '') assert.ok(places.has(`#${anchor}`) || anchor === 'description/introduction', `${name}: #${anchor}`)
      else assert.equal((await open(to)).status, 200, `${name}: ${to}`)
    }
  }
  assert.ok(count >= 40, `${count} links`)
})

it('has a policy that allows no other origin', async () => {
  for (const path of [
    '/docs',
    '/docs/start.js',
    '/docs/scalar.js',
    '/docs/reference.json',
    '/docs/webhook-vectors.json',
  ]) {
    const policy = String((await open(path)).headers['content-security-policy'])
    const rules = new Map(policy.split('; ').map((rule) => [rule.split(' ')[0], rule.split(' ').slice(1)]))
    assert.deepEqual(rules.get('default-src'), ["'none'"])
    assert.deepEqual(rules.get('script-src'), ["'self'"])
    assert.deepEqual(rules.get('connect-src'), ["'self'"])
    for (const sources of rules.values()) {
      for (const source of sources) assert.match(source, /^('self'|'none'|'unsafe-inline'|data:)$/)
    }
  }
})

it('serves the same script compressed and plain', async () => {
  const plain = await open('/docs/scalar.js')
  const answer = await fetch(`${world.server.url}/docs/scalar.js`, { headers: { 'accept-encoding': 'gzip' } })
  assert.equal(answer.headers.get('content-encoding'), 'gzip')
  assert.equal(await answer.text(), plain.text)
  assert.equal(plain.headers['content-encoding'], undefined)
  assert.match(plain.text, /createApiReference/)
})

it('sends every write with a new idempotency key, unless the reader enters one', async () => {
  const { text } = await open('/docs/start.js')
  type Settings = { onRequestBuilt(built: { request: Request }): void }
  const made: Settings[] = []
  const Scalar = { createApiReference: (_at: string, settings: Settings) => made.push(settings) }
  const addEventListener = (_event: string, loaded: () => void) => loaded()
  runInNewContext(text, { Scalar, location: { origin: world.server.url }, crypto, addEventListener })
  const keyOf = (key: string) => {
    const request = new Request(world.server.url, { method: 'POST', headers: { 'Idempotency-Key': key } })
    made[0]?.onRequestBuilt({ request })
    return request.headers.get('Idempotency-Key')
  }
  const { example } = requestHeaders.IdempotencyKey
  assert.equal(new Set([example, keyOf(example), keyOf(example)]).size, 3)
  assert.match(String(keyOf(example)), new RegExp(requestHeaders.IdempotencyKey.schema.pattern))
  assert.equal(keyOf('mine'), 'mine')
})
