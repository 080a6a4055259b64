/** Publishes snapshots of boards that people draw on: at rest, or at the latest some time after the first change. */
import { publishDueScenes } from '../resources/board_items/scene/publish-scene.ts'
import type { Worker } from './worker.ts'

export const boardSnapshotsWorker: Worker = {
  name: 'board_snapshots',
  does: 'Publishes what people have drawn on boards.',
  period_ms: 1000,
  lease_ms: 60_000,
  batch_max: 20,
  run: (services, batch_max, stop) => publishDueScenes(services, batch_max, stop),
}
