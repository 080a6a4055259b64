import type { Operation } from '../../api/declare/operation.ts'
import { listEvents } from './list.ts'
import { replayEvent } from './replay.ts'
import { resendEvent } from './resend.ts'
import { retrieveEvent } from './retrieve.ts'
import { streamEvents } from './stream.ts'

export const events: readonly Operation[] = [listEvents, streamEvents, retrieveEvent, resendEvent, replayEvent]
