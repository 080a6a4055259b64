/** Checkbox for forms, Switch for settings that apply at once, Radios for one of a few described options. */
import './checkbox.css'
import { type ReactNode, useId } from 'react'

interface CheckboxProps {
  readonly label: ReactNode
  readonly hint?: ReactNode
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
  readonly disabled?: boolean
  /** Indeterminate: some, but not all items are checked. */
  readonly mixed?: boolean
  /** Shows the label to screen readers only. */
  readonly hiddenLabel?: boolean
}

export function Checkbox({ label, hint, checked, onChange, disabled, mixed, hiddenLabel }: CheckboxProps) {
  const id = useId()
  return (
    <div className="check">
      <input
        type="checkbox"
        className="check-box"
        id={id}
        checked={checked}
        disabled={disabled}
        aria-describedby={hint ? `${id}-hint` : undefined}
        ref={(box) => {
          if (box) box.indeterminate = mixed === true && !checked
        }}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      <CheckText id={id} label={label} hint={hint} hiddenLabel={hiddenLabel} />
    </div>
  )
}

export function Switch({ label, hint, checked, onChange, disabled, hiddenLabel }: Omit<CheckboxProps, 'mixed'>) {
  const id = useId()
  return (
    <div className="check">
      <button
        type="button"
        role="switch"
        id={id}
        className="switch"
        aria-checked={checked}
        aria-describedby={hint ? `${id}-hint` : undefined}
        disabled={disabled}
        onClick={() => onChange(!checked)}
      />
      <CheckText id={id} label={label} hint={hint} hiddenLabel={hiddenLabel} />
    </div>
  )
}

function CheckText({
  id,
  label,
  hint,
  hiddenLabel,
}: { id: string } & Pick<CheckboxProps, 'label' | 'hint' | 'hiddenLabel'>) {
  return (
    <div className={hiddenLabel ? 'unseen' : 'check-text'}>
      <label htmlFor={id}>{label}</label>
      {hint && (
        <p className="field-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  )
}

interface Option<T extends string> {
  readonly value: T
  readonly label: ReactNode
  readonly hint?: ReactNode
  readonly disabled?: boolean
}

interface RadiosProps<T extends string> {
  readonly label: ReactNode
  readonly value: T
  readonly options: readonly Option<T>[]
  readonly onChange: (value: T) => void
  /** Shows the options as cards in a row. */
  readonly cards?: boolean
}

export function Radios<T extends string>({ label, value, options, onChange, cards }: RadiosProps<T>) {
  const name = useId()
  return (
    <fieldset className="field">
      <legend className="field-label field-legend">{label}</legend>
      <div className={cards ? 'radio-cards' : 'radio-list'}>
        {options.map((option) => (
          <div className="check" key={option.value} data-checked={option.value === value || undefined}>
            <input
              type="radio"
              className="check-box check-radio"
              id={`${name}-${option.value}`}
              name={name}
              checked={option.value === value}
              disabled={option.disabled}
              aria-describedby={option.hint ? `${name}-${option.value}-hint` : undefined}
              onChange={() => onChange(option.value)}
            />
            <CheckText id={`${name}-${option.value}`} label={option.label} hint={option.hint} hiddenLabel={false} />
          </div>
        ))}
      </div>
    </fieldset>
  )
}
