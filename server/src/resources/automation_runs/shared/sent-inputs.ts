/** Inputs of a call that a person sends: for a preview, or to correct those of a run (contract/16#calls). */
import Type, { type Static } from 'typebox'
import { refuse } from '../../../api/declare/errors.ts'
import { callValues, declaredInputs, inputFaults } from '../../../automations/calls.ts'
import { automation_limits } from '../../../automations/limits.ts'
import { word_form } from '../../../automations/schema-values.ts'

export const SentInputs = Type.Record(Type.String({ pattern: word_form }), Type.Unknown(), {
  maxProperties: automation_limits.automation_call_inputs_max,
})

/** The inputs as the run receives them. Refuses with 400 what a call would be refused for. */
export function inputsOf(
  sent: Static<typeof SentInputs>,
  { config }: { readonly config: object },
): Record<string, unknown> {
  const declared = declaredInputs((config as { readonly inputs?: unknown }).inputs)
  const [fault] = inputFaults(declared, sent)
  if (fault === undefined) return callValues(declared, sent)
  const param = fault.key === null ? 'call' : `call.${fault.key}`
  throw refuse('invalid_request_body', {
    param,
    message: fault.key === null ? `${fault.what}.` : `${param} ${fault.what}.`,
  })
}
