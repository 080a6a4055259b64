/** What SQLite's errors mean: a disk fault or a held lock is not a fault of the request. */
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { db_limits } from '../limits.ts'
import type { MaybePromise } from '../query.ts'
import { DamagedDatabase, StoreUnavailable } from '../store.ts'

/** SQLite's primary result code; null for any other error. */
function codeOf(error: unknown): number | null {
  if (!(error instanceof Error) || (error as { code?: string }).code !== 'ERR_SQLITE_ERROR') return null
  return ((error as { errcode?: number }).errcode ?? 0) & 0xff
}

const busy = 5
/** nomem, readonly, ioerr, corrupt, cantopen, protocol, notadb: the open handle itself may be bad */
const broken = new Set([7, 8, 10, 11, 14, 15, 26])
/** busy, locked, interrupt, full */
const passing = new Set([busy, 6, 9, 13])

/** What an operator has to look at, where SQLite's own words do not say it. */
const meanings: Readonly<Record<number, string>> = {
  10: 'the disk refused to read or write; it is full or failing',
  13: 'the disk is full',
}

/** corrupt, notadb */
const corrupt = new Set([11, 26])
/** readonly, ioerr, full */
const unwritable = new Set([8, 10, 13])

/** A page of the file is malformed. */
export function isCorrupt(error: unknown): boolean {
  return corrupt.has(codeOf(error instanceof StoreUnavailable ? error.cause : error) ?? 0)
}

/** The disk refused a write. */
export function isUnwritable(error: unknown): boolean {
  return unwritable.has(codeOf(error instanceof StoreUnavailable ? error.cause : error) ?? 0)
}

/** Another connection holds the lock. */
export function isBusy(error: unknown): boolean {
  return codeOf(error) === busy
}

/** A table cannot be opened: also for a moment, when another process changes the schema. */
export function isSchemaMoving(error: unknown): boolean {
  return error instanceof Error && /^(vtable constructor failed|no such table)/.test(error.message)
}

/** Repeats `attempt` until no other connection holds the lock, for at most `database_wait_ms`, without blocking. */
export async function whenFree<T>(attempt: () => MaybePromise<T>, isPassing = isBusy): Promise<T> {
  const until = performance.now() + db_limits.database_wait_ms
  for (let pause = 1; ; pause = Math.min(2 * pause, db_limits.busy_pause_max_ms)) {
    try {
      return await attempt()
    } catch (error) {
      if (!isPassing(error) || performance.now() > until) throw error
    }
    await sleep(pause)
  }
}

/** The handle should not be used again. */
export function isBroken(error: unknown): boolean {
  const code = codeOf(error instanceof StoreUnavailable ? error.cause : error)
  return code !== null && broken.has(code)
}

/** Turns errors of the engine into StoreUnavailable; any other error stays as it is. */
export function asStoreError(error: unknown): unknown {
  const code = codeOf(error)
  if (code === null || !(broken.has(code) || passing.has(code))) return error
  const { message } = error as Error
  const meaning = meanings[code]
  return new StoreUnavailable(meaning === undefined ? message : `${meaning} (${message})`, error)
}

/** The database or the attached request log. */
export type Part = 'main' | 'logs'

/** Runs `use`; SQLite's errors about a malformed file become DamagedDatabase. */
export function namingDamage<T>(path: string, part: Part, use: () => T): T {
  try {
    return use()
  } catch (error) {
    if (!isCorrupt(error)) throw error
    throw damageOf(path, part, (error as Error).message)
  }
}

/** The operator's error about a malformed file. */
export function damageOf(path: string, part: Part, finding: string): DamagedDatabase {
  const found = finding.replaceAll('\n', ' ')
  return new DamagedDatabase(
    part === 'main'
      ? `The database ${path} is damaged: ${found}. Stop all processes that use it, keep a copy of its folder, and load the newest backup into an empty database with 'atrium restore'.`
      : `The request log ${path} is damaged: ${found}. Move it and its -wal and -shm files away; the next start creates an empty one.`,
  )
}
