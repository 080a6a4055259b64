/**
 * Comparisons with custom fields that a workspace defines (contract/06#filter-comparisons): a value that the type cannot
 * have is refused, and names of options and people become ids. Keys without a definition, and those that the covered
 * workspaces give different types, are compared as they are.
 */
import { fieldsWithKey } from '../../custom_fields/shared/queries.ts'
import { type FieldRule, fieldRule, isCalendarDate } from '../../custom_fields/shared/values.ts'
import type { Condition, CustomTest } from './check.ts'
import { findNamed, type ReferenceScope } from './references.ts'
import { readPeriod } from './times.ts'
import { excerpt } from './tokens.ts'

type CustomCondition = Condition & { kind: 'custom' }

/** Why a comparison is refused; a whole sentence or two. */
class FieldFault extends Error {}

/** The condition with ids in place of names, or a message. */
export async function resolveCustomFields(
  condition: Condition,
  scope: ReferenceScope,
): Promise<{ readonly condition: Condition } | { readonly message: string }> {
  const customs = customsOf(condition)
  if (customs.length === 0) return { condition }
  const fields = new Map<string, readonly FieldRule[]>()
  for (const { key } of customs) {
    if (fields.has(key)) continue
    const rows = await fieldsWithKey(scope.reader, scope.tenant, key, scope.workspace)
    fields.set(key, rows.map(fieldRule))
  }
  try {
    const resolved = new Map<Condition, Condition>()
    for (const each of customs) resolved.set(each, await resolve(each, fields.get(each.key) ?? [], scope))
    return { condition: replaced(condition, resolved) }
  } catch (fault) {
    if (!(fault instanceof FieldFault)) throw fault
    return { message: fault.message }
  }
}

/** Whether a custom field is compared with `me`, which may be the caller. */
export function comparesMe(condition: Condition): boolean {
  return customsOf(condition).some(({ test }) => textOf(test) === 'me')
}

function customsOf(condition: Condition): CustomCondition[] {
  if (condition.kind === 'and' || condition.kind === 'or') return condition.operands.flatMap(customsOf)
  if (condition.kind === 'not') return customsOf(condition.operand)
  return condition.kind === 'custom' ? [condition] : []
}

function replaced(condition: Condition, by: ReadonlyMap<Condition, Condition>): Condition {
  if (condition.kind === 'and' || condition.kind === 'or') {
    return { kind: condition.kind, operands: condition.operands.map((operand) => replaced(operand, by)) }
  }
  if (condition.kind === 'not') return { kind: 'not', operand: replaced(condition.operand, by) }
  return by.get(condition) ?? condition
}

async function resolve(
  condition: CustomCondition,
  fields: readonly FieldRule[],
  scope: ReferenceScope,
): Promise<Condition> {
  const { key, test } = condition
  const [field] = fields
  if (field === undefined || test.kind === 'absent' || fields.some(({ type }) => type !== field.type)) return condition
  switch (field.type) {
    case 'number':
      if (isNumber(test)) return condition
      throw refusal(key, test, 'Use a number, without quotes.')
    case 'checkbox':
      if (test.kind !== 'order' && test.value.truth !== null) return condition
      throw refusal(key, test, 'Use = true or = false.')
    case 'date':
      return { ...condition, test: dayTest(key, test, scope.now) }
    case 'select':
    case 'multi_select':
      return optionCondition(condition, test, fields)
    case 'person':
      return await personCondition(condition, test, scope)
    default:
      return condition
  }
}

function isNumber(test: CustomTest): boolean {
  if (test.kind === 'absent') return true
  return test.kind === 'order' ? typeof test.value === 'number' : test.value.number !== null
}

/** A date, or a time such as `today-7d`, as the day that it is in. */
function dayTest(key: string, test: CustomTest, now: number | undefined): CustomTest {
  const text = textOf(test)
  const period =
    isCalendarDate(text) || now === undefined ? null : relative_form.test(text) ? readPeriod(text, now) : null
  const day = period === null ? text : new Date(period.from * 1000).toISOString().slice(0, text_of_day)
  if (!isCalendarDate(day)) throw refusal(key, test, 'Use a date such as 2026-12-01, today or today+2w.')
  if (test.kind === 'order') return { ...test, value: day }
  return { kind: 'equals', value: { text: day, number: null, truth: null } }
}

const relative_form = /^(now|today)([+-]\d{1,6}[hdw])?$/
const text_of_day = 'YYYY-MM-DD'.length

/** The option by id or name. Of several options, `=` and `:` mean that the task has it. */
function optionCondition(condition: CustomCondition, test: CustomTest, fields: readonly FieldRule[]): Condition {
  const { key } = condition
  if (test.kind === 'order') throw refusal(key, test, 'Options are compared by =, != and IN.')
  const text = textOf(test)
  const options = fields.flatMap((field) => field.options)
  const named = options.filter(({ id }) => id === text)
  const found = named.length > 0 ? named : options.filter(({ name }) => folded(name) === folded(text))
  const ids = [...new Set(found.map(({ id }) => id))]
  if (ids.length === 0) throw refusal(key, test, adviceOf(options.map(({ name }) => name)))
  const kind = fields[0]?.type === 'multi_select' ? 'has' : 'equals'
  const operands = ids.map((id): Condition => {
    return { kind: 'custom', key, test: { kind, value: { text: id, number: null, truth: null } } }
  })
  return operands.length === 1 ? (operands[0] as Condition) : { kind: 'or', operands }
}

const names_max = 10

function adviceOf(names: readonly string[]): string {
  if (names.length === 0) return 'The field has no options.'
  return `Use one of the options: ${names.slice(0, names_max).map(excerpt).join(', ')}${names.length > names_max ? ', …' : ''}.`
}

async function personCondition(
  condition: CustomCondition,
  test: CustomTest,
  scope: ReferenceScope,
): Promise<Condition> {
  const { key } = condition
  if (test.kind === 'order') throw refusal(key, test, 'People are compared by =, != and IN.')
  const text = textOf(test)
  if (/^usr_[0-9A-Za-z]{1,156}$/.test(text)) return condition
  const found = await findNamed(scope, { column: 'assignee', text, quoted: false })
  if ('fault' in found)
    throw refusal(key, test, 'Use a user id (usr_…), the e-mail address or full name of one member, or me.')
  return { ...condition, test: { kind: 'equals', value: { text: found.id, number: null, truth: null } } }
}

function textOf(test: CustomTest): string {
  if (test.kind === 'absent') return ''
  return test.kind === 'order' ? String(test.value) : test.value.text
}

function folded(text: string): string {
  return text.trim().normalize('NFC').toLowerCase()
}

function refusal(key: string, test: CustomTest, advice: string): FieldFault {
  return new FieldFault(`custom_fields.${key} cannot be ${excerpt(textOf(test))}. ${advice}`)
}
