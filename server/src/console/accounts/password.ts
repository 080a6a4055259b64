/**
 * Password hashes: Argon2id with a random salt per email address and a pepper that is not in the database. Hashing is slow
 * by design: it runs off the main thread with limited concurrency and a bounded queue; a full queue answers 429.
 */
import { argon2, randomFillSync } from 'node:crypto'
import { promisify } from 'node:util'
import { refuse } from '../../api/declare/errors.ts'
import type { Sealer } from '../../lib/seal.ts'
import { console_limits } from '../limits.ts'
import { common_passwords } from './common-passwords.ts'

const hash = promisify(argon2)

/** NFKC, so that the same characters typed on different keyboards give the same hash. */
function normalize(password: string): string {
  return password.normalize('NFKC')
}

/** Refuses a new password that is too short, too long or easy to guess. `param` is its field. */
export function requireGoodPassword(password: string, email: string, param: string): void {
  const given = normalize(password)
  const length = [...given].length
  const wrong = (message: string): Error => refuse('invalid_request_body', { param, message })
  if (length < console_limits.password_chars_min || length > console_limits.password_chars_max) {
    throw wrong(`Use ${console_limits.password_chars_min} to ${console_limits.password_chars_max} characters.`)
  }
  const folded = given.toLowerCase()
  if (new Set(folded).size < 4) throw wrong('Use at least 4 different characters.')
  if (common_passwords.has(folded)) throw wrong('This password is too common. Choose another.')
  if (folded === email || folded === email.split('@')[0]) throw wrong('The password cannot be your email address.')
}

/**
 * The parameters of a new hash, as the head of its PHC string: the current cost, and the salt of `known`, a hash of the
 * same email address. Accounts of one address share a salt, so one hash tells which of them a password belongs to.
 */
export function newParameters(known: string | undefined): string {
  const { argon2_memory_kib: memory, argon2_passes: passes, argon2_lanes: lanes } = console_limits
  const salt =
    known === undefined ? randomFillSync(Buffer.alloc(console_limits.argon2_salt_bytes)) : readPhc(known).salt
  return `$argon2id$v=19$m=${memory},t=${passes},p=${lanes}$${toText(salt)}`
}

/** The parameters of a hash. */
export function parametersOf(phc: string): string {
  return phc.slice(0, phc.lastIndexOf('$'))
}

/** Hashes a password with these parameters to a PHC string. */
export async function hashPassword(sealer: Sealer, password: string, parameters: string): Promise<string> {
  const { memory, passes, parallelism, salt } = readPhc(parameters)
  const digest = await withHashingSlot(() =>
    hash('argon2id', {
      message: normalize(password),
      nonce: salt,
      secret: sealer.mac('passwords', 'pepper'),
      memory,
      passes,
      parallelism,
      tagLength: console_limits.argon2_hash_bytes,
    }),
  )
  return `${parameters}$${toText(digest)}`
}

interface HashParameters {
  readonly memory: number
  readonly passes: number
  readonly parallelism: number
  readonly salt: Buffer
}

function readPhc(phc: string): HashParameters {
  const [, algorithm, version, cost = '', salt] = phc.split('$')
  const [memory, passes, parallelism] = cost.split(',').map((part) => Number(part.slice(2)))
  if (algorithm !== 'argon2id' || version !== 'v=19' || salt === undefined || !(memory && passes && parallelism))
    throw new Error('a password hash is not a valid PHC string')
  return { memory, passes, parallelism, salt: Buffer.from(salt, 'base64') }
}

function toText(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '')
}

let running = 0
const waiting: (() => void)[] = []

/** Runs `work` in one of the hashing slots, or waits for one. Refuses when too many wait. */
async function withHashingSlot<T>(work: () => Promise<T>): Promise<T> {
  if (running >= console_limits.passwords_hashed_max) {
    if (waiting.length >= console_limits.passwords_waiting_max) throw refuse('too_many_attempts', { retryAfter: 1 })
    await new Promise<void>((resolve) => waiting.push(resolve))
  } else running++
  try {
    return await work()
  } finally {
    const next = waiting.shift()
    // The slot passes to the next in the queue, so `running` stays: a newcomer cannot take it.
    if (next === undefined) running--
    else next()
  }
}
