/** The three forms of a value in a graph: as it is, computed by a formula, or a text with inserted values (contract/16#values). */
import { t } from '../../../language/index.ts'

/** The source of a formula; undefined if the value is not computed. */
export function formulaOf(value: unknown): string | undefined {
  return isRecord(value) && typeof value.$expr === 'string' ? value.$expr : undefined
}

/** A text as it is typed: `{{ }}` inserts values. */
export function textOf(value: unknown): string {
  if (isRecord(value) && typeof value.$template === 'string') return value.$template
  return typeof value === 'string' ? value : ''
}

/** The value of a typed text. An empty one of an optional field is left out. */
export function valueOfText(text: string, isRequired: boolean): unknown {
  if (text === '' && !isRequired) return undefined
  return text.includes('{{') ? { $template: text } : text
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const units = [
  { value: 'd', label: t('days'), seconds: 86_400 },
  { value: 'h', label: t('hours'), seconds: 3600 },
  { value: 'm', label: t('minutes'), seconds: 60 },
  { value: 's', label: t('seconds'), seconds: 1 },
] as const

export type Unit = (typeof units)[number]['value']

export const unitChoices = units.map(({ value, label }) => ({ value, label }))

/** The largest unit that needs no fraction: 7200 seconds are 2 hours. */
export function unitOf(seconds: number): Unit {
  return units.find((unit) => seconds !== 0 && seconds % unit.seconds === 0)?.value ?? 'h'
}

export function secondsIn(unit: Unit): number {
  return units.find(({ value }) => value === unit)?.seconds ?? 1
}

/** Seconds in words: "2 hours". */
export function amountOf(seconds: number): string {
  const unit = units.find(({ value }) => value === unitOf(Math.abs(seconds)))
  const amount = Math.abs(seconds) / (unit?.seconds ?? 1)
  const count = { count: amount }
  if (unit?.value === 'd') return t('{count, plural, one {# day} other {# days}}@@away', count)
  if (unit?.value === 'm') return t('{count, plural, one {# minute} other {# minutes}}@@away', count)
  if (unit?.value === 's') return t('{count, plural, one {# second} other {# seconds}}@@away', count)
  return t('{count, plural, one {# hour} other {# hours}}@@away', count)
}
