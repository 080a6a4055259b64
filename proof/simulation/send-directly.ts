/** Sends requests to a process directly, without the simulated network. */
import type { Answer } from '../../server/src/api/declare/request.ts'
import { isTemporary } from './clients.ts'
import type { Core, Sent } from './core.ts'
import type { Timeline } from './timeline.ts'

/** Attempts while the process is temporarily unavailable. */
const attempts_max = 5

export interface DirectAnswer {
  readonly status: number
  readonly text: string
  readonly replayed: boolean
}

export function directSender(core: Core, timeline: Timeline): (sent: Sent) => Promise<DirectAnswer> {
  const once = (sent: Sent) =>
    new Promise<Answer>((resolve) => timeline.after(0, 'ask', core.life, () => core.handle(sent, resolve)))
  return async (sent) => {
    let answer = await once(sent)
    for (let attempt = 1; isTemporary(answer) && attempt < attempts_max; attempt++) {
      await timeline.sleep(Number(answer.headers['Retry-After']) * 1000)
      answer = await once(sent)
    }
    const { status, body, headers } = answer
    return { status, text: body ?? '', replayed: headers['Idempotent-Replayed'] === 'true' }
  }
}
