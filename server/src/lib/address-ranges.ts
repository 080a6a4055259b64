import { BlockList, isIP } from 'node:net'

/**
 * A set of addresses given as CIDRs (`10.0.0.0/8`, `::1/128`) or bare addresses. Throws RangeError for anything else.
 */
export class AddressRanges {
  private readonly list = new BlockList()
  readonly size: number

  constructor(cidrs: readonly string[]) {
    this.size = cidrs.length
    for (const cidr of cidrs) {
      const [network = '', length] = cidr.split('/')
      const family = isIP(network)
      const bits = family === 4 ? 32 : 128
      const prefix = length === undefined ? bits : Number(length)
      const valid =
        family !== 0 &&
        !network.includes('%') &&
        Number.isInteger(prefix) &&
        prefix >= 0 &&
        prefix <= bits &&
        length !== ''
      if (!valid) throw new RangeError(`${cidr} is not a CIDR`)
      this.list.addSubnet(network, prefix, family === 4 ? 'ipv4' : 'ipv6')
    }
  }

  has(address: string): boolean {
    const family = isIP(address)
    if (family === 4) return this.list.check(address, 'ipv4')
    // BlockList matches a mapped address against IPv4 ranges, which is never intended.
    return family === 6 && !/^::ffff:/i.test(address) && this.list.check(address, 'ipv6')
  }
}
