/** Prism, a validator of others, finds every operation's requests and answers as the OpenAPI document says. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { catalogue } from '../../src/catalogue.ts'
import { type CallOptions, call, type Reply } from '../call.ts'
import { wrongRequests } from '../conformance/wrong-requests/index.ts'
import { spoilCall, wrongThings } from '../conformance/wrong-things.ts'
import { onEveryEngine } from '../engines.ts'
import { populate, type Things, urlOf, type ValidCall } from '../things.ts'
import { openWorld, type World } from '../world.ts'
import { openPrism, type PrismProxy, spoil_header, violationsOf } from './prism-proxy.ts'

const document = JSON.parse(readFileSync(join(import.meta.dirname, '../../../docs/openapi.json'), 'utf8'))

/**
 * The document with the answers to dry runs in the place of the others. Prism holds a body against the first content
 * whatever the answer's type is (stoplightio/prism#2713, open), so that it has to be told which of the two to expect.
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

onEveryEngine('seen by Prism', (engine) => {
  let world: World
  let things: Things
  let prism: PrismProxy
  let prismOfDryRuns: PrismProxy
  let ids: Readonly<Record<string, string>>
  before(async () => {
    // Limited, so that answers have the headers of the windows too.
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
    const body = rest.body === undefined ? {} : { body: rest.body }
    return call(through.url, operation.method, urlOf({ operation, ...rest }), { key: things.key, ...body, ...options })
  }

  function assertFlawless(reply: Reply, about: string): void {
    assert.deepEqual([...violationsOf(reply, 'request'), ...violationsOf(reply, 'response')], [], about)
  }

  for (const operation of catalogue) {
    const { id, kind } = operation

    it(`${id} takes and answers what the document says`, async () => {
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

    it(`${id}: an answer that the document does not allow would be noticed`, async () => {
      const reply = await send(await things.call(operation), { key: null, headers: { [spoil_header]: '1' } })
      assert.equal(reply.status, 401)
      assert.match(violationsOf(reply, 'response').join(), /required property 'error'/, `${id}, refused`)
      if (operation.streams) return
      const spoilt = [await send(await things.call(operation), { headers: { [spoil_header]: '1' } })]
      if (kind === 'write') {
        const dry = { headers: { [spoil_header]: '1', prefer: 'dry-run' } }
        spoilt.push(await send(await things.call(operation), dry, prismOfDryRuns))
      }
      for (const reply of spoilt) {
        assert.equal(reply.status, 200)
        assert.match(violationsOf(reply, 'response').join(), /required property 'object'/, id)
      }
    })
  }

  const cases = Map.groupBy(wrongRequests, (each) => each.operation)
  for (const operation of catalogue) {
    const { id } = operation

    it(`${id} refuses as the document says, and all that it does not allow`, async () => {
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
          assert.ok(reply.status >= 400, `${id} took what the document does not allow: ${disallowed}`)
      }
    })
  }
})
