import { seconds } from '../../lib/clock.ts'
import { verifyAudit } from '../../resources/audit_logs/verify.ts'
import { endpoint } from '../endpoint.ts'

/** Organizations whose chain is being verified by this process; a second request waits for the first one's verdict. */
const underWay = new Map<string, ReturnType<typeof verifyAudit>>()

/** Verifies the organization's audit chain from its first entry to its last. */
export const verifyAuditLog = endpoint('GET audit/verify', {
  needs: 'session',
  role: 'admin',
  async handle({ services, session: { organization }, now }) {
    let verdict = underWay.get(organization)
    if (verdict === undefined) {
      verdict = verifyAudit(services.store, organization).finally(() => underWay.delete(organization))
      underWay.set(organization, verdict)
    }
    const found = await verdict
    const checked_at = seconds(now)
    return found.ok
      ? { ok: true, entries: found.entries, message: null, sequence: null, checked_at }
      : { ok: false, entries: null, message: found.message, sequence: found.sequence, checked_at }
  },
})
