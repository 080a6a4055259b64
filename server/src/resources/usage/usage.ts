/** Usage of the credit windows of a credential and its plan (contract/04#usage). */
import Type, { type Static } from 'typebox'
import { described, Id, Nullable, OneOf, Seconds } from '../../api/declare/shapes.ts'

const Count = Type.Integer({ minimum: 0 })

const Window = Type.Object({
  limit: described(Nullable(Count), 'Credits of the window; null means unlimited.'),
  used: described(Count, 'Credits used so far.'),
  remaining: described(Nullable(Count), 'Credits that remain; null means unlimited.'),
  resets_at: described(Seconds, 'When the window ends, in Unix seconds.'),
})

export type Window = Static<typeof Window>

export const Usage = Type.Object({
  object: described(Type.Literal('usage'), 'Kind of object: always `usage`.'),
  credential: described(Id, 'Credential that asked.'),
  plan: described(OneOf('studio', 'enterprise'), 'Plan of the organization.'),
  mode: described(OneOf('live', 'test'), 'Data set of the credential: live or test.'),
  minute: described(Window, 'Window of the credential: the current UTC minute.'),
  day: described(Window, 'Window of the credential: the current UTC day.'),
  plan_day: described(Window, 'Daily pool that all credentials of the organization and mode share.'),
})
