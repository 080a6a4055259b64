import type { Operation } from '../../api/operation.ts'
import { retrieveEvent } from './get.ts'
import { listEvents } from './list.ts'
import { replayEvent } from './replay.ts'
import { resendEvent } from './resend.ts'
import { streamEvents } from './stream.ts'

export const events: readonly Operation[] = [listEvents, streamEvents, retrieveEvent, resendEvent, replayEvent]
