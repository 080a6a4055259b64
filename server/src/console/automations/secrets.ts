import Type from 'typebox'
import { limits } from '../../api/limits.ts'
import { automation_limits } from '../../automations/limits.ts'
import { seconds } from '../../lib/clock.ts'
import { listSecrets as listRows } from '../../resources/automation_runs/queries/secrets.ts'
import { writeSecret } from '../../resources/automation_runs/secrets.ts'
import { authorOf } from '../author.ts'
import { endpoint } from '../endpoint.ts'
import { body, ModeText, modeParameter } from '../fields.ts'
import { realmOfSession } from '../sessions/session.ts'

/** The names of the secrets that flows may use. Graphs show the names to everybody who sees a flow; values are never shown. */
export const listSecrets = endpoint('GET automation-secrets', {
  needs: 'session',
  query: { mode: modeParameter },
  async handle({ services, session, query }) {
    const { realm } = realmOfSession(session, query.mode ?? 'live')
    const reader = services.store.reader({ organization: session.organization, realms: [realm] })
    const rows = await reader.all(listRows, { realm })
    return { data: rows.map(({ name, updated }) => ({ name, updated: seconds(updated) })) }
  },
})

/** Stores a secret, such as the URL of a chat, and replaces one of the same name. */
export const setSecret = endpoint('POST automation-secrets', {
  needs: 'step_up',
  role: 'admin',
  body: body({
    mode: Type.Optional(ModeText),
    name: Type.String({ minLength: 1, maxLength: limits.id_chars_max }),
    value: Type.String({ minLength: 1, maxLength: automation_limits.automation_secret_chars_max }),
  }),
  async handle(context) {
    const { services, session, body: sent } = context
    const { mode = 'live', name, value } = sent
    const { organization, user } = session
    const { created } = await writeSecret(services, { organization, mode, name, value }, authorOf(context, user))
    return { name, created }
  },
})
