/** The faults inside of single nodes that a schema cannot tell: words, combinations, URLs, schedules. */
import type { Fault } from '../api/errors.ts'
import { limits } from '../lib/limits.ts'
import { cronFault, isTimeZone } from './cron.ts'
import type { NodeType } from './schema.ts'
import { at, isRecord } from './shape.ts'
import type { SketchNode } from './sketch.ts'
import { isComputed } from './triggers.ts'
import { httpFaults } from './validate-http.ts'

/** What is known above this folder: handed in, so that graphs can be checked without it. */
export interface Known {
  /** The event types that there are, by name. */
  readonly event_types: ReadonlySet<string>
  readonly task_statuses: readonly string[]
  readonly task_priorities: readonly string[]
  /** The present, in milliseconds: schedules are looked at from here on. */
  readonly now_ms: number
  /** What is wrong with a task filter (decisions §6); `undefined` when nothing is. */
  readonly filterFault: (filter: string) => string | undefined
}

export type Say = (param: string, what: string) => void
type Config = Readonly<Record<string, unknown>>
type Check = (config: Config, path: string, say: Say, known: Known) => void

const checks: Readonly<Partial<Record<NodeType, Check>>> = {
  'trigger.event': checkEventTypes,
  'trigger.schedule': checkSchedule,
  'task.update': ({ set }, path, say, known) => checkFields(set, at(path, 'set'), say, known),
  'task.create': ({ set }, path, say, known) => checkFields(set, at(path, 'set'), say, known),
  'task.create_from_template': ({ overrides }, path, say, known) =>
    checkFields(overrides, at(path, 'overrides'), say, known),
  'task.move': checkMove,
  'task.label': checkLabels,
  'task.comment': ({ body }, path, say) => {
    if (body === '' || isEmptyTemplate(body)) say(at(path, 'body'), 'must not be empty')
  },
  'http.request': httpFaults,
  'ai.step': checkAi,
}

/** The faults of one node's config. Parts of a wrong shape are passed over: their fault is told already. */
export function configFaults({ type, config, path }: SketchNode, known: Known): Fault[] {
  const faults: Fault[] = []
  checks[type]?.(
    config,
    at(path, 'config'),
    (param, what) => faults.push({ param, message: `${param} ${what}.` }),
    known,
  )
  return faults
}

const event_form = /^workflow(\.[a-z_]+){2,}$/

function checkEventTypes({ event_types }: Config, path: string, say: Say, known: Known): void {
  if (!Array.isArray(event_types)) return
  for (const [i, type] of event_types.entries()) {
    if (typeof type === 'string' && event_form.test(type) && !known.event_types.has(type)) {
      say(at(at(path, 'event_types'), i), `names no event type: there is no ${type}`)
    }
  }
}

function checkSchedule(config: Config, path: string, say: Say, known: Known): void {
  const { cron, timezone, task_query } = config
  const zoned = typeof timezone === 'string' && isTimeZone(timezone)
  if (typeof timezone === 'string' && timezone !== '' && !zoned) {
    say(at(path, 'timezone'), 'names no time zone; Europe/Berlin would be one')
  }
  if (typeof cron === 'string' && cron.length >= 9) {
    const fault = cronFault({ cron, timezone: zoned ? timezone : 'UTC' }, known.now_ms)
    if (fault !== undefined) say(at(path, 'cron'), fault)
  }
  if (typeof task_query === 'string') {
    const fault = known.filterFault(task_query)
    if (fault !== undefined) say(at(path, 'task_query'), `is not a filter: ${fault}`)
  } else if (config.max_tasks !== undefined) say(at(path, 'max_tasks'), 'needs a task_query')
}

const custom_key = new RegExp(`^[a-z][a-z0-9_]{0,${limits.custom_field_key_chars_max - 1}}$`)

function checkFields(set: unknown, path: string, say: Say, known: Known): void {
  if (!isRecord(set)) return
  sayWord(set.status, at(path, 'status'), known.task_statuses, say)
  sayWord(set.priority, at(path, 'priority'), known.task_priorities, say)
  if (isEmptyTemplate(set.title)) say(at(path, 'title'), 'must not be empty')
  if (Array.isArray(set.labels)) sayTwins(set.labels, at(path, 'labels'), say)
  if (!isRecord(set.custom_fields)) return
  for (const [key, value] of Object.entries(set.custom_fields)) {
    const field = at(at(path, 'custom_fields'), key)
    if (!custom_key.test(key)) say(field, 'has a key that custom fields cannot have')
    if (typeof value === 'string' && value.length > limits.custom_field_chars_max) {
      say(field, `must have at most ${limits.custom_field_chars_max} characters`)
    }
  }
}

function sayWord(word: unknown, path: string, known: readonly string[], say: Say): void {
  if (typeof word === 'string' && !known.includes(word)) say(path, `must be one of ${known.join(', ')}`)
}

function sayTwins(values: readonly unknown[], path: string, say: Say): void {
  for (const [i, value] of values.entries()) {
    if (typeof value === 'string' && values.indexOf(value) < i) say(at(path, i), `is there twice: ${value}`)
  }
}

function checkMove({ project, column }: Config, path: string, say: Say): void {
  if (project === undefined && column === undefined) say(path, 'must name a project or a column to move to')
}

function checkLabels({ add, remove }: Config, path: string, say: Say): void {
  const [adds, removes] = [add, remove].map((list) => (Array.isArray(list) ? list : [])) as [unknown[], unknown[]]
  const given = (list: unknown) => list === undefined || Array.isArray(list)
  if (given(add) && given(remove) && adds.length + removes.length === 0)
    say(path, 'must name a label to add or to remove')
  sayTwins(adds, at(path, 'add'), say)
  sayTwins(removes, at(path, 'remove'), say)
  for (const [name, list] of [
    ['add', adds],
    ['remove', removes],
  ] as const) {
    for (const [i, label] of list.entries()) {
      if (label === '' || isEmptyTemplate(label)) say(at(at(path, name), i), 'must not be empty')
    }
  }
  for (const [i, label] of removes.entries()) {
    if (typeof label === 'string' && adds.includes(label)) say(at(at(path, 'remove'), i), `is added too: ${label}`)
  }
}

function checkAi({ operation, labels, output_schema, input }: Config, path: string, say: Say): void {
  if (operation === 'classify' && labels === undefined) say(at(path, 'labels'), 'is required to classify')
  if (operation === 'extract' && output_schema === undefined) say(at(path, 'output_schema'), 'is required to extract')
  if (Array.isArray(labels)) sayTwins(labels, at(path, 'labels'), say)
  for (const [key, value] of Object.entries(isRecord(input) ? input : {})) {
    if (typeof value !== 'string' || value.length <= limits.text_chars_max) continue
    say(at(at(path, 'input'), key), `must have at most ${limits.text_chars_max} characters`)
  }
}

function isEmptyTemplate(value: unknown): boolean {
  return isComputed(value) && (value as Config).$template === ''
}
