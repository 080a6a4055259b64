/** Selects one of a few options with the browser's native control. For many options use Combobox. */
import './select.css'
import { ChevronsUpDown } from 'lucide-react'
import type { ComponentProps } from 'react'
import { classes } from './classes.ts'
import { useControl } from './field.tsx'

interface Choice<T extends string = string> {
  readonly value: T
  readonly label: string
  readonly disabled?: boolean
}

type SelectProps<T extends string> = Omit<ComponentProps<'select'>, 'onChange' | 'value' | 'children' | 'size'> & {
  readonly value: T
  readonly choices: readonly Choice<T>[]
  readonly onChange: (value: T) => void
  readonly size?: 'm' | 's'
}

export function Select<T extends string>({ value, choices, onChange, size = 'm', ...props }: SelectProps<T>) {
  return (
    <span className={classes('select', props.className)} data-size={size}>
      <select
        {...useControl()}
        {...props}
        className="input select-control"
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value as T)}
      >
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value} disabled={choice.disabled}>
            {choice.label}
          </option>
        ))}
      </select>
      <ChevronsUpDown aria-hidden="true" className="select-mark" />
    </span>
  )
}
