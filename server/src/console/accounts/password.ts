/**
 * Passwords: kept as Argon2id with a random salt and, besides, under a key that is not in the database. What is checked
 * takes the same time whether there is an account or not. Hashing is dear on purpose: it is done off the main thread, a
 * few at a time, and who would wait too long is refused.
 */
import { argon2, randomFillSync } from 'node:crypto'
import { promisify } from 'node:util'
import { refuse } from '../../api/errors.ts'
import { limits } from '../../lib/limits.ts'
import { type Sealer, sameBytes } from '../../lib/seal.ts'
import { common_passwords } from './common-passwords.ts'

const hash = promisify(argon2)

/** As it is hashed: one way of writing for what looks the same. */
function normal(password: string): string {
  return password.normalize('NFKC')
}

/** Refuses a new password that is short, long, or among the first that anybody would try. `param` is its field. */
export function requireGoodPassword(password: string, email: string, param: string): void {
  const given = normal(password)
  const length = [...given].length
  const wrong = (message: string): Error => refuse('invalid_request_body', { param, message })
  if (length < limits.password_chars_min || length > limits.password_chars_max) {
    throw wrong(`A password has ${limits.password_chars_min} to ${limits.password_chars_max} characters.`)
  }
  const folded = given.toLowerCase()
  if (new Set(folded).size < 4) throw wrong('A password of so few different characters is guessed at once.')
  if (common_passwords.has(folded)) throw wrong('This password is one of those that everybody tries first.')
  if (folded === email || folded === email.split('@')[0]) throw wrong('The password must not be the e-mail address.')
}

interface Kept {
  readonly memory: number
  readonly passes: number
  readonly parallelism: number
  readonly salt: Buffer
  readonly hash: Buffer
}

const today = {
  memory: limits.argon2_memory_kib,
  passes: limits.argon2_passes,
  parallelism: limits.argon2_lanes,
}

/** What is kept of a password: a PHC string. */
export async function hashPassword(sealer: Sealer, password: string): Promise<string> {
  const salt = randomFillSync(Buffer.alloc(limits.argon2_salt_bytes))
  const made = await inTurn(() => derive(sealer, password, { ...today, salt }, limits.argon2_hash_bytes))
  const { memory, passes, parallelism } = today
  const text = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '')
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${text(salt)}$${text(made)}`
}

const nobody: Kept = {
  ...today,
  salt: Buffer.alloc(limits.argon2_salt_bytes),
  hash: Buffer.alloc(limits.argon2_hash_bytes),
}

/** Whether it is the password; `null`, for who has no account, takes as long and is false. */
export async function isPassword(sealer: Sealer, password: string, phc: string | null): Promise<boolean> {
  const kept = phc === null ? nobody : readPhc(phc)
  const made = await inTurn(() => derive(sealer, password, kept, kept.hash.length))
  return sameBytes(made, kept.hash) && phc !== null
}

/** Whether a password should be hashed anew because it is dearer today. */
export function isOutdated(phc: string): boolean {
  const { memory, passes, parallelism } = readPhc(phc)
  return memory !== today.memory || passes !== today.passes || parallelism !== today.parallelism
}

async function derive(sealer: Sealer, password: string, how: Omit<Kept, 'hash'>, bytes: number): Promise<Buffer> {
  const { memory, passes, parallelism, salt } = how
  return await hash('argon2id', {
    message: normal(password),
    nonce: salt,
    secret: sealer.mac('passwords', 'pepper'),
    memory,
    passes,
    parallelism,
    tagLength: bytes,
  })
}

function readPhc(phc: string): Kept {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/.exec(phc)
  if (match === null) throw new Error('a password is not kept in the form that it should be')
  const [, memory, passes, parallelism, salt = '', hash = ''] = match
  return {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  }
}

let running = 0
const waiting: (() => void)[] = []

/** Runs `work` when one of the few places is free. */
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= limits.passwords_hashed_max) {
    if (waiting.length >= limits.passwords_waiting_max) throw refuse('too_many_attempts', { retryAfter: 1 })
    await new Promise<void>((resolve) => waiting.push(resolve))
  } else running++
  try {
    return await work()
  } finally {
    const next = waiting.shift()
    // The place is handed on, so that nobody who comes later takes it first.
    if (next === undefined) running--
    else next()
  }
}
