import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Config } from '../config.ts'
import type { RotationStep } from '../db/secret-key/rotate.ts'
import type { Store } from '../db/store.ts'
import { command, Failure, type Outcome, UsageError } from './command.ts'
import { requireMigrated, withStore } from './open.ts'

/** Puts a new secret key in the place of the former one. Killed anywhere, it leaves one of the two in force. */
export const secretKeyRotate = command({
  name: 'secret-key rotate',
  group: 'Keeping watch',
  summary: 'Replace the secret key, while all servers are stopped',
  details:
    'API keys, sessions, passwords, cursors and links stay valid. Sealed values are sealed with the new key, and the former\n' +
    'key is refused from then on. A key in the data directory is replaced; secret.key.former-… keeps the former one, which\n' +
    'earlier backups need. With ATRIUM_SECRET_KEY, name a file for the new key; or set the new key first and name the file\n' +
    'of the former one. After an interruption, run the command again.',
  options: {
    newKeyFile: {
      shows: '<file>',
      does: 'File of the new key in base64; a missing one is created with a generated key (with ATRIUM_SECRET_KEY).',
    },
    oldKeyFile: { shows: '<file>', does: 'File of the former key in base64; the configured key is then the new one.' },
  },
  examples: ['atrium secret-key rotate', 'atrium secret-key rotate --new-key-file /etc/atrium/next.key'],
  run: (given) => rotate(given),
})

export interface GivenFiles {
  readonly newKeyFile?: string | undefined
  readonly oldKeyFile?: string | undefined
}

/** What the command has done, in this order; a rotation without a key file in the data directory ends with `committed`. */
export type Step = RotationStep | 'replaced'

interface Plan {
  readonly from: Buffer
  /** The next key if a file holds it already. */
  readonly known: Buffer | null
  /** Puts the next key on disk unless it is there, and returns it. */
  readonly keep: () => Buffer
  /** Makes the new key the configured one. */
  readonly finish: () => void
  /** What the operator does next. */
  readonly advice: string
}

/** Rotates the key of the configured database. `reached` is called after each step. */
export async function rotate(given: GivenFiles, reached: (step: Step) => void = () => {}): Promise<Outcome> {
  return await withStore(
    async (store, config) => {
      await requireMigrated(store)
      const plan = await planRotation(config, given)
      const { sealed, key } = await move(store, plan, reached)
      plan.finish()
      reached('replaced')
      const done =
        sealed === null ? 'The secret key was already rotated' : `The secret key is rotated: ${sealed} sealed values`
      const { Sealer } = await import('../lib/seal.ts')
      const json = {
        rotated: sealed !== null,
        sealed_values: sealed ?? 0,
        fingerprint: new Sealer(key).fingerprint,
      }
      return { json, text: `${done}. ${plan.advice}` }
    },
    { anyKey: true },
  )
}

interface Moved {
  readonly key: Buffer
  /** Null if the database belonged to the key already. */
  readonly sealed: number | null
}

/** Moves the database to the new key. */
async function move(store: Store, { from, known, keep }: Plan, reached: (step: Step) => void): Promise<Moved> {
  const { readSecretKeyRow, WrongSecretKey } = await import('../db/secret-key/check.ts')
  const { CannotRotate, rotateSecretKey } = await import('../db/secret-key/rotate.ts')
  const { Sealer } = await import('../lib/seal.ts')
  const { systemClock } = await import('../lib/clock.ts')
  const row = await readSecretKeyRow(store)
  if (known !== null && row?.fingerprint === new Sealer(known).fingerprint) return { key: known, sealed: null }
  let key = from
  const to = () => {
    key = keep()
    return key
  }
  try {
    const sealed = await rotateSecretKey(store, { from, to, now: systemClock.now() }, reached)
    return { key, sealed }
  } catch (error) {
    if (error instanceof WrongSecretKey)
      throw new Failure(`The former key is not the key of this database: ${error.message}.`)
    if (error instanceof CannotRotate) throw new Failure(error.message)
    throw error
  }
}

async function planRotation(config: Config, { newKeyFile, oldKeyFile }: GivenFiles): Promise<Plan> {
  if (newKeyFile !== undefined && oldKeyFile !== undefined)
    throw new UsageError(
      'Give --new-key-file or --old-key-file, not both: the other key is the configured one.',
      'old_key_file',
    )
  const { secretKeyOf } = await import('../secret-key.ts')
  const configured = secretKeyOf(config)
  if (oldKeyFile !== undefined) {
    if (!existsSync(oldKeyFile)) throw new Failure(`There is no file ${oldKeyFile}.`)
    return {
      from: await keyIn(oldKeyFile),
      known: configured,
      keep: () => configured,
      finish: () => {},
      advice: 'The configured key is in force.',
    }
  }
  if (config.secretKey === null) return await planFiles(config, configured, newKeyFile)
  if (newKeyFile === undefined)
    throw new UsageError(
      '--new-key-file is required with ATRIUM_SECRET_KEY: it names a file for the new key.',
      'new_key_file',
    )
  const advice = `Set ATRIUM_SECRET_KEY to the content of ${resolve(newKeyFile)} before the next start.`
  return { from: configured, ...(await nextKey(newKeyFile)), finish: () => {}, advice }
}

/** The key of the data directory: the next one is on disk before the database needs it, and the former one stays beside it. */
async function planFiles(config: Config, from: Buffer, newKeyFile: string | undefined): Promise<Plan> {
  if (newKeyFile !== undefined)
    throw new UsageError(
      '--new-key-file needs ATRIUM_SECRET_KEY: a new key in the data directory is generated.',
      'new_key_file',
    )
  const { nextKeyFileOf, secretKeyFileOf } = await import('../secret-key.ts')
  const { removeCutKeyFiles, replaceKeyFile, writeKeyFile } = await import('../lib/secret-key.ts')
  const { Sealer } = await import('../lib/seal.ts')
  const [file, next] = [secretKeyFileOf(config), nextKeyFileOf(config)]
  const former = `${file}.former-${new Sealer(from).fingerprint}`
  const { known, keep } = await nextKey(next)
  const keepBoth = () => {
    removeCutKeyFiles(file)
    writeKeyFile(former, from)
    return keep()
  }
  const advice = `Back up ${file}; earlier backups need ${former}.`
  return { from, known, keep: keepBoth, finish: () => replaceKeyFile(next, file), advice }
}

/** The next key in a file: of an earlier attempt, or one that is generated when it is kept. */
async function nextKey(file: string): Promise<Pick<Plan, 'known' | 'keep'>> {
  const { newSecretKey, writeKeyFile } = await import('../lib/secret-key.ts')
  if (existsSync(file)) {
    const known = await keyIn(file)
    return { known, keep: () => known }
  }
  const key = newSecretKey()
  const keep = () => {
    if (!writeKeyFile(resolve(file), key)) throw new Failure(`${file} was made meanwhile. Run the command again.`)
    return key
  }
  return { known: null, keep }
}

async function keyIn(file: string): Promise<Buffer> {
  const { readKeyFile } = await import('../lib/secret-key.ts')
  const key = readKeyFile(file)
  if (key === null) throw new Failure(`${file} does not hold 32 bytes in base64.`)
  return key
}
