/**
 * Tenant isolation: in every place of every request, an id of another organization or realm is answered byte for byte like
 * one that never existed (contract/02#foreign-objects).
 */
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { catalogue } from '../../src/catalogue.ts'
import { type Placeholder, query } from '../../src/db/query.ts'
import { newId } from '../../src/lib/ids.ts'
import type { Reply } from '../call.ts'
import { makers } from '../makers.ts'
import { populate, sendCall, urlOf, type ValidCall } from '../things.ts'
import { onEveryWorld, openFirst } from '../world.ts'
import { assertRefused, comparable } from './answers.ts'
import { type IdPlace, placesOf, unlistedIdFields } from './references.ts'

/** Prefixes of what both realms of an organization share (contract/01#realms). */
const shared = new Set(['org', 'usr', 'mbr', 'team'])

const headOf = query((db, p: Placeholder<{ realm: number }>) =>
  db.selectFrom('event_heads').select('sequence').where('realm', '=', p('realm')),
)

const prefixOf = (id: string) => id.slice(0, id.indexOf('_'))

onEveryWorld('another tenant', (world) => {
  const acme = openFirst(() => populate(world))
  const globex = openFirst(() => populate(world, world.globex))
  const acmeTest = openFirst(() => populate(world, world.acme, 'test'))
  /** Prefix → ids of other tenants: live, archived and deleted. */
  const foreign = new Map<string, { what: string; id: string }[]>()

  const add = (what: string, id: string) => {
    const prefix = prefixOf(id)
    foreign.set(prefix, [...(foreign.get(prefix) ?? []), { what, id }])
  }
  before(async () => {
    for (const id of new Set(Object.values(globex.ids))) add("another organization's", id)
    for (const id of new Set(Object.values(acmeTest.ids))) {
      if (!shared.has(prefixOf(id))) add("the other realm's", id)
    }
    for (const operation of catalogue) {
      const removes = operation.method === 'DELETE'
      if (!removes && !operation.id.endsWith('.archive')) continue
      const call = await globex.call(operation)
      assert.equal((await sendCall(globex, call)).status, 200, operation.id)
      const id = Object.values(call.params).at(-1) as string
      add(removes ? "another organization's deleted" : "another organization's archived", id)
    }
  })

  /** The answer to a call, with the id masked: an error may quote it. */
  async function answerWith(call: ValidCall, id: string): Promise<{ reply: Reply; seen: object }> {
    const reply = await sendCall(acme, call)
    return { reply, seen: JSON.parse(JSON.stringify(comparable(reply)).replaceAll(id, '<id>')) }
  }

  for (const operation of catalogue) {
    it(`is indistinguishable from an unknown id in ${operation.id}`, async () => {
      const call = await acme.call(operation)
      const heads = await positions()
      for (const place of placesOf(operation, call)) {
        for (const prefix of place.prefixes) {
          const never = newId(prefix, world.clock.now())
          const expected = await answerWith(place.put(call, never), never)
          const about = `${operation.id}, ${place.name} ${prefix}`
          assertNothingAt(expected.reply, place, about)
          for (const { what, id } of foreign.get(prefix) ?? []) {
            const { seen } = await answerWith(place.put(call, id), id)
            assert.deepEqual(seen, expected.seen, `${about}: ${what}`)
          }
        }
      }
      assert.deepEqual(await positions(), heads, 'a request changed another tenant’s data')
    })
  }

  function assertNothingAt(reply: Reply, place: IdPlace, about: string): void {
    if (place.filters) assert.equal(reply.status, 200, about)
    else if (place.param === null) assertRefused(reply, 'resource_not_found', null, about)
    else {
      const code = place.name.startsWith('query') ? 'invalid_query_parameter' : 'invalid_request_body'
      assertRefused(reply, code, place.param, about)
    }
  }

  async function positions(): Promise<(number | undefined)[]> {
    const reader = world.services.store.reader('system')
    const realms = [world.globex.realms.live, world.globex.realms.test, world.acme.realms.test]
    const rows = []
    for (const realm of realms) rows.push((await reader.first(headOf, { realm }))?.sequence)
    return rows
  }

  it('reveals no revision through If-Match', async () => {
    for (const operation of catalogue) {
      if (operation.method !== 'PATCH' && operation.method !== 'DELETE') continue
      const call = await acme.call(operation)
      const last = Object.keys(call.params).at(-1) as string
      const prefix = prefixOf(call.params[last] as string)
      for (const tag of ['1', '"2"', '*']) {
        const answers = []
        for (const id of [newId(prefix, 1), ...(foreign.get(prefix) ?? []).map((each) => each.id)]) {
          const reply = await sendCall(
            acme,
            { ...call, params: { ...call.params, [last]: id } },
            { headers: { 'if-match': tag } },
          )
          assertRefused(reply, 'resource_not_found', null, `${operation.id} ${tag}`)
          answers.push(comparable(reply))
        }
        for (const answer of answers) assert.deepEqual(answer, answers[0])
      }
    }
  })

  it('has no task that is found by its key', async () => {
    const { id: workspace } = await globex.make('/v1/workspaces', { title: 'Zebra Quagga' })
    const { key } = await globex.make('/v1/tasks', { workspace, title: 'Striped' })
    assert.equal(key, 'ZQ-1')
    for (const operation of catalogue.filter((each) => each.path.includes('/tasks/{'))) {
      const call = await acme.call(operation)
      const name = Object.keys(call.params)[0] as string
      const put = (reference: string) => sendCall(acme, { ...call, params: { ...call.params, [name]: reference } })
      const found = await put('ZQ-1')
      assertRefused(found, 'resource_not_found', null, operation.id)
      assert.deepEqual(comparable(found), comparable(await put('ZQ-2')), operation.id)
      assert.deepEqual(comparable(found), comparable(await put('XX-1')), operation.id)
    }
  })

  it('appears in no list', async () => {
    const theirs = new Set([...foreign.values()].flat().map((each) => each.id))
    for (const operation of catalogue.filter((each) => each.kind === 'list')) {
      const call = await acme.call(operation)
      const { text } = await acme.send('GET', urlOf({ ...call, query: { ...call.query, limit: '100' } }))
      for (const id of text.match(/"[a-z]{2,4}_[0-9A-Z]{26}"/g) ?? []) {
        assert.ok(!theirs.has(id.slice(1, -1)), `${operation.id} shows ${id}`)
      }
    }
  })

  it('is tried in every field that takes an id', () => {
    for (const operation of catalogue) {
      assert.deepEqual(
        unlistedIdFields(operation),
        [],
        `${operation.id} has id fields that no test tries. Add them to prefixes_by_name in server/test/conformance/references.ts.`,
      )
    }
    for (const prefix of Object.values(acme.ids).map(prefixOf)) {
      // Request ids and preview tokens stand in no such field.
      assert.ok(
        prefix === 'req' || prefix === 'prv' || foreign.has(prefix),
        `No other tenant has an id with the prefix ${prefix}. Add a maker to server/test/makers.ts.`,
      )
    }
    assert.ok(Object.keys(makers).length > 10)
  })
})
