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
export type Step = 'written' | RotationStep | 'replaced'

interface Plan {
  readonly from: Buffer
  readonly to: Buffer
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
      reached('written')
      const sealed = await move(store, plan, reached)
      plan.finish()
      reached('replaced')
      const done =
        sealed === null ? 'The secret key was already rotated' : `The secret key is rotated: ${sealed} sealed values`
      const { Sealer } = await import('../lib/seal.ts')
      const json = {
        rotated: sealed !== null,
        sealed_values: sealed ?? 0,
        fingerprint: new Sealer(plan.to).fingerprint,
      }
      return { json, text: `${done}. ${plan.advice}` }
    },
    { anyKey: true },
  )
}

/** Moves the database to the new key; null if it belongs to it already. */
async function move(store: Store, { from, to }: Plan, reached: (step: Step) => void): Promise<number | null> {
  const { readSecretKeyRow, WrongSecretKey } = await import('../db/secret-key/check.ts')
  const { CannotRotate, rotateSecretKey } = await import('../db/secret-key/rotate.ts')
  const { Sealer } = await import('../lib/seal.ts')
  const { systemClock } = await import('../lib/clock.ts')
  const row = await readSecretKeyRow(store.reader('system'))
  if (row?.fingerprint === new Sealer(to).fingerprint) return null
  try {
    return await rotateSecretKey(store, { from, to, now: systemClock.now() }, reached)
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
    return {
      from: await keyIn(oldKeyFile),
      to: configured,
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
  const to = await keyIn(newKeyFile, true)
  const advice = `Set ATRIUM_SECRET_KEY to the content of ${resolve(newKeyFile)} before the next start.`
  return { from: configured, to, finish: () => {}, advice }
}

/** The key of the data directory: the next one is on disk before the database needs it, and the former one stays beside it. */
async function planFiles(config: Config, from: Buffer, newKeyFile: string | undefined): Promise<Plan> {
  if (newKeyFile !== undefined)
    throw new UsageError(
      '--new-key-file needs ATRIUM_SECRET_KEY: a new key in the data directory is generated.',
      'new_key_file',
    )
  const { nextKeyFileOf, secretKeyFileOf } = await import('../secret-key.ts')
  const { replaceKeyFile, writeKeyFile } = await import('../lib/secret-key.ts')
  const { Sealer } = await import('../lib/seal.ts')
  const [file, next] = [secretKeyFileOf(config), nextKeyFileOf(config)]
  const former = `${file}.former-${new Sealer(from).fingerprint}`
  writeKeyFile(former, from)
  const to = await keyIn(next, true)
  const advice = `Back up ${file}; earlier backups need ${former}.`
  return { from, to, finish: () => replaceKeyFile(next, file), advice }
}

/** The key in a file; `create` generates one where there is no file. */
async function keyIn(file: string, create = false): Promise<Buffer> {
  const { newSecretKey, readKeyFile, writeKeyFile } = await import('../lib/secret-key.ts')
  if (!existsSync(file)) {
    if (!create) throw new Failure(`There is no file ${file}.`)
    writeKeyFile(resolve(file), newSecretKey())
  }
  const key = readKeyFile(file)
  if (key === null) throw new Failure(`${file} does not hold 32 bytes in base64.`)
  return key
}
