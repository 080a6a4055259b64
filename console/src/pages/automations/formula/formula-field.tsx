/**
 * A formula of a node's settings: a code editor, a chunk of its own, and below it the value for the task that the page tries
 * formulas on. Until the editor is there, its place is kept.
 */
import './formula.css'
import { lazy, Suspense, useState } from 'react'
import type { FormulaReading } from '../../../data/shapes.ts'
import { useControl } from '../../../design/field.tsx'
import { Field } from '../../../design/index.ts'
import { t } from '../../../language/index.ts'
import { callInputsOf } from '../editor/call.ts'
import { TaskPicker } from '../editor/task-picker.tsx'
import { CallInputs } from '../given-inputs.tsx'
import { type FormulaPlace, useFormulaPlace } from './formula-place.tsx'
import { useFormula } from './use-formula.ts'

const Editor = lazy(() => import('./formula-editor.tsx').then((module) => ({ default: module.FormulaEditor })))

interface FormulaFieldProps {
  readonly label: string
  /** Where it is in the node's settings: `expr`, `set.status`, `cases[0].expr`. */
  readonly path: string
  readonly value: string
  readonly onChange: (value: string) => void
}

export function FormulaField({ label, path, value, onChange }: FormulaFieldProps) {
  const place = useFormulaPlace()
  const control = useControl()
  const [active, setActive] = useState(false)
  const reading = useFormula(place, path, active)
  const isEmpty = value.trim() === ''
  const fault = isEmpty ? null : (reading?.fault ?? null)
  return (
    <div className="formula">
      <Suspense fallback={<div className="formula-frame" aria-busy="true" />}>
        <Editor
          label={label}
          value={value}
          reading={reading}
          fault={fault}
          describedBy={control['aria-describedby']}
          isBad={control['aria-invalid'] === true || fault !== null}
          isRequired={control['aria-required'] === true}
          onChange={onChange}
          onFocus={() => setActive(true)}
        />
      </Suspense>
      {/* The field shows the fault of the whole draft's check, which says the same. */}
      {fault !== null && control['aria-invalid'] !== true && <p className="field-error">{fault.message}</p>}
      {place !== null && (
        <div className="formula-try">
          <Field label={t('Task for the value of {label}', { label })} hiddenLabel>
            <TaskPicker
              field={{ path: 'task', label: t('Try on a task'), kind: 'task', required: true }}
              value={place.example.id ?? ''}
              onChange={(task) => place.example.select(typeof task === 'string' ? task : null)}
              workspace={place.workspace}
              project={null}
              placeholder={t('Try on a task')}
            />
          </Field>
          <output className="formula-value" aria-label={t('Value of {label}', { label })}>
            {!isEmpty && reading?.result && <Result result={reading.result} />}
          </output>
        </div>
      )}
      {place !== null && !isEmpty && /\bcall\b/.test(value) && <ExampleCall place={place} reading={reading} />}
    </div>
  )
}

/** The inputs that the value is computed with: assumed ones, until others are given. */
function ExampleCall({ place, reading }: { readonly place: FormulaPlace; readonly reading: FormulaReading | null }) {
  const trigger = place.graph.nodes.find(({ type }) => type === 'trigger.call')
  const inputs = callInputsOf(trigger?.config.inputs)
  const { give } = place.example
  if (inputs.length === 0 || give === undefined || !reading?.call) return null
  return (
    <details className="formula-call">
      <summary>{t('Inputs of the call to try with')}</summary>
      <div className="stack">
        <CallInputs
          inputs={inputs}
          received={place.example.call ? { ...reading.call, ...place.example.call } : reading.call}
          onChange={({ sent, isReadable }) => isReadable && give({ ...place.example.call, ...sent })}
        />
      </div>
    </details>
  )
}

const shown_chars_max = 400

function Result({ result }: { readonly result: NonNullable<FormulaReading['result']> }) {
  const { value, failure, only_in_run } = result
  if (only_in_run.length > 0) {
    return <span className="subtle">{t('Known in a run only: {names}', { names: only_in_run.join(', ') })}</span>
  }
  if (failure !== null) return <span className="formula-failure">{t('No value: {failure}', { failure })}</span>
  const text = JSON.stringify(value)
  return <code>{text.length > shown_chars_max ? `${text.slice(0, shown_chars_max)}…` : text}</code>
}
