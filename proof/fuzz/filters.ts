/** Task filters by their grammar, sometimes broken. */
import type { Dice } from '../dice.ts'

const fields = [
  'title',
  'description',
  'status',
  'priority',
  'assignee',
  'project',
  'column',
  'key',
  'labels',
  'is_archived',
]
const times = ['created', 'updated', 'due_at', 'completed_at']
const values = [
  'done',
  'urgent',
  'null',
  '"null"',
  '*',
  '3',
  '-1.5e3',
  'true',
  '"a b"',
  '"\\"q\\""',
  'Draft',
  '1785844800',
  'é',
  '%',
  '_',
]
const comparators = ['=', '!=', ':', '<', '<=', '>', '>=']

export function filterText(dice: Dice, depth = 0): string {
  const roll = dice.unit()
  if (depth < 6 && roll < 0.15) return `(${filterText(dice, depth + 1)})`
  if (depth < 6 && roll < 0.4)
    return `${filterText(dice, depth + 1)}${dice.pick([' AND ', ' OR ', ' ', ' and '])}${filterText(dice, depth + 1)}`
  if (depth < 6 && roll < 0.5) return `${dice.pick(['NOT ', '-', 'NOT'])}${filterText(dice, depth + 1)}`
  if (roll < 0.55) return dice.pick(values)
  const field = dice.pick([
    ...fields,
    ...times,
    'custom_fields.points',
    'custom_fields.a',
    'custom_fields."x"',
    'nothing',
  ])
  return `${field}${dice.pick(['', '', ' '])}${dice.pick(comparators)}${dice.pick(['', '', ' '])}${dice.pick(values)}`
}
