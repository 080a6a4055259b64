/** Without a plan every operation answers 402 to the organization, and to no other (contract/02#plan). */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { catalogue } from '../../src/catalogue.ts'
import { populate, sendCall } from '../things.ts'
import { onEveryWorld, openFirst } from '../world.ts'
import { assertRefused } from './answers.ts'
import { change, setPlan } from './stored.ts'

onEveryWorld('a lapsed plan', (world) => {
  const things = openFirst(() => populate(world))

  it('makes every operation answer 402 and change nothing', async () => {
    const calls = []
    for (const operation of catalogue) calls.push(await things.call(operation))
    await change(world, setPlan, { organization: world.acme.id, plan: null })
    await world.markWritten()
    for (const call of calls) assertRefused(await sendCall(things, call), 'plan_required', null, call.operation.id)
    assertRefused(await world.get('/v1/me', { key: world.acme.testKey }), 'plan_required')
    await world.assertWritten({ events: [], audit: [] })
    assert.equal((await world.get('/v1/me', { key: world.globex.key })).status, 200)
  })

  it('takes effect within a second, and so does its renewal', async () => {
    await change(world, setPlan, { organization: world.acme.id, plan: null })
    assertRefused(await world.get('/v1/me'), 'plan_required')
    await world.services.store.write('system', async (tx) => {
      await tx.run(setPlan, { organization: world.acme.id, plan: 'studio' })
    })
    world.clock.advance(1000)
    const reply = await world.get('/v1/me')
    assert.deepEqual([reply.status, reply.body.plan], [200, 'studio'])
  })
})
