/**
 * The key of a loaded page: it identifies the submission, however often the page is sent, and says when it was loaded. It is
 * signed, so that a program has to load the page before it can send anything.
 */
import { automation_limits } from '../../../automations/limits.ts'
import { randomBase62 } from '../../../lib/base62.ts'
import { type Sealer, sameBytes } from '../../../lib/seal.ts'

/** 128 random bits. */
const key_chars = 22

export interface PageKey {
  readonly key: string
  /** When the page was loaded, in milliseconds. */
  readonly loadedAt: number
  /** Whether it was loaded too long ago to start anything. */
  readonly isLate: boolean
}

/** A new key for a page of this form. `now` is in milliseconds. */
export function issuePageKey(sealer: Sealer, form: string, now: number): string {
  const head = `${randomBase62(key_chars)}.${now.toString(36)}`
  return `${head}.${signatureOf(sealer, form, head)}`
}

/** The key of a page of this form; null if it was not issued for it. `now` is in milliseconds. */
export function readPageKey(sealer: Sealer, form: string, text: string, now: number): PageKey | null {
  const [, head = '', key = '', loaded = '', signature = ''] =
    /^(([0-9A-Za-z]{22})\.([0-9a-z]{1,11}))\.([\w-]{43})$/.exec(text) ?? []
  const loadedAt = Number.parseInt(loaded, 36)
  const isSigned = sameBytes(signature, signatureOf(sealer, form, head))
  if (key === '' || !isSigned) return null
  return { key, loadedAt, isLate: now - loadedAt > automation_limits.automation_form_page_ms }
}

function signatureOf(sealer: Sealer, form: string, head: string): string {
  return sealer.mac('form page', [form, head].join(' ')).toString('base64url')
}
