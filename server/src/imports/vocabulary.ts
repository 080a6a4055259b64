/** Statuses and priorities in the words of other programs. The caller's table takes precedence; an unknown word is refused. */
import { quoted } from '../lib/quoted.ts'
import { LeftOut, Unusable } from './unusable.ts'

/** From a word of the source to ours; `*` is every other. */
export type Table = ReadonlyMap<string, string>

const statuses: Readonly<Record<string, readonly string[]>> = {
  backlog: ['backlog', 'icebox', 'ideas', 'someday', 'later', 'inbox', 'triage'],
  todo: [
    'todo',
    'open',
    'new',
    'reopened',
    'ready',
    'selectedfordevelopment',
    'planned',
    'next',
    'upnext',
    'notstarted',
  ],
  in_progress: ['inprogress', 'doing', 'started', 'active', 'indevelopment', 'wip', 'working', 'underway'],
  in_review: [
    'inreview',
    'review',
    'codereview',
    'inqa',
    'qa',
    'testing',
    'intesting',
    'readyforreview',
    'readyfortest',
  ],
  blocked: ['blocked', 'onhold', 'waiting', 'paused', 'stuck', 'impeded'],
  done: ['done', 'closed', 'complete', 'completed', 'resolved', 'finished', 'released', 'shipped', 'fixed'],
  canceled: [
    'canceled',
    'cancelled',
    'wontdo',
    'wontfix',
    'rejected',
    'abandoned',
    'duplicate',
    'declined',
    'obsolete',
  ],
}

const priorities: Readonly<Record<string, readonly string[]>> = {
  none: ['none', 'nopriority', 'notset', 'unprioritized'],
  low: ['low', 'lowest', 'minor', 'trivial', 'p4', 'p5'],
  medium: ['medium', 'normal', 'moderate', 'p3'],
  high: ['high', 'major', 'important', 'p2'],
  urgent: ['urgent', 'highest', 'critical', 'blocker', 'immediate', 'p0', 'p1'],
}

/** In place of a status: rows with this word are not imported. */
export const leave_out = 'leave_out'

/** The statuses and priorities that a task can have. */
export const known_statuses: readonly string[] = Object.keys(statuses)
export const known_priorities: readonly string[] = Object.keys(priorities)

const plain = (word: string): string =>
  word
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')

/** What the table makes of a word; undefined when it says nothing. */
export function translated(table: Table | undefined, word: string): string | undefined {
  return table?.get(word) ?? table?.get(word.toLowerCase()) ?? table?.get('*')
}

function known(words: Readonly<Record<string, readonly string[]>>, word: string): string | undefined {
  const sought = plain(word)
  return Object.keys(words).find((name) => words[name]?.includes(sought))
}

/** The status that a word means; undefined if it is unknown. */
export function guessStatus(word: string, table?: Table): string | undefined {
  return translated(table, word) ?? known(statuses, word)
}

export function statusOf(word: string, table: Table | undefined): string {
  const found = guessStatus(word, table)
  if (found === undefined) throw new Unusable(`is an unknown status: ${quoted(word)}`, { kind: 'status', word })
  if (found === leave_out) throw new LeftOut(`is ${quoted(word)}, whose rows are left out as chosen`)
  if (!known_statuses.includes(found))
    throw new Unusable(
      `maps to ${quoted(found)}, which is not a status; use ${known_statuses.join(', ')}, or ${leave_out}`,
    )
  return found
}

/** The priority that a word means; undefined if it is unknown. */
export function guessPriority(word: string, table?: Table): string | undefined {
  return translated(table, word) ?? known(priorities, word)
}

export function priorityOf(word: string, table: Table | undefined): string {
  const found = guessPriority(word, table)
  if (found === undefined) throw new Unusable(`is an unknown priority: ${quoted(word)}`, { kind: 'priority', word })
  if (!known_priorities.includes(found))
    throw new Unusable(`maps to ${quoted(found)}, which is not a priority; use ${known_priorities.join(', ')}`)
  return found
}
