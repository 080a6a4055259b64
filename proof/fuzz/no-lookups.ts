/** Loaded first: no host name resolves in this process, so generated names reach no network. */
import dns from 'node:dns/promises'
import { syncBuiltinESMExports } from 'node:module'

dns.lookup = (async (name: string) => {
  throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' })
}) as never
syncBuiltinESMExports()
