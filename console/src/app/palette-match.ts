/** Which commands a text finds, the best first. */
import type { Command } from './commands.ts'

/**
 * All words must be found, in the title or in the words besides it. A title that begins with the text comes first, then
 * titles in which each word begins a word, then the others; within each in the order given.
 */
export function matching(commands: readonly Command[], text: string): readonly Command[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return commands
  const ranks: Command[][] = [[], [], []]
  for (const command of commands) ranks[rankOf(command, words)]?.push(command)
  return ranks.flat()
}

/** 0 is best; -1 is not at all. */
function rankOf({ title, words: others = '', hint = '' }: Command, words: readonly string[]): number {
  const name = title.toLowerCase()
  const all = `${name} ${others.toLowerCase()} ${hint.toLowerCase()}`
  if (!words.every((word) => all.includes(word))) return -1
  if (name.startsWith(words.join(' '))) return 0
  return words.every((word) => ` ${name}`.includes(` ${word}`)) ? 1 : 2
}
