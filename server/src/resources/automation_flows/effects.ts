import Type, { type Static } from 'typebox'
import { readOperation } from '../../api/declare/operation.ts'
import { described, Id, Nullable } from '../../api/declare/shapes.ts'
import { automation_limits } from '../../automations/limits.ts'
import { automationFlowNoun } from './automation_flow.ts'
import { rehearseRecent } from './rehearse-recent.ts'

const Count = Type.Integer({ minimum: 0 })

const Call = Type.Object({
  node: described(Type.String(), 'Id of the `http.request` node.'),
  address: described(
    Nullable(Type.String()),
    'Origin of the URL, such as `https://chat.example.com`; null if an expression computes it.',
  ),
  count: described(Count, 'Number of runs that would make the call, or may make it.'),
})

export const AutomationEffects = Type.Object({
  object: described(Type.Literal('automation_effects'), 'Kind of object: always `automation_effects`.'),
  automation_flow: described(Id, 'Flow that was rehearsed.'),
  graph_hash: described(Type.String(), 'Hash of the rehearsed graph.'),
  runs: described(Count, 'Number of runs that were rehearsed: one for each of the latest events that would start one.'),
  succeeded: described(Count, 'Number of these runs that would succeed.'),
  failed: described(Count, 'Number of these runs that would fail; the others depend on an answer from outside.'),
  tasks_changed: described(Count, 'Number of existing tasks that the runs would change.'),
  tasks_created: described(Count, 'Number of tasks that the runs would create.'),
  comments_created: described(Count, 'Number of comments that the runs would write.'),
  calls: Type.Array(Call, { description: 'Calls to other systems, by node.' }),
  oldest_event_at: described(
    Nullable(Type.Integer({ minimum: 0 })),
    'When the oldest of these events happened, in Unix seconds; null without one.',
  ),
  is_complete: described(
    Type.Boolean(),
    'Whether these are all events of the last 7 days that would start a run; false if there are older ones, or if time ran out.',
  ),
})

export type AutomationEffects = Static<typeof AutomationEffects>

/**
 * Shows what a flow would have done for the latest 50 events of the last 7 days that would have started it: each run is
 * executed on the present state of its task, in a transaction that is rolled back, and calls no other server. A flow without
 * a trigger on events has no runs.
 */
export const showAutomationEffects = readOperation({
  id: 'automation_flows.effects',
  method: 'GET',
  path: '/v1/automation_flows/{id}/effects',
  summary: 'Show the effects of recent events',
  scope: 'automations:read',
  credits: 50,
  extension: true,
  target: automationFlowNoun,
  returns: AutomationEffects,
  example: { params: { id: '{automation_flow}' } },
  handle: ({ target: flow, caller, reader, services, now }) =>
    rehearseRecent({ services, caller, flow, reader, now, since: now - automation_limits.automation_matches_ms }),
})
