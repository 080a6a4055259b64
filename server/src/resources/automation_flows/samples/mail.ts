/** A mail that a preview assumes to have been received (contract/16#preview). */
import type { Static } from 'typebox'
import { refuse } from '../../../api/declare/errors.ts'
import { type FlowMail, no_subject } from '../../../automations/mails.ts'
import type { Graph } from '../../../automations/schema.ts'
import type { AutomationFlowRow } from '../../../db/schema.ts'
import type { Reader } from '../../../db/store.ts'
import { flowMails } from '../../automation_runs/shared/mails.ts'
import { mailOf, type SentMail } from '../../automation_runs/shared/sent-mail.ts'

const invented_from = 'name@example.com'

/** The sample as expressions see it. Refuses a flow without such a trigger. */
export function sampleMailOf(sample: Static<typeof SentMail>, { graph }: AutomationFlowRow): FlowMail {
  if (!(JSON.parse(graph) as Graph).nodes.some(({ type }) => type === 'trigger.mail')) {
    const message = 'The flow has no trigger.mail, so no mail starts it.'
    throw refuse('invalid_request_body', { param: 'mail', message })
  }
  return mailOf(sample, { from: invented_from, name: '', subject: no_subject, text: '', attachments: [] })
}

/** The latest mail that started a run, or else an invented one. */
export async function assumedMail(reader: Reader, flow: Pick<AutomationFlowRow, 'realm' | 'id'>): Promise<FlowMail> {
  const [latest] = await flowMails.latest(reader, flow, 0, 1)
  return (
    latest?.content ?? {
      ...{ from: invented_from, name: 'Name', subject: 'Subject', text: 'Text of the mail.', attachments: [] },
    }
  )
}
