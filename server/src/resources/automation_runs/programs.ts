/** Programs of activated versions, made once and kept: a version never changes. */
import { type Program, programOf } from '../../automations/program.ts'
import type { Graph } from '../../automations/schema.ts'
import { query } from '../../db/query.ts'
import type { AutomationVersionRow } from '../../db/schema.ts'
import type { Reader } from '../../db/store.ts'
import { BoundedMap } from '../../lib/bounded-map.ts'
import { limits } from '../../lib/limits.ts'

/** A version as it was activated, without its graph, and the program that the graph became. */
export interface LoadedVersion {
  readonly row: Omit<AutomationVersionRow, 'graph'>
  readonly program: Program
}

const findVersion = query<AutomationVersionRow>((db, p) =>
  db
    .selectFrom('automation_versions')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('flow', '=', p('flow'))
    .where('version', '=', p('version')),
)

const kept = new BoundedMap<string, LoadedVersion>(limits.automation_programs_max)

/** What was activated as this version of a flow. RangeError when there is no such version. */
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
  if (found === undefined) throw new RangeError(`the flow ${flow} has no version ${version}`)
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
