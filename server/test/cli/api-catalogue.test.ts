/** Every operation of the catalogue can be called from the command line with what it declares. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { Compile } from 'typebox/compile'
import { catalogue } from '../../src/catalogue.ts'
import { exampleWords } from '../../src/cli/api/help.ts'
import { onOneEngine } from '../engines.ts'
import { populate, type Things } from '../things.ts'
import { openWorld, type World } from '../world.ts'
import { Calls } from './calls.ts'

onOneEngine('atrium api', (engine) => {
  let world: World
  let things: Things
  let calls: Calls
  before(async () => {
    world = await openWorld(engine)
    things = await populate(world)
    calls = new Calls({ ATRIUM_URL: world.server.url, ATRIUM_KEY: world.acme.key })
  })
  after(async () => {
    await calls.end()
    await world.close()
  })

  for (const operation of catalogue) {
    if (operation.streams) continue
    it(`${operation.id}: its example, written as flags, is answered in the form that it declares`, async () => {
      const { params, query, body } = await things.call(operation)
      const words = exampleWords(operation, { params, query, body }) as string[]
      // The example names a file that is not here.
      if (operation.uploads) words[words.indexOf('--input') + 1] = import.meta.filename
      const { code, out } = await calls.run([...words, '--json'])
      assert.equal(code, 0, out)
      const checker = Compile(operation.returns)
      const answer = JSON.parse(out)
      assert.ok(checker.Check(answer), JSON.stringify([...checker.Errors(answer)].slice(0, 3)))
    })
  }

  it('events.stream: prints the events that happen from now on, and ends after as many as were asked for', async () => {
    let over = false
    const streaming = calls.run(['events.stream', '--types', 'workflow.workspace.*', '--limit', '1', '--json'])
    void streaming.then(() => {
      over = true
    })
    while (!over) await world.make('/v1/workspaces', { title: 'Research' })
    const { code, out } = await streaming
    assert.equal(code, 0, out)
    assert.equal(JSON.parse(out).type, 'workflow.workspace.created')
  })
})
