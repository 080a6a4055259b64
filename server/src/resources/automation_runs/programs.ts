/** Caches the programs of activated versions, which never change. */

import { automation_limits } from '../../automations/limits.ts'
import { type Program, programOf } from '../../automations/program.ts'
import type { Graph } from '../../automations/schema.ts'
import { query } from '../../db/query.ts'
import type { AutomationVersionRow } from '../../db/schema.ts'
import type { Reader } from '../../db/store.ts'
import { BoundedMap } from '../../lib/bounded-map.ts'

/** An activated version without its graph, and the program compiled from it. */
export interface LoadedVersion {
  readonly row: Omit<AutomationVersionRow, 'graph'>
  readonly program: Program
}

const findVersion = query<AutomationVersionRow, { realm: number; flow: string; version: number }>((db, p) =>
  db
    .selectFrom('automation_versions')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('flow', '=', p('flow'))
    .where('version', '=', p('version')),
)

const kept = new BoundedMap<string, LoadedVersion>(automation_limits.automation_programs_max)

/** Loads an activated version. Throws RangeError if it does not exist. */
export async function loadVersion(
  reader: Reader,
  realm: number,
  flow: string,
  version: number,
): Promise<LoadedVersion> {
  const name = `${realm} ${flow} ${version}`
  const known = kept.get(name)
  if (known !== undefined) return known
  const found = await reader.first(findVersion, { realm, flow, version })
  if (found === undefined) throw new RangeError(`The flow ${flow} has no version ${version}.`)
  const { graph, ...row } = found
  const loaded = { row, program: programOf(JSON.parse(graph) as Graph) }
  kept.set(name, loaded)
  return loaded
}

/** The program of a flow's activated version. */
export async function programOfFlow(
  reader: Reader,
  flow: { readonly realm: number; readonly id: string; readonly version: number },
): Promise<Program> {
  return (await loadVersion(reader, flow.realm, flow.id, flow.version)).program
}
