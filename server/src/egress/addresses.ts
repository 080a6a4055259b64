/**
 * Global unicast addresses: all that the IANA special-purpose registries do not list. An address that carries another
 * one (mapped, NAT64, 6to4, Teredo) is not global, whatever it carries (contract/11#outbound-addresses).
 */
import { BlockList, isIP, isIPv4 } from 'node:net'

const special4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const

/** Inside 2000::/3, the only global unicast block today. */
const special6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
] as const

const blocked = new BlockList()
for (const [network, prefix] of special4) blocked.addSubnet(network, prefix, 'ipv4')
for (const [network, prefix] of special6) blocked.addSubnet(network, prefix, 'ipv6')
const global6 = new BlockList()
global6.addSubnet('2000::', 3, 'ipv6')

/** Whether an address, in its usual notation, may be reached from the public internet. */
export function isGlobalUnicast(address: string): boolean {
  if (isIPv4(address)) return !blocked.check(address, 'ipv4')
  if (isIP(address) !== 6 || address.includes('%')) return false
  return global6.check(address, 'ipv6') && !blocked.check(address, 'ipv6')
}
