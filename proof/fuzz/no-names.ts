/** Loaded first: in this process no name leads anywhere, so that what is made up of names reaches no network. */
import dns from 'node:dns/promises'
import { syncBuiltinESMExports } from 'node:module'

dns.lookup = (async (name: string) => {
  throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' })
}) as never
syncBuiltinESMExports()
