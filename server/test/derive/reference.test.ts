/** The reference page: all of it comes from the server itself, and it may ask nobody else. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { runInNewContext } from 'node:vm'
import { requestHeaders } from '../../src/derive/openapi/headers.ts'
import { openWorld, type World } from '../world.ts'

let world: World
before(async () => {
  world = await openWorld('sqlite')
})
after(() => world.close())

const open = (path: string) => world.get(path, { key: null })

it('is a page whose scripts are served here', async () => {
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

it('shows the document of this server, at this server', async () => {
  const { text } = await open('/docs/start.js')
  assert.match(text, /"url":"\/docs\/reference\.json"/)
  assert.match(text, /servers: \[\{ url: location\.origin \}\]/)
})

it('may load and ask nothing from elsewhere', async () => {
  for (const path of ['/docs', '/docs/start.js', '/docs/scalar.js']) {
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

it('has its script compressed for who takes it so, and plain for others: the same', async () => {
  const plain = await open('/docs/scalar.js')
  const answer = await fetch(`${world.server.url}/docs/scalar.js`, { headers: { 'accept-encoding': 'gzip' } })
  assert.equal(answer.headers.get('content-encoding'), 'gzip')
  assert.equal(await answer.text(), plain.text)
  assert.equal(plain.headers['content-encoding'], undefined)
  assert.match(plain.text, /createApiReference/)
})

it('tries every write with a key of its own, unless the reader names one', async () => {
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
