/**
 * One client of both engines, with an organization on each. It sends the same requests to both in sequence; the answers must be
 * as documented, and equal except for names such as ids.
 */
import { bytesOf, Connection, Ended, type Raw, type Sent } from '../connection.ts'
import type { Dice } from '../dice.ts'
import type { Document, DocumentedOperation } from '../document.ts'
import type { EngineName } from '../row.ts'
import { type Asker, drawRequest, type FuzzRequest } from './draw-request.ts'
import type { Engine } from './engine.ts'
import { Known } from './known.ts'
import { Pairs } from './pairs.ts'
import type { Founded } from './served.ts'
import type { Tally } from './tally.ts'

/** No answer may take longer. */
const patience_ms = 60_000

/** Their answers show data that is written after the request: uses of keys, the request log. */
const written_behind = new Set(['request_logs.retrieve', 'usage.retrieve', 'api_keys.list'])

/** Headers with times or connection state. */
const own_headers = new Set(['date', 'connection', 'keep-alive', 'content-length'])

interface Side {
  readonly engine: EngineName
  readonly connection: Connection
}

export class Lane {
  private readonly sides: readonly [Side, Side]
  private readonly document: Document
  private readonly tally: Tally
  private readonly dice: Dice
  private readonly urls: readonly string[]
  private asker: Asker | null = null
  private pairs = new Pairs()

  constructor(
    engines: readonly [Engine, Engine],
    document: Document,
    urls: readonly string[],
    dice: Dice,
    tally: Tally,
  ) {
    const [one, other] = engines.map(({ name, port }) => ({ engine: name, connection: new Connection(port) }))
    this.sides = [one as Side, other as Side]
    this.document = document
    this.urls = urls
    this.dice = dice
    this.tally = tally
  }

  /** Changes to another organization. */
  move(one: Founded, other: Founded): void {
    const { dice, document, urls } = this
    const [known, pairs] = [new Known(one.keyIds), new Pairs()]
    for (const [name, id] of Object.entries(one.ids)) {
      known.keepId(id)
      pairs.bind(id, other.ids[name] as string)
    }
    for (const [i, id] of one.keyIds.entries()) pairs.bind(id, other.keyIds[i] as string)
    for (const name of ['organization', 'key', 'testKey'] as const) pairs.bind(one[name], other[name])
    known.keepId(one.organization)
    for (const [i, { connection }] of this.sides.entries()) {
      connection.close()
      if (i === 1) pairs.bind(`127.0.0.1:${this.sides[0].connection.port}`, `127.0.0.1:${connection.port}`)
    }
    this.pairs = pairs
    this.asker = { dice, known, schemas: document.schemas, urls, key: one.key, testKey: one.testKey, writes: 0 }
  }

  async requests(count: number): Promise<void> {
    for (let i = 0; i < count && !this.tally.isOver; i++) await this.step()
  }

  private async step(): Promise<void> {
    const asker = this.asker as Asker
    const request = drawRequest(asker, this.dice.pick(this.document.operations))
    const [one, other] = await Promise.all([this.send(0, request), this.send(1, request)])
    this.tally.requests += 2
    if (one === null || other === null) return
    const bodies = [this.judge(0, request, one), this.judge(1, request, other)]
    const { operation } = request
    if (one.status === 200 && operation !== null) this.tally.grant(operation.id)
    if (operation !== null && written_behind.has(operation.id)) return
    const found = this.difference(one, other)
    if (found !== null) this.blame(request, 'both', `differs: ${found}`)
    if (one.status !== 200 || operation === null) return
    asker.known.learn(one.text, one.headers.etag)
    const [body] = bodies as [{ data?: unknown } | null]
    for (const shown of Array.isArray(body?.data) ? body.data : [body]) asker.known.learnPlace(shown)
  }

