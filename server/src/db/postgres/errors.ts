/** What an error of PostgreSQL means for a transaction: repeat it, give up for now, or a fault of the program. */
import pg from 'pg'
import { elsewhere } from '../citus/shard-tables.ts'
import { StoreUnavailable } from '../store.ts'

/** serialization_failure, deadlock_detected */
const retryable = new Set(['40001', '40P01'])
/** lock_not_available, query_canceled, too_many_connections, disk_full, out_of_memory … */
const exhausted = new Set(['55P03', '57014', '53300', '53100', '53200', '53000', '53400'])
/** admin_shutdown, crash_shutdown, cannot_connect_now, database_dropped, closed when idle, no longer the primary */
const lost = new Set(['57P01', '57P02', '57P03', '57P04', '57P05', '25P03', '25P04', '25006'])

/**
 * The transaction collided with another one, or with the idempotency record of a concurrent request with the same key,
 * which must now be read.
 */
export function isRetryable(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return false
  return retryable.has(error.code ?? '') || (error.code === '23505' && isRecord(error))
}

/** Citus names the shard, and the table in the text only. */
function isRecord({ table, message }: pg.DatabaseError): boolean {
  return table === undefined ? /"idempotency_/.test(message) : /^idempotency(_\d+)?$/.test(table)
}

/** The server accepts no further connections. */
export function isFull(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '53300'
}

/** Found out before anything was sent: the statement must run through the coordinator of Citus. */
export class RowsElsewhere extends Error {}

/**
 * A node of Citus no longer holds the shards of a statement, or passed the statement on to another node, whose session knows no settings (`policyOnShards`), or the table is on the
 * coordinator only.
 */
export function isElsewhere(error: unknown): boolean {
  if (error instanceof RowsElsewhere) return true
  if (!(error instanceof pg.DatabaseError)) return false
  switch (error.code) {
    case '42P01':
      return true
    case '42704':
      return error.message.includes('"atrium.system"')
    case '22P02':
      return error.message.endsWith('type boolean: ""') || error.message.includes(elsewhere)
    default:
      return false
  }
}

/** A limit of time or space; includes system_error and io_error (58…). */
function isOutOfResources(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (exhausted.has(error.code ?? '') || (error.code ?? '').startsWith('58'))
}

/** disk_full, and system_error or io_error (58…): the server cannot store what it was sent. */
export function isUnwritable(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return false
  return error.code === '53100' || (error.code ?? '').startsWith('58')
}

/** The server is a standby: `begin read write` fails with feature_not_supported where the setting is checked. */
function isStandby(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return false
  return error.code === '25006' || (error.code === '0A000' && error.routine === 'call_bool_check_hook')
}

/**
 * The connection's prepared statements do not match the tables, because another process has migrated them, or no longer
 * exist.
 */
function isStale(error: pg.DatabaseError): boolean {
  return error.code === '26000' || (error.code === '0A000' && error.routine === 'RevalidateCachedQuery')
}

const of_network = new Set(
  'ECONNRESET ECONNREFUSED ECONNABORTED EPIPE ETIMEDOUT ENOTFOUND EAI_AGAIN EHOSTUNREACH ENETUNREACH ENETDOWN'.split(
    ' ',
  ),
)

/** pg's own texts for a connection that ended or does not answer; these errors have no codes. */
const of_pg =
  /[Cc]onnection (terminated|ended|timeout|error)|not queryable|Client was closed|timeout expired|read timeout|exceeded when trying to connect|Received unexpected|after calling end on the pool/

/** The connection cannot be used again, whatever the statement did. */
export function isConnectionLost(error: unknown): boolean {
  if (error instanceof StoreUnavailable) return true
  if (error instanceof pg.DatabaseError) {
    return (
      (error.code ?? '').startsWith('08') ||
      lost.has(error.code ?? '') ||
      isStale(error) ||
      isStandby(error) ||
      isOrphan(error)
    )
  }
  if (!(error instanceof Error)) return false
  const code = (error as { code?: string }).code ?? ''
  return (
    of_network.has(code) || code.startsWith('ERR_STREAM') || code.startsWith('ERR_SSL') || of_pg.test(error.message)
  )
}

/** What a coordinator of Citus answers to a statement on shards while its server goes down, with the code of a fault. */
function isOrphan({ message }: pg.DatabaseError): boolean {
  return message === 'postmaster was shut down, exiting'
}

/** Turns errors of the engine into StoreUnavailable; any other error stays as it is. */
export function asStoreError(error: unknown): unknown {
  if (error instanceof StoreUnavailable) return error
  if (!isConnectionLost(error) && !isRetryable(error) && !isOutOfResources(error)) return error
  const message = `the database could not complete the statement: ${(error as Error).message}`
  return new StoreUnavailable(message, error, false, isStandby(error))
}
