/**
 * Verification of webhooks over the raw bytes, before anything is parsed. Supports both signatures of a delivery:
 * `Service-Signature` and Standard Webhooks. WebCrypto compares signatures in constant time.
 */
import { WebhookVerificationError } from './errors.ts'
import type { AtriumEvent } from './generated/objects.ts'
import { defaults } from './options.ts'

/** The raw body. A parsed body cannot be verified: serializing it again gives other bytes. */
export type RawBody = string | Uint8Array | ArrayBuffer

/** The request's headers, or the value of `Service-Signature`. */
export type WebhookHeaders = string | Headers | Readonly<Record<string, string | readonly string[] | undefined>>

export interface VerifyOptions {
  /** Maximum distance of the signature's time from now, in seconds. 300 by default. */
  tolerance?: number | undefined
  /** The current time in Unix seconds; the clock by default. */
  now?: number | undefined
}

interface Signed {
  /** The signed time, as text. */
  readonly timestamp: string
  readonly content: Uint8Array<ArrayBuffer>
  readonly signatures: readonly Uint8Array<ArrayBuffer>[]
  /** The key's bytes of a secret. */
  readonly keyOf: (secret: string) => Uint8Array<ArrayBuffer>
}

const encoder = new TextEncoder()

/**
 * Verifies a delivery with one of the secrets and returns its event. During a rotation pass both secrets. Rejects with a
 * `WebhookVerificationError`, whose `reason` says what is wrong.
 *
 * Do not verify the request that checks a new URL (`Service-Event-Type: platform.webhook_endpoint.verify`): it is unsigned,
 * because the secret is issued afterwards. Answer it with 204.
 */
export async function verifyWebhook(
  body: RawBody,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  options: VerifyOptions = {},
): Promise<AtriumEvent> {
  const bytes = bytesOf(body)
  const signed = signedOf(bytes, headers)
  if (!(await matches(signed, [secrets].flat()))) {
    throw new WebhookVerificationError('wrong_signature', 'No signature matches these bytes and this secret.')
  }
  const { tolerance = defaults.tolerance_seconds, now = Math.floor(Date.now() / 1000) } = options
  const age = now - Number(signed.timestamp)
  if (Math.abs(age) > tolerance) {
    throw new WebhookVerificationError(
      'outside_tolerance',
      `The signature is ${age} s old; ${tolerance} s are allowed.`,
    )
  }
  return eventOf(bytes)
}

function bytesOf(body: RawBody): Uint8Array<ArrayBuffer> {
  if (typeof body === 'string') return encoder.encode(body)
  if (body instanceof ArrayBuffer) return new Uint8Array(body)
  if (body instanceof Uint8Array) return new Uint8Array(body)
  throw new TypeError('verifyWebhook needs the raw body as bytes or text; a parsed body cannot be verified.')
}

function signedOf(bytes: Uint8Array<ArrayBuffer>, headers: WebhookHeaders): Signed {
  const own = typeof headers === 'string' ? headers : header(headers, 'service-signature')
  if (own !== null && own !== '') return ownSignatures(bytes, own)
  const standard = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => header(headers, name))
  const [id, timestamp, signature] = standard
  if (!id || !timestamp || !signature) {
    throw new WebhookVerificationError('missing_signature', 'The request has no signature.')
  }
  return standardSignatures(bytes, id, timestamp, signature)
}

function header(headers: WebhookHeaders, name: string): string | null {
  if (typeof headers === 'string') return null
  if (headers instanceof Headers) return headers.get(name)
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  return (typeof found === 'string' ? found : found?.[0]) ?? null
}

/** `t=<unix>,v1=<hex>`, several `v1` during a rotation; other versions are ignored. */
function ownSignatures(bytes: Uint8Array<ArrayBuffer>, text: string): Signed {
  const pairs = text.split(',').map((part) => part.trim().split('=') as [string, string?])
  const [timestamp, second] = pairs.filter(([name]) => name === 't').map(([, value]) => value ?? '')
  const hex = pairs
    .filter(([name, value]) => name === 'v1' && /^[0-9a-f]{64}$/.test(value ?? ''))
    .map(([, value]) => value)
  if (timestamp === undefined || second !== undefined) throw malformed()
  return signed(
    timestamp,
    `${timestamp}.`,
    bytes,
    hex.map((value) => fromHex(value as string)),
    (secret) => encoder.encode(secret),
  )
}

/** `v1,<base64>`, separated by spaces; other versions are ignored. */
function standardSignatures(bytes: Uint8Array<ArrayBuffer>, id: string, timestamp: string, text: string): Signed {
  const parts = text.split(' ').filter((part) => part.startsWith('v1,'))
  const signatures = parts.flatMap((part) => fromBase64(part.slice('v1,'.length)) ?? [])
  return signed(timestamp, `${id}.${timestamp}.`, bytes, signatures, (secret) => {
    const key = fromBase64(secret.replace(/^whsec_/, ''))
    if (key === null)
      throw new TypeError('The secret is not that of a webhook endpoint: expected whsec_ followed by base64.')
    return key
  })
}

function signed(
  timestamp: string,
  prefix: string,
  bytes: Uint8Array<ArrayBuffer>,
  signatures: readonly Uint8Array<ArrayBuffer>[],
  keyOf: Signed['keyOf'],
): Signed {
  if (!/^\d{1,12}$/.test(timestamp) || signatures.length === 0) throw malformed()
  const head = encoder.encode(prefix)
  const content = new Uint8Array(head.length + bytes.length)
  content.set(head)
  content.set(bytes, head.length)
  return { timestamp, content, signatures: signatures.slice(0, defaults.signatures_max), keyOf }
}

async function matches({ content, signatures, keyOf }: Signed, secrets: readonly string[]): Promise<boolean> {
  if (secrets.length === 0 || secrets.some((secret) => typeof secret !== 'string' || secret === '')) {
    throw new TypeError('verifyWebhook needs the signing secret from the creation of the endpoint.')
  }
  let found = false
  for (const secret of secrets) {
    const algorithm = { name: 'HMAC', hash: 'SHA-256' }
    const key = await crypto.subtle.importKey('raw', keyOf(secret), algorithm, false, ['verify'])
    // All are checked, so that timing does not reveal which one matched.
    for (const signature of signatures) found = (await crypto.subtle.verify('HMAC', key, signature, content)) || found
  }
  return found
}

function eventOf(bytes: Uint8Array<ArrayBuffer>): AtriumEvent {
  try {
    const event = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    if (typeof event?.type === 'string') return event
  } catch {
    // Reported below.
  }
  throw new WebhookVerificationError('invalid_payload', 'The signature is valid, but the body is not an event.')
}

function malformed(): WebhookVerificationError {
  return new WebhookVerificationError('malformed_signature', 'The signature header is malformed.')
}

function fromHex(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return null
  }
}
