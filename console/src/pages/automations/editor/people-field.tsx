/** Several people, by name or by their part in the task. */
import { Combobox } from '../../../design/index.ts'
import { capitalized } from '../../../design/words.ts'
import { t } from '../../../language/index.ts'
import { formulaWords } from '../sentence/words.ts'
import { usePeopleOptions } from './choices.ts'
import type { SettingProps } from './setting.ts'
import { formulaOf } from './values.ts'

/** An option of a formula; ids of people have no such prefix. */
const computed = 'formula:'

const parts = ['task.assignee', 'task.creator.id'] as const

export function PeopleField({ field, value, onChange }: SettingProps) {
  const people = usePeopleOptions()
  const selected = (Array.isArray(value) ? value : []).map((each) => {
    const formula = formulaOf(each)
    return formula === undefined ? String(each) : `${computed}${formula}`
  })
  const formulas = selected.filter((each) => each.startsWith(computed)).map((each) => each.slice(computed.length))
  const unknown = selected.filter((each) => !each.startsWith(computed) && !people.some((one) => one.value === each))
  const options = [
    ...new Set([...parts, ...formulas]).values().map((formula) => ({
      value: `${computed}${formula}`,
      label: capitalized(formulaWords(formula)),
      group: t('By their part'),
    })),
    ...people.map((person) => ({ ...person, group: t('People') })),
    ...unknown.map((id) => ({ value: id, label: t('Unknown'), group: t('People') })),
  ]
  const choose = (next: readonly string[]) =>
    onChange(next.map((each) => (each.startsWith(computed) ? { $expr: each.slice(computed.length) } : each)))
  return <Combobox label={field.label} multiple options={options} value={selected} onChange={choose} />
}
