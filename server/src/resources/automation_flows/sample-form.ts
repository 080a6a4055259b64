/** The answers that a preview assumes a form to have been sent with (contract/16#preview). */
import Type, { type Static } from 'typebox'
import { refuse } from '../../api/declare/errors.ts'
import { described } from '../../api/declare/shapes.ts'
import { type FormAnswer, type FormField, formTypes, formValues } from '../../automations/forms.ts'
import { automation_limits } from '../../automations/limits.ts'
import type { Graph, NodeOf } from '../../automations/schema.ts'
import type { AutomationFlowRow } from '../../db/schema.ts'
import type { Reader } from '../../db/store.ts'
import { type AnswerFault, readAnswers } from '../automation_runs/shared/form-answers.ts'
import { latestSubmissions } from '../automation_runs/shared/forms.ts'

const { automation_form_fields_max, automation_form_long_chars_max } = automation_limits

export const SampleForm = Type.Record(
  Type.String({ maxLength: 40 }),
  described(
    Type.Union([
      Type.String({ maxLength: automation_form_long_chars_max }),
      Type.Number(),
      Type.Boolean(),
      Type.Null(),
    ]),
    'Answer to the field with this key: text, number, or whether a checkbox is checked; null if it is left empty.',
  ),
  { maxProperties: automation_form_fields_max },
)

const fault_texts: Readonly<Record<AnswerFault, string>> = {
  required: 'is required',
  too_long: 'is too long',
  not_plain: 'must be one line of plain text',
  no_option: 'must be one of the options of the field',
  no_number: 'must be a number',
  no_date: 'must be a date, such as 2027-01-31',
  no_email: 'must be an e-mail address',
}

/** The sample as expressions see it. Refuses a flow without a form, and answers that its page would refuse. */
export function sampleFormOf(sample: Static<typeof SampleForm>, { graph }: AutomationFlowRow): object {
  const trigger = (JSON.parse(graph) as Graph).nodes.find(({ type }) => type === 'trigger.form')
  if (trigger === undefined) {
    const message = 'The flow has no trigger.form, so no form starts it.'
    throw refuse('invalid_request_body', { param: 'form', message })
  }
  const { fields } = (trigger as NodeOf<'trigger.form'>).config
  const unknown = Object.keys(sample).find((key) => !fields.some((field) => field.key === key))
  if (unknown !== undefined) {
    const message = `form.${unknown} is not a field of the form. Use ${fields.map(({ key }) => key).join(', ')}.`
    throw refuse('invalid_request_body', { param: `form.${unknown}`, message })
  }
  const sent = new Map(Object.entries(sample).map(([key, value]) => [key, textOf(value)]))
  const { answers, faults } = readAnswers(fields, sent)
  for (const [key, fault] of faults) {
    throw refuse('invalid_request_body', { param: `form.${key}`, message: `form.${key} ${fault_texts[fault]}.` })
  }
  return formValues(answers)
}

function textOf(value: string | number | boolean | null): string {
  if (typeof value === 'boolean') return value ? 'yes' : ''
  return value === null ? '' : String(value)
}

/** The latest submission that answered these fields, or else invented answers. `now` is in milliseconds. */
export async function assumedForm(
  reader: Reader,
  flow: Pick<AutomationFlowRow, 'realm' | 'id'>,
  { config }: NodeOf<'trigger.form'>,
  now: number,
): Promise<object> {
  const [latest] = await latestSubmissions(reader, flow, 0, 1)
  const names = Object.keys(formTypes(config.fields))
  if (latest !== undefined && names.every((name) => Object.hasOwn(latest.values, name))) return latest.values
  return formValues(config.fields.map((field) => ({ ...field, value: inventedValue(field, now) })))
}

function inventedValue({ kind, label, options = [] }: FormField, now: number): FormAnswer['value'] {
  if (kind === 'checkbox') return true
  if (kind === 'number') return 1
  if (kind === 'date') return new Date(now).toISOString().slice(0, 10)
  if (kind === 'email') return 'name@example.com'
  return kind === 'select' ? (options[0] ?? null) : label
}
