/**
 * One month later: expired data is deleted, the rest is whole, the logs continue where they ended, and an expired key acts
 * again.
 */
import { verifyAudit } from '../../server/src/resources/audit_logs/verify.ts'
import type { Ledger } from './ledger.ts'
import type { Scene } from './scene.ts'
import { directSender } from './send-directly.ts'
import type { Stage } from './stage.ts'
import { Machine } from './world.ts'

const day_ms = 86_400_000
const leap_ms = 32 * day_ms
/** Workers run soon after their process starts; sweeps then delete batch after batch. */
const sweeping_ms = 5000

/** Rows older than this many days must be gone: table, age column, days. */
const outlived: readonly (readonly [table: string, age: string, days: number])[] = [
  ['idempotency', 'created', 1],
  ['credit_windows', 'starts_at', 7],
  ['events', 'created', 30],
  ['webhook_deliveries', 'event_created', 30],
  ['webhook_attempts', 'event_created', 30],
  ['export_jobs natural join (select realm, job as id from export_chunks)', 'expires_at', 0],
]

export async function age(stage: Stage, scene: Scene, ledger: Ledger): Promise<void> {
  const { timeline, violated } = stage
  const { installed } = scene.world
  stage.epoch_ms += leap_ms
  const machine = new Machine(stage, 'later', 0)
  try {
    await timeline.run(timeline.now + sweeping_ms)
    for (const [table, column, days] of outlived) {
      const left = ledger.older(table, column, stage.wall() - days * day_ms)
      if (left > 0) violated(`${left} of ${table} still exist although older than ${days} days`)
    }
    const last = ledger.sequence(installed.realm)
    const answered = scene.clients.flatMap((client) => client.answered).find(({ sent }) => sent.url === '/v1/tasks')
    if (answered !== undefined) {
      const { status, replayed } = await stage.until(directSender(machine.core, timeline)(answered.sent))
      if (status !== 200 || replayed) violated(`a key of a month ago got ${status}`)
      const [event] = ledger.events(installed.realm).slice(-1)
      if (event?.sequence !== last + 1) violated(`the log continued from ${last} to ${event?.sequence}`)
    }
    const verdict = await stage.until(verifyAudit(machine.core.services.store))
    if (!verdict.ok) violated(`the audit log is broken: ${verdict.message}`)
    await stage.until(machine.core.stop())
  } finally {
    machine.core.kill()
  }
}
