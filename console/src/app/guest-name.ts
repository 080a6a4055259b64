/** How guests of links are called. */
import { t } from '../language/index.ts'

/** The name of a guest as others see it. The server has removed marks of direction, which could change the words after it. */
export function guestName(name: string): string {
  return t('{name} (guest)', { name })
}
