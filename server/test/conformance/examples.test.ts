/**
 * Every operation has a valid call, which can be repeated. The other conformance tests loop over these calls; `atrium conform`
 * tries that the answers are as declared (server/test/conform).
 */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { catalogue } from '../../src/catalogue.ts'
import { instructions, populate, sendCall } from '../things.ts'
import { onEveryWorld } from '../world.ts'

onEveryWorld('every operation', (world) => {
  it('has a valid call, in another organization and in the test realm too, and one after another', async () => {
    const acme = await populate(world)
    for (const other of [acme, acme, await populate(world, world.globex), await populate(world, world.acme, 'test')]) {
      for (const operation of catalogue) {
        const reply = await sendCall(other, await other.call(operation))
        assert.equal(reply.status, 200, `${operation.id} (${other.mode}): ${reply.text}\n${instructions}`)
      }
    }
  })
})
