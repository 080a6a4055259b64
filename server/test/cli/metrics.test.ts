import assert from 'node:assert/strict'
import { networkInterfaces } from 'node:os'
import { test } from 'node:test'
import { call } from '../call.ts'
import { giveUpMail } from '../dead-mail.ts'
import { onEveryEngine } from '../engines.ts'
import { worldOf } from '../world.ts'

onEveryEngine('GET /metrics', (engine) => {
  const world = worldOf(engine, { environment: { ATRIUM_HOST: '0.0.0.0' } })

  const local = () => `http://127.0.0.1:${new URL(world.server.url).port}`
  const value = (text: string, sample: string): number => {
    const line = text.split('\n').find((each) => each.startsWith(`${sample} `))
    return Number((line ?? assert.fail(`${sample} is not in\n${text}`)).slice(sample.length))
  }

  test('counts answers by status and changes, and reports memory, without a credential', async () => {
    const first = await call(local(), 'GET', '/metrics')
    assert.equal(first.status, 200)
    assert.equal(first.headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8')
    await call(local(), 'GET', '/v1/me', { key: world.acme.key })
    await call(local(), 'GET', '/v1/me')
    await call(local(), 'POST', '/v1/workspaces', { key: world.acme.key, body: { title: 'Counted' } })
    const { text } = await call(local(), 'GET', '/metrics')
    assert.equal(value(text, 'atrium_http_responses_total{status="401"}'), 1)
    assert.equal(value(text, 'atrium_http_responses_total{status="200"}'), 3)
    assert.ok(value(text, 'atrium_store_writes_total') > value(first.text, 'atrium_store_writes_total'))
    let waiting = value(text, 'atrium_store_waiting_writes')
    // What the request log writes may wait for its turn just now.
    for (let asked = 0; waiting > 0 && asked < 1000; asked++)
      waiting = value((await call(local(), 'GET', '/metrics')).text, 'atrium_store_waiting_writes')
    assert.equal(waiting, 0)
    assert.ok(value(text, 'process_resident_memory_bytes') > 1e7)
    for (const line of text.trimEnd().split('\n')) assert.match(line, /^(# (HELP|TYPE) \w+ .+|\w+(\{.+\})? [\d.e+-]+)$/)
  })

  test('counts mails that were given up', async () => {
    const before = value((await call(local(), 'GET', '/metrics')).text, 'atrium_dead_letters{by="mail"}')
    await giveUpMail(world, world.acme, 'usr_1')
    const { text } = await call(local(), 'GET', '/metrics')
    assert.deepEqual([before, value(text, 'atrium_dead_letters{by="mail"}')], [0, 1])
    assert.equal(value(text, 'atrium_dead_letters{by="push"}'), 0)
  })

  test('answers only this machine: no other one, no proxy, no page of another site', async () => {
    const unknown = await call(local(), 'GET', '/nothing')
    const foreign: Record<string, string>[] = [
      { 'x-forwarded-for': '203.0.113.9' },
      { 'x-forwarded-host': 'atrium.example' },
      { 'x-real-ip': '203.0.113.9' },
      { forwarded: 'for=203.0.113.9' },
      { via: '1.1 proxy' },
      ...['atrium.example', 'rebound.example:4010', 'localhost.example', '127.0.0.1.example', '[::1].example'].map(
        (host) => ({ host }),
      ),
    ]
    for (const headers of foreign) {
      const reply = await call(local(), 'GET', '/metrics', { headers })
      assert.equal(reply.status, unknown.status, JSON.stringify(headers))
      assert.equal(reply.body.error.code, unknown.body.error.code)
    }
    for (const host of ['localhost', 'LocalHost:4010', '127.0.0.1:9090', '127.1.2.3', '[::1]:4010']) {
      assert.equal((await call(local(), 'GET', '/metrics', { headers: { host } })).status, 200, host)
    }
    const outer = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .find(({ family, internal }) => family === 'IPv4' && !internal)
    // A machine without a network has no other address to refuse.
    if (outer === undefined) return
    const reply = await call(local().replace('127.0.0.1', outer.address), 'GET', '/metrics')
    assert.equal(reply.status, 404)
  })
})
