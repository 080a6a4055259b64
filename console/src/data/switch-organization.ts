import { app } from './app-api.ts'
import { putOrganization } from './link-organization.ts'
import { queryClient } from './query-client.ts'
import { expectSessionEnd } from './session-store.ts'

/** Continues in another organization of the account, in a new session. The page that is open is read again there. */
export async function switchOrganization(organization: string): Promise<void> {
  expectSessionEnd(true)
  try {
    // Reads under way would be refused, because the session ends.
    await queryClient.cancelQueries()
    await app('POST session/organization', { body: { organization } })
    putOrganization()
  } catch (error) {
    expectSessionEnd(false)
    await queryClient.invalidateQueries()
    throw error
  }
}
