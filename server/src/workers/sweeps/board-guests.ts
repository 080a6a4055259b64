import { removeEndedGuests } from '../../resources/board_links/shared/ended-guests.ts'
import { worker_limits } from '../limits.ts'
import type { Worker } from '../worker.ts'

export const boardGuestSweep: Worker = {
  name: 'board_guest_sweep',
  does: 'Removes the sessions of guests of links a day after their end, with the images that they added and no element shows.',
  period_ms: 60_000,
  lease_ms: 60_000,
  batch_max: 100,
  run: ({ store, clock }, count) => removeEndedGuests(store, clock.now() - worker_limits.board_guest_kept_ms, count),
}
