import type { WindowReport } from '../../api/credits/charge.ts'
import { readOperation } from '../../api/declare/operation.ts'
import { seconds } from '../../lib/clock.ts'
import { Usage, type Window } from './usage.ts'

/** Shows the credits used by the credential and its plan, including this request. Limits are null if unlimited. */
export const retrieveUsage = readOperation({
  id: 'usage.retrieve',
  method: 'GET',
  path: '/v1/usage',
  summary: 'Retrieve the usage of the credential',
  scope: 'api:read',
  credits: 1,
  lenient: true,
  beyondCredits: true,
  returns: Usage,
  async handle({ caller, now, services }) {
    const windows = await services.credits.report(caller, now)
    return {
      object: 'usage',
      credential: caller.credential,
      plan: caller.plan,
      mode: caller.mode,
      ...Object.fromEntries(windows.map((window) => [window.kind, showWindow(window)])),
    }
  },
})

function showWindow({ limit, used, remaining, endsAt }: WindowReport): Window {
  return { limit, used, remaining, resets_at: seconds(endsAt) }
}
