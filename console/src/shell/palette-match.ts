/** Matches commands with a search text. */
import type { Command } from '../app/commands.ts'

/**
 * Returns the commands whose title, search terms or hint contain all words, in this order: 1. titles that start with the
 * text, 2. titles with words that start with each word, 3. the others. Each group keeps the given order.
 */
export function matchCommands(commands: readonly Command[], text: string): readonly Command[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return commands
  const ranks: Command[][] = [[], [], []]
  for (const command of commands) ranks[rankOf(command, words)]?.push(command)
  return ranks.flat()
}

/** 0 is the best rank; -1 is no match. */
function rankOf({ title, words: terms = '', hint = '' }: Command, words: readonly string[]): number {
  const name = title.toLowerCase()
  const all = `${name} ${terms.toLowerCase()} ${hint.toLowerCase()}`
  if (!words.every((word) => all.includes(word))) return -1
  if (name.startsWith(words.join(' '))) return 0
  return words.every((word) => ` ${name}`.includes(` ${word}`)) ? 1 : 2
}
