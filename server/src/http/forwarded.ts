/** The address of a client behind reverse proxies that the operator names (ATRIUM_TRUSTED_PROXIES). */
import { isIP } from 'node:net'
import type { AddressRanges } from '../lib/address-ranges.ts'

/**
 * The last address of `X-Forwarded-For` that no named proxy has: each proxy appends the address of its own peer, so what
 * stands before it is the client's claim. The peer's own if the peer is no named proxy.
 */
export function clientAddress(peer: string, forwarded: readonly string[], proxies: AddressRanges): string {
  let client = bare(peer)
  const claimed = forwarded.join(',').split(',')
  while (proxies.has(client)) {
    const next = bare(claimed.pop()?.trim() ?? '')
    if (isIP(next) === 0) break
    client = next
  }
  return client
}

function bare(address: string): string {
  return address.replace(/^::ffff:/i, '')
}
