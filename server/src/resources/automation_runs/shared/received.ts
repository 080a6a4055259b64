/** What a run received from outside, by the type of its trigger. */
import type { FormAnswer } from '../../../automations/forms.ts'
import type { FlowMail } from '../../../automations/mails.ts'
import type { AutomationRunRow } from '../../../db/schema.ts'
import type { Reader, Tx } from '../../../db/store.ts'
import { parseStored } from '../../../lib/strict-json.ts'
import { submissions } from './forms.ts'
import { type HookRequest, hookRequests } from './hooks.ts'
import { flowMails } from './mails.ts'

/** All are null for runs that receive nothing. */
export interface Received {
  readonly request: HookRequest | null
  readonly form: readonly FormAnswer[] | null
  readonly mail: FlowMail | null
  /** The inputs of a call by key. They are kept with the run itself. */
  readonly call: object | null
}

type Run = Pick<AutomationRunRow, 'realm' | 'id' | 'trigger_type' | 'inputs'>

export async function receivedOfRun(reader: Reader, { realm, id, trigger_type: type, inputs }: Run): Promise<Received> {
  return {
    request: type === 'trigger.webhook' ? await hookRequests.ofRun(reader, realm, id) : null,
    form: type === 'trigger.form' ? await submissions.ofRun(reader, realm, id) : null,
    mail: type === 'trigger.mail' ? await flowMails.ofRun(reader, realm, id) : null,
    call: inputs === null ? null : parseStored<object>(inputs),
  }
}

/**
 * Keeps what a rerun received. Its keys are not those of the sender, so that a repeated request, submission or mail still finds the
 * run that the first one started.
 */
export function keepReceived(
  tx: Tx,
  {
    realm,
    id: run,
    automation_flow: flow,
    created,
  }: Pick<AutomationRunRow, 'realm' | 'id' | 'automation_flow' | 'created'>,
  { request, form, mail }: Received,
): void {
  const about = { realm, run, flow, created }
  const key = `rerun ${run}`
  if (request !== null)
    tx.insert('automation_hook_requests', { ...about, request_key: null, request: JSON.stringify(request) })
  if (form !== null)
    tx.insert('automation_submissions', { ...about, submission_key: key, answers: JSON.stringify(form) })
  if (mail !== null) tx.insert('automation_mails', { ...about, mail_key: key, mail: JSON.stringify(mail) })
}
