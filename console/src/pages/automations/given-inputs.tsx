/** Inputs of a call that a person gives: to preview a flow with, or to correct those of a run. */
import { useState } from 'react'
import { Checkbox, Field, Input, TextArea } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { type CallInputDraft, kindOfValue, labelOfInput } from './editor/call.ts'

export interface GivenInputs {
  /** Those that were filled in or changed, by key. */
  readonly sent: Readonly<Record<string, unknown>>
  /** False while the text of one is not of its kind. */
  readonly isReadable: boolean
}

export const no_inputs: GivenInputs = { sent: {}, isReadable: true }

type Texts = Readonly<Record<string, string | boolean>>

interface CallInputsProps {
  readonly inputs: readonly CallInputDraft[]
  /** What a run has received; empty for a preview. */
  readonly received?: Readonly<Record<string, unknown>>
  readonly onChange: (given: GivenInputs) => void
}

export function CallInputs({ inputs, received, onChange }: CallInputsProps) {
  const [texts, setTexts] = useState<Texts>({})
  const change = (key: string, text: string | boolean) => {
    const all = { ...texts, [key]: text }
    setTexts(all)
    onChange(readInputs(inputs, all, received !== undefined))
  }
  return inputs.map((input) => (
    <InputField
      key={input.key}
      input={input}
      value={texts[input.key] ?? textOf(input, received?.[input.key])}
      onChange={(text) => change(input.key, text)}
    />
  ))
}

/** The declared inputs of values whose declaration is not at hand. */
export function inputsOfValues(values: Readonly<Record<string, unknown>>): CallInputDraft[] {
  return Object.entries(values).map(([key, value]) => ({ key, kind: kindOfValue(value) }))
}

interface InputFieldProps {
  readonly input: CallInputDraft
  readonly value: string | boolean
  readonly onChange: (text: string | boolean) => void
}

function InputField({ input, value, onChange }: InputFieldProps) {
  const label = labelOfInput(input)
  if (input.kind === 'boolean') return <Checkbox label={label} checked={value === true} onChange={onChange} />
  const text = { value: String(value) }
  const isReadable = text.value === '' || read(input, text.value) !== undefined
  if (isJson(input)) {
    return (
      <Field label={label} hint={t('As JSON.')} error={isReadable ? undefined : t('This is not valid JSON yet.')}>
        <TextArea
          className="formula-field"
          rows={3}
          spellCheck={false}
          {...text}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
        />
      </Field>
    )
  }
  return (
    <Field label={label} error={isReadable ? undefined : t('This is not a number yet.')}>
      <Input
        inputMode={input.kind === 'text' ? 'text' : 'decimal'}
        {...text}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
    </Field>
  )
}

function isJson({ kind }: CallInputDraft): boolean {
  return kind === 'list' || kind === 'object'
}

function textOf(input: CallInputDraft, value: unknown): string | boolean {
  if (input.kind === 'boolean') return value === true
  if (value === undefined || value === null) return ''
  return isJson(input) ? JSON.stringify(value, null, 2) : String(value)
}

/** An emptied input is left out of a preview; in a correction it is null, and a text is empty. */
function readInputs(inputs: readonly CallInputDraft[], texts: Texts, isCorrection: boolean): GivenInputs {
  const sent: Record<string, unknown> = {}
  let isReadable = true
  for (const input of inputs) {
    const text = texts[input.key]
    if (text === undefined || (text === '' && !isCorrection)) continue
    const value = text === '' && input.kind !== 'text' ? null : read(input, text)
    if (value === undefined) isReadable = false
    else sent[input.key] = value
  }
  return { sent, isReadable }
}

/** Undefined if the text is not of the kind. */
function read(input: CallInputDraft, text: string | boolean): unknown {
  if (typeof text === 'boolean' || input.kind === 'text') return text
  try {
    const value = JSON.parse(text) as unknown
    return isJson(input) || typeof value === 'number' ? value : undefined
  } catch {
    return undefined
  }
}
