import { command } from './command.ts'
import { requireMigrated, withStore } from './open.ts'
import { organizationOption } from './options.ts'

const { required: _, ...anyOrganization } = organizationOption

/** Verifies that no entry of the audit log was changed, removed or reordered; the first wrong one is exit 1. */
export const auditVerify = command({
  name: 'audit verify',
  group: 'Keeping watch',
  summary: 'Verify that no audit entry was changed, removed or reordered',
  details: 'Exits with 1 and names the first wrong entry, if there is one.',
  options: { organization: { ...anyOrganization, does: 'Verify one organization; all of them by default.' } },
  examples: ['atrium audit verify', 'atrium audit verify --organization org_01… --json'],
  async run({ organization }) {
    const { verifyAudit } = await import('../resources/audit_logs/verify.ts')
    const verdict = await withStore(async (store) => {
      await requireMigrated(store)
      return await verifyAudit(store, organization)
    })
    if (!verdict.ok) {
      return { json: verdict, text: `${verdict.organization}: ${verdict.message}`, bad: true }
    }
    const count = `${verdict.entries} ${verdict.entries === 1 ? 'entry' : 'entries'}`
    return { json: verdict, text: `The audit log is intact: ${count}.` }
  },
})
