/** The answers that a preview assumes a form to have been sent with (contract/16#preview). */
import type { Static } from 'typebox'
import { refuse } from '../../../api/declare/errors.ts'
import { type FormAnswer, type FormField, formTypes, formValues } from '../../../automations/forms.ts'
import type { Graph, NodeOf } from '../../../automations/schema.ts'
import type { AutomationFlowRow } from '../../../db/schema.ts'
import type { Reader } from '../../../db/store.ts'
import { submissions } from '../../automation_runs/shared/forms.ts'
import { answersOf, type SentAnswers } from '../../automation_runs/shared/sent-answers.ts'

/** The sample as expressions see it. Refuses a flow without a form, and answers that its page would refuse. */
export function sampleFormOf(sample: Static<typeof SentAnswers>, { graph }: AutomationFlowRow): object {
  const trigger = (JSON.parse(graph) as Graph).nodes.find(({ type }) => type === 'trigger.form')
  if (trigger === undefined) {
    const message = 'The flow has no trigger.form, so no form starts it.'
    throw refuse('invalid_request_body', { param: 'form', message })
  }
  const { fields } = (trigger as NodeOf<'trigger.form'>).config
  return formValues(answersOf(sample, fields))
}

/** The latest submission that answered these fields, or else invented answers. `now` is in milliseconds. */
export async function assumedForm(
  reader: Reader,
  flow: Pick<AutomationFlowRow, 'realm' | 'id'>,
  { config }: NodeOf<'trigger.form'>,
  now: number,
): Promise<object> {
  const [latest] = await submissions.latest(reader, flow, 0, 1)
  const values = formValues(latest?.content ?? [])
  const names = Object.keys(formTypes(config.fields))
  if (latest !== undefined && names.every((name) => Object.hasOwn(values, name))) return values
  return formValues(config.fields.map((field) => ({ ...field, value: inventedValue(field, now) })))
}

function inventedValue({ kind, label, options = [] }: FormField, now: number): FormAnswer['value'] {
  if (kind === 'checkbox') return true
  if (kind === 'number') return 1
  if (kind === 'date') return new Date(now).toISOString().slice(0, 10)
  if (kind === 'email') return 'name@example.com'
  return kind === 'select' ? (options[0] ?? null) : label
}
