/** Scopes: an operation needs its own scope and no other (contract/02#missing-scope). */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { type Scope, scopes } from '../../src/api/declare/scopes.ts'
import { catalogue } from '../../src/catalogue.ts'
import { onEveryEngine } from '../engines.ts'
import { populate, sendCall, type Things } from '../things.ts'
import { openWorld, type World } from '../world.ts'
import { assertRefused } from './answers.ts'

/** Operations whose input requires scopes in addition. */
const additional_scopes: Readonly<Record<string, readonly Scope[]>> = {
  // A new key has a subset of its creator's scopes.
  'api_keys.create': ['tasks:read'],
  // A credential that rolls a key can use it.
  'api_keys.roll': ['tasks:read'],
}

onEveryEngine('scopes', (engine) => {
  let world: World
  let things: Things
  const only = new Map<string, string>()
  const without = new Map<string, string>()
  let none: string
  before(async () => {
    world = await openWorld(engine)
    things = await populate(world)
    none = (await world.key({ scopes: [] })).secret
    for (const scope of scopes) {
      only.set(scope, (await world.key({ scopes: [scope] })).secret)
      without.set(scope, (await world.key({ scopes: scopes.filter((each) => each !== scope) })).secret)
    }
  })
  after(() => world.close())

  for (const operation of catalogue) {
    const { id, scope } = operation
    if (scope === null) {
      it(`${id} needs no scope`, async () => {
        assert.equal((await sendCall(things, await things.call(operation), { key: none })).status, 200)
      })
      continue
    }

    it(`${id} is refused with 403 without ${scope}`, async () => {
      const call = await things.call(operation)
      await world.markWritten()
      for (const key of [none, without.get(scope)]) {
        const reply = await sendCall(things, call, { key: key as string })
        assertRefused(reply, 'insufficient_scope', null, id)
        assert.ok(reply.body.error.message.includes(scope), reply.text)
      }
      await world.assertWritten({ events: [], audit: [] })
    })

    it(`${id} succeeds with ${scope} alone`, async () => {
      const more = additional_scopes[id]
      const key = more === undefined ? only.get(scope) : (await world.key({ scopes: [scope, ...more] })).secret
      const call = await things.call(operation, key)
      const reply = await sendCall(things, call, { key: key as string })
      assert.equal(reply.status, 200, reply.text)
    })
  }
})
