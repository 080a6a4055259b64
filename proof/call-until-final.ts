import { setTimeout as sleep } from 'node:timers/promises'
import type { Reply } from '../server/test/call.ts'

const tries_max = 100

/** Repeats a request while it is in progress elsewhere or temporarily refused. Returns the final answer, or the last one. */
export async function callUntilFinal(send: () => Promise<Reply>): Promise<Reply> {
  for (let tries = 1; ; tries++) {
    const reply = await send()
    const isTemporary = reply.status === 503 || reply.body?.error?.code === 'idempotency_in_progress'
    if (!isTemporary || tries === tries_max) return reply
    await sleep(20)
  }
}
