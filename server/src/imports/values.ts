/** Numbers, truth values and calendar days as exports write them. */
import { quoted } from '../lib/quoted.ts'
import { Unusable } from './unusable.ts'

/** A decimal number, with a point or a comma. */
export function numberOf(text: string): number {
  const value = /^-?\d+([.,]\d+)?$/.test(text) ? Number(text.replace(',', '.')) : Number.NaN
  if (!Number.isFinite(value)) throw new Unusable(`is not a number: ${quoted(text)}`)
  return value
}

export function booleanOf(text: string): boolean {
  if (/^(true|yes|1|x)$/i.test(text)) return true
  if (/^(false|no|0)$/i.test(text)) return false
  throw new Unusable(`is neither true nor false: ${quoted(text)}`)
}