  private async send(at: 0 | 1, request: FuzzRequest): Promise<Raw | null> {
    const { connection, engine } = this.sides[at]
    const bytes = bytesOf(at === 0 ? request.sent : this.translated(request.sent))
    const late = setTimeout(() => connection.close(), patience_ms)
    try {
      const raw = await connection.send(bytes)
      if (raw.headers['content-type'] === 'text/event-stream') connection.close()
      else if (connection.surplus > 0) this.blame(request, engine, `has ${connection.surplus} bytes after its answer`)
      return raw
    } catch (error) {
      if (!(error instanceof Ended)) throw error
      this.blame(request, engine, `has no answer: ${error.message}`)
      return null
    } finally {
      clearTimeout(late)
    }
  }

  private translated({ method, target, headers, body }: Sent): Sent {
    const { pairs } = this
    const other = headers.map(([name, value]): [string, string] => [name, pairs.translate(value)])
    const text = typeof body === 'string' ? body : body?.toString('latin1')
    const bytes = text === undefined ? undefined : Buffer.from(pairs.translate(text), 'latin1')
    return { method, target: pairs.translate(target), headers: other, body: bytes }
  }

  /** Compares an answer with the document. Returns its body. */
  private judge(at: 0 | 1, { operation, sent }: FuzzRequest, raw: Raw): unknown {
    const { engine } = this.sides[at]
    const blame = (what: string): void => this.blame({ operation, sent }, engine, what)
    const { status, text, headers } = raw
    this.tally.count(status)
    if (status >= 500) blame(`is ${status} ${text.slice(0, 300)}`)
    let body: unknown = null
    if (headers['content-type']?.startsWith('application/json') === true && text !== '') {
      try {
        body = JSON.parse(text)
      } catch {
        blame(`is not JSON: ${text.slice(0, 200)}`)
        return null
      }
    } else if (headers['content-type'] === 'text/event-stream') body = text
    const faults = this.faults(operation, sent.method, raw, body)
    if (faults.length > 0)
      blame(`differs from the document: ${faults.slice(0, 3).join('; ')}: ${status} ${text.slice(0, 200)}`)
    return body
  }

  private faults(operation: DocumentedOperation | null, method: string, raw: Raw, body: unknown): string[] {
    const { status, text } = raw
    if (method === 'HEAD') return text === '' ? [] : ['a HEAD has a body']
    if (operation === null) return status >= 400 ? this.document.errorFaults(body) : []
    const faults = this.document.faults(operation.id, raw, body)
    if (status < 400) return faults
    const { code } = (body as { error?: { code?: string } } | null)?.error ?? {}
    if (operation.codes.get(status)?.has(code ?? '') !== true)
      faults.push(`the code ${code} is not one of its ${status}`)
    return faults
  }

  /** Where the answers differ in more than names; `null` if nowhere. */
  private difference(one: Raw, other: Raw): string | null {
    if (one.status !== other.status) {
      return `${one.status} ${one.text.slice(0, 300)} and ${other.status} ${other.text.slice(0, 300)}`
    }
    const names = new Set([...Object.keys(one.headers), ...Object.keys(other.headers)])
    for (const name of names) {
      const found = own_headers.has(name)
        ? null
        : this.pairs.differs(one.headers[name] ?? '', other.headers[name] ?? '')
      if (found !== null) return `${name}: ${found}`
    }
    return this.pairs.differs(canonical(one.text), canonical(other.text))
  }

  private blame({ operation, sent }: FuzzRequest, engine: EngineName | 'both', what: string): void {
    const { method, target, headers, body } = sent
    const shown = headers.filter(([name]) => name !== 'Authorization').map(([name, value]) => `${name}: ${value}`)
    const kind = `${operation?.id ?? 'no operation'} ${engine} ${what.slice(0, 40)}`
    const request = `${method} ${target} ${shown.join(', ')} ${body?.toString().slice(0, 600) ?? ''}`
    this.tally.violated(kind, `${operation?.id ?? ''} on ${engine} ${what}; request: ${request.slice(0, 1500)}`)
  }

  close(): void {
    for (const { connection } of this.sides) connection.close()
  }
}

/** The text without random parts and durations. The visible ends of secrets are too short to be paired as names. */
function canonical(text: string): string {
  return text.replace(/"(duration_ms|hint|last4)":(\d+|"[^"]*")/g, '"$1":0')
}
