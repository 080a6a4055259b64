/**
 * Faults of the calls of a graph that depend on the called flows: their triggers and inputs whenever a graph is checked; whether they are
 * active, and call one another in a cycle, when it is previewed and activated (contract/16#calls).
 */
import type { Fault } from '../../api/declare/errors.ts'
import { declaredInputs, inputFaults } from '../../automations/calls.ts'
import { callTriggerOf } from '../../automations/program.ts'
import type { Graph, NodeOf } from '../../automations/schema.ts'
import { sketchOf } from '../../automations/sketch.ts'
import { beginnings, isComputed } from '../../automations/triggers.ts'
import { isOneOf } from '../../db/dialect.ts'
import { query } from '../../db/query.ts'
import type { AutomationFlowRow } from '../../db/schema.ts'
import { programOfFlow } from '../automation_runs/shared/calls.ts'
import type { Finder } from './shared/references.ts'

type CalledFlow = Pick<AutomationFlowRow, 'realm' | 'id' | 'name' | 'status' | 'version' | 'workspace' | 'graph'>

const byIds = query<CalledFlow, { realm: number; ids: string }>((db, p, dialect) =>
  db
    .selectFrom('automation_flows')
    .select(['realm', 'id', 'name', 'status', 'version', 'workspace', 'graph'])
    .where('realm', '=', p('realm'))
    .where('deleted_at', 'is', null)
    .where(isOneOf(dialect, 'id', p('ids'))),
)

interface Call {
  readonly index: number
  readonly node: NodeOf<'flow.call'>
}

function callsOf(graph: Graph | null): Call[] {
  return (graph?.nodes ?? []).flatMap((node, index) => (node.type === 'flow.call' ? [{ index, node }] : []))
}

async function calledFlows({ tx, caller }: Finder, ids: readonly string[]): Promise<ReadonlyMap<string, CalledFlow>> {
  if (ids.length === 0) return new Map()
  const rows = await tx.all(byIds, { realm: caller.realm, ids: JSON.stringify([...new Set(ids)]) })
  return new Map(rows.map((row) => [row.id, row]))
}

/** Calls of flows without a trigger for it, and inputs that they do not take. The references of the graph exist. */
export async function inputFaultsOfCalls(from: Finder, graph: Graph | null, workspace: string): Promise<Fault[]> {
  const calls = callsOf(graph)
  const flows = await calledFlows(
    from,
    calls.map(({ node }) => node.config.flow),
  )
  const faults: Fault[] = []
  for (const { index, node } of calls) {
    const flow = flows.get(node.config.flow)
    if (graph === null || flow === undefined || flow.workspace !== workspace) continue
    const path = `graph.nodes[${index}].config`
    const addFault = (field: string, what: string) =>
      faults.push({ param: `${path}.${field}`, message: `${path}.${field} ${what}.` })
    const trigger = await callTrigger(from, flow)
    if (trigger === undefined) addFault('flow', `names the flow "${flow.name}", which has no trigger.call`)
    else checkCall(trigger, node, graph, addFault)
  }
  return faults
}

type AddFault = (field: string, what: string) => void

/** The trigger of the active version; of a flow that is not active, that of its graph. */
async function callTrigger({ tx }: Finder, flow: CalledFlow): Promise<NodeOf<'trigger.call'> | undefined> {
  if (flow.status === 'active') return callTriggerOf(await programOfFlow(tx, flow))
  return (JSON.parse(flow.graph) as Graph).nodes.find((node) => node.type === 'trigger.call')
}

function checkCall(
  trigger: NodeOf<'trigger.call'>,
  { config }: NodeOf<'flow.call'>,
  graph: Graph,
  addFault: AddFault,
): void {
  for (const { key, what } of inputFaults(declaredInputs(trigger.config.inputs), config.inputs ?? {}, isComputed)) {
    if (key === null) addFault('inputs', `are too large: ${what}`)
    else addFault(`inputs.${key}`, what)
  }
  const takes = trigger.config.takes_task === true
  if (!takes && config.task !== undefined) addFault('task', 'must be left out, because the called flow takes no task')
  const isOwn = config.task === undefined || config.task === '$subject'
  if (takes && isOwn && beginnings(sketchOf(graph)).task === 'never') {
    addFault('task', 'is required, because the called flow takes a task, and no trigger of this flow has one')
  }
}

/** Calls of flows that are not active, and cycles of calls. */
export async function callsToday(
  from: Finder,
  flow: Pick<AutomationFlowRow, 'id' | 'workspace'>,
  graph: Graph | null,
): Promise<Fault[]> {
  const calls = callsOf(graph)
  const flows = await calledFlows(
    from,
    calls.map(({ node }) => node.config.flow),
  )
  const faults: Fault[] = []
  for (const { index, node } of calls) {
    const called = flows.get(node.config.flow)
    if (called === undefined || called.workspace !== flow.workspace) continue
    const param = `graph.nodes[${index}].config.flow`
    const cycle = called.id === flow.id ? [flow.id] : await pathTo(from, called, flow.id)
    if (cycle !== null) {
      const ids = [...new Set([flow.id, ...cycle]), flow.id]
      faults.push({ param, message: `${param} would create a cycle of calls: ${ids.join(' → ')}.` })
    } else if (called.status !== 'active') {
      faults.push({
        param,
        message: `${param} names the flow "${called.name}", which is ${called.status}; activate it first.`,
      })
    }
  }
  return faults
}

/**
 * The flows by which calls of active flows lead from one to another; null if they do not. Only active flows are called, of which a realm has
 * few. Runs that wait for each other would never end.
 */
async function pathTo(from: Finder, start: CalledFlow, target: string): Promise<readonly string[] | null> {
  const seen = new Set([start.id])
  let paths: { readonly flow: CalledFlow; readonly ids: readonly string[] }[] = [{ flow: start, ids: [start.id] }]
  while (paths.length > 0) {
    const next: { readonly id: string; readonly ids: readonly string[] }[] = []
    for (const { flow, ids } of paths) {
      if (flow.status !== 'active') continue
      for (const { node } of callsOf((await programOfFlow(from.tx, flow)).graph)) {
        const { flow: id } = node.config
        if (id === target) return ids
        if (!seen.has(id)) next.push({ id, ids: [...ids, id] })
        seen.add(id)
      }
    }
    const flows = await calledFlows(
      from,
      next.map(({ id }) => id),
    )
    paths = next.flatMap(({ id, ids }) => {
      const flow = flows.get(id)
      return flow === undefined ? [] : [{ flow, ids }]
    })
  }
  return null
}
