/** What the parts of a trial with a failing disk are told with, and clients that want something while it fails. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { call, type Reply } from '../../server/test/call.ts'
import type { Wanted, Writers } from '../../server/test/durability/writers.ts'
import type { Dice } from '../dice.ts'
import type { Place } from '../place.ts'
import type { Pace } from './pace.ts'
import type { Stand } from './stand.ts'

export interface Told {
  readonly dice: Dice
  violated(text: string): void
  /** Whether nothing more needs to be tried: a planted fault was noticed. */
  isEnough(): boolean
  count(name: string, more?: number): void
}

/** A server with writers over a place whose disk fails. */
export interface Failing extends Told {
  readonly place: Place
  readonly server: Stand
  readonly writers: Writers
  readonly pace: Pace
}

/** Replies within which everybody has had one, and within which writes pass again once the disk is mended. */
export const everybody = 18
export const recovery_max = 1500
const tries_max = 200
const probes = 3

/** Every read is answered. */
export async function assertReads({ place, server, violated, count }: Failing, when: string): Promise<void> {
  for (const path of ['/v1/workspaces?limit=2', '/v1/tasks?limit=5', '/v1/me']) {
    const reply = await call(server.url, 'GET', path, { key: place.installation.key })
    if (reply.status === 200) count('reads meanwhile')
    else violated(`GET ${path} is answered with ${reply.status} ${reply.body?.error?.code} while ${when}`)
  }
}

/** New writes are refused, and told when to come back. Returns them: they are to be done in the end. */
export async function assertRefused(trial: Failing, when: string): Promise<Wanted[]> {
  const wanted = Array.from({ length: probes }, () => ({
    idempotencyKey: randomUUID(),
    path: '/v1/workspaces',
    body: { title: `Wanted ${randomUUID()}` },
  }))
  for (const one of wanted) {
    const reply = await send(trial, one)
    if (reply.status === 503 && Number(reply.headers['retry-after']) >= 1) trial.count('writes refused meanwhile')
    else trial.violated(`a write is answered with ${reply.status} while ${when}`)
  }
  return wanted
}

/** Writes pass again, or nothing more can be tried; and what was refused is done at last: repeated with its key, as clients do. */
export async function assertRecovers(trial: Failing, refused: readonly Wanted[], when: string): Promise<void> {
  const before = new Map(trial.writers.seen)
  if (!(await trial.pace.acknowledges(3, recovery_max))) {
    const replies = [...trial.writers.seen].map(([status, count]) => `${count - (before.get(status) ?? 0)} × ${status}`)
    const { status, text } = await send(trial, {
      idempotencyKey: randomUUID(),
      path: '/v1/workspaces',
      body: { title: 'Last' },
    })
    throw new Error(`no write passes any more behind ${when}: ${replies.join(', ')}, and at last ${status} ${text}`)
  }
  for (const wanted of refused) {
    const last = await untilDone(trial, wanted)
    if (last.status === 200) trial.writers.answered.push({ ...wanted, text: last.text })
    else trial.violated(`a write that was refused is answered with ${last.text} behind ${when}`)
  }
}

/** The answer with success, or the last one there was. */
async function untilDone(trial: Failing, wanted: Wanted): Promise<Reply> {
  for (let tries = 1; ; tries++) {
    const reply = await send(trial, wanted)
    if (reply.status === 200 || tries === tries_max) return reply
    await sleep(5)
  }
}

function send({ server, place }: Failing, { path, body, idempotencyKey }: Wanted): Promise<Reply> {
  return call(server.url, 'POST', path, { key: place.installation.key, body, idempotencyKey })
}
