/**
 * A run in hand: its row as it was last committed, its program, and where its walk stands. Loaded once when a process
 * claims the run; every committed step replaces what it changed. Nothing in here is changed before the commit, so a
 * transaction that is rolled back and run again begins from the same.
 */
import type { Plan } from '../../../api/caller.ts'
import type { Program } from '../../../automations/program.ts'
import { beforeOfEvent } from '../../../automations/triggers.ts'
import type { JournalEntry, RunFacts } from '../../../automations/variables.ts'
import { Walk } from '../../../automations/walk.ts'
import { query } from '../../../db/query.ts'
import type { AutomationRunRow, OrganizationRow } from '../../../db/schema.ts'
import type { Reader } from '../../../db/store.ts'
import { type LoadedVersion, loadVersion } from '../programs.ts'
import { wholeJournal } from '../queries.ts'

/** What does not change while a run goes on, as far as its steps see it. */
export interface RunScene {
  readonly program: Program
  readonly version: Pick<LoadedVersion['row'], 'realm' | 'credential' | 'scopes' | 'activated_by_id'>
  readonly flow: RunFacts['flow']
  readonly organization: Pick<OrganizationRow, 'organization' | 'name' | 'plan' | 'service_user'>
  readonly realm: number
  readonly mode: 'live' | 'test'
  /** The event that began it, as the API shows it. */
  readonly event: object | null
  readonly before: object | null
  /** The id of the run's task. */
  readonly subject: string | null
  /** It only says what it would do. */
  readonly shadow: boolean
}

export interface RunState {
  readonly scene: RunScene
  readonly run: AutomationRunRow
  /** Goes up to the run's last journaled step. */
  readonly walk: Walk
  readonly entries: Entries
}

/** What journaled steps left behind, by node and path. */
export type Entries = Map<string, JournalEntry>

export function entryName(node: string, path: readonly number[]): string {
  return `${node} ${path.join()}`
}

const findFlow = query((db, p) =>
  db
    .selectFrom('automation_flows')
    .innerJoin('organizations', 'organizations.organization', 'automation_flows.organization')
    .select(['automation_flows.name as flow_name', 'automation_flows.project', 'automation_flows.workspace'])
    .select(['organizations.organization', 'organizations.name', 'organizations.plan', 'organizations.service_user'])
    .where('automation_flows.realm', '=', p('realm'))
    .where('automation_flows.id', '=', p('id')),
)

/** The state of a run whose row is given, as its journal tells it. RangeError when that is not one of its program. */
export async function loadState(reader: Reader, run: AutomationRunRow): Promise<RunState> {
  const { realm, automation_flow: id, flow_version: version, mode } = run
  const loaded = await loadVersion(reader, realm, id, version)
  const found = await reader.first(findFlow, { realm, id })
  if (found === undefined) throw new RangeError(`there is no flow ${id}`)
  const { flow_name: name, project, workspace, ...organization } = found
  const event = run.event === null ? null : (JSON.parse(run.event) as Parameters<typeof beforeOfEvent>[0])
  const scene: RunScene = {
    program: loaded.program,
    version: loaded.row,
    flow: { id, name, version, mode, workspace, project },
    organization,
    realm,
    mode: run.mode_of_data as RunScene['mode'],
    event,
    before: event === null ? null : beforeOfEvent(event),
    subject: run.task,
    shadow: mode === 'shadow',
  }
  return { scene, run, ...(await walked(reader, run, loaded.program)) }
}

async function walked(reader: Reader, run: AutomationRunRow, program: Program) {
  const walk = new Walk(program, run.trigger_node)
  const entries = new Map<string, JournalEntry>()
  for (const row of run.steps === 0 ? [] : await wholeJournal(reader, run)) {
    const path = row.path === '' ? [] : row.path.split('.').map(Number)
    const { node, status, port, items } = row
    const output: unknown = row.output === null ? null : JSON.parse(row.output)
    const entry = { node, path, status: status as JournalEntry['status'], port, items, output }
    walk.record(entry)
    entries.set(entryName(node, path), entry)
  }
  return { walk, entries }
}

/** The organization as expressions see it. */
export function orgOf({ organization }: RunScene): RunFacts['org'] {
  const { organization: id, name, plan } = organization
  return { id, name, plan: (plan ?? '') as Plan | '' }
}
