/** Asking a process without a network between. */
import type { Answer } from '../../server/src/api/request.ts'
import { isPassing } from './clients.ts'
import type { Core, Sent } from './core.ts'
import type { Timeline } from './timeline.ts'

/** How often it is asked the same when it says that it cannot answer yet. */
const asked_max = 5

export interface Asked {
  readonly status: number
  readonly text: string
  readonly replayed: boolean
}

export function asker(core: Core, timeline: Timeline): (sent: Sent) => Promise<Asked> {
  const once = (sent: Sent) =>
    new Promise<Answer>((resolve) => timeline.after(0, 'ask', core.life, () => core.handle(sent, resolve)))
  return async (sent) => {
    let answer = await once(sent)
    for (let asked = 1; isPassing(answer) && asked < asked_max; asked++) {
      await timeline.sleep(Number(answer.headers['Retry-After']) * 1000)
      answer = await once(sent)
    }
    const { status, body, headers } = answer
    return { status, text: body ?? '', replayed: headers['Idempotent-Replayed'] === 'true' }
  }
}
