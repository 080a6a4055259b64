/** The inputs that a preview assumes a call to have given (contract/16#preview). */
import type { Static } from 'typebox'
import { refuse } from '../../../api/declare/errors.ts'
import { type CallInput, callValues, declaredInputs, inputFaults } from '../../../automations/calls.ts'
import type { Graph } from '../../../automations/schema.ts'
import type { AutomationFlowRow } from '../../../db/schema.ts'
import type { Reader } from '../../../db/store.ts'
import { latestCalls } from '../../automation_runs/shared/calls.ts'
import { inputsOf, type SentInputs } from '../../automation_runs/shared/sent-inputs.ts'

/** The sample as expressions see it. Refuses a flow that cannot be called, and inputs that it does not take. */
export function sampleCallOf(sample: Static<typeof SentInputs>, { graph }: AutomationFlowRow): object {
  const trigger = (JSON.parse(graph) as Graph).nodes.find(({ type }) => type === 'trigger.call')
  if (trigger === undefined) {
    const message = 'The flow has no trigger.call, so no other flow starts it.'
    throw refuse('invalid_request_body', { param: 'call', message })
  }
  return inputsOf(sample, trigger)
}

/** The inputs of the latest call that fit the trigger, or else invented ones. */
export async function assumedCall(
  reader: Reader,
  flow: Pick<AutomationFlowRow, 'realm' | 'id'>,
  { config }: { readonly config: { readonly inputs?: unknown } },
): Promise<object> {
  const declared = declaredInputs(config.inputs)
  const [latest] = await latestCalls(reader, flow, 0, 1)
  const given = latest === undefined ? undefined : ({ ...latest.call } as Record<string, unknown>)
  if (given !== undefined && inputFaults(declared, given).length === 0) return callValues(declared, given)
  return Object.fromEntries(declared.map((input) => [input.key, inventedValue(input)]))
}

function inventedValue({ kind, label, key }: CallInput): unknown {
  if (kind === 'text') return label ?? key
  if (kind === 'boolean') return true
  if (kind === 'list') return []
  return kind === 'object' ? {} : 1
}
