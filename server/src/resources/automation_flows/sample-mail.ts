/** A mail that a preview assumes to have been received (contract/16#preview). */
import Type, { type Static } from 'typebox'
import { refuse } from '../../api/declare/errors.ts'
import { described } from '../../api/declare/shapes.ts'
import { automation_limits } from '../../automations/limits.ts'
import { type FlowMail, no_subject } from '../../automations/mails.ts'
import type { Graph } from '../../automations/schema.ts'
import type { AutomationFlowRow } from '../../db/schema.ts'
import type { Reader } from '../../db/store.ts'
import { latestMails } from '../automation_runs/shared/mails.ts'

const {
  automation_mailbox_address_chars_max: address_max,
  automation_mailbox_line_chars_max: line_max,
  automation_mailbox_text_chars_max: text_max,
  automation_mailbox_attachments_max: attachments_max,
} = automation_limits

const line = Type.String({ maxLength: line_max, pattern: '^[^\\r\\n]*$' })

export const SampleMail = Type.Object(
  {
    from: described(
      Type.Optional(Type.String({ maxLength: address_max, pattern: '^[^\\s@]+@[^\\s@]+$' })),
      'Address of the sender; `name@example.com` by default.',
    ),
    name: described(Type.Optional(line), 'Name of the sender; empty by default.'),
    subject: described(Type.Optional(line), 'Subject; `(no subject)` by default.'),
    text: described(Type.Optional(Type.String({ maxLength: text_max })), 'Plain text; empty by default.'),
    attachments: described(
      Type.Optional(Type.Array(line, { maxItems: attachments_max })),
      'Names of attachments; none by default.',
    ),
  },
  { additionalProperties: false },
)

const invented_from = 'name@example.com'

/** The sample as expressions see it. Refuses a flow without such a trigger. */
export function sampleMailOf(sample: Static<typeof SampleMail>, { graph }: AutomationFlowRow): FlowMail {
  if (!(JSON.parse(graph) as Graph).nodes.some(({ type }) => type === 'trigger.mail')) {
    const message = 'The flow has no trigger.mail, so no mail starts it.'
    throw refuse('invalid_request_body', { param: 'mail', message })
  }
  const { from = invented_from, name = '', subject = '', text = '', attachments = [] } = sample
  const shown = subject.trim() === '' ? no_subject : subject.trim()
  return { from: from.toLowerCase(), name, subject: shown, text, attachments }
}

/** The latest mail that started a run, or else an invented one. */
export async function assumedMail(reader: Reader, flow: Pick<AutomationFlowRow, 'realm' | 'id'>): Promise<FlowMail> {
  const [latest] = await latestMails(reader, flow, 0, 1)
  return (
    latest?.mail ?? {
      ...{ from: invented_from, name: 'Name', subject: 'Subject', text: 'Text of the mail.', attachments: [] },
    }
  )
}
