/**
 * Passkey challenges. A challenge carries its own expiry and a MAC over its purpose and account, so issuing one stores
 * nothing. Using one inserts it, so that a signed response cannot be replayed.
 */
import { randomFillSync } from 'node:crypto'
import { refuse } from '../../api/declare/errors.ts'
import type { Tx } from '../../db/store.ts'
import type { Sealer } from '../../lib/seal.ts'
import { console_limits } from '../limits.ts'
import { insertUsedChallenge } from './queries.ts'

type Purpose = 'register' | 'sign_in' | 'step_up'

const random_bytes = 16
const time_bytes = 6
const head_bytes = random_bytes + time_bytes

export interface Ceremony {
  readonly purpose: Purpose
  /** The account that must own the passkey; empty if it is not known yet. */
  readonly account: string
}

export function newChallenge(sealer: Sealer, ceremony: Ceremony, now: number): Uint8Array<ArrayBuffer> {
  const head = Buffer.alloc(head_bytes)
  randomFillSync(head, 0, random_bytes)
  head.writeUIntBE(now + console_limits.passkey_challenge_ms, random_bytes, time_bytes)
  return new Uint8Array(Buffer.concat([head, sealer.sign('passkey challenge', signedText(ceremony, head))]))
}

function signedText({ purpose, account }: Ceremony, head: Buffer): string {
  return `${purpose} ${account} ${head.toString('base64url')}`
}

/** Whether the challenge, in base64url, was issued for this ceremony and has not expired. */
export function isValidChallenge(sealer: Sealer, ceremony: Ceremony, challenge: string, now: number): boolean {
  const bytes = Buffer.from(challenge, 'base64url')
  if (bytes.length <= head_bytes || bytes.toString('base64url') !== challenge) return false
  const head = bytes.subarray(0, head_bytes)
  const signature = bytes.subarray(head_bytes).toString('base64url')
  return sealer.isSigned('passkey challenge', signedText(ceremony, head), signature, now) && now < expiryOf(head)
}

function expiryOf(head: Buffer): number {
  return head.readUIntBE(random_bytes, time_bytes)
}

/** Refuses a used challenge. Call it first in the transaction that the proof authorizes. */
export async function consumeChallenge(tx: Tx, challenge: string): Promise<void> {
  const expires_at = expiryOf(Buffer.from(challenge, 'base64url'))
  if ((await tx.run(insertUsedChallenge, { challenge, expires_at })) === 0)
    throw refuse('sign_in_failed', { message: reuse_message })
}

const reuse_message = 'This passkey response was already used. Try again.'
