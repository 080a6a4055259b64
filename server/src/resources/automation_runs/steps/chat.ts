/**
 * Posts the text of a chat.post to a Slack-compatible incoming webhook. Its URL lets anyone post, so it is a secret: no
 * journal, answer or message contains it, and the response is not kept (contract/16#secrets).
 */
import type { Services } from '../../../api/services.ts'
import { withPlainMentions } from '../../../text/mentions.ts'
import { openSecret } from '../queries/secrets.ts'
import type { CallResult } from './call-result.ts'
import type { OutsideCall } from './continue.ts'
import { secretMissing, send } from './http.ts'
import type { OutsideInputs } from './outside-inputs.ts'

type ChatConfig = Extract<OutsideInputs, { type: 'chat.post' }>['config']

/** Makes the call and returns its result. Rejects only if the store does, before anything is sent. */
export async function callChat(
  services: Pick<Services, 'store' | 'sealer' | 'egress' | 'clock'>,
  realm: number,
  call: OutsideCall,
  { secret, text }: ChatConfig,
): Promise<CallResult> {
  const url = await openSecret(services, realm, secret)
  if (url === null) return secretMissing(secret)
  return await send(services, call, { method: 'POST', url, body: { text: chatText(text) } }, null)
}

/**
 * The text as Slack shows it unchanged: in its markup, `<!channel>` in a task's title would notify a whole channel. A
 * mention of Atrium becomes `@` and the name.
 */
function chatText(text: string): string {
  return withPlainMentions(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
