/**
 * Verifies the signature of an incoming webhook over the bytes as sent: by Standard Webhooks, as Atrium signs its own, or as
 * GitHub signs. Digests are compared in constant time (contract/16#incoming-webhooks).
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { automation_limits } from '../../../automations/limits.ts'

export type SignatureForm = 'standard' | 'github'

export interface SignedRequest {
  readonly header: (name: string) => string | undefined
  readonly body: Buffer
  /** Milliseconds. */
  readonly now: number
}

/** Whether the request is signed with the secret and, by Standard Webhooks, its timestamp is within the tolerance. */
export function isSigned(form: SignatureForm, request: SignedRequest, secret: string): boolean {
  return form === 'github' ? isSignedByGithub(request, secret) : isSignedByStandard(request, secret)
}

function isSignedByStandard({ header, body, now }: SignedRequest, secret: string): boolean {
  const id = header('webhook-id') ?? ''
  const timestamp = header('webhook-timestamp') ?? ''
  const sent = (header('webhook-signature') ?? '').split(' ').slice(0, automation_limits.automation_hook_signatures_max)
  const expected = createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.`).update(body).digest()
  const isMatching = sent.map((one) => equals(one.startsWith('v1,') ? one.slice(3) : '', expected, 'base64'))
  const isTimely = Math.abs(Number(timestamp) * 1000 - now) <= automation_limits.automation_hook_tolerance_ms
  return isMatching.includes(true) && id !== '' && /^\d{1,12}$/.test(timestamp) && isTimely
}

function isSignedByGithub({ header, body }: SignedRequest, secret: string): boolean {
  const sent = header('x-hub-signature-256') ?? ''
  const expected = createHmac('sha256', secret).update(body).digest()
  return equals(sent.startsWith('sha256=') ? sent.slice('sha256='.length) : '', expected, 'hex')
}

/** The key of a Standard Webhooks secret; a secret of another form is the key itself. */
function keyOf(secret: string): Buffer {
  return secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : Buffer.from(secret)
}

/** Whether the text is exactly the encoded digest. */
function equals(sent: string, expected: Buffer, encoding: 'base64' | 'hex'): boolean {
  const [a, b] = [Buffer.from(sent), Buffer.from(expected.toString(encoding))]
  return timingSafeEqual(a.length === b.length ? a : Buffer.alloc(b.length), b) && a.length === b.length
}
