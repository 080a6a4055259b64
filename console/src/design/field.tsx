/**
 * A form field: label, control, error and hint. The control inside receives its id and ARIA attributes through context:
 * `<Field label="Name"><Input …/></Field>`.
 */
import './field.css'
import { createContext, type ReactNode, use, useId } from 'react'
import { classes } from './classes.ts'

export interface ControlIds {
  readonly id: string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': true | undefined
  readonly 'aria-required': true | undefined
}

const Control = createContext<ControlIds | null>(null)

/** The attributes for a control's element; empty outside a Field. */
export function useControl(): Partial<ControlIds> {
  return use(Control) ?? {}
}

interface FieldProps {
  readonly label: ReactNode
  readonly hint?: ReactNode
  /** What is wrong and how to fix it. */
  readonly error?: string | null | undefined
  readonly required?: boolean
  /** Shows the label to screen readers only. */
  readonly hiddenLabel?: boolean
  /** Right of the label. */
  readonly aside?: ReactNode
  readonly className?: string
  readonly children: ReactNode
}

export function Field({ label, hint, error, required, hiddenLabel, aside, className, children }: FieldProps) {
  const id = useId()
  const described = [hint ? `${id}-hint` : '', error ? `${id}-error` : ''].filter(Boolean).join(' ')
  const ids: ControlIds = {
    id,
    'aria-describedby': described || undefined,
    'aria-invalid': error ? true : undefined,
    'aria-required': required || undefined,
  }
  return (
    <div className={classes('field', className)}>
      <div className={hiddenLabel ? 'unseen' : 'field-head'}>
        <label className="field-label" htmlFor={id}>
          {label}
        </label>
        {aside}
      </div>
      <Control value={ids}>{children}</Control>
      {error && (
        <p className="field-error" id={`${id}-error`} role="alert">
          {error}
        </p>
      )}
      {hint && (
        <p className="field-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  )
}

/** Several controls under one legend. */
export function FieldGroup({ label, hint, children }: { label: ReactNode; hint?: ReactNode; children: ReactNode }) {
  return (
    <fieldset className="field">
      <legend className="field-label field-legend">{label}</legend>
      {hint && <p className="field-hint">{hint}</p>}
      {children}
    </fieldset>
  )
}
