/** A person by name, or by their part in the task. */
import { Combobox } from '../../../design/index.ts'
import { t } from '../../../language/index.ts'
import { formulaOf } from '../editor/values.ts'
import type { StepFieldProps } from './card-fields.ts'
import { formulaWords } from './words.ts'

const none = 'no_one'
/** An option of a formula; ids of people have no such prefix. */
const computed = 'formula:'

const parts = ['task.creator.id', 'task.assignee', 'event.actor.id'] as const

export function PersonField({ field, value, words, variables, onValue }: Omit<StepFieldProps, 'node'>) {
  const formula = formulaOf(value)
  const hasEvent = variables.some(({ group }) => group === t('Start'))
  const known = parts.filter((part) => part !== 'event.actor.id' || hasEvent || formula === part)
  const formulas = formula === undefined || known.some((part) => part === formula) ? known : [...known, formula]
  const selected = formula === undefined ? (value === null ? none : String(value ?? '')) : `${computed}${formula}`
  const isUnknown = selected.startsWith('usr_') && !words.people.some((person) => person.value === selected)
  const options = [
    ...formulas.map((part) => ({
      value: `${computed}${part}`,
      label: capital(formulaWords(part)),
      group: t('By their part'),
    })),
    ...(field.path === 'user' ? [] : [{ value: none, label: t('None'), group: t('By their part') }]),
    ...[...words.people, ...(isUnknown ? [{ value: selected, label: t('Unknown') }] : [])].map((person) => ({
      ...person,
      group: t('People'),
    })),
  ]
  const choose = (next: string) => {
    if (next === none) return onValue(null)
    onValue(next.startsWith(computed) ? { $expr: next.slice(computed.length) } : next)
  }
  return (
    <Combobox
      label={field.label}
      options={options}
      value={selected === '' ? [] : [selected]}
      onChange={([next]) => next !== undefined && choose(next)}
    />
  )
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
