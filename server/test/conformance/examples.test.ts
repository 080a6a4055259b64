/** Every operation has a valid call and answers it as declared. The other conformance tests loop over these calls. */
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
    it(`${operation.id} answers its example twice with 200, in the declared shape`, async () => {
      const { returns } = operation
      for (const _ of [1, 2]) {
        const reply = await sendCall(things, await things.call(operation))
        assert.equal(reply.status, 200, `${operation.id}: ${reply.text}\n${instructions}`)
        if (operation.streams) {
          assert.match(reply.text, /^retry: \d+\n/)
          continue
        }
        const checker = Compile(returns)
        const errors = JSON.stringify([...checker.Errors(reply.body)].slice(0, 3))
        assert.ok(checker.Check(reply.body), `${operation.id} answers other than its \`returns\` declares: ${errors}`)
      }
    })
  }

  it('has a valid call in another organization and in the test realm', async () => {
    for (const other of [await populate(world, world.globex), await populate(world, world.acme, 'test')]) {
      for (const operation of catalogue) {
        const reply = await sendCall(other, await other.call(operation))
        assert.equal(reply.status, 200, `${operation.id} (${other.mode}): ${reply.text}`)
      }
    }
  })
})
