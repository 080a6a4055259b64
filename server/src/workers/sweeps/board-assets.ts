import { limits } from '../../api/limits.ts'
import { removeUnshown } from '../../resources/board_items/scene/images.ts'
import type { Worker } from '../worker.ts'

/** Removes images of boards; `file_content_sweep` collects their bytes a day later. */
export const boardAssetSweep: Worker = {
  name: 'board_asset_sweep',
  does: 'Removes images that no board item shows.',
  period_ms: 60_000,
  lease_ms: 60_000,
  batch_max: 100,
  run: async ({ store, clock }, count) => {
    const now = clock.now()
    return await store.write('system', async (tx) =>
      removeUnshown(tx, now - limits.board_superseded_kept_ms, count, now),
    )
  },
}
