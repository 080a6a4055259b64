/**
 * The `filter` language: expressions are generated as trees, printed, and evaluated on what GET shows of a task. Only what the
 * contract states plainly is generated; the parser's fuzzer tries the rest.
 */
import type { Fields, Json } from './names.ts'
import type { Numbers } from './numbers.ts'
import { priorities, statuses } from './tasks.ts'

export interface Tree {
  readonly text: string
  readonly fits: (task: Fields) => boolean
  /** Whether it mentions `is_archived`. */
  readonly namesArchived: boolean
}

const ops = ['=', '!=', '<', '<=', '>', '>='] as const
type Op = (typeof ops)[number]

function compare(value: Json | undefined, op: Op, wanted: Json, rank: (each: Json) => number | string): boolean {
  if (op === '!=') return !compare(value, '=', wanted, rank)
  if (wanted === null) return op === '=' && (value === null || value === undefined)
  if (value === null || value === undefined || typeof value !== typeof wanted) return false
  const [a, b] = [rank(value), rank(wanted)]
  if (op === '=') return a === b
  if (op === '<') return a < b
  if (op === '<=') return a <= b
  return op === '>' ? a > b : a >= b
}

const plain = (each: Json) => each as number | string
const fold = (text: Json | undefined): string => String(text ?? '').toLowerCase()

function restriction(field: string, op: Op, wanted: Json, rank = plain): Tree {
  const value =
    typeof wanted === 'string'
      ? /^[a-z_]+$/.test(wanted) && wanted !== 'null'
        ? wanted
        : JSON.stringify(wanted)
      : String(wanted)
  const isCustom = field.startsWith('custom_fields.')
  const of = (task: Fields): Json | undefined =>
    isCustom ? (task.custom_fields as Fields)[field.slice(14)] : task[field]
  return {
    text: `${field} ${op} ${value}`,
    fits: (task) => compare(of(task), op, wanted, rank),
    namesArchived: field === 'is_archived',
  }
}

function substring(text: string, needle: string, fields: readonly string[]): Tree {
  const sought = needle.toLowerCase()
  return { text, fits: (task) => fields.some((field) => fold(task[field]).includes(sought)), namesArchived: false }
}

const needles = ['plan', 'SHIP', 'it', 'größe', 'quoted', 'zzz']

function leaf(n: Numbers, now: number, users: readonly string[]): Tree {
  const needle = n.pick(needles)
  const both = ['title', 'description']
  const makes: readonly (() => Tree)[] = [
    () => restriction('status', n.pick(['=', '!=']), n.pick(statuses)),
    () => restriction('priority', n.pick(ops), n.pick(priorities), (each) => priorities.indexOf(each as string)),
    () => substring(needle, needle, both),
    () => substring(`"${needle}"`, needle, both),
    () => substring(`title:${needle}`, needle, ['title']),
    () => substring(`description:${needle}`, needle, ['description']),
    () => restriction('title', n.pick(['=', '!=']), n.pick(['Plan', 'Ship it', 'none such'])),
    () => labelled(n.pick(['bug', 'q3', 'Größe'])),
    () => restriction(n.pick(['due_at', 'completed_at']), n.pick(ops), n.pick([now, now + 3600, now - 86_400, 0])),
    () =>
      restriction(
        n.pick(['due_at', 'completed_at', 'assignee', 'project', 'column', 'description']),
        n.pick(['=', '!=']),
        null,
      ),
    () => restriction('created', n.pick(ops), now),
    () => restriction('is_archived', n.pick(['=', '!=']), n.below(2) === 1),
    () => restriction('assignee', n.pick(['=', '!=']), n.pick(users)),
    () => restriction('custom_fields.points', n.pick(ops), 3),
    () => restriction('custom_fields.team', n.pick(['=', '!=']), n.pick(['red', 'blue'])),
    () => restriction(`custom_fields.${n.pick(['points', 'team', 'tags'])}`, n.pick(['=', '!=']), null),
  ]
  return n.pick(makes)()
}

function labelled(label: string): Tree {
  const text = `labels:${/^[a-z]+$/.test(label) ? label : JSON.stringify(label)}`
  return { text, fits: ({ labels }) => (labels as Json[]).includes(label), namesArchived: false }
}

const joined = (parts: readonly Tree[], word: string, all: boolean): Tree => ({
  text: parts.map((part) => part.text).join(word),
  fits: (task) => (all ? parts.every((part) => part.fits(task)) : parts.some((part) => part.fits(task))),
  namesArchived: parts.some((part) => part.namesArchived),
})

/** A random expression. `OR` binds tighter than `AND`, which may be omitted. */
export function makeFilter(n: Numbers, now: number, users: readonly string[], depth = 2): Tree {
  const some = (): Tree => {
    if (depth === 0 || !n.chance(25)) return leaf(n, now, users)
    const inner = makeFilter(n, now, users, depth - 1)
    return { ...inner, text: `(${inner.text})` }
  }
  const negated = (): Tree => {
    const one = some()
    if (!n.chance(20)) return one
    const sign = n.pick(['NOT ', '-'])
    return { ...one, text: `${sign}${one.text}`, fits: (task) => !one.fits(task) }
  }
  const factors = Array.from({ length: 1 + n.below(2) }, () =>
    joined(Array.from({ length: 1 + (n.chance(30) ? 1 : 0) }, negated), ' OR ', false),
  )
  return joined(factors, n.pick([' AND ', ' ']), true)
}

/** The form of a filter. Whether it is an expression shows only when it is used. */
export const isFilterText = (value: Json): boolean =>
  typeof value === 'string' && value.length >= 1 && value.length <= 2048

/** Invalid expressions. */
export const bad_filters = [
  'status =',
  '(',
  'nope = 1',
  'status = todo)',
  'priority >',
  'NOT',
  'a AND',
  'x'.repeat(2049),
  'due_at = "x"',
  '(((((((((a)))))))))',
]
