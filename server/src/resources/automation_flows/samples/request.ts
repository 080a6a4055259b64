/** A request that a preview assumes an incoming webhook to have received (contract/16#preview). */
import Type, { type Static } from 'typebox'
import { refuse } from '../../../api/declare/errors.ts'
import { described } from '../../../api/declare/shapes.ts'
import { automation_limits } from '../../../automations/limits.ts'
import type { AutomationFlowRow } from '../../../db/schema.ts'
import type { HookRequest } from '../../automation_runs/shared/hooks.ts'

const { automation_hook_fields_max, automation_hook_headers_max, automation_hook_header_chars_max } = automation_limits

export const SampleRequest = Type.Object(
  {
    body: described(
      Type.Optional(Type.Unknown()),
      'Body of the request: any JSON, or the fields of a form as an object.',
    ),
    headers: described(
      Type.Optional(
        Type.Record(Type.String({ maxLength: 64 }), Type.String({ maxLength: automation_hook_header_chars_max }), {
          maxProperties: automation_hook_headers_max,
        }),
      ),
      'Headers by name in lower case.',
    ),
    query: described(
      Type.Optional(Type.Record(Type.String(), Type.String(), { maxProperties: automation_hook_fields_max })),
      'Parameters of the query.',
    ),
  },
  { additionalProperties: false },
)

/** The sample as expressions see it: only the headers that the trigger names. Refuses a flow without such a trigger. */
export function sampleOf(
  { body = null, headers = {}, query = {} }: Static<typeof SampleRequest>,
  { graph }: AutomationFlowRow,
): HookRequest {
  const nodes = (JSON.parse(graph) as { nodes: { type: string; config: { headers?: string[] } }[] }).nodes
  const trigger = nodes.find(({ type }) => type === 'trigger.webhook')
  if (trigger === undefined) {
    const message = 'The flow has no trigger.webhook, so no request starts it.'
    throw refuse('invalid_request_body', { param: 'request', message })
  }
  const shown = Object.entries(headers).filter(([name]) => trigger.config.headers?.includes(name))
  return { id: null, body, headers: Object.fromEntries(shown), query }
}
