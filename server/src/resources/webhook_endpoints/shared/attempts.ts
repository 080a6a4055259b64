/** Attempts of deliveries as the API shows them (contract/11#deliveries). */
import Type, { type Static } from 'typebox'
import { described, Nullable, OneOf, Seconds } from '../../../api/declare/shapes.ts'
import { limits } from '../../../api/limits.ts'
import type { WebhookAttemptRow } from '../../../db/schema.ts'
import { seconds } from '../../../lib/clock.ts'

/** What every attempt has, also one that belongs to no delivery. */
export const attempt_fields = {
  number: described(Type.Integer({ minimum: 1 }), 'Number of the attempt, from 1.'),
  created: described(Seconds, 'When the attempt started, in Unix seconds.'),
  duration_ms: described(Type.Integer({ minimum: 0 }), 'Duration of the attempt in milliseconds.'),
  http_status: described(Nullable(Type.Integer()), 'Status that the endpoint answered; null without an answer.'),
  error_category: described(Nullable(Type.String()), 'Kind of the failure; null after a success.'),
  response_excerpt: described(Nullable(Type.String()), 'First 1 KiB of a textual answer; null without one.'),
}

const Trigger = OneOf('automatic', 'resend', 'replay', 'recover')

export const Attempt = Type.Object({
  ...attempt_fields,
  trigger: described(Trigger, 'Whether the attempt was scheduled, or requested by `resend`, `replay` or `recover`.'),
})

/** The newest attempts of a delivery, in order. */
export function showAttempts(rows: readonly WebhookAttemptRow[]): Static<typeof Attempt>[] {
  return rows.slice(-limits.event_attempts_max).map((attempt) => ({
    number: attempt.number,
    created: seconds(attempt.created),
    duration_ms: attempt.duration_ms,
    http_status: attempt.http_status,
    error_category: attempt.error_category,
    response_excerpt: attempt.response_excerpt,
    trigger: attempt.trigger as Static<typeof Trigger>,
  }))
}
