/** The planted faults of the row "crowd". */
import type { PlantedFault } from '../faults.ts'

export const crowd_faults = [
  {
    name: 'stalled_for_ever',
    what: 'a stream that is far behind is not cut off',
    cycles: 150,
    plants: [
      {
        file: 'server/src/api/event-stream.ts',
        find: 'if (sink.pending() > limits.stream_behind_bytes_max) finish',
        put: 'if (sink.pending() > 1000 * limits.stream_behind_bytes_max) finish',
      },
    ],
  },
  {
    name: 'one_for_all',
    what: 'one stream that is behind ends the delivery to all that come after it',
    cycles: 60,
    plants: [
      {
        file: 'server/src/api/event-stream.ts',
        find: 'if (patterns.some((pattern) => subscribes(pattern, row.type))) write(frame(services, row, caller, version))',
        put: `if (patterns.some((pattern) => subscribes(pattern, row.type))) write(frame(services, row, caller, version))
      if (over) throw new Error('a stream is behind')`,
      },
    ],
  },
  {
    name: 'all_for_one',
    what: 'no more endpoints are taken on before those in hand have been served',
    cycles: 60,
    plants: [
      {
        file: 'server/src/workers/deliveries-courier.ts',
        find: 'for (const lease of held) this.open(lease)\n',
        put: 'for (const lease of held) this.open(lease)\n    await this.idle()\n',
      },
    ],
  },
] as const satisfies readonly PlantedFault[]
