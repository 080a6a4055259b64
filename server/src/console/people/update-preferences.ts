import Type, { type TSchema } from 'typebox'
import { refuse } from '../../api/declare/errors.ts'
import { quoted } from '../../api/declare/quoted.ts'
import { Nullable, OneOf } from '../../api/declare/shapes.ts'
import { idPattern } from '../../lib/ids.ts'
import { isTimeZone } from '../../lib/time-zones.ts'
import { chosen_kind_names } from '../../notifications/kinds.ts'
import {
  automation_mail,
  mail_ways,
  type Preferences,
  preferencesOf,
  storePreferences,
} from '../../notifications/preferences.ts'
import { automationFlowNoun } from '../../resources/automation_flows/automation_flow.ts'
import { boardNoun } from '../../resources/boards/board.ts'
import { projectNoun } from '../../resources/projects/project.ts'
import { commitAsUser } from '../author.ts'
import { endpoint } from '../endpoint.ts'
import { body } from '../fields.ts'
import { showSignedIn } from '../sessions/show.ts'

const minutes_a_day = 24 * 60
/** In each mode. The navigation lists them all. */
const favorites_max = 50
const Favorite = Type.String({
  pattern: idPattern(`(?:${[projectNoun, boardNoun, automationFlowNoun].map(({ prefix }) => prefix).join('|')})`),
})
const Favorites = Type.Optional(Type.Array(Favorite, { maxItems: favorites_max, uniqueItems: true }))
const Minute = Nullable(Type.Integer({ minimum: 0, maximum: minutes_a_day - 1 }))
const ways: Record<string, TSchema> = {
  ...Object.fromEntries(chosen_kind_names.map((kind) => [kind, Type.Optional(OneOf(...mail_ways))])),
  [automation_mail]: Type.Optional(OneOf('at_once', 'never')),
}
const shown = Object.fromEntries(chosen_kind_names.map((kind) => [kind, Type.Optional(Type.Boolean())])) as Record<
  string,
  TSchema
>

/** Sets what the signed-in user chooses in this organization. Fields that are not sent stay. */
export const updatePreferences = endpoint('PATCH preferences', {
  needs: 'session',
  guests: true,
  body: body({
    time_zone: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 64 }))),
    language: Type.Optional(Nullable(Type.String({ minLength: 2, maxLength: 35 }))),
    week_starts_on: Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: 7 }))),
    mail: Type.Optional(Type.Object(ways, { additionalProperties: false })),
    push: Type.Optional(Type.Object(shown, { additionalProperties: false })),
    favorites: Type.Optional(Type.Object({ live: Favorites, test: Favorites }, { additionalProperties: false })),
    quiet_from: Type.Optional(Minute),
    quiet_to: Type.Optional(Minute),
  }),
  async handle(context) {
    const { session, body: sent } = context
    const { organization, user } = session
    await commitAsUser(context, { action: 'preferences.update' }, async ({ tx, now, note }) => {
      const before = await preferencesOf(tx, organization, user)
      const mail = { ...before.mail, ...sent.mail }
      const push = { ...before.push, ...sent.push }
      const favorites = { ...before.favorites, ...sent.favorites }
      const after: Preferences = { ...before, ...sent, mail, push, favorites }
      requireUsable(after)
      if (JSON.stringify(after) === JSON.stringify(before)) return
      storePreferences(tx, { organization, user, now }, after)
      note({ target: { object: 'user', id: user } })
    })
    return await showSignedIn(context, session)
  },
})

function requireUsable({ time_zone, language, quiet_from, quiet_to }: Preferences): void {
  const wrong = (param: string, value: unknown, use: string) =>
    refuse('invalid_request_body', { param, message: `\`${param}\` cannot be ${quoted(String(value))}. Use ${use}.` })
  if (time_zone !== null && !isTimeZone(time_zone))
    throw wrong('time_zone', time_zone, 'the name of a time zone such as Europe/Berlin')
  if (language !== null && !isLanguage(language))
    throw wrong('language', language, 'a language tag such as de or en-GB')
  if ((quiet_from === null) !== (quiet_to === null) || (quiet_from !== null && quiet_from === quiet_to))
    throw wrong('quiet_to', quiet_to, 'two different times of the day, or null for both')
}

function isLanguage(tag: string): boolean {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(tag).length > 0
  } catch {
    return false
  }
}
