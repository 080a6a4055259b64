/** Operations succeed at hard moments and report the right time. */
import { catalogue } from '../../server/src/catalogue.ts'
import { sendCall, type Things } from '../../server/test/things.ts'
import { hard_moments, type Scene, second } from './scene.ts'

/** Their objects were created long before and are no longer retained. */
const short_lived = /^(events|request_logs)\./

/** Tries random operations, each at a moment of its own. */
export async function tryOperations(scene: Scene, things: Things, count: number): Promise<void> {
  const { dice } = scene
  const edge = dice.pick(hard_moments)
  const operations = catalogue.filter(({ id }) => !short_lived.test(id))
  for (const operation of dice.shuffle(operations).slice(0, count)) {
    scene.at(edge + dice.int(-3, 3))
    const { status, body, text } = await sendCall(things, await things.call(operation))
    scene.expect(status, 200, `${operation.id} (${text.slice(0, 200)})`)
    const isMade = operation.id.endsWith('.create') && status === 200
    if (isMade) scene.expect(body.created, Math.floor(scene.now / second), `the creation by ${operation.id}`)
  }
}
