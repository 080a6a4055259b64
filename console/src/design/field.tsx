/**
 * A labelled control with its hint and its fault. The control inside gets id, description and invalidity from it, so that a
 * form is a list of `<Field label="Name"><Input …/></Field>`.
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

/** What a control puts on its element; nothing outside of a field. */
export function useControl(): Partial<ControlIds> {
  return use(Control) ?? {}
}

interface FieldProps {
  readonly label: ReactNode
  readonly hint?: ReactNode
  /** What is wrong and what to do. */
  readonly error?: string | null | undefined
  readonly required?: boolean
  /** The label is only for screen readers. */
  readonly bare?: boolean
  /** Beside the label, at the right. */
  readonly aside?: ReactNode
  readonly className?: string
  readonly children: ReactNode
}

export function Field({ label, hint, error, required, bare, aside, className, children }: FieldProps) {
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
      <div className={bare ? 'unseen' : 'field-head'}>
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

/** Several controls under one name. */
export function FieldGroup({ label, hint, children }: { label: ReactNode; hint?: ReactNode; children: ReactNode }) {
  return (
    <fieldset className="field">
      <legend className="field-label field-legend">{label}</legend>
      {hint && <p className="field-hint">{hint}</p>}
      {children}
    </fieldset>
  )
}
