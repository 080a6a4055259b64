import { endpoint } from '../endpoint.ts'
import { showPasskey } from './passkey.ts'
import { listPasskeysOfAccount } from './queries.ts'

/** Lists the account's passkeys, newest first. */
export const listPasskeys = endpoint('GET passkeys', {
  needs: 'session',
  guests: true,
  async handle({ services, session: { account } }) {
    const rows = await services.store.reader('system').all(listPasskeysOfAccount, { account })
    return { data: rows.map(showPasskey) }
  },
})
