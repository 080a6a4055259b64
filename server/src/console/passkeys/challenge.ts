/**
 * Challenges of passkeys: what an authenticator signs, so that nothing it signed before is good again. A challenge says by
 * itself until when and for what it is good, so asking for one writes nothing; answering it is written down, once.
 */
import { randomFillSync } from 'node:crypto'
import { refuse } from '../../api/errors.ts'
import type { Tx } from '../../db/store.ts'
import { limits } from '../../lib/limits.ts'
import { type Sealer, sameBytes } from '../../lib/seal.ts'
import { noteAnswered } from './queries.ts'

export type Purpose = 'register' | 'sign_in' | 'step_up'

const random_bytes = 16
const time_bytes = 6
const head_bytes = random_bytes + time_bytes

export interface Ceremony {
  readonly purpose: Purpose
  /** Whose passkey it must be; empty where that is not known before. */
  readonly account: string
}

export function newChallenge(sealer: Sealer, ceremony: Ceremony, now: number): Uint8Array<ArrayBuffer> {
  const head = Buffer.alloc(head_bytes)
  randomFillSync(head, 0, random_bytes)
  head.writeUIntBE(now + limits.passkey_challenge_ms, random_bytes, time_bytes)
  return new Uint8Array(Buffer.concat([head, seal(sealer, ceremony, head)]))
}

function seal(sealer: Sealer, { purpose, account }: Ceremony, head: Buffer): Buffer {
  return sealer.mac('passkey challenge', `${purpose} ${account} ${head.toString('base64url')}`)
}

/** Whether a challenge, in base64url, was made here for this and is not over. */
export function isChallenge(sealer: Sealer, ceremony: Ceremony, challenge: string, now: number): boolean {
  const bytes = Buffer.from(challenge, 'base64url')
  if (bytes.length <= head_bytes || bytes.toString('base64url') !== challenge) return false
  const head = bytes.subarray(0, head_bytes)
  return sameBytes(bytes.subarray(head_bytes), seal(sealer, ceremony, head)) && now < expiryOf(head)
}

function expiryOf(head: Buffer): number {
  return head.readUIntBE(random_bytes, time_bytes)
}

/** Refuses a challenge that was answered before. In the transaction that the answer is for, before anything is written. */
export async function answerOnce(tx: Tx, challenge: string): Promise<void> {
  const expires_at = expiryOf(Buffer.from(challenge, 'base64url'))
  if ((await tx.run(noteAnswered, { challenge, expires_at })) === 0) throw refuse('sign_in_failed', { message: used })
}

const used = 'This answer of the passkey was used before. Try again.'
