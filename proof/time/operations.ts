/** Every operation at moments that numbers and calendars find hard: it is done, and says when. */
import { catalogue } from '../../server/src/catalogue.ts'
import { sendCall, type Things } from '../../server/test/things.ts'
import { hard_moments, type Scene, second } from './scene.ts'

/** What stands for these was made long before, and is not kept for so long. */
const short_lived = /^(events|request_logs)\./

/** Some operations of the contract, one at each moment. */
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
