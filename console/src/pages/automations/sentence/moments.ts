/** Times that a flow sets, in words: "in 2 days", the due date of the task, a fixed date. */

import { momentOf, plusWallDays, startOfWallDay, wallOf } from '../../../design/wall-time.ts'
import { t } from '../../../language/index.ts'
import { amountOf } from '../editor/values.ts'

/** Seconds from now of `now + 2 * 86400`; null for any other formula. */
export function secondsFromNow(formula: string): number | null {
  const found = /^now \+ (\d{1,9})(?: \* (\d{1,6}))?$/.exec(formula.trim())
  if (found === null) return null
  const seconds = Number(found[1]) * Number(found[2] ?? 1)
  return Number.isSafeInteger(seconds) ? seconds : null
}

export function formulaOfSeconds(seconds: number): string {
  return `now + ${seconds}`
}

const known: Readonly<Record<string, string>> = {
  now: t('now'),
  'task.due_at': t('the due date of the task'),
  'task.start_at': t('the start date of the task'),
}

/** The formula of a time in words; undefined if it has none. */
export function momentText(formula: string): string | undefined {
  const seconds = secondsFromNow(formula)
  return seconds === null ? known[formula.trim()] : t('in {amount}', { amount: amountOf(seconds) })
}

/** The beginning of the day after tomorrow: what a fixed date begins with. Unix seconds. */
export function dateAfterTomorrow(now: number): number {
  return momentOf(plusWallDays(startOfWallDay(wallOf(now)), 2))
}
