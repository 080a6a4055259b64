/** Answers requests for new passwords by mail. */
import { mail_limits } from '../mail/limits.ts'
import { answerResetRequests } from '../resources/notifications/shared/password-resets.ts'
import type { Worker } from './worker.ts'

export const passwordResetsWorker: Worker = {
  name: 'password_resets',
  does: 'Mails links to people who have forgotten their passwords.',
  period_ms: 2_000,
  lease_ms: 60_000,
  batch_max: mail_limits.reset_batch_max,
  run: (services, count) => answerResetRequests(services, count),
}
