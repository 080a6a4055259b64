/**
 * THE table of the inbox: each kind of entry, what creates it, and exactly who hears. The follower reads it, `docs/inbox.md` shows
 * it, and a test compares that page with it and tries every row.
 */
import { type Audience, audienceOf } from './audience.ts'

export interface Kind {
  /** What has happened, as a sentence to the person who hears. */
  readonly says: string
  /** The event types that create it. */
  readonly events: readonly string[]
  /** What creates it if no event does. */
  readonly cause?: string
  /** Which of these events, or when its cause creates it. */
  readonly when: string
  readonly hears: Audience
  /** When it is sent by mail unless the person has chosen otherwise. */
  readonly mail: 'at_once' | 'digest' | 'never'
  /** Whether the browsers of a person show it unless the person has chosen otherwise. */
  readonly push: boolean
  /** Its mail is a letter of its own: no choice of the person changes how it is sent. */
  readonly isFixed?: true
}

const task_events = ['created', 'updated', 'moved', 'completed', 'reopened'].map((verb) => `workflow.task.${verb}`)

/** In order of weight: of several kinds about one event a person gets the first. */
export const kinds = {
  assigned: {
    says: 'A task was assigned to you',
    events: task_events,
    when: 'the task has a new assignee',
    hears: 'assignee',
    mail: 'at_once',
    push: true,
  },
  mentioned: {
    says: 'You were mentioned',
    events: [
      ...[...task_events, 'workflow.comment.created', 'workflow.comment.updated'],
      ...['whiteboard.board_comment.created', 'whiteboard.board_comment.updated'],
    ],
    when: 'the description or comment mentions the person, or a team of the person, and did not before',
    hears: 'mentioned',
    mail: 'at_once',
    push: true,
  },
  invitation: {
    says: 'You were invited to a board',
    events: ['whiteboard.board_member.created'],
    when: 'always',
    hears: 'member',
    mail: 'at_once',
    push: true,
  },
  approval: {
    says: 'An automation asks you for an approval',
    events: ['automation.approval.requested'],
    when: 'always',
    hears: 'approvers',
    mail: 'at_once',
    push: true,
  },
  automation_failed: {
    says: 'An automation that you activated has failed',
    events: ['automation.run.failed'],
    when: 'the run is live',
    hears: 'activator',
    mail: 'digest',
    push: true,
  },
  automation_authority: {
    says: 'The authority of an automation has ended',
    events: ['automation.flow.authority_ended'],
    when: 'always',
    hears: 'keepers',
    mail: 'at_once',
    push: true,
  },
  comment: {
    says: 'There is a comment on a task that you watch',
    events: ['workflow.comment.created'],
    when: 'always',
    hears: 'watchers',
    mail: 'digest',
    push: true,
  },
  board_comment: {
    says: 'There is a reply in a thread of a board that you wrote in, or a comment of a guest of your link',
    events: ['whiteboard.board_comment.created'],
    when: 'the comment is a reply, or of a guest of a link',
    hears: 'thread',
    mail: 'digest',
    push: true,
  },
  status: {
    says: 'The status of a task that you watch has changed',
    events: task_events.slice(1),
    when: 'the status differs',
    hears: 'watchers',
    mail: 'digest',
    push: false,
  },
  due_tomorrow: {
    says: 'A task of yours is due tomorrow',
    events: [],
    cause: 'the clock',
    when: 'at 9:00 in the time zone of the person, for open tasks due on the next day there',
    hears: 'assignee',
    mail: 'digest',
    push: false,
  },
  overdue: {
    says: 'A task of yours is overdue',
    events: [],
    cause: 'the clock',
    when: 'the due date of an open task has passed',
    hears: 'assignee',
    mail: 'digest',
    push: true,
  },
  second_factor_reset: {
    says: 'An owner has reset your second factor',
    events: [],
    cause: 'an owner',
    when: 'an owner resets the second factor of the person',
    hears: 'holder',
    mail: 'at_once',
    push: false,
    isFixed: true,
  },
} as const satisfies Record<string, Kind>

export type KindName = keyof typeof kinds

export const kind_names = Object.keys(kinds) as [KindName, ...KindName[]]

/** The kinds for which a person chooses how they are sent. */
export const chosen_kind_names = kind_names.filter((name) => !('isFixed' in kinds[name]))

export function isKindName(text: string): text is KindName {
  return Object.hasOwn(kinds, text)
}

/** The event types that can create an entry. */
export const told_events: ReadonlySet<string> = new Set(Object.values(kinds).flatMap(({ events }) => events))

/** The table as `docs/inbox.md` shows it. */
export function kindsTable(): string {
  const rows = Object.entries(kinds).map(([name, kind]: [string, Kind]) => {
    const causes = kind.cause ?? kind.events.map((type) => `\`${type}\``).join(', ')
    return `| \`${name}\` | ${causes} | ${kind.when} | ${audienceOf[kind.hears]} | ${mail_words[kind.mail]} | ${kind.push ? 'yes' : 'no'} |`
  })
  return [
    '| Kind | Created by | When | Who hears | Mail by default | Browser by default |',
    '|---|---|---|---|---|---|',
    ...rows,
  ].join('\n')
}

const mail_words: Readonly<Record<Kind['mail'], string>> = { at_once: 'at once', digest: 'digest', never: 'never' }
