/** Sends bytes on a connection of their own, whole or in pieces, and collects everything until it closes. */
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Raw, readAnswer } from '../connection.ts'
import { Dice } from '../dice.ts'
import type { Document } from '../document.ts'
import type { Engine } from './engine.ts'
import type { Founded } from './served.ts'
import type { Tally } from './tally.ts'
import { type WireCase, wireCase } from './wire-cases.ts'

const patience_ms = 60_000
/** A server silent for this long waits for more. */
const silence_ms = 100

interface Received {
  readonly answers: readonly Raw[]
  /** Bytes that are not a complete answer. */
  readonly rest: Buffer
  readonly isClosed: boolean
}

/**
 * Sends the pieces and resolves when the connection is closed. `ends`: the client closes first if the server waits for more,
 * which aborts requests in progress.
 */
async function exchange(port: number, pieces: readonly Buffer[], ends: boolean): Promise<Received> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  const chunks: Buffer[] = []
  let isClosed = true
  const silence = ends ? setTimeout(() => socket.end(), silence_ms) : null
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    silence?.refresh()
  })
  socket.on('error', () => {})
  const late = setTimeout(() => {
    isClosed = false
    socket.destroy()
  }, patience_ms)
  // `once` of node:events would reject on an error, which a server that closes early may cause.
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  socket.on('close', () => resolve())
  for (const [i, piece] of pieces.entries()) {
    if (i > 0) await sleep(1)
    if (socket.writable) socket.write(piece)
  }
  await closed
  clearTimeout(late)
  if (silence !== null) clearTimeout(silence)
  return { ...answersIn(Buffer.concat(chunks)), isClosed }
}

function answersIn(bytes: Buffer): { answers: Raw[]; rest: Buffer } {
  const answers: Raw[] = []
  let rest = bytes
  for (let read = readAnswer(rest); read !== null; read = readAnswer(rest)) {
    if (read.raw.status !== 100) answers.push(read.raw)
    rest = rest.subarray(read.length)
  }
  return { answers, rest }
}

/** The bytes whole, or cut at a few points. */
function piecesOf(dice: Dice, bytes: Buffer): Buffer[] {
  if (dice.chance(0.6)) return [bytes]
  const cuts = Array.from({ length: dice.int(1, 6) }, () => dice.int(0, bytes.length)).sort((a, b) => a - b)
  return [0, ...cuts].map((from, i) => bytes.subarray(from, cuts[i] ?? bytes.length))
}

export class Wire {
  private readonly engines: readonly Engine[]
  private readonly document: Document
  private readonly dice: Dice
  private readonly tally: Tally
  private keys: readonly string[] = []

  constructor(engines: readonly Engine[], document: Document, dice: Dice, tally: Tally) {
    this.engines = engines
    this.document = document
    this.dice = dice
    this.tally = tally
  }

  /** Changes to another organization. */
  move(one: Founded, other: Founded): void {
    this.keys = [one.key, other.key]
  }

  /** Sends about `count` requests to each engine. */
  async requests(count: number): Promise<void> {
    for (let sent = 0; sent < count && !this.tally.isOver; ) sent += await this.step()
  }

  private async step(): Promise<number> {
    const { engines, dice } = this
    const seed = dice.int(0, 2 ** 31)
    const made = await Promise.all(
      engines.map(async (engine, i) => {
        const own = new Dice(seed)
        const one = wireCase(own, this.keys[i] as string)
        this.judge(engine, one, await exchange(engine.port, piecesOf(own, one.bytes), !Array.isArray(one.expect)))
        return one.requests
      }),
    )
    for (const requests of made) this.tally.requests += requests
    return made[0] ?? 1
  }

  private judge(engine: Engine, one: WireCase, { answers, rest, isClosed }: Received): void {
    const blame = (what: string): void => this.blame(one, `${what} on ${engine.name}`)
    const statuses = answers.map(({ status }) => status)
    for (const status of statuses) this.tally.count(status)
    if (!isClosed) blame('is neither answered completely nor closed')
    if (rest.length > 0) blame(`has bytes after its answers: ${rest.toString('latin1', 0, 200)}`)
    if (statuses.some((status) => status >= 500)) blame(`is ${statuses}`)
    if (one.expect === 'refused' && (statuses.length > 1 || statuses.some((status) => status < 400)))
      blame(`is ${statuses}`)
    if (Array.isArray(one.expect) && statuses.join() !== one.expect.join()) blame(`is ${statuses}, not ${one.expect}`)
    for (const { status, text } of answers.filter((each) => each.status >= 400)) {
      const faults = this.document.errorFaults(jsonOf(text))
      if (faults.length > 0) blame(`is ${status} without the envelope: ${faults.slice(0, 2)}: ${text.slice(0, 100)}`)
    }
  }

  private blame({ name, bytes }: WireCase, what: string): void {
    this.tally.violated(
      `wire ${name} ${what.slice(0, 30)}`,
      `${name} ${what}; request: ${JSON.stringify(bytes.toString('latin1', 0, 800))}`,
    )
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
