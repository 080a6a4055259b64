/** Answers of a form that a request to the API sends: to preview a form, or to run one again. They are read as its page reads them. */
import Type, { type Static } from 'typebox'
import { refuse } from '../../../api/declare/errors.ts'
import { described } from '../../../api/declare/shapes.ts'
import type { FormAnswer, FormField } from '../../../automations/forms.ts'
import { automation_limits } from '../../../automations/limits.ts'
import { type AnswerFault, readAnswers } from './form-answers.ts'

const { automation_form_fields_max, automation_form_long_chars_max } = automation_limits

export const SentAnswers = Type.Record(
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

/** The answers in the order of the form; what is not sent is left empty. Refuses unknown keys, and answers that the page would refuse. */
export function answersOf(sent: Static<typeof SentAnswers>, fields: readonly FormField[]): readonly FormAnswer[] {
  const unknown = Object.keys(sent).find((key) => !fields.some((field) => field.key === key))
  if (unknown !== undefined) {
    const message = `form.${unknown} is not a field of the form. Use ${fields.map(({ key }) => key).join(', ')}.`
    throw refuse('invalid_request_body', { param: `form.${unknown}`, message })
  }
  const texts = new Map(Object.entries(sent).map(([key, value]) => [key, textOf(value)]))
  const { answers, faults } = readAnswers(fields, texts)
  for (const [key, fault] of faults) {
    throw refuse('invalid_request_body', { param: `form.${key}`, message: `form.${key} ${fault_texts[fault]}.` })
  }
  return answers
}

function textOf(value: string | number | boolean | null): string {
  if (typeof value === 'boolean') return value ? 'yes' : ''
  const text = value === null ? '' : String(value)
  // JavaScript writes small numbers with an exponent, which a form refuses.
  return typeof value === 'number' && text.includes('e-') ? value.toFixed(10) : text
}
