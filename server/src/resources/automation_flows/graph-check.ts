/**
 * A graph as a request brings it: what validateGraph finds, and whether the objects that it names exist where it uses
 * them. All faults are told at once, with their paths (decisions §2, §16).
 */
import { type Fault, refuse } from '../../api/errors.ts'
import { eventTypes } from '../../api/event.ts'
import type { Scope } from '../../api/scopes.ts'
import { graphHash } from '../../automations/graph-hash.ts'
import type { Graph } from '../../automations/schema.ts'
import { inOrder, type Validation, validateGraph } from '../../automations/validate.ts'
import type { Known } from '../../automations/validate-config.ts'
import type { Warning } from '../../automations/warnings.ts'
import { limits } from '../../lib/limits.ts'
import { readFilter } from '../tasks/queries-filter.ts'
import { task_priorities, task_statuses } from '../tasks/task.ts'
import { type Finder, referenceFaults } from './queries-references.ts'

/** A graph without faults, and what a flow keeps of it. */
export interface CheckedGraph {
  readonly graph: Graph
  /** As the client wrote it: its keys in the client's order. */
  readonly text: string
  readonly hash: string
  readonly required_scopes: readonly Scope[]
  readonly uses_ai: boolean
  readonly warnings: readonly Warning[]
}

/** The graph, once nothing is wrong with it in this workspace; else 400 with every fault. `now` is in milliseconds. */
export async function checkGraph(from: Finder, value: unknown, workspace: string, now: number): Promise<CheckedGraph> {
  const { validation, faults } = await look(from, value, workspace, now)
  const [first] = faults
  if (first !== undefined || validation.graph === null) throw faulty(faults)
  const { graph, required_scopes, uses_ai, warnings } = validation
  return { graph, text: JSON.stringify(value), hash: graphHash(value), required_scopes, uses_ai, warnings }
}

/** What is wrong today with a graph that was right once: what it names may be gone. */
export async function faultsToday(
  from: Finder,
  text: string,
  workspace: string,
  now: number,
): Promise<{ readonly faults: readonly Fault[]; readonly warnings: readonly Warning[] }> {
  const { validation, faults } = await look(from, JSON.parse(text), workspace, now)
  return { faults, warnings: validation.warnings }
}

async function look(from: Finder, value: unknown, workspace: string, now: number) {
  requireSize(value)
  const validation: Validation = validateGraph(value, knownAt(now))
  const missing = await referenceFaults(from, value, validation.references, workspace)
  const faults = inOrder([...validation.faults, ...missing]).slice(0, limits.automation_faults_max)
  return { validation, faults }
}

/** Events hold a flow's graph, and the one before; whoever follows them shall not choke on one. */
function requireSize(value: unknown): void {
  const bytes_max = limits.automation_graph_bytes_max
  if (Buffer.byteLength(JSON.stringify(value)) <= bytes_max) return
  throw refuse('invalid_request_body', {
    param: 'graph',
    message: `graph must have at most ${bytes_max} bytes as JSON.`,
  })
}

function faulty(faults: readonly Fault[]): Error {
  const { param, message } = faults[0] ?? { param: 'graph', message: 'The graph cannot be used.' }
  return refuse('invalid_request_body', { param, message, details: faults })
}

const saved_filter = /^flt_[0-9A-Z]{26}$/

function knownAt(now_ms: number): Known {
  return {
    event_types: new Set(eventTypes.keys()),
    task_statuses,
    task_priorities,
    now_ms,
    filterFault(filter) {
      if (saved_filter.test(filter)) return 'it is the id of a saved filter; write its expression'
      const read = readFilter(filter)
      return read.ok ? undefined : read.message
    },
  }
}
