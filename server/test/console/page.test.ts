/** The page and its files: paths, caching and Content-Security-Policy. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { console_limits } from '../../src/console/limits.ts'
import { http_limits } from '../../src/http/limits.ts'
import { call, type Reply } from '../call.ts'
import { onOneEngine } from '../engines.ts'
import { worldOf } from '../world.ts'
import { refusal, Visitor } from './visitor.ts'

const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

onOneEngine('The console’s page', (engine) => {
  const world = worldOf(engine)

  const get = (path: string, headers: Record<string, string> = {}): Promise<Reply> =>
    call(world.server.url, 'GET', path, { key: null, headers })

  const paths = ['/', '/sign-in', '/set-up', '/invite', '/operator', '/work', '/work/tasks/KEP-1', '/boards/brd_1']
  const more = ['/automations', '/money/expenses', '/developers/keys', '/settings/people', '/open/evt_1', '/?x=1']

  it('answers at all of its paths, and is not cached', async () => {
    for (const path of [...paths, ...more]) {
      const reply = await get(path, html)
      // Without a built console, the page says how to build it.
      assert.ok(reply.status === 200 || reply.status === 503, path)
      assert.equal(reply.headers['content-type'], 'text/html; charset=utf-8')
      assert.equal(reply.headers['cache-control'], 'no-store')
      assert.match(reply.text, reply.status === 200 ? /<div id="root">/ : /npm run build:console/)
    }
  })

  it('may run its own scripts, call its own server, and cannot be framed', async () => {
    const { headers } = await get('/', html)
    const policy = new Map(
      (headers['content-security-policy'] ?? '').split('; ').map((rule) => {
        const [name = '', ...values] = rule.split(' ')
        return [name, values.join(' ')]
      }),
    )
    assert.deepEqual(Object.fromEntries(policy), {
      'default-src': "'none'",
      'script-src': "'self'",
      'style-src': "'self'",
      'img-src': "'self' data: blob:",
      'media-src': "'self'",
      'font-src': "'self'",
      'connect-src': "'self'",
      'manifest-src': "'self'",
      'base-uri': "'none'",
      'form-action': "'self'",
      'frame-ancestors': "'none'",
      'require-trusted-types-for': "'script'",
      'report-uri': '/app/api/csp-report',
      'report-to': 'csp',
    })
    assert.equal(headers['reporting-endpoints'], 'csp="/app/api/csp-report"')
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(headers['referrer-policy'], 'no-referrer')
    assert.equal(headers['cross-origin-opener-policy'], 'same-origin')
    assert.match(headers['permissions-policy'] ?? '', /camera=\(\).*publickey-credentials-get=\(self\)/)
  })

  it('leaves other paths alone: clients that do not accept HTML, and unknown paths, get the error envelope', async () => {
    for (const path of paths) assert.deepEqual(refusal(await get(path)), [404, 'resource_not_found'], path)
    for (const path of [
      '/nothing',
      '/workspace',
      '/work/',
      '/assets/nothing.js',
      '/index.html.br',
      '/.vite/manifest.json',
    ])
      assert.deepEqual(refusal(await get(path, html)), [404, 'resource_not_found'], path)
    const posted = await call(world.server.url, 'POST', '/', { key: null, headers: html })
    assert.deepEqual(refusal(posted), [404, 'resource_not_found'])
    assert.equal((await get('/docs', html)).status, 200)
  })

  it('has compressed files whose names change with their content', async (context) => {
    const page = await get('/', html)
    if (page.status === 503) return context.diagnostic('the console is not built')
    const assets = [...page.text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map((match) => match[1] as string)
    assert.ok(assets.length > 0)
    for (const path of assets) {
      const plain = await get(path)
      assert.equal(plain.headers['cache-control'], 'public, max-age=31536000, immutable')
      assert.equal(plain.headers['content-encoding'], undefined)
      assert.match(plain.headers['content-type'] ?? '', /^text\/(javascript|css); charset=utf-8$/)
      const brotli = await get(path, { 'accept-encoding': 'gzip, deflate, br' })
      assert.equal(brotli.headers['content-encoding'], 'br')
      const read = async () => {
        const answer = await fetch(`${world.server.url}${path}`, { headers: { 'accept-encoding': 'br;q=0, gzip' } })
        return [answer.headers.get('content-encoding'), answer.headers.get('etag'), await answer.text()]
      }
      // Of two at once, the first makes the copy.
      for (const answer of await Promise.all([read(), read()]))
        assert.deepEqual(answer, ['gzip', plain.headers.etag, plain.text])
      assert.equal((await get(path, { 'if-none-match': plain.headers.etag ?? '' })).status, 304)
    }
  })

  it('reports violations of its policy; reports are limited in size and logging', async () => {
    const logged: object[] = []
    const { warn } = world.services.log
    Object.assign(world.services.log, { warn: (_message: string, fields: object) => logged.push(fields) })
    const report = (body: string, type = 'application/csp-report') =>
      call(world.server.url, 'POST', '/app/api/csp-report', { key: null, raw: body, headers: { 'content-type': type } })
    const old = {
      'document-uri': 'http://a/set-up?x#y',
      'effective-directive': 'img-src',
      'blocked-uri': 'http://b/?c',
    }
    assert.equal((await report(JSON.stringify({ 'csp-report': old }))).status, 202)
    const body = { documentURL: 'http://a/', effectiveDirective: 'script-src', blockedURL: 'inline' }
    const now = JSON.stringify([{ type: 'csp-violation', body }])
    assert.equal((await report(now, 'application/reports+json')).status, 202)
    assert.deepEqual(logged, [
      { directive: 'img-src', blocked: 'http://b/', page: 'http://a/set-up', reports: 1 },
      { directive: 'script-src', blocked: 'inline', page: 'http://a/', reports: 2 },
    ])
    for (const garbage of ['', '{', '[]', 'null', '{"csp-report":7}']) assert.equal((await report(garbage)).status, 202)
    assert.equal((await report('x'.repeat(http_limits.csp_report_bytes_max + 1))).status, 400)
    for (let i = 0; i < 30; i++) await report(now)
    assert.equal(logged.length, console_limits.csp_reports_logged_max)
    world.clock.advance(60_000)
    await report(now)
    assert.equal(logged.length, console_limits.csp_reports_logged_max + 1)
    Object.assign(world.services.log, { warn })
  })

  it('shows a signed-out visitor only the installation’s settings', async () => {
    const body = await new Visitor(world.server.url).arrive()
    assert.deepEqual(
      { ...body, csrf: '', passkeys_unavailable: '' },
      {
        signed_in: false,
        csrf: '',
        public_url: world.server.url,
        secure: true,
        passkeys_unavailable: '',
        versions: { current: '2026-08-03', all: ['2026-08-03'] },
        mail: false,
        providers: [],
      },
    )
  })
})
