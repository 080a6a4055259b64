/** Targets that an attacker would name: internal addresses from the special-purpose registries, in every spelling. */
import type { Dice } from './dice.ts'

/** The first and last addresses of special-purpose networks. */
const inner: readonly (readonly [least: string, most: string])[] = [
  ['0.0.0.0', '0.255.255.255'],
  ['10.0.0.0', '10.255.255.255'],
  ['100.64.0.0', '100.127.255.255'],
  ['127.0.0.0', '127.255.255.255'],
  ['169.254.0.0', '169.254.255.255'],
  ['172.16.0.0', '172.31.255.255'],
  ['192.0.0.0', '192.0.0.255'],
  ['192.0.2.0', '192.0.2.255'],
  ['192.88.99.0', '192.88.99.255'],
  ['192.168.0.0', '192.168.255.255'],
  ['198.18.0.0', '198.19.255.255'],
  ['198.51.100.0', '198.51.100.255'],
  ['203.0.113.0', '203.0.113.255'],
  ['224.0.0.0', '255.255.255.255'],
]

function toNumber(address: string): number {
  return address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
}

/** An address of one of these networks, often its first or last. */
export function innerAddress(dice: Dice): string {
  const [least, most] = dice.pick(inner).map(toNumber) as [number, number]
  const number = dice.pick([least, most, dice.int(least, most), dice.int(least, most)])
  return [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.')
}

/** URLs with the address in notations that some parser accepts. */
export function targetsOf(dice: Dice, address: string): string[] {
  const numbers = address.split('.').map(Number) as [number, number, number, number]
  const part = (n: number): string =>
    dice.pick([String(n), `0x${n.toString(16)}`, `0${n.toString(8)}`, `0X00${n.toString(16)}`])
  const [a, b, c, d] = numbers
  const whole = toNumber(address)
  const hosts = [
    numbers.map(part).join('.'),
    part(whole),
    `${part(a)}.${part(whole % 2 ** 24)}`,
    `${part(a)}.${part(b)}.${part(c * 256 + d)}`,
    `${address}.`,
    [...address].map((char) => (dice.chance(0.5) ? `%${char.charCodeAt(0).toString(16)}` : char)).join(''),
    [...address].map((char) => String.fromCodePoint(char.charCodeAt(0) + 0xfee0)).join(''),
    address.replaceAll('.', dice.pick(['\u3002', '\uff0e', '\uff61'])),
    ...carriers(dice, address).map((host) => `[${host}]`),
  ]
  return dice
    .shuffle(hosts)
    .slice(0, 4)
    .map((host) => `https://${host}${dice.pick(['/', ':443/', ':8443/hook', '?q'])}`)
}

/** IPv6 addresses that embed the IPv4 address: mapped, compatible, NAT64, 6to4, Teredo, ISATAP. */
export function carriers(dice: Dice, address: string): string[] {
  const [a, b, c, d] = address.split('.').map(Number) as [number, number, number, number]
  const group = (high: number, low: number) => (high * 256 + low).toString(16)
  const [first, last] = [group(a, b), group(c, d)]
  const inverted = (hex: string) => (0xffff ^ Number.parseInt(hex, 16)).toString(16)
  const found = [
    `::ffff:${address}`,
    `::ffff:${first}:${last}`,
    `0:0:0:0:0:ffff:${first}:${last}`,
    `::ffff:0:${first}:${last}`,
    `::${address}`,
    `64:ff9b::${address}`,
    `64:ff9b::${first}:${last}`,
    `64:ff9b:1::${first}:${last}`,
    `2002:${first}:${last}::${dice.int(1, 9)}`,
    `2001:0:${first}:${last}::1`,
    `2001::${inverted(first)}:${inverted(last)}`,
    `fe80::5efe:${address}`,
  ]
  return found.map((host) => (dice.chance(0.5) ? host.toUpperCase() : host))
}
