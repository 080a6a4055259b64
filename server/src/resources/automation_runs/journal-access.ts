/**
 * Who may read what the steps of a run worked with: inputs, outputs and prompts hold tasks and other objects, so the reader needs
 * the scopes with which the flow reads them (contract/16#run-steps).
 */
import type { Caller } from '../../api/declare/caller.ts'
import { refuse } from '../../api/declare/errors.ts'
import type { Scope } from '../../api/declare/scopes.ts'
import type { AutomationRunRow } from '../../db/schema.ts'
import type { Reader } from '../../db/store.ts'
import { loadVersion } from './programs.ts'

/** Refuses with 403 a caller without one of the scopes with which the run's version reads. */
export async function requireReadScopes(reader: Reader, { scopes }: Caller, run: AutomationRunRow): Promise<void> {
  const { row } = await loadVersion(reader, run.realm, run.automation_flow, run.flow_version)
  const missing = (JSON.parse(row.scopes) as Scope[]).filter((scope) => scope.endsWith(':read') && !scopes.has(scope))
  if (missing.length === 0) return
  const names = `${missing.length === 1 ? 'the scope' : 'the scopes'} ${missing.join(', ')}`
  throw refuse('insufficient_scope', { message: `The flow reads with ${names}, which the credential does not have.` })
}
