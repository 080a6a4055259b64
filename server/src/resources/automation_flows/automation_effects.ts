/** The answer about recent events: what runs would have done (contract/16#effects). */
import Type, { type Static } from 'typebox'
import { described, Id, Nullable } from '../../api/declare/shapes.ts'

const Count = Type.Integer({ minimum: 0 })

const Call = Type.Object({
  node: described(Type.String(), 'Id of the `http.request` or `chat.post` node.'),
  automation_flow: described(Nullable(Id), 'Called flow that has the node; null for a node of the rehearsed flow.'),
  address: described(
    Nullable(Type.String()),
    'Origin of the URL, such as `https://chat.example.com`; null if an expression computes it or a secret holds it.',
  ),
  count: described(Count, 'Number of runs that would make the call, or may make it.'),
})

export const AutomationEffects = Type.Object({
  object: described(Type.Literal('automation_effects'), 'Kind of object: always `automation_effects`.'),
  automation_flow: described(Id, 'Flow that was rehearsed.'),
  graph_hash: described(Type.String(), 'Hash of the rehearsed graph.'),
  runs: described(
    Count,
    'Number of runs that were rehearsed: the latest that events, schedules and due dates would have started.',
  ),
  succeeded: described(Count, 'Number of these runs that would succeed.'),
  failed: described(Count, 'Number of these runs that would fail; the others depend on an answer from outside.'),
  tasks_changed: described(Count, 'Number of existing tasks that the runs would change.'),
  tasks_created: described(Count, 'Number of tasks that the runs would create.'),
  comments_created: described(Count, 'Number of comments that the runs would write.'),
  calls: Type.Array(Call, { description: 'Calls to other systems, by node; those of called flows are last.' }),
  oldest_event_at: described(
    Nullable(Type.Integer({ minimum: 0 })),
    'When the oldest of these runs would have started, in Unix seconds; null without one.',
  ),
  is_complete: described(
    Type.Boolean(),
    'Whether these are all runs that the last 7 days would have started; false if there are older ones, or if time ran out.',
  ),
})

export type AutomationEffects = Static<typeof AutomationEffects>
