/** Statuses and priorities in the words of other programs. The caller's table takes precedence; an unknown word is refused. */
import { task_priorities, task_statuses } from '../../resources/tasks/task.ts'
import { quoted } from '../print.ts'
import { Unusable } from './unusable.ts'

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

export function statusOf(word: string, table: Table | undefined, how: string): string {
  const found = guessStatus(word, table)
  if (found === undefined) throw new Unusable(`is an unknown status: ${quoted(word)}; ${how}`)
  if (!(task_statuses as readonly string[]).includes(found))
    throw new Unusable(`maps to ${quoted(found)}, which is not a status; use ${task_statuses.join(', ')}`)
  return found
}

export function priorityOf(word: string, table: Table | undefined, how: string): string {
  const found = translated(table, word) ?? known(priorities, word)
  if (found === undefined) throw new Unusable(`is an unknown priority: ${quoted(word)}; ${how}`)
  if (!(task_priorities as readonly string[]).includes(found))
    throw new Unusable(`maps to ${quoted(found)}, which is not a priority; use ${task_priorities.join(', ')}`)
  return found
}
