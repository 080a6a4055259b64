/** Codes that replace a second factor once each, for a person whose phone or key is lost. Only their digests are stored. */
import { randomInt } from 'node:crypto'
import type { Tx } from '../../db/store.ts'
import type { Sealer } from '../../lib/seal.ts'
import { console_limits } from '../limits.ts'
import { deleteRecoveryCodes } from './queries.ts'

/** Without 0, 1, I, L, O and U, which are misread or spell words. */
const letters = '23456789ABCDEFGHJKMNPQRSTVWXYZ'

/** Replaces all codes of the account. The codes are returned here only. */
export function replaceRecoveryCodes(tx: Tx, sealer: Sealer, account: string, now: number): string[] {
  tx.write(deleteRecoveryCodes, { account })
  const codes = Array.from({ length: console_limits.recovery_codes }, newCode)
  for (const code of codes)
    tx.insert('recovery_codes', { account, digest: digestOfCode(sealer, account, code), created: now })
  return codes
}

function newCode(): string {
  const chars = Array.from({ length: console_limits.recovery_code_chars }, () => letters[randomInt(letters.length)])
  const half = console_limits.recovery_code_chars / 2
  return `${chars.slice(0, half).join('')}-${chars.slice(half).join('')}`
}

/** The digest of a code as it is typed: case, spaces and dashes do not matter. */
export function digestOfCode(sealer: Sealer, account: string, typed: string): string {
  return sealer.digest(`recovery code ${account} ${typed.replace(/[\s-]/g, '').toUpperCase()}`)
}
