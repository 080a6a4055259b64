/** Every operation has a valid call, and answers it as it declares. The other conformance tests loop over these calls. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { Compile } from 'typebox/compile'
import { catalogue } from '../../src/catalogue.ts'
import { onEveryEngine } from '../engines.ts'
import { instructions, populate, sendCall, type Things } from '../things.ts'
import { openWorld, type World } from '../world.ts'

onEveryEngine('every operation', (engine) => {
  let world: World
  let things: Things
  before(async () => {
    world = await openWorld(engine)
    things = await populate(world)
  })
  after(() => world.close())

  for (const operation of catalogue) {
    it(`${operation.id} answers its example with 200, in the form that it declares, twice`, async () => {
      const { returns } = operation
      for (const _ of [1, 2]) {
        const reply = await sendCall(things, await things.call(operation))
        assert.equal(reply.status, 200, `${operation.id}: ${reply.text}\n${instructions}`)
        if (operation.streams) {
          assert.match(reply.text, /^retry: \d+\n/)
          continue
        }
        const checker = Compile(returns)
        assert.ok(checker.Check(reply.body), JSON.stringify([...checker.Errors(reply.body)].slice(0, 3)))
      }
    })
  }

  it('the calls of another organization and of the test realm are valid there', async () => {
    for (const other of [await populate(world, world.globex), await populate(world, world.acme, 'test')]) {
      for (const operation of catalogue) {
        const reply = await sendCall(other, await other.call(operation))
        assert.equal(reply.status, 200, `${operation.id} (${other.mode}): ${reply.text}`)
      }
    }
  })
})
