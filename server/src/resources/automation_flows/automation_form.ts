/** The address of a flow's form, as those who manage the flow see it (contract/16#forms). */
import Type, { type Static } from 'typebox'
import { refuse } from '../../api/declare/errors.ts'
import { described, Flag, head, Id } from '../../api/declare/shapes.ts'
import type { AutomationAddressRow, AutomationFlowRow } from '../../db/schema.ts'
import type { Reader } from '../../db/store.ts'
import { seconds } from '../../lib/clock.ts'
import type { Sealer } from '../../lib/seal.ts'
import { formAddresses } from '../automation_runs/shared/forms.ts'

export const AutomationForm = Type.Object({
  ...head('automation_form'),
  automation_flow: described(Id, 'Flow that the form starts.'),
  url: described(Type.String(), 'Address of the page. Anyone who knows it can fill in the form.'),
  secret: described(Type.String(), 'Last part of the address.'),
  is_open: described(Flag, 'Whether the flow is active; the page of a form that is not open says that it is closed.'),
})

export type AutomationForm = Static<typeof AutomationForm>

export function showAutomationForm(
  form: AutomationAddressRow,
  flow: Pick<AutomationFlowRow, 'status'>,
  { sealer, publicUrl }: { readonly sealer: Sealer; readonly publicUrl: string },
): AutomationForm {
  const secret = formAddresses.secretOf(sealer, form)
  return {
    id: form.id,
    object: 'automation_form',
    created: seconds(form.created),
    updated: seconds(form.updated),
    automation_flow: form.flow,
    url: `${publicUrl}/forms/${secret}`,
    secret,
    is_open: flow.status === 'active',
  }
}

/** The form of a flow; refuses with 404 if it has none. */
export async function requireForm(reader: Reader, flow: AutomationFlowRow): Promise<AutomationAddressRow> {
  const form = await formAddresses.ofFlow(reader, flow)
  if (form !== undefined) return form
  const message = 'The flow has no form yet. It gets one when it is activated with a `trigger.form`.'
  throw refuse('resource_not_found', { param: 'id', message })
}
