/**
 * The only way out: requests to URLs that users name. A target must be public: its name is looked up here, every
 * address is checked, and the connection goes to a checked address, so a name that changes its answer gains nothing. No
 * redirects, no decompression, bounded time and size (`exchange.ts`). An unreachable target fails the same way and
 * after the same time, whether it is refused, missing or closed (contract/11#outbound-addresses).
 */
import { lookup, Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import { AddressRanges } from '../lib/address-ranges.ts'
import { isGlobalUnicast } from './addresses.ts'
import { bareHost, type EgressRequest, type EgressResult, Exchanges, failureOf, Unreachable } from './exchange.ts'
import { egress_limits } from './limits.ts'

export type { EgressRequest, EgressResult } from './exchange.ts'

export interface EgressSettings {
  readonly allowedHosts: readonly string[]
  readonly allowedCidrs: readonly string[]
  /** For tests: replaces the system's resolvers. */
  readonly resolve?: Resolve
}

/** The addresses of a name; rejects or returns an empty list if it has none. */
export type Resolve = (host: string) => Promise<readonly string[]>

export type CheckedUrl = { readonly ok: true; readonly url: URL } | { readonly ok: false; readonly message: string }

export class Egress {
  private readonly hosts: ReadonlySet<string>
  private readonly ranges: AddressRanges
  private readonly resolve: Resolve
  private readonly exchanges = new Exchanges()
  private readonly lookUps = new Map<string, Promise<readonly string[]>>()

  /** Throws RangeError for an invalid CIDR. */
  constructor(settings: EgressSettings) {
    this.hosts = new Set(settings.allowedHosts)
    this.ranges = new AddressRanges(settings.allowedCidrs)
    this.resolve = settings.resolve ?? (this.ranges.size + this.hosts.size > 0 ? resolveBySystem : resolveByDns)
  }

  /**
   * Whether a URL may be requested, as far as that is known without a request. A name is looked up only if the operator
   * allowed networks and the URL would be refused otherwise, so the answer reveals nothing about other networks.
   */
  async check(text: string): Promise<CheckedUrl> {
    const url = readUrl(text)
    if (typeof url === 'string') return { ok: false, message: url }
    const fault = this.faultOf(url)
    if (fault === null) return { ok: true, url }
    if (this.ranges.size === 0 || isIP(bareHost(url)) !== 0) return { ok: false, message: fault }
    const addresses = await withTimeout(this.lookUp(bareHost(url)), egress_limits.egress_lookup_ms).catch(() => [])
    return this.holdsAll(addresses) ? { ok: true, url } : { ok: false, message: fault }
  }

  /** Why a URL is refused unless all its addresses are in allowed networks; `null` if it may be requested. */
  private faultOf(url: URL): string | null {
    const host = bareHost(url)
    if (this.hosts.has(host) || (isIP(host) !== 0 && this.ranges.has(host))) return null
    if (url.protocol !== 'https:') return 'The URL must be https.'
    if (url.port !== '' && url.port !== '8443') return 'The port must be 443 or 8443.'
    return isPublicName(host) ? null : 'The host must be a public DNS name.'
  }

  private holdsAll(addresses: readonly string[]): boolean {
    return addresses.length > 0 && addresses.every((address) => this.ranges.has(address))
  }

  /** Sends a request. Never rejects. */
  async send(request: EgressRequest): Promise<EgressResult> {
    const started = performance.now()
    try {
      const addresses = await withTimeout(this.addressesOf(request.url), request.connect_ms)
      if (addresses.length === 0) throw new Unreachable('no address that is allowed')
      return await this.exchanges.exchange(request, addresses, started)
    } catch (error) {
      if (error instanceof Unreachable) await untilAge(started, egress_limits.egress_unreachable_ms)
      return { ok: false, failure: failureOf(error) }
    }
  }

  /** The addresses to connect to: all addresses of the host, or none if one of them is not allowed. */
  private async addressesOf(url: URL): Promise<readonly string[]> {
    const host = bareHost(url)
    const addresses = isIP(host) !== 0 ? [host] : await this.lookUp(host)
    if (this.hosts.has(host)) return addresses
    // What was allowed when the URL was given may have been disallowed since.
    if (this.faultOf(url) !== null) return this.holdsAll(addresses) ? addresses : []
    return addresses.every((address) => isGlobalUnicast(address) || this.ranges.has(address)) ? addresses : []
  }

  /** Requests at the same moment share a look-up, so that they continue in the order in which they began. */
  private lookUp(host: string): Promise<readonly string[]> {
    let found = this.lookUps.get(host)
    if (found === undefined) {
      found = this.resolve(host)
        .catch(() => [])
        .finally(() => this.lookUps.delete(host))
      this.lookUps.set(host, found)
    }
    return found
  }
}

/** The parsed URL, or why its text is refused. */
function readUrl(text: string): URL | string {
  if (text.length > egress_limits.egress_url_chars_max)
    return `The URL may have at most ${egress_limits.egress_url_chars_max} characters.`
  // The parser would silently drop some of these, or read a backslash as a slash.
  if (!URL.canParse(text) || /[\s\\\p{C}]/u.test(text)) return 'This is not a URL.'
  const url = new URL(text)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'The URL must be https.'
  if (url.username !== '' || url.password !== '' || /^[^/?#]*\/\/[^/?#]*@/.test(text))
    return 'The URL may not hold a user name or password.'
  return text.includes('#') ? 'The URL may not have a fragment.' : url
}

/** Finds names of this machine and its network, which an operator may have allowed. */
async function resolveBySystem(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address)
}

const dns = new Resolver({ timeout: egress_limits.dns_try_ms, tries: egress_limits.dns_tries_max })

/** A name server that does not answer occupies no thread of the pool, so it delays nothing else. */
async function resolveByDns(host: string): Promise<readonly string[]> {
  const found = await Promise.allSettled([dns.resolve4(host), dns.resolve6(host)])
  return found.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
}

const local_names =
  /(?:^|\.)(?:localhost|local|localdomain|internal|intranet|lan|home|corp|private|test|invalid|example|onion|alt|arpa)$/

function isPublicName(host: string): boolean {
  return (
    host.length <= 253 &&
    /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/.test(host) &&
    !local_names.test(host)
  )
}

async function withTimeout<T>(promise: Promise<T>, wait_ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Unreachable('name')), wait_ms)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Waits until `age_ms` after `started`. */
async function untilAge(started: number, age_ms: number): Promise<void> {
  const left = age_ms - (performance.now() - started)
  if (left > 0) await new Promise((resolve) => setTimeout(resolve, left))
}
