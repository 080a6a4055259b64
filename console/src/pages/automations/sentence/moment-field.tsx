/** A time in words: in some days, at a date, at the due date of the task, or none. */
import { DateField, Input, Select } from '../../../design/index.ts'
import { t } from '../../../language/index.ts'
import { formulaOf, secondsIn, type Unit, unitChoices, unitOf } from '../editor/values.ts'
import type { StepFieldProps } from './card-fields.ts'
import { dateAfterTomorrow, formulaOfSeconds, secondsFromNow } from './moments.ts'
import { formulaWords } from './words.ts'

type Form = 'later' | 'date' | 'due' | 'none' | 'formula'

const day_s = 86_400
const due = 'task.due_at'

function formOf(value: unknown): Form {
  const formula = formulaOf(value)
  if (formula === undefined) return value === null ? 'none' : 'date'
  if (secondsFromNow(formula) !== null) return 'later'
  return formula.trim() === due ? 'due' : 'formula'
}

export function MomentField({ field, value, onValue }: Pick<StepFieldProps, 'field' | 'value' | 'onValue'>) {
  const form = formOf(value)
  const formula = formulaOf(value) ?? ''
  const canBeNone = field.required !== true
  const choices: readonly { readonly value: Form; readonly label: string }[] = [
    { value: 'later', label: t('some time later') },
    { value: 'date', label: t('on a date') },
    { value: 'due', label: t('the due date of the task') },
    ...(canBeNone ? [{ value: 'none' as const, label: t('none') }] : []),
    ...(form === 'formula' ? [{ value: form, label: formulaWords(formula) }] : []),
  ]
  const choose = (next: Form) => {
    if (next === 'later') onValue({ $expr: formulaOfSeconds(day_s) })
    else if (next === 'due') onValue({ $expr: due })
    else if (next === 'none') onValue(null)
    else if (next === 'date') onValue(dateAfterTomorrow(Date.now() / 1000))
  }
  return (
    <span className="row sentence-wrap">
      <Select aria-label={field.label} choices={choices} value={form} onChange={choose} />
      {form === 'later' && <Later formula={formula} onValue={onValue} />}
      {form === 'date' && (
        <DateField
          withTime
          aria-label={t('{label}: date', { label: field.label })}
          value={typeof value === 'number' ? value : null}
          onChange={(at) => at !== null && onValue(at)}
        />
      )}
    </span>
  )
}

function Later({ formula, onValue }: { readonly formula: string; readonly onValue: (value: unknown) => void }) {
  const seconds = secondsFromNow(formula) ?? day_s
  const unit = unitOf(seconds)
  const set = (amount: number, by: Unit) => onValue({ $expr: formulaOfSeconds(Math.round(amount * secondsIn(by))) })
  const amount = seconds / secondsIn(unit)
  return (
    <>
      <Input
        type="number"
        min={0}
        className="sentence-number"
        aria-label={t('Amount')}
        value={String(amount)}
        onChange={({ currentTarget }) => set(Number(currentTarget.value), unit)}
      />
      <Select aria-label={t('Unit')} choices={unitChoices} value={unit} onChange={(next) => set(amount, next)} />
    </>
  )
}
