/**
 * Checks a graph from a request: its structure, and whether the objects it refers to exist in the workspace. All faults
 * are reported at once with their paths (contract/16#validation).
 */
import { type Fault, refuse } from '../../api/declare/errors.ts'
import type { Scope } from '../../api/declare/scopes.ts'
import { graphHash } from '../../automations/graph-hash.ts'
import { automation_limits } from '../../automations/limits.ts'
import type { Graph } from '../../automations/schema.ts'
import { inOrder, type Validation, validateGraph } from '../../automations/validate.ts'
import type { Warning } from '../../automations/warnings.ts'
import type { AutomationFlowRow } from '../../db/schema.ts'
import { readFilter, resolveFilter } from '../tasks/shared/filter.ts'
import { callsToday, inputFaultsOfCalls } from './call-faults.ts'
import { knownAt } from './shared/known.ts'
import { type Finder, referenceFaults } from './shared/references.ts'

/** A valid graph with the fields that a flow stores. */
export interface CheckedGraph {
  readonly graph: Graph
  /** As the client sent it, with keys in the client's order. */
  readonly text: string
  readonly hash: string
  readonly required_scopes: readonly Scope[]
  readonly uses_ai: boolean
  readonly warnings: readonly Warning[]
}

/** Checks a graph for a flow of this workspace; refuses with 400 and every fault. `now` is in milliseconds. */
export async function checkGraph(from: Finder, value: unknown, workspace: string, now: number): Promise<CheckedGraph> {
  const { validation, faults } = await validate(from, value, workspace, now)
  const [first] = faults
  if (first !== undefined || validation.graph === null) throw faulty(faults)
  const { graph, required_scopes, uses_ai, warnings } = validation
  return { graph, text: JSON.stringify(value), hash: graphHash(value), required_scopes, uses_ai, warnings }
}

/** The present faults of a flow's graph: its references may have been deleted, and the flows that it calls must be active. */
export async function faultsToday(
  from: Finder,
  flow: Pick<AutomationFlowRow, 'id' | 'graph' | 'workspace'>,
  now: number,
): Promise<{ readonly faults: readonly Fault[]; readonly warnings: readonly Warning[] }> {
  const { validation, faults } = await validate(from, JSON.parse(flow.graph), flow.workspace, now)
  const calls = await callsToday(from, flow, validation.graph)
  return { faults: inOrder([...faults, ...calls]), warnings: validation.warnings }
}

async function validate(from: Finder, value: unknown, workspace: string, now: number) {
  requireSize(value)
  const validation: Validation = validateGraph(value, knownAt(now))
  const missing = await referenceFaults(from, value, validation.references, workspace)
  const unresolved = await filterFaults(from, validation.graph, workspace, now)
  const calls = missing.length > 0 ? [] : await inputFaultsOfCalls(from, validation.graph, workspace)
  const faults = inOrder([...validation.faults, ...missing, ...unresolved, ...calls]).slice(
    0,
    automation_limits.automation_faults_max,
  )
  return { validation, faults }
}

/** The setting that is a filter of tasks, with its value. */
function filterOf({ type, config }: Graph['nodes'][number]): readonly [string, string | undefined] | undefined {
  if (type === 'trigger.schedule') return ['task_query', config.task_query]
  return type === 'task.update_many' ? ['query', config.query] : undefined
}

/** Faults of filters that name people, projects or columns which do not exist, or not once. */
async function filterFaults(from: Finder, graph: Graph | null, workspace: string, now: number): Promise<Fault[]> {
  const faults: Fault[] = []
  for (const [i, node] of (graph?.nodes ?? []).entries()) {
    const [field, text] = filterOf(node) ?? []
    if (text === undefined) continue
    const read = readFilter(text, now)
    if (!read.ok) continue
    const filter = await resolveFilter(read, { reader: from.tx, tenant: from.caller, workspace, now, me: null })
    const param = `graph.nodes[${i}].config.${field}`
    if (!filter.ok) faults.push({ param, message: `${param} is not a filter: ${filter.message}` })
  }
  return faults
}

/** Bounds the events of a flow, which contain its graph before and after a change. */
function requireSize(value: unknown): void {
  const bytes_max = automation_limits.automation_graph_bytes_max
  if (Buffer.byteLength(JSON.stringify(value)) <= bytes_max) return
  throw refuse('invalid_request_body', {
    param: 'graph',
    message: `graph must have at most ${bytes_max} bytes as JSON.`,
  })
}

function faulty(faults: readonly Fault[]): Error {
  const { param, message } = faults[0] ?? { param: 'graph', message: 'The graph is not valid.' }
  return refuse('invalid_request_body', { param, message, details: faults })
}
