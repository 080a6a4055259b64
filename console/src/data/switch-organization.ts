import { app } from './app-api.ts'
import { putOrganization } from './link-organization.ts'
import { queryClient } from './query-client.ts'
import { expectSessionEnd } from './session-store.ts'

/** Continues in another organization of the account, in a new session. The page that is open is read again there. */
export async function switchOrganization(organization: string): Promise<void> {
  await changeSession(() => app('POST session/organization', { body: { organization } }))
}

/** Creates an organization and continues there, in a new session. */
export async function createOrganization(body: { name: string; email?: string }): Promise<void> {
  await changeSession(() => app('POST organizations', { body }))
}

async function changeSession(ask: () => Promise<unknown>): Promise<void> {
  expectSessionEnd(true)
  try {
    // Reads under way would be refused, because the session ends.
    await queryClient.cancelQueries()
    await ask()
    putOrganization()
  } catch (error) {
    expectSessionEnd(false)
    await queryClient.invalidateQueries()
    throw error
  }
}
