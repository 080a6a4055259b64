/** Which providers an account can use. */
import type { Services } from '../../api/services.ts'
import type { OpenIdProvider } from '../../egress/openid-provider.ts'
import { listIdentities } from './queries.ts'

/** The configured providers by which the account has signed in. */
export async function providersOfAccount(services: Services, account: string): Promise<OpenIdProvider[]> {
  if (services.openid.size === 0) return []
  const known = await services.store.reader('system').all(listIdentities, { account })
  return [...services.openid.values()].filter(({ settings }) =>
    known.some((row) => row.organization === settings.organization && row.issuer === settings.issuer),
  )
}

/** As the page receives them. */
export function showProviders(providers: Iterable<OpenIdProvider>): { id: string; name: string }[] {
  return [...providers].map(({ settings: { id, name } }) => ({ id, name }))
}
