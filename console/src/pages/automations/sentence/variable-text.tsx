/** A text with `@` variables. The editor is a chunk of its own; until it is there, its place is kept. */
import { lazy, Suspense } from 'react'
import { textOf, valueOfText } from '../editor/values.ts'
import type { StepFieldProps } from './card-fields.ts'

const Editor = lazy(() => import('./variable-editor.tsx').then((module) => ({ default: module.VariableEditor })))

export function VariableText({ field, value, variables, onValue, error }: StepFieldProps) {
  return (
    <div
      className="variable-text"
      data-lines={field.kind === 'long_text' || undefined}
      data-bad={error ? true : undefined}
    >
      <Suspense fallback={<div className="variable-wait" aria-busy="true" />}>
        <Editor
          label={field.label}
          text={textOf(value)}
          hasLines={field.kind === 'long_text'}
          isBad={error !== undefined}
          variables={variables}
          onText={(text) => onValue(valueOfText(text, field.required ?? false))}
        />
      </Suspense>
    </div>
  )
}
