/**
 * A text as people see it who may see nothing else of the organization: what it refers to (people, teams, tasks, files) is left out
 * with its name, and so is every other id. The rest stays as it was written.
 */

/** A part of a text: words, or the kind of what stood there. */
export type GuestTextPart = { readonly text: string } | { readonly hidden: HiddenKind }

type HiddenKind = 'person' | 'team' | 'task' | 'file' | 'object'

/**
 * A link to an object or a file, or an id: of a link the name goes too, because a mention repeats a title. The lengths are
 * bounded, so that the time is linear in the text.
 */
const reference =
  /!?\[(?:[^[\]\\]|\\.){0,600}\]\(\s{0,8}<?(atrium:|\/v1\/files\/)([a-z]{0,8})[^()]{0,600}\)|[a-z]{3,4}_[0-9A-HJKMNP-TV-Z]{26}/gs

/** The parts of a text, in their order. */
export function guestText(text: string): GuestTextPart[] {
  const parts: GuestTextPart[] = []
  let from = 0
  for (const match of text.matchAll(reference)) {
    if (match.index > from) parts.push({ text: text.slice(from, match.index) })
    parts.push({ hidden: kindOf(match) })
    from = match.index + match[0].length
  }
  if (from < text.length) parts.push({ text: text.slice(from) })
  return parts
}

function kindOf([all, scheme, prefix]: RegExpMatchArray): HiddenKind {
  if (scheme === '/v1/files/') return 'file'
  const kind = scheme === undefined ? all.slice(0, all.indexOf('_')) : prefix
  if (kind === 'usr') return 'person'
  if (kind === 'team') return 'team'
  if (kind === 'fil') return 'file'
  return kind === 'tsk' ? 'task' : 'object'
}
