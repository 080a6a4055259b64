/**
 * The state of a claimed run: its last committed row, its program, and the position of its walk. It is loaded when a
 * process claims the run, and each commit replaces what it changed. Nothing changes before the commit, so a transaction
 * that is rolled back and retried starts from the same state.
 */

import type { Plan } from '../../../api/declare/caller.ts'
import type { Program } from '../../../automations/program.ts'
import type { StepNode } from '../../../automations/schema.ts'
import { beforeOfEvent } from '../../../automations/triggers.ts'
import type { JournalEntry, RunFacts } from '../../../automations/variables.ts'
import { Walk } from '../../../automations/walk.ts'
import { type Placeholder, query } from '../../../db/query.ts'
import type { AutomationRunRow, OrganizationRow } from '../../../db/schema.ts'
import type { Reader } from '../../../db/store.ts'
import { parseJson, parseStored } from '../../../lib/strict-json.ts'
import { type LoadedVersion, loadVersion } from '../programs.ts'
import { wholeJournal } from '../queries.ts'
import { valuesOfRun } from '../shared/forms.ts'
import { hookRequests } from '../shared/hooks.ts'
import { flowMails } from '../shared/mails.ts'

/** The part of a run's state that stays the same for all its steps. */
export interface RunScene {
  readonly program: Program
  readonly version: Pick<LoadedVersion['row'], 'realm' | 'flow' | 'version' | 'credential'>
  readonly flow: RunFacts['flow']
  readonly organization: Pick<OrganizationRow, 'organization' | 'name' | 'plan' | 'service_user'>
  readonly realm: number
  readonly mode: 'live' | 'test'
  /** The event that started it, as the API shows it. */
  readonly event: object | null
  readonly before: object | null
  /** The request of an incoming webhook that started it. */
  readonly request: object | null
  /** The answers of the form that started it, by key. */
  readonly form: object | null
  /** The mail that started it. */
  readonly mail: object | null
  /** The inputs of the call that started it, by key. */
  readonly call: object | null
  /** The id of the run's task. */
  readonly subject: string | null
  /** Whether the run only records what it would change. */
  readonly shadow: boolean
}

export interface RunState {
  readonly scene: RunScene
  readonly run: AutomationRunRow
  /** Positioned after the last journaled step. */
  readonly walk: Walk
  readonly entries: Entries
}

/** A node at its place in the run: the path holds the number of the item for each enclosing loop. */
export interface Step {
  readonly node: StepNode
  readonly path: readonly number[]
}

/** The journaled steps with their outputs, by node and path. */
type Entries = Map<string, JournalEntry>

export function entryName(node: string, path: readonly number[]): string {
  return `${node} ${path.join()}`
}

const findFlow = query((db, p: Placeholder<{ realm: number; id: string }>) =>
  db
    .selectFrom('automation_flows')
    .innerJoin('organizations', 'organizations.organization', 'automation_flows.organization')
    .select(['automation_flows.name as flow_name', 'automation_flows.project', 'automation_flows.workspace'])
    .select(['organizations.organization', 'organizations.name', 'organizations.plan', 'organizations.service_user'])
    .where('automation_flows.realm', '=', p('realm'))
    .where('automation_flows.id', '=', p('id')),
)

/** Loads the state of a run from its row and journal. Throws RangeError if the journal does not fit the program. */
export async function loadState(reader: Reader, run: AutomationRunRow): Promise<RunState> {
  const { realm, automation_flow: id, flow_version: version, mode } = run
  const loaded = await loadVersion(reader, realm, id, version)
  const found = await reader.first(findFlow, { realm, id })
  if (found === undefined) throw new RangeError(`There is no flow ${id}.`)
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
    request: run.trigger_type === 'trigger.webhook' ? await hookRequests.ofRun(reader, realm, run.id) : null,
    form: run.trigger_type === 'trigger.form' ? await valuesOfRun(reader, realm, run.id) : null,
    mail: run.trigger_type === 'trigger.mail' ? await flowMails.ofRun(reader, realm, run.id) : null,
    call: run.inputs === null ? null : parseStored<object>(run.inputs),
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
    const output: unknown = row.output === null ? null : parseJson(row.output)
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
