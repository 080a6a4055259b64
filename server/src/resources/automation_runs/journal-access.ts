/**
 * Who may read what the steps of a run worked with: inputs, outputs and prompts hold tasks and other objects, so the reader needs
 * the scopes with which the flow reads them (contract/16#run-steps).
 */
import type { Caller } from '../../api/declare/caller.ts'
import type { Scope } from '../../api/declare/scopes.ts'
import type { AutomationRunRow } from '../../db/schema.ts'
import type { Reader } from '../../db/store.ts'
import { loadVersion } from './programs.ts'
import { requireFlowScopes } from './shared/required-scopes.ts'

/** Refuses with 403 a caller without one of the scopes with which the run's version reads. */
export async function requireReadScopes(reader: Reader, caller: Caller, run: AutomationRunRow): Promise<void> {
  const { row } = await loadVersion(reader, run.realm, run.automation_flow, run.flow_version)
  const reading = (JSON.parse(row.scopes) as Scope[]).filter((scope) => scope.endsWith(':read'))
  requireFlowScopes(caller, reading, 'reads with')
}
