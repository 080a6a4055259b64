/** Faults of single nodes that a schema cannot express: words, combinations, URLs, schedules. */
import type { Fault } from '../../api/declare/errors.ts'
import { limits } from '../../api/limits.ts'
import { cronFault, isTimeZone } from '../cron.ts'
import type { AddFault, Known } from '../known.ts'
import type { NodeType } from '../schema.ts'
import { at, isRecord } from '../shape.ts'
import type { SketchNode } from '../sketch.ts'
import { isComputed } from '../triggers.ts'
import { callFaults, callTriggerFaults } from './call.ts'
import { formFaults } from './form.ts'
import { httpFaults } from './http.ts'
import { createManyFaults, fieldsOfMany, updateManyFaults } from './many.ts'

type Config = Readonly<Record<string, unknown>>
type Check = (config: Config, path: string, addFault: AddFault, known: Known) => void

const checks: Readonly<Partial<Record<NodeType, Check>>> = {
  'trigger.event': checkEventTypes,
  'trigger.schedule': checkSchedule,
  'trigger.webhook': checkWebhook,
  'trigger.form': formFaults,
  'trigger.call': callTriggerFaults,
  'flow.call': callFaults,
  'task.update': ({ set }, path, addFault, known) => checkFields(set, at(path, 'set'), addFault, known),
  'task.create': ({ set }, path, addFault, known) => checkFields(set, at(path, 'set'), addFault, known),
  'task.create_from_template': ({ overrides }, path, addFault, known) =>
    checkFields(overrides, at(path, 'overrides'), addFault, known),
  'task.create_many': (config, path, addFault, known) => {
    createManyFaults(config, path, addFault)
    for (const [fields, param] of fieldsOfMany(config, path)) checkFields(fields, param, addFault, known)
  },
  'task.update_many': (config, path, addFault, known) => {
    updateManyFaults(config, path, addFault, known)
    checkFields(config.set, at(path, 'set'), addFault, known)
  },
  'task.update_parent': ({ set }, path, addFault, known) => checkFields(set, at(path, 'set'), addFault, known),
  'task.move': checkMove,
  'task.label': checkLabels,
  'task.comment': ({ body }, path, addFault) => {
    if (body === '' || isEmptyTemplate(body)) addFault(at(path, 'body'), 'must not be empty')
  },
  'http.request': httpFaults,
  'chat.post': ({ text }, path, addFault) => {
    if (isEmptyTemplate(text)) addFault(at(path, 'text'), 'must not be empty')
  },
  'mail.send': checkMail,
  'ai.step': checkAi,
  'approval.wait': checkApproval,
}

/** The faults of one node's config. Parts of the wrong shape are skipped, because the schema check reports them. */
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

function checkEventTypes({ event_types }: Config, path: string, addFault: AddFault, known: Known): void {
  if (!Array.isArray(event_types)) return
  for (const [i, type] of event_types.entries()) {
    if (typeof type === 'string' && event_form.test(type) && !known.event_types.has(type)) {
      addFault(at(at(path, 'event_types'), i), `names the unknown event type "${type}"`)
    }
  }
}

function checkSchedule(config: Config, path: string, addFault: AddFault, known: Known): void {
  const { cron, timezone, task_query } = config
  const zoned = typeof timezone === 'string' && isTimeZone(timezone)
  if (typeof timezone === 'string' && timezone !== '' && !zoned) {
    addFault(at(path, 'timezone'), 'must be an IANA time zone, such as Europe/Berlin')
  }
  if (typeof cron === 'string' && cron.length >= 9) {
    const fault = cronFault({ cron, timezone: zoned ? timezone : 'UTC' }, known.now_ms)
    if (fault !== undefined) addFault(at(path, 'cron'), fault)
  }
  if (typeof task_query === 'string') {
    const fault = known.filterFault(task_query)
    if (fault !== undefined) addFault(at(path, 'task_query'), `is not a filter: ${fault}`)
  } else if (config.max_tasks !== undefined) addFault(at(path, 'max_tasks'), 'requires a task_query')
}

/** Headers that hold credentials are not shown to expressions, whose results appear in journals. */
const hidden_headers: readonly unknown[] = ['authorization', 'proxy-authorization', 'cookie']

function checkWebhook({ secret, signature, headers }: Config, path: string, addFault: AddFault): void {
  if (signature !== undefined && secret === undefined) addFault(at(path, 'signature'), 'requires a secret')
  for (const [i, name] of (Array.isArray(headers) ? headers : []).entries()) {
    if (hidden_headers.includes(name))
      addFault(at(at(path, 'headers'), i), `cannot be ${name}, which holds a credential`)
  }
}

