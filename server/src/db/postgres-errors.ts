/** What PostgreSQL's refusals mean for a transaction: repeat it, give up for now, or a fault of the program. */
import pg from 'pg'

/** serialization_failure, deadlock_detected; a twin's idempotency record (unique_violation) that must now be read. */
const repeatable = new Set(['40001', '40P01'])
/** lock_not_available, query_canceled, too_many_connections, disk_full, out_of_memory, read_only_sql_transaction … */
const spent = new Set(['55P03', '57014', '53300', '53100', '53200', '53000', '53400', '25006', '25P03', '25P02'])
/** admin_shutdown, crash_shutdown, cannot_connect_now, idle session closed */
const lost = new Set(['57P01', '57P02', '57P03', '57P05'])

export function isRepeatable(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return false
  return repeatable.has(error.code ?? '') || (error.code === '23505' && error.table === 'idempotency')
}

export function isSpent(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (spent.has(error.code ?? '') || (error.code ?? '').startsWith('58'))
}

const lost_codes = new Set(['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EHOSTUNREACH'])

export function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error.name === 'StoreUnavailable') return true
  if (error instanceof pg.DatabaseError) return (error.code ?? '').startsWith('08') || lost.has(error.code ?? '')
  const code = (error as { code?: string }).code ?? ''
  return (
    lost_codes.has(code) ||
    /[Cc]onnection (terminated|ended|timeout)|not queryable|Client was closed/.test(error.message)
  )
}
