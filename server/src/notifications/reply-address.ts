/**
 * The address to which a person answers a mail about a task: the entry that the mail is about, signed, so that no other address leads
 * anywhere. It is not longer than the 64 characters that a local part may have (RFC 5321), and case does not matter in it.
 */
import { toBase32 } from '../lib/base32.ts'
import type { Sealer } from '../lib/seal.ts'
import { sameBytes } from '../lib/seal.ts'

export interface ReplyTarget {
  readonly realm: number
  /** Id of the entry. */
  readonly notification: string
}

const signature_chars = 20
const form = /^([0-9a-z]{1,11})-([0-9a-hjkmnp-tv-z]{26})([0-9a-hjkmnp-tv-z]{20})$/

export function replyAddress(sealer: Sealer, domain: string, target: ReplyTarget): string {
  const entry = target.notification.slice(target.notification.indexOf('_') + 1).toLowerCase()
  return `${target.realm.toString(36)}-${entry}${signatureOf(sealer, target)}@${domain}`
}

/** What an address leads to; null if this server has not made it. */
export function readReplyAddress(sealer: Sealer, domain: string, address: string): ReplyTarget | null {
  const at = address.lastIndexOf('@')
  const [, realm = '', entry = '', signature = ''] = form.exec(address.slice(0, at).toLowerCase()) ?? []
  if (entry === '' || address.slice(at + 1).toLowerCase() !== domain.toLowerCase()) return null
  const target = { realm: Number.parseInt(realm, 36), notification: `ntf_${entry.toUpperCase()}` }
  return Number.isSafeInteger(target.realm) && sameBytes(signature, signatureOf(sealer, target)) ? target : null
}

/** 100 bits in lower case. */
function signatureOf(sealer: Sealer, { realm, notification }: ReplyTarget): string {
  const mac = sealer.mac('reply', `${realm}\n${notification}`)
  return toBase32(mac.subarray(0, signature_chars))
}
