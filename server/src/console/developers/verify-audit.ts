import { seconds } from '../../lib/clock.ts'
import { verifyAudit } from '../../resources/audit_logs/verify.ts'
import { endpoint } from '../endpoint.ts'

/** Verifications in progress in this process, by organization; a second request shares the first one's result. */
const running = new Map<string, ReturnType<typeof verifyAudit>>()

/** Verifies the organization's whole audit chain. */
export const verifyAuditLog = endpoint('GET audit/verify', {
  needs: 'session',
  role: 'admin',
  async handle({ services, session: { organization }, now }) {
    let verdict = running.get(organization)
    if (verdict === undefined) {
      verdict = verifyAudit(services.store, organization).finally(() => running.delete(organization))
      running.set(organization, verdict)
    }
    const result = await verdict
    const checked_at = seconds(now)
    return result.ok
      ? { ok: true, entries: result.entries, message: null, sequence: null, checked_at }
      : { ok: false, entries: null, message: result.message, sequence: result.sequence, checked_at }
  },
})
