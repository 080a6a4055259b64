/** Prism, an independent validator, finds that the requests and responses of every operation match the OpenAPI document. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { catalogue } from '../../src/catalogue.ts'
import { type CallOptions, call, type Reply } from '../call.ts'
import { wrongRequests } from '../conformance/wrong-requests/index.ts'
import { spoilCall, wrongThings } from '../conformance/wrong-things.ts'
import { onOneEngine } from '../engines.ts'
import { populate, type Things, urlOf, type ValidCall } from '../things.ts'
import { openWorld, type World } from '../world.ts'
import { damage_header, openPrism, type PrismProxy, violationsOf } from './prism-proxy.ts'

const document = JSON.parse(readFileSync(join(import.meta.dirname, '../../../docs/openapi.json'), 'utf8'))

/**
 * The document with the responses of dry runs in place of the ordinary ones. Prism checks a body against the first content type
 * of the document, whatever the response's type is (stoplightio/prism#2713, open), so it gets a document for each of the two.
 */
function documentOfDryRuns(): object {
  const text = JSON.stringify(document)
  const copy = JSON.parse(text)
  for (const { path, method, kind } of catalogue) {
    if (kind !== 'write') continue
    const { content } = copy.paths[path][method.toLowerCase()].responses['200']
    content['application/json'] = content[dry_run]
    delete content[dry_run]
  }
  return copy
}

const dry_run = 'application/json; profile=dry-run'

onOneEngine('seen by Prism', (engine) => {
  let world: World
  let things: Things
  let prism: PrismProxy
  let prismOfDryRuns: PrismProxy
  let ids: Readonly<Record<string, string>>
  before(async () => {
    // With a limit, responses have the headers of the credit windows too.
    world = await openWorld(engine, { environment: { ATRIUM_CREDITS_PER_MINUTE: '10000000' } })
    things = await populate(world)
    ids = await wrongThings(things)
    prism = await openPrism(structuredClone(document), world.server.url)
    prismOfDryRuns = await openPrism(documentOfDryRuns(), world.server.url)
  })
  after(async () => {
    await prism.close()
    await prismOfDryRuns.close()
    await world.close()
  })

  /** Sends a call through Prism. */
  function send({ operation, ...rest }: ValidCall, options: CallOptions = {}, through = prism): Promise<Reply> {
    const { uploads } = operation
    const body = rest.body === undefined ? {} : uploads ? { raw: String(rest.body) } : { body: rest.body }
    const type: Record<string, string> = uploads ? { 'content-type': 'application/octet-stream' } : {}
    // Prism closes idle connections after 5 s; on a busy machine the next request could be under way by then.
    const headers = { connection: 'close', ...type, ...options.headers }
    const url = urlOf({ operation, ...rest })
    return call(through.url, operation.method, url, { key: things.key, ...body, ...options, headers })
  }

  function assertFlawless(reply: Reply, about: string): void {
    assert.deepEqual([...violationsOf(reply, 'request'), ...violationsOf(reply, 'response')], [], about)
  }

  for (const operation of catalogue) {
    const { id, kind } = operation

    it(`${id} accepts and returns what the document says`, async () => {
      const valid = await things.call(operation)
      const key = { idempotencyKey: `prism-${id}` }
      const reply = await send(valid, key)
      assert.equal(reply.status, 200, reply.text)
      assertFlawless(reply, id)
      if (kind === 'write') {
        const again = await send(valid, key)
        assert.deepEqual([again.status, again.headers['idempotent-replayed']], [200, 'true'])
        assertFlawless(again, `${id}, replayed`)
        const dry = { headers: { prefer: 'dry-run' } }
        const rehearsed = await send(await things.call(operation), dry, prismOfDryRuns)
        assert.deepEqual([rehearsed.status, rehearsed.body.object], [200, 'dry_run'])
        assertFlawless(rehearsed, `${id}, rehearsed`)
      } else if (!operation.streams) {
        const unchanged = await send(valid, { headers: { 'if-none-match': '*' } })
        assert.equal(unchanged.status, 304)
        assertFlawless(unchanged, `${id}, unchanged`)
      }
    })

    it(`${id}: Prism notices a response that the document does not allow`, async () => {
      const reply = await send(await things.call(operation), { key: null, headers: { [damage_header]: '1' } })
      assert.equal(reply.status, 401)
      assert.match(violationsOf(reply, 'response').join(), /required property 'error'/, `${id}, refused`)
      if (operation.streams) return
      const damaged = [await send(await things.call(operation), { headers: { [damage_header]: '1' } })]
      if (kind === 'write') {
        const dry = { headers: { [damage_header]: '1', prefer: 'dry-run' } }
        damaged.push(await send(await things.call(operation), dry, prismOfDryRuns))
      }
      for (const reply of damaged) {
        assert.equal(reply.status, 200)
        assert.match(violationsOf(reply, 'response').join(), /required property 'object'/, id)
      }
    })
  }

  const cases = Map.groupBy(wrongRequests, (each) => each.operation)
  for (const operation of catalogue) {
    const { id } = operation

    it(`${id} refuses what the document does not allow, with an error that it describes`, async () => {
      const valid = await things.call(operation)
      const replies: Reply[] = [
        await send(valid, { key: null }),
        await send({ ...valid, query: { ...valid.query, no_such: '1' } }),
        await send(valid, { headers: { 'service-version': '1999-01-01' } }),
      ]
      if (operation.kind === 'write') replies.push(await send(valid, { idempotencyKey: null }))
      for (const wrong of cases.get(id) ?? []) replies.push(await send(spoilCall(valid, wrong, things, ids)))
      for (const reply of replies) {
        assert.deepEqual(violationsOf(reply, 'response'), [], `${id}: ${reply.status} ${reply.text}`)
        const disallowed = violationsOf(reply, 'request').join()
        if (disallowed !== '')
          assert.ok(reply.status >= 400, `${id} accepted what the document does not allow: ${disallowed}`)
      }
    })
  }
})
