/** A mail that a request to the API sends: to preview a flow, or to run one again. */
import Type, { type Static } from 'typebox'
import { described } from '../../../api/declare/shapes.ts'
import { automation_limits } from '../../../automations/limits.ts'
import { type FlowMail, no_subject } from '../../../automations/mails.ts'

const {
  automation_mailbox_address_chars_max: address_max,
  automation_mailbox_line_chars_max: line_max,
  automation_mailbox_text_chars_max: text_max,
  automation_mailbox_attachments_max: attachments_max,
} = automation_limits

const line = Type.String({ maxLength: line_max, pattern: '^[^\\r\\n]*$' })

export const SentMail = Type.Object(
  {
    from: described(
      Type.Optional(Type.String({ maxLength: address_max, pattern: '^[^\\s@]+@[^\\s@]+$' })),
      'Address of the sender.',
    ),
    name: described(Type.Optional(line), 'Name of the sender.'),
    subject: described(Type.Optional(line), 'Subject of the mail, on one line.'),
    text: described(Type.Optional(Type.String({ maxLength: text_max })), 'Text of the mail, without its formatting.'),
    attachments: described(Type.Optional(Type.Array(line, { maxItems: attachments_max })), 'Names of attachments.'),
  },
  { additionalProperties: false },
)

/** The mail as expressions see it; fields that are not sent are those of `base`. */
export function mailOf(sent: Static<typeof SentMail>, base: FlowMail): FlowMail {
  const { from, subject, ...rest } = { ...base, ...sent }
  const shown = subject.trim() === '' ? no_subject : subject.trim()
  return { ...rest, from: from.toLowerCase(), subject: shown }
}
