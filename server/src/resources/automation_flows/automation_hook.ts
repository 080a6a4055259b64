/** The address of a flow for incoming webhooks, as those who manage the flow see it (contract/16#incoming-webhooks). */
import Type, { type Static } from 'typebox'
import { refuse } from '../../api/declare/errors.ts'
import { described, Flag, head, Id } from '../../api/declare/shapes.ts'
import type { AutomationAddressRow, AutomationFlowRow } from '../../db/schema.ts'
import type { Reader } from '../../db/store.ts'
import { seconds } from '../../lib/clock.ts'
import type { Sealer } from '../../lib/seal.ts'
import { hookAddresses } from '../automation_runs/shared/hooks.ts'

export const AutomationHook = Type.Object({
  ...head('automation_hook'),
  automation_flow: described(Id, 'Flow that requests to the address start.'),
  url: described(
    Type.String(),
    'Address that takes requests by POST. Anyone who knows it can start runs, unless the trigger asks for a signature.',
  ),
  secret: described(Type.String(), 'Last part of the address.'),
  is_open: described(
    Flag,
    'Whether the flow is active; a request to an address that is not open is answered with 404.',
  ),
})

export type AutomationHook = Static<typeof AutomationHook>

export function showAutomationHook(
  hook: AutomationAddressRow,
  flow: Pick<AutomationFlowRow, 'status'>,
  { sealer, publicUrl }: { readonly sealer: Sealer; readonly publicUrl: string },
): AutomationHook {
  const secret = hookAddresses.secretOf(sealer, hook)
  return {
    id: hook.id,
    object: 'automation_hook',
    created: seconds(hook.created),
    updated: seconds(hook.updated),
    automation_flow: hook.flow,
    url: `${publicUrl}/v1/hooks/${secret}`,
    secret,
    is_open: flow.status === 'active',
  }
}

/** The hook of a flow; refuses with 404 if it has none. */
export async function requireHook(reader: Reader, flow: AutomationFlowRow): Promise<AutomationAddressRow> {
  const hook = await hookAddresses.ofFlow(reader, flow)
  if (hook !== undefined) return hook
  const message = 'The flow has no address yet. It gets one when it is activated with a `trigger.webhook`.'
  throw refuse('resource_not_found', { param: 'id', message })
}
