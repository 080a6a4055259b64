/** Usage: how far the credit windows of a credential and its plan are used up (decisions §4, §14). */
import Type, { type Static } from 'typebox'
import { Id, Nullable, OneOf, Seconds } from '../../api/shapes.ts'

const Count = Type.Integer({ minimum: 0 })

const Window = Type.Object({
  limit: Nullable(Count),
  used: Count,
  remaining: Nullable(Count),
  resets_at: Seconds,
})

export type Window = Static<typeof Window>

export const Usage = Type.Object({
  object: Type.Literal('usage'),
  credential: Id,
  plan: OneOf('studio', 'enterprise'),
  mode: OneOf('live', 'test'),
  minute: Window,
  day: Window,
  plan_day: Window,
})
