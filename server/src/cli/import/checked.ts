/**
 * A draft against what the API takes: the same schema that the server checks with, so that what is refused is known before
 * anything is written. Over-long texts are refused, or cut where that was asked for; either is noted.
 */
import Type from 'typebox'
import { Refusal } from '../../api/declare/errors.ts'
import { Title } from '../../api/declare/shapes.ts'
import { limits } from '../../api/limits.ts'
import { checkShape } from '../../api/request/validate.ts'
import { taskFields } from '../../resources/tasks/task.ts'
import { type Draft, type Entry, type Note, type TaskFields, textOf } from './draft.ts'

const NewTask = Type.Object({ title: Title, ...taskFields }, { additionalProperties: false })

/** Two custom fields are the import's own. */
const own_fields = 2

/** The entry with its draft checked; a draft that the API would refuse becomes refusals. */
export function checked(entry: Entry, cut: boolean): Entry {
  if (entry.draft === null) return entry
  const notes = [...entry.notes]
  const draft = cut ? shortened(entry.draft, notes) : entry.draft
  const refusals = [...faultsOf(draft.fields), ...commentFaults(draft)].map(({ param, message }) =>
    refusal(draft, param, message),
  )
  return refusals.length > 0 ? { draft: null, notes: [...notes, ...refusals] } : { draft, notes }
}

function refusal({ line, key }: Draft, column: string, reason: string): Note {
  return { line, column, key, action: 'refused', reason }
}

interface Fault {
  readonly param: string
  readonly message: string
}

function faultsOf(fields: TaskFields): Fault[] {
  const faults: Fault[] = []
  for (const [name, text] of textsOf(fields)) {
    if (text.includes('\0') || !text.isWellFormed()) {
      faults.push({ param: name, message: `${name} holds a character that is not text.` })
    }
  }
  if (fields.title !== '' && fields.title.trim() === '') faults.push({ param: 'title', message: 'title is empty.' })
  const count = Object.keys(fields.custom_fields ?? {}).length
  if (count > limits.custom_fields_max - own_fields) {
    faults.push({
      param: 'custom_fields',
      message: `custom_fields has more than ${limits.custom_fields_max - own_fields} keys.`,
    })
  }
  try {
    checkShape(NewTask, fields)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { details, param = '' } = error.options
    faults.push(...(details ?? [{ param, message: error.message }]))
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
