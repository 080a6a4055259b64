/** Mostly valid values for a schema of the document: from its bounds, its examples and what the lane has learned. */
import type { Dice } from '../dice.ts'
import type { Schema, Schemas } from '../schema.ts'
import { filterText } from './filters.ts'
import type { Known } from './known.ts'
import { plainText } from './texts.ts'

const id_source = '^[A-Za-z0-9][A-Za-z0-9:_-]*$'

/** The id prefixes for a field of this name. */
const prefixes: Readonly<Record<string, readonly string[]>> = {
  workspace: ['wsp'],
  project: ['prj'],
  column: ['col'],
  task: ['tsk'],
  from: ['tsk'],
  to: ['tsk'],
  portfolio: ['pfl'],
  assignee: ['usr'],
  user: ['usr'],
  owner: ['usr'],
  actor: ['usr', 'org'],
  template: ['tpl'],
  target: ['prj', 'usr', 'tsk', 'wsp'],
  automation_flow: ['flow'],
  room: ['brd'],
}

const patterns: Readonly<Record<string, readonly string[]>> = {
  '^[a-z][a-z0-9_]{0,39}$': ['points', 'effort', 'a', 'z9_', 'x'.repeat(40)],
  '^[A-Z]{3}$': ['EUR', 'USD', 'JPY', 'XXX'],
  '^#[0-9a-fA-F]{6}$': ['#000000', '#aBcDeF'],
  '^[0-9]{4}-[0-9]{2}-[0-9]{2}$': ['2026-08-04', '2024-02-29', '2023-02-29', '0000-00-00', '9999-12-31'],
}

const event_types = ['*', 'workflow.task.*', 'workflow.*', 'workflow.task.created', 'platform.*', 'nothing.*']

/** The worlds' start in seconds; times are drawn around it. */
const noon = 1_785_844_800

const depth_max = 6

export interface Source {
  readonly dice: Dice
  readonly known: Known
  readonly schemas: Schemas
  /** The only URLs that requests may name, so that nothing else is called. */
  readonly urls: readonly string[]
}

/** A value for a field of this name. */
export function valueFor(source: Source, given: Schema, name: string, depth = 0): unknown {
  const { dice } = source
  const schema = source.schemas.resolve(given)
  if ('const' in schema) return schema.const
  if (Array.isArray(schema.enum)) return dice.pick(schema.enum)
  const ways = (schema.anyOf ?? schema.oneOf) as readonly Schema[] | undefined
  if (ways !== undefined) return valueFor(source, dice.pick(ways), name, depth)
  const type = Array.isArray(schema.type) ? dice.pick(schema.type as string[]) : schema.type
  if (type === 'null') return null
  if (type === 'boolean') return dice.chance(0.5)
  if (type === 'integer' || type === 'number') return numberOf(dice, schema, type === 'integer')
  if (type === 'array') return listOf(source, schema, name, depth)
  if (type === 'object' || schema.properties !== undefined) return objectOf(source, schema, depth)
  return textOf(source, schema, name)
}

function numberOf(dice: Dice, { minimum, maximum }: Schema, isWhole: boolean): number {
  const least = typeof minimum === 'number' ? minimum : -1e9
  const most = typeof maximum === 'number' ? maximum : 1e9
  const near = [least, most, least + 1, most - 1, noon, noon - 3600, noon + 86_400, noon - dice.int(0, 90_000), 1, 60]
  const fitting = near.filter((number) => number >= least && number <= most)
  const number =
    dice.chance(0.7) && fitting.length > 0 ? dice.pick(fitting) : dice.int(least, Math.min(most, least + 5000))
  return isWhole ? Math.floor(number) : number
}

function listOf(source: Source, schema: Schema, name: string, depth: number): unknown[] {
  const { dice } = source
  const least = Number(schema.minItems ?? 0)
  const most = Math.min(Number(schema.maxItems ?? 5), least + 4)
  const length = depth >= depth_max ? least : dice.int(least, Math.max(least, most))
  const items = Array.from({ length }, () =>
    valueFor(source, (schema.items ?? {}) as Schema, singular(name), depth + 1),
  )
  if (schema.uniqueItems !== true) return items
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()]
}

function objectOf(source: Source, schema: Schema, depth: number): Record<string, unknown> {
  const { dice } = source
  const made: Record<string, unknown> = {}
  const required = new Set((schema.required as string[] | undefined) ?? [])
  for (const [name, inner] of Object.entries((schema.properties as Record<string, Schema> | undefined) ?? {})) {
    if (required.has(name) || (depth < depth_max && dice.chance(0.3)))
      made[name] = valueFor(source, inner, name, depth + 1)
  }
  const more = schema.additionalProperties
  if (typeof more === 'object' && more !== null && dice.chance(0.5)) {
    const { pattern } = (schema.propertyNames ?? {}) as { pattern?: string }
    const key = dice.pick(patterns[pattern ?? ''] ?? ['points'])
    made[key] = valueFor(source, more as Schema, key, depth + 1)
  }
  return made
}

function textOf({ dice, known, urls }: Source, schema: Schema, name: string): string {
  const most = Number(schema.maxLength ?? 200)
  if (name === 'url') return dice.pick(urls)
  if (name === 'filter') return filterText(dice)
  if (name === 'types' || name === 'event_type') return dice.pick(event_types)
  if (name === 'preview_token') return known.token(dice)
  if (name === 'cursor') return known.cursor(dice)
  if (name === 'starting_after' || name === 'ending_before') {
    return dice.chance(0.5) ? known.idCursor(dice) : known.id(dice, [])
  }
  if (name === 'sort')
    return dice.pick(['created', '-updated', 'due_at,-title', 'priority', '-position,title', 'completed_at'])
  const pattern = schema.pattern as string | undefined
  if (pattern === id_source || prefixes[name] !== undefined) return known.id(dice, prefixes[name] ?? [])
  const fitting = patterns[pattern ?? '']
  if (fitting !== undefined) return dice.pick(fitting)
  if (dice.chance(0.05)) return 'x'.repeat(Math.min(most, 70_000))
  return plainText(dice, most)
}

function singular(name: string): string {
  return name.replace(/s?(?:\[\])?$/, (end) => (end.endsWith(']') ? 's' : ''))
}

const id_text = /^([a-z]{3,6})_[0-9A-HJKMNP-TV-Z]{26}$/

/** An example of the document, with the lane's ids in place of its own. */
export function fromExample(source: Source, example: unknown, name = ''): unknown {
  if (Array.isArray(example)) return example.map((each) => fromExample(source, each, name))
  if (typeof example === 'object' && example !== null) {
    return Object.fromEntries(Object.entries(example).map(([key, value]) => [key, fromExample(source, value, key)]))
  }
  if (typeof example !== 'string') return example
  if (name === 'url') return source.dice.pick(source.urls)
  if (name === 'preview_token') return source.known.token(source.dice)
  const prefix = id_text.exec(example)?.[1]
  return prefix === undefined ? example : source.known.id(source.dice, [prefix])
}