const custom_key = new RegExp(`^[a-z][a-z0-9_]{0,${limits.custom_field_key_chars_max - 1}}$`)

function checkFields(set: unknown, path: string, addFault: AddFault, known: Known): void {
  if (!isRecord(set)) return
  checkWord(set.status, at(path, 'status'), known.task_statuses, addFault)
  checkWord(set.priority, at(path, 'priority'), known.task_priorities, addFault)
  if (isEmptyTemplate(set.title)) addFault(at(path, 'title'), 'must not be empty')
  if (Array.isArray(set.labels)) checkDuplicates(set.labels, at(path, 'labels'), addFault)
  if (!isRecord(set.custom_fields)) return
  for (const [key, value] of Object.entries(set.custom_fields)) {
    const field = at(at(path, 'custom_fields'), key)
    if (!custom_key.test(key)) addFault(field, 'is not a valid key of a custom field')
    if (typeof value === 'string' && value.length > limits.custom_field_chars_max) {
      addFault(field, `must have at most ${limits.custom_field_chars_max} characters`)
    }
  }
}

function checkWord(word: unknown, path: string, known: readonly string[], addFault: AddFault): void {
  if (typeof word === 'string' && !known.includes(word)) addFault(path, `must be one of ${known.join(', ')}`)
}

function checkDuplicates(values: readonly unknown[], path: string, addFault: AddFault): void {
  for (const [i, value] of values.entries()) {
    if (typeof value === 'string' && values.indexOf(value) < i) addFault(at(path, i), `repeats "${value}"`)
  }
}

function checkMove({ project, column }: Config, path: string, addFault: AddFault): void {
  if (project === undefined && column === undefined) addFault(path, 'must name a project or a column to move to')
}

function checkLabels({ add, remove }: Config, path: string, addFault: AddFault): void {
  const [adds, removes] = [add, remove].map((list) => (Array.isArray(list) ? list : [])) as [unknown[], unknown[]]
  const given = (list: unknown) => list === undefined || Array.isArray(list)
  if (given(add) && given(remove) && adds.length + removes.length === 0)
    addFault(path, 'must name a label to add or to remove')
  checkDuplicates(adds, at(path, 'add'), addFault)
  checkDuplicates(removes, at(path, 'remove'), addFault)
  for (const [name, list] of [
    ['add', adds],
    ['remove', removes],
  ] as const) {
    for (const [i, label] of list.entries()) {
      if (label === '' || isEmptyTemplate(label)) addFault(at(at(path, name), i), 'must not be empty')
    }
  }
  for (const [i, label] of removes.entries()) {
    if (typeof label === 'string' && adds.includes(label))
      addFault(at(at(path, 'remove'), i), `is also added: "${label}"`)
  }
}

function checkAi({ operation, labels, output_schema, input }: Config, path: string, addFault: AddFault): void {
  if (operation === 'classify' && labels === undefined) addFault(at(path, 'labels'), 'is required to classify')
  if (operation === 'extract' && output_schema === undefined)
    addFault(at(path, 'output_schema'), 'is required to extract')
  if (Array.isArray(labels)) checkDuplicates(labels, at(path, 'labels'), addFault)
  for (const [key, value] of Object.entries(isRecord(input) ? input : {})) {
    if (typeof value !== 'string' || value.length <= limits.text_chars_max) continue
    addFault(at(at(path, 'input'), key), `must have at most ${limits.text_chars_max} characters`)
  }
}

function checkApproval({ people, text }: Config, path: string, addFault: AddFault): void {
  if (isEmptyTemplate(text)) addFault(at(path, 'text'), 'must not be empty')
  checkPeople(people, at(path, 'people'), addFault)
}

function checkMail({ to, subject, text }: Config, path: string, addFault: AddFault): void {
  if (isEmptyTemplate(subject)) addFault(at(path, 'subject'), 'must not be empty')
  if (isEmptyTemplate(text)) addFault(at(path, 'text'), 'must not be empty')
  checkPeople(to, at(path, 'to'), addFault)
}

function checkPeople(people: unknown, path: string, addFault: AddFault): void {
  if (!Array.isArray(people)) return
  if (people.length > 0 && people.every((one) => one === null)) addFault(path, 'must name a person')
  checkDuplicates(people, path, addFault)
}

function isEmptyTemplate(value: unknown): boolean {
  return isComputed(value) && (value as Config).$template === ''
}
