/** What clients must see of a server while its disk fails, and after the disk is repaired. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { call, type Reply } from '../../server/test/call.ts'
import type { Installation } from '../../server/test/durability/installation.ts'
import type { Wanted, Writers } from '../../server/test/durability/writers.ts'
import type { Trial, Violated } from '../row.ts'
import type { Pace } from './pace.ts'
import type { RestartableServer } from './restartable-server.ts'

export interface FailingServer {
  readonly installation: Installation
  readonly server: RestartableServer
  readonly writers: Writers
  readonly pace: Pace
  readonly violated: Violated
  readonly count: Trial['count']
}

/** After this many replies every client has had one. */
export const replies_of_every_client = 18
/** Writes must pass within this many replies after the repair. */
const recovery_replies_max = 1500
const tries_max = 200
const probes = 3

export async function assertReads({ installation, server, violated, count }: FailingServer, when: string) {
  for (const path of ['/v1/workspaces?limit=2', '/v1/tasks?limit=5', '/v1/me']) {
    const reply = await call(server.url, 'GET', path, { key: installation.key })
    if (reply.status === 200) count('reads meanwhile')
    else violated(`GET ${path} is answered with ${reply.status} ${reply.body?.error?.code} while ${when}`)
  }
}

/** New writes are refused with Retry-After. Returns them; `assertRecovers` repeats them. */
export async function assertRefused(failing: FailingServer, when: string): Promise<Wanted[]> {
  const wanted = Array.from({ length: probes }, () => newWrite(`Wanted ${randomUUID()}`))
  for (const write of wanted) {
    const reply = await send(failing, write)
    if (reply.status === 503 && Number(reply.headers['retry-after']) >= 1) failing.count('writes refused meanwhile')
    else failing.violated(`a write is answered with ${reply.status} while ${when}`)
  }
  return wanted
}

/** Writes pass again (rejects otherwise), and the refused ones succeed when repeated with their keys. */
export async function assertRecovers(failing: FailingServer, refused: readonly Wanted[], when: string): Promise<void> {
  const before = new Map(failing.writers.seen)
  if (!(await failing.pace.acknowledges(3, recovery_replies_max))) {
    const replies = [...failing.writers.seen].map(
      ([status, count]) => `${count - (before.get(status) ?? 0)} × ${status}`,
    )
    const { status, text } = await send(failing, newWrite('Last'))
    throw new Error(`no write passes after ${when}: ${replies.join(', ')}, the last one ${status} ${text}`)
  }
  for (const write of refused) {
    const last = await sendUntilDone(failing, write)
    if (last.status === 200) failing.writers.answered.push({ ...write, text: last.text })
    else failing.violated(`a refused write is answered with ${last.text} after ${when}`)
  }
}

function newWrite(title: string): Wanted {
  return { idempotencyKey: randomUUID(), path: '/v1/workspaces', body: { title } }
}

/** Returns the first successful answer, or the last of `tries_max`. */
async function sendUntilDone(failing: FailingServer, write: Wanted): Promise<Reply> {
  for (let tries = 1; ; tries++) {
    const reply = await send(failing, write)
    if (reply.status === 200 || tries === tries_max) return reply
    await sleep(5)
  }
}

function send({ server, installation }: FailingServer, { path, body, idempotencyKey }: Wanted): Promise<Reply> {
  return call(server.url, 'POST', path, { key: installation.key, body, idempotencyKey })
}
