/** What a run received from outside, as people see it (contract/16#run-input). */
import Type, { type Static } from 'typebox'
import { described, Id, Nullable, OneOf } from '../../api/declare/shapes.ts'
import { form_field_kinds } from '../../automations/forms.ts'
import type { AutomationRunRow } from '../../db/schema.ts'
import type { Received } from './shared/received.ts'
import { withoutCredentials, withoutSecrets } from './shown-values.ts'

const ReceivedRequest = Type.Object({
  id: described(Nullable(Type.String()), 'Key by which the sender identifies the request; null without one.'),
  body: described(Type.Unknown(), 'Body of the request, or the fields of a form as an object; null if it was empty.'),
  headers: described(Type.Record(Type.String(), Type.String()), 'Headers that the trigger names, in lower case.'),
  query: described(Type.Record(Type.String(), Type.Unknown()), 'Parameters of the query; repeated ones are lists.'),
})

const ReceivedAnswer = Type.Object({
  key: described(Type.String(), 'Name of the answer in expressions.'),
  label: described(Type.String(), 'Label of the field when the form was sent.'),
  kind: described(OneOf(...form_field_kinds), 'Kind of the field.'),
  value: described(
    Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]),
    'Answer; null if the field was left empty.',
  ),
})

const ReceivedMail = Type.Object({
  from: described(Type.String(), 'Address of the sender, as the mail says.'),
  name: described(Type.String(), 'Name of the sender; empty without one.'),
  subject: described(Type.String(), 'Subject in one line.'),
  text: described(Type.String(), 'Plain text of the mail.'),
  attachments: described(Type.Array(Type.String()), 'Names of its attachments, which are not kept.'),
})

export const AutomationRunInput = Type.Object({
  object: described(Type.Literal('automation_run_input'), 'Kind of object: always `automation_run_input`.'),
  automation_run: described(Id, 'Run that was started.'),
  request: described(Nullable(ReceivedRequest), 'Request of an incoming webhook; null for other triggers.'),
  form: described(Nullable(Type.Array(ReceivedAnswer)), 'Answers of a form in its order; null for other triggers.'),
  mail: described(Nullable(ReceivedMail), 'Mail that was received; null for other triggers.'),
  call: described(
    Nullable(Type.Record(Type.String(), Type.Unknown())),
    'Inputs that another flow gave, by name; null for other triggers.',
  ),
})

export type AutomationRunInput = Static<typeof AutomationRunInput>

export function showInput(
  { id }: Pick<AutomationRunRow, 'id'>,
  { request, form, mail, call }: Received,
): AutomationRunInput {
  return {
    object: 'automation_run_input',
    automation_run: id,
    request: request === null ? null : (withoutSecrets(request) as AutomationRunInput['request']),
    form: form === null ? null : form.map((answer) => ({ ...answer, value: withoutCredentials(answer.value) })),
    mail: mail === null ? null : (withoutSecrets(mail) as AutomationRunInput['mail']),
    call: call === null ? null : (withoutSecrets(call) as AutomationRunInput['call']),
  }
}
