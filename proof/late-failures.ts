/** Plants writes that fail after they have written: those whose title begins with `late_title`. They break nothing else. */
import type { Plant } from './plant.ts'
import { replace } from './planted-fault.ts'

export const late_title = 'fails late'

export const late_plants: readonly Plant[] = [
  replace(
    'server/src/api/write/commit.ts',
    'const isRecorded = outbox.size > 0 ||',
    `if (String(write.body.title).startsWith('${late_title}')) throw new Error('failed late')
  const isRecorded = outbox.size > 0 ||`,
  ),
  // An organization whose job failed shares batches again at once.
  replace('server/src/db/limits.ts', 'separate_ms: minute_ms', 'separate_ms: 0'),
]
