/** Idempotency keys are kept for exactly one day, across clock jumps and sweeps. */
import { sweeps } from '../../server/src/workers/sweeps/sweeps.ts'
import { runWorker, type Worker } from '../../server/src/workers/worker.ts'
import { day, type Scene } from './scene.ts'

const sweep = sweeps.find(({ name }) => name === 'idempotency_sweep') as Worker

export async function tryKeys(scene: Scene): Promise<void> {
  const { world, dice } = scene
  const idempotencyKey = `key-${dice.int(0, 2 ** 31)}`
  const post = () => world.post('/v1/workspaces', { title: 'Remembered' }, { idempotencyKey })
  scene.at(scene.start())
  let first = await post()
  let created = scene.now
  for (const moment of scene.around(created + day)) {
    scene.at(moment)
    if (dice.chance(0.5)) await runWorker(world.services, sweep, 'a sweep')
    const again = await post()
    const replays = moment - created < day
    scene.expect(again.headers['idempotent-replayed'] === 'true', replays, `a key of ${moment - created} ms replayed`)
    scene.expect(again.text === first.text, replays, `its answer the first one after ${moment - created} ms`)
    if (replays) continue
    first = again
    created = moment
  }
}
