/**
 * What a guest does not see is answered like what never existed, and no answer names it. Each probe sends the id of something
 * outside of the guest's projects and an id that does not exist, at a random place of a request, and compares the answers; then
 * the valid request is sent, and its answer may name nothing that is outside.
 */
import { isForGuests } from '../../server/src/api/declare/rights.ts'
import { catalogue } from '../../server/src/catalogue.ts'
import { newId } from '../../server/src/lib/ids.ts'
import { comparable } from '../../server/test/conformance/answers.ts'
import { placesOf } from '../../server/test/conformance/references.ts'
import { callAsGuest, type GuestScene, openGuest } from '../../server/test/guest.ts'
import { sendCall, type ValidCall } from '../../server/test/things.ts'
import type { World } from '../../server/test/world.ts'
import { engines, row, type Trial } from '../row.ts'
import { inWorld } from '../worlds.ts'

/** Every write creates its target, so a world runs into limits. */
const world_probes_max = 2000

const operations = catalogue.filter(({ id }) => isForGuests(id))
const closed = catalogue.filter(({ id }) => !isForGuests(id))

export const guests = row({
  name: 'guests',
  promise:
    'A guest sees the projects that were chosen, and what is outside of them is answered like what never existed.',
  cycle:
    'a request for an operation with the id of something outside at one place, and one with an id that does not exist',
  // Each operation on each engine, most of them at several places.
  cycles: { short: 400, long: 20_000 },
  unproven: ['Times of answers.', 'What a person could see before becoming a guest, and keeps in the own browser.'],
  async run(trial) {
    let probes = 0
    for (const engine of engines) {
      const worlds = Math.ceil(trial.cycles / 2 / world_probes_max)
      for (let n = 0; n < worlds && !trial.isOver; n++) {
        await inWorld(engine, {}, async (world) => {
          probes += await probeAll(trial, world, await openGuest(world), Math.ceil(trial.cycles / 2 / worlds))
        })
      }
    }
    return { cycles: probes, figures: { probes } }
  },
})

async function probeAll(trial: Trial, world: World, scene: GuestScene, count: number): Promise<number> {
  const { own, token: key } = scene
  const dice = trial.dice.fork()
  const answerTo = async (call: ValidCall, id: string) =>
    JSON.stringify(comparable(await sendCall(own, call, { key }))).replaceAll(id, '<id>')
  let probes = 0
  while (probes < count && !trial.isOver) {
    for (const operation of dice.shuffle(operations)) {
      const call = await callAsGuest(own, operation, { ...scene, key })
      for (const place of placesOf(operation, call)) {
        const prefix = dice.pick(place.prefixes)
        const outside = scene.foreign.get(prefix) ?? []
        if (outside.length === 0) continue
        const [id, never] = [dice.pick(outside), newId(prefix, world.clock.now())]
        const [seen, expected] = [
          await answerTo(place.put(call, id), id),
          await answerTo(place.put(call, never), never),
        ]
        if (seen !== expected) trial.violated(`${operation.id}, ${place.name} ${id}: ${seen} instead of ${expected}`)
        probes++
      }
      await expectNothingOutside(trial, scene, call)
      if (probes >= count || trial.isOver) break
    }
    probes += await probeClosed(trial, scene)
  }
  return probes
}

async function expectNothingOutside(
  trial: Trial,
  { own, token: key, foreign }: GuestScene,
  call: ValidCall,
): Promise<void> {
  const { status, text } = await sendCall(own, call, { key })
  if (status !== 200) trial.violated(`${call.operation.id} is refused: ${text.slice(0, 200)}`)
  const shown = [...foreign.values()].flat().filter((id) => text.includes(id))
  if (shown.length > 0) trial.violated(`${call.operation.id} names ${shown}`)
}

/** Every operation that is not for guests is refused. */
async function probeClosed(trial: Trial, { own, token: key }: GuestScene): Promise<number> {
  for (const { id, method, path } of closed) {
    const reply = await own.send(method, path.replaceAll(/\{\w+\}/g, 'nothing'), { key })
    if (reply.body?.error?.code !== 'insufficient_scope') trial.violated(`${id} is open to guests: ${reply.status}`)
  }
  return closed.length
}
