/**
 * A push service on the loopback, with a browser behind it: it checks what RFC 8030 and RFC 8292 demand, decrypts notices with the
 * browser's private key (RFC 8291), and refuses when a test says so.
 */
import assert from 'node:assert/strict'
import { createDecipheriv, createECDH, createPublicKey, type ECDH, hkdfSync, randomBytes, verify } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** A notice as the browser reads it. */
export interface Shown {
  readonly browser: string
  readonly title: string
  readonly body: string
  readonly path: string
  readonly tag: string
  readonly topic: string
  readonly ttl: string
  readonly bytes: number
  /** What the browser decrypts. */
  readonly text: string
  /** What the push service sees: address, header fields and body. */
  readonly seen: string
  /** What signed it: claims and public key. */
  readonly claims: { readonly aud: string; readonly exp: number; readonly sub: string }
  readonly key: string
}

interface Browser {
  readonly pair: ECDH
  readonly auth: Buffer
}

export class PushServer {
  /** The answer to the next notices: their refusal, or null to accept them. */
  refusal: { readonly status: number; readonly retryAfter?: string } | null = null
  asked = 0
  readonly #shown: Shown[] = []
  readonly #arrivals = new EventEmitter()
  readonly #browsers = new Map<string, Browser>()
  readonly #server: Server

  private constructor() {
    this.#server = createServer((request, response) => {
      this.asked++
      void buffer(request)
        .then((body) => {
          const name = request.url?.slice(1) ?? ''
          const { refusal } = this
          if (refusal === null) this.#shown.push(this.#read(name, request.headers, body))
          this.#arrivals.emit('notice')
          const { status, retryAfter } = refusal ?? { status: 201 }
          response.writeHead(status, retryAfter === undefined ? {} : { 'retry-after': retryAfter }).end()
        })
        .catch((error: unknown) => response.writeHead(400).end(String(error)))
    })
  }

  static async open(): Promise<PushServer> {
    const server = new PushServer()
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve))
    return server
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** A browser that subscribes: what its page sends to the server. */
  subscribe(name: string): { endpoint: string; p256dh: string; auth: string } {
    const pair = createECDH('prime256v1')
    pair.generateKeys()
    const auth = randomBytes(16)
    this.#browsers.set(name, { pair, auth })
    return {
      endpoint: `${this.url}/${name}`,
      p256dh: pair.getPublicKey('base64url'),
      auth: auth.toString('base64url'),
    }
  }

  /** The next notice, as soon as it is shown. */
  async next(): Promise<Shown> {
    for (;;) {
      const shown = this.#shown.shift()
      if (shown !== undefined) return shown
      await once(this.#arrivals, 'notice')
    }
  }

  /** What has been shown since the last call, by browser. */
  take(): Shown[] {
    return this.#shown.splice(0).sort((a, b) => (a.browser < b.browser ? -1 : 1))
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise<void>((resolve) => this.#server.close(() => resolve()))
  }

  #read(name: string, headers: Readonly<Record<string, unknown>>, body: Buffer): Shown {
    const { claims, key } = signatureOf(String(headers.authorization))
    assert.equal(claims.aud, this.url.replace('http:', 'https:'), 'the signature is for this service')
    assert.ok(claims.exp * 1000 > Date.now() && claims.exp * 1000 <= Date.now() + 24 * 3_600_000)
    assert.equal(headers['content-encoding'], 'aes128gcm')
    assert.ok(body.length <= 4096, 'a push service takes no more')
    const browser = this.#browsers.get(name)
    assert.ok(browser !== undefined)
    const text = decrypt(body, browser)
    const shown = JSON.parse(text) as Pick<Shown, 'title' | 'body' | 'path' | 'tag'>
    const seen = `${name} ${JSON.stringify(headers)} ${body.toString('latin1')}`
    const { topic, ttl } = headers
    const sent = { topic: String(topic), ttl: String(ttl), bytes: body.length, seen, claims, key }
    return { ...shown, ...sent, browser: name, text }
  }
}

/** The claims of a VAPID header whose signature is right (RFC 8292). */
function signatureOf(authorization: string): Pick<Shown, 'claims' | 'key'> {
  const [, token = '', key = ''] = /^vapid t=([^,]+), k=([\w-]+)$/.exec(authorization) ?? []
  const [head = '', claims = '', signature = ''] = token.split('.')
  const point = Buffer.from(key, 'base64url')
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'))
  const publicKey = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y } as never, format: 'jwk' })
  const signed = Buffer.from(`${head}.${claims}`)
  const isRight = verify(
    'sha256',
    signed,
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  )
  assert.ok(isRight, 'the signature is not by the key')
  return { claims: JSON.parse(Buffer.from(claims, 'base64url').toString()), key }
}

/** The only record of a body of aes128gcm (RFC 8188), with the keys of RFC 8291. */
function decrypt(body: Buffer, { pair, auth }: Browser): string {
  const salt = body.subarray(0, 16)
  const keyLength = body.readUInt8(20)
  const sender = body.subarray(21, 21 + keyLength)
  const record = body.subarray(21 + keyLength)
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), pair.getPublicKey(), sender])
  const secret = hkdfSync('sha256', pair.computeSecret(sender), auth, info, 32)
  const derive = (name: string, bytes: number) =>
    Buffer.from(hkdfSync('sha256', Buffer.from(secret), salt, `Content-Encoding: ${name}\0`, bytes))
  const cipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12))
  cipher.setAuthTag(record.subarray(-16))
  const padded = Buffer.concat([cipher.update(record.subarray(0, -16)), cipher.final()])
  const end = padded.lastIndexOf(2)
  assert.ok(end >= 0 && padded.subarray(end + 1).every((byte) => byte === 0))
  return padded.subarray(0, end).toString('utf8')
}
