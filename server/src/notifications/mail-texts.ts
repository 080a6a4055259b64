/** The texts of mail: plain text, so that nothing that people wrote is markup in it. */
import type { NotificationRow } from '../db/schema.ts'
import { type KindName, kinds } from './kinds.ts'

/** What a mail shows of an entry: read when it is sent. */
export interface Told {
  readonly entry: NotificationRow
  readonly title: string
  readonly key: string | null
  readonly excerpt: string | null
  /** Name of the actor; null if time has passed or the name is not known. */
  readonly actor: string | null
  /** Name of the team by which the person is mentioned, as it is now; null without one and for guests. */
  readonly team: string | null
}

export interface Letter {
  readonly subject: string
  readonly text: string
}

const words: Readonly<Record<string, string>> = { todo: 'to do', in_progress: 'in progress', in_review: 'in review' }
const inWords = (status: string) => words[status] ?? status

/** One sentence about an entry. */
export function sentence({ entry, actor, team }: Told): string {
  const details = JSON.parse(entry.details) as { from?: string; to?: string; thread?: string; guest?: string }
  const who = details.guest === undefined ? (actor ?? 'A colleague') : `${details.guest} (guest)`
  switch (entry.kind as KindName) {
    case 'assigned':
      return `${who} assigned this task to you.`
    case 'mentioned':
      return team === null ? `${who} mentioned you.` : `${who} mentioned your team ${team}.`
    case 'approval':
      return 'An automation asks you to approve or reject:'
    case 'invitation':
      return `${who} invited you to this board.`
    case 'board_comment':
      return `${who} ${details.thread === entry.comment ? 'commented' : 'replied'} on this board:`
    case 'comment':
      return `${who} commented:`
    case 'status':
      return `${who} changed the status from ${inWords(details.from ?? '')} to ${inWords(details.to ?? '')}.`
    default:
      return `${kinds[entry.kind as KindName].says}.`
  }
}

export function pathOf({ entry, key }: Told): string {
  if (entry.subject_type === 'board') return `/boards/${entry.subject}${placeOf(entry)}`
  if (entry.subject_type === 'automation_run') return `/automations/runs/${entry.subject}?workspace=${entry.workspace}`
  if (entry.subject_type === 'automation_flow') return `/automations/${entry.subject}`
  return `/work/tasks/${key ?? entry.subject}`
}

/** Where the thread of a comment on a board is. */
function placeOf({ details }: Told['entry']): string {
  const { thread } = JSON.parse(details) as { thread?: string }
  return thread === undefined ? '' : `/draw?panel=comments&thread=${thread}`
}

const named = ({ key, title }: Told) => (key === null ? title : `${key} ${title}`)

/** The mail about one entry. */
export function noticeLetter(told: Told, publicUrl: string, unsubscribe: string): Letter {
  const lines = [named(told), '', sentence(told), ...quoted(told), '', `${publicUrl}${pathOf(told)}`]
  return { subject: named(told), text: [...lines, ...footer(unsubscribe)].join('\n') }
}

/** The mail about a day: entries by subject, newest first. */
export function digestLetter(all: readonly Told[], left: number, publicUrl: string, unsubscribe: string): Letter {
  const groups = Map.groupBy(all, ({ entry }) => entry.subject)
  const lines = [...groups.values()].flatMap((group) => {
    const [first] = group as [Told, ...Told[]]
    return [
      named(first),
      ...group.flatMap((told) => [`  ${sentence(told)}`, ...quoted(told)]),
      `  ${publicUrl}${pathOf(first)}`,
      '',
    ]
  })
  const more = left > 0 ? [`and ${left} more: ${publicUrl}/inbox`, ''] : []
  const count = groups.size === 1 ? '1 subject' : `${groups.size} subjects`
  return { subject: `Your day in Atrium: ${count}`, text: [...lines, ...more, ...footer(unsubscribe)].join('\n') }
}

function quoted({ excerpt }: Told): string[] {
  return excerpt === null
    ? []
    : withNamedImages(excerpt)
        .split('\n')
        .map((line) => `    ${line}`)
}

/** Of images and files of a text a plain text shows the names. The end of an excerpt may be cut. */
export function withNamedImages(text: string): string {
  return text.replaceAll(/!?\[([^[\]]{0,200})\]\(\/v1\/files\/[^()\s]{0,200}(?:\)|…?$)/g, '[$1]')
}

function footer(unsubscribe: string): string[] {
  return ['', '-- ', 'You choose what Atrium sends in your settings. No more mail like this:', unsubscribe]
}

/** What an automation sends. */
export interface FlowLetter extends Letter {
  /** Id and name of the flow. */
  readonly flow: string
  readonly name: string
}

/** The mail of an automation, which says what sends it. */
export function flowLetter({ subject, text, flow, name }: FlowLetter, publicUrl: string, unsubscribe: string): Letter {
  const sender = `The automation “${name}” sends this mail: ${publicUrl}/automations/${flow}`
  const lines = [text, '', '-- ', sender, 'No more mail of automations:', unsubscribe]
  return { subject, text: lines.join('\n') }
}

/** The mail with a link to join an organization. */
export function invitationLetter(organization: string, inviter: string | null, url: string, days: number): Letter {
  const who = inviter ?? 'A colleague'
  return {
    subject: `Join ${organization} in Atrium`,
    text: [
      `${who} invites you to ${organization}. This link works once, for ${days} days:`,
      '',
      url,
      '',
      'If you do not expect it, ignore this mail.',
    ].join('\n'),
  }
}

/** The mail with a link to a new password. */
export function passwordLetter(organizations: readonly string[], url: string, minutes: number): Letter {
  return {
    subject: 'Set a new password for Atrium',
    text: [
      `A new password was asked for your account in ${organizations.join(', ')}. This link works once, for ${minutes} minutes:`,
      '',
      url,
      '',
      'If you did not ask for it, ignore this mail: your password stays as it is.',
    ].join('\n'),
  }
}

/** The mail that follows a new password. */
export function passwordSetLetter(signInUrl: string): Letter {
  return {
    subject: 'Your password for Atrium was changed',
    text: [
      'A new password was set for your account, and all its sessions and passkeys have ended.',
      '',
      `If it was not you, set another one: ${signInUrl}`,
    ].join('\n'),
  }
}

/** The mail with a link that confirms an address. */
export function addressLetter(url: string, hours: number): Letter {
  return {
    subject: 'Confirm your address for Atrium',
    text: [
      `You sign in to Atrium with this address. This link confirms that it is yours; it works once, for ${hours} hours:`,
      '',
      url,
      '',
      'If you have no account there, ignore this mail.',
    ].join('\n'),
  }
}
