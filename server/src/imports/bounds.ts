/**
 * A draft against the bounds of the API, so that what does not fit is known before anything is written. Over-long texts are
 * refused, or cut where that was asked for; either is noted.
 */
import { limits } from '../api/limits.ts'
import { type Draft, type Entry, type Note, type TaskFields, textOf } from './draft.ts'

/** Two custom fields are the import's own. */
const own_fields = 2

export interface Fault {
  readonly param: string
  readonly message: string
}

/** The entry with its draft checked; `faultsOf` finds what the API would refuse. */
export function bounded({ draft, notes }: Entry, cut: boolean, faultsOf: (fields: TaskFields) => Fault[]): Entry {
  if (draft === null) return { draft, notes }
  const found = [...notes]
  const kept = cut ? shortened(draft, found) : draft
  const faults = [...textFaults(kept.fields), ...faultsOf(kept.fields), ...commentFaults(kept)]
  const refusals = faults.map(({ param, message }) => refusal(kept, param, message))
  return refusals.length > 0 ? { draft: null, notes: [...found, ...refusals] } : { draft: kept, notes: found }
}

function refusal({ line, key }: Draft, column: string, reason: string): Note {
  return { line, column, key, action: 'refused', reason }
}

function textFaults(fields: TaskFields): Fault[] {
  const faults: Fault[] = []
  for (const [name, text] of textsOf(fields)) {
    if (text.includes('\0') || !text.isWellFormed()) {
      faults.push({ param: name, message: `${name} holds a character that is not text.` })
    }
  }
  if (fields.title !== '' && fields.title.trim() === '') faults.push({ param: 'title', message: 'title is empty.' })
  const most = limits.custom_fields_max - own_fields
  if (Object.keys(fields.custom_fields ?? {}).length > most) {
    faults.push({ param: 'custom_fields', message: `custom_fields has more than ${most} keys.` })
  }
  return faults
}

/** The lengths that the API bounds; the command line checks with the server's schema instead. */
export function lengthFaults({ title, description = '', labels = [] }: TaskFields): Fault[] {
  const faults: Fault[] = []
  const bound = (param: string, text: string, chars_max: number): void => {
    if (text.length > chars_max && [...text].length > chars_max) {
      faults.push({ param, message: `${param} must have at most ${chars_max} characters.` })
    }
  }
  if (title.trim() === '') faults.push({ param: 'title', message: 'title is empty.' })
  bound('title', title, limits.title_chars_max)
  bound('description', description, limits.text_chars_max)
  for (const label of labels) bound('labels', label, limits.label_chars_max)
  if (labels.length > limits.labels_max) {
    faults.push({ param: 'labels', message: `labels must have at most ${limits.labels_max} items.` })
  }
  return faults
}

function textsOf(fields: TaskFields): [string, string][] {
  const { title, description = '', labels = [], custom_fields = {} } = fields
  const own = Object.entries(custom_fields).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value])
      .filter((each) => typeof each === 'string')
      .map((each): [string, string] => [`custom_fields.${name}`, each as string]),
  )
  return [
    ['title', title],
    ['description', description],
    ...labels.map((each): [string, string] => ['labels', each]),
    ...own,
  ]
}

function commentFaults({ comments }: Draft): Fault[] {
  return comments.flatMap((comment, i): Fault[] => {
    const param = `comments[${i}]`
    const body = textOf(comment)
    if (body.length > limits.text_chars_max && [...body].length > limits.text_chars_max) {
      return [{ param, message: `${param} must have at most ${limits.text_chars_max} characters.` }]
    }
    if (body.includes('\0') || !body.isWellFormed())
      return [{ param, message: `${param} holds a character that is not text.` }]
    return []
  })
}

function shortened(draft: Draft, notes: Note[]): Draft {
  const shorten = (name: string, text: string, chars_max: number): string => {
    const characters = text.length > chars_max ? [...text] : []
    if (characters.length <= chars_max) return text
    const reason = `${name} had ${characters.length} characters; ${chars_max} were kept.`
    notes.push({ line: draft.line, column: name, key: draft.key, action: 'cut', reason })
    return characters.slice(0, chars_max).join('')
  }
  const { title, description, labels } = draft.fields
  if (labels !== undefined && labels.length > limits.labels_max) {
    const reason = `labels were ${labels.length}; ${limits.labels_max} were kept.`
    notes.push({ line: draft.line, column: 'labels', key: draft.key, action: 'cut', reason })
  }
  const kept = labels?.slice(0, limits.labels_max).map((label) => shorten('labels', label, limits.label_chars_max))
  return {
    ...draft,
    fields: {
      ...draft.fields,
      title: shorten('title', title, limits.title_chars_max),
      ...(description === undefined ? {} : { description: shorten('description', description, limits.text_chars_max) }),
      ...(kept === undefined ? {} : { labels: [...new Set(kept)] }),
    },
    comments: draft.comments.map((comment, i) => {
      const room = limits.text_chars_max - (textOf(comment).length - comment.body.length)
      return { ...comment, body: shorten(`comments[${i}]`, comment.body, room) }
    }),
  }
}
