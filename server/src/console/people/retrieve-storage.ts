import { totalBytes } from '../../resources/files/shared/contents.ts'
import { endpoint } from '../endpoint.ts'
import { modeParameter } from '../fields.ts'
import { realmOfSession } from '../sessions/session.ts'

/** The bytes of the organization's files in a mode, and how many it may have. */
export const retrieveStorage = endpoint('GET storage', {
  needs: 'session',
  query: { mode: modeParameter },
  async handle({ services, session, query }) {
    const { realm } = realmOfSession(session, query.mode ?? 'live')
    const reader = services.store.reader({ organization: session.organization, realms: [realm] })
    return { bytes: await totalBytes(reader, realm), bytes_max: services.files.settings.organization_bytes_max }
  },
})
