import type { Operation } from '../../api/operation.ts'
import { listEvents } from './list.ts'
import { streamEvents } from './stream.ts'

export const events: readonly Operation[] = [listEvents, streamEvents]
