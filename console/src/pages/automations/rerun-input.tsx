/** Corrects what a run received before it runs again. Only what was changed is sent, so that masked values stay as they were. */
import type { AutomationRunInput } from '@atrium/sdk'
import { useState } from 'react'
import { Checkbox, Field, Input, TextArea } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { CallInputs, type GivenInputs, inputsOfValues } from './given-inputs.tsx'

type Value = string | number | boolean | null

interface Sent {
  readonly request?: { readonly body: unknown }
  readonly form?: Readonly<Record<string, Value>>
  readonly mail?: Readonly<Record<string, string>>
  readonly call?: Readonly<Record<string, unknown>>
}

export interface Corrections {
  readonly sent: Sent
  /** False while a body is no JSON. */
  readonly isReadable: boolean
}

export const no_corrections: Corrections = { sent: {}, isReadable: true }

interface RerunInputProps {
  readonly input: AutomationRunInput
  readonly onChange: (corrections: Corrections) => void
}

export function RerunInput({ input: { form, mail, request, call }, onChange }: RerunInputProps) {
  if (form !== null) return <Answers form={form} onChange={onChange} />
  if (mail !== null) return <Mail mail={mail} onChange={onChange} />
  if (call !== null) {
    const correct = ({ sent, isReadable }: GivenInputs) =>
      onChange({ sent: Object.keys(sent).length > 0 ? { call: sent } : {}, isReadable })
    return <CallInputs inputs={inputsOfValues(call)} received={call} onChange={correct} />
  }
  return request === null ? null : <Body body={request.body} onChange={onChange} />
}

interface BodyProps extends Pick<RerunInputProps, 'onChange'> {
  readonly body: unknown
}

function Body({ body, onChange }: BodyProps) {
  const received = JSON.stringify(body, null, 2)
  const [text, setText] = useState(received)
  const [isReadable, setReadable] = useState(true)
  const change = (changed: string) => {
    setText(changed)
    const corrections = changed === received ? no_corrections : readBody(changed)
    setReadable(corrections.isReadable)
    onChange(corrections)
  }
  return (
    <Field
      label={t('Body of the request')}
      hint={t('As JSON. Values shown as … stay as they were received.')}
      error={isReadable ? undefined : t('This is not valid JSON yet.')}
    >
      <TextArea
        className="formula-field"
        rows={8}
        spellCheck={false}
        value={text}
        onChange={({ currentTarget }) => change(currentTarget.value)}
      />
    </Field>
  )
}

function readBody(text: string): Corrections {
  try {
    return { sent: { request: { body: JSON.parse(text) as unknown } }, isReadable: true }
  } catch {
    return { sent: {}, isReadable: false }
  }
}

interface AnswersProps extends Pick<RerunInputProps, 'onChange'> {
  readonly form: NonNullable<AutomationRunInput['form']>
}

function Answers({ form, onChange }: AnswersProps) {
  const [changed, setChanged] = useState<Readonly<Record<string, Value>>>({})
  const change = (key: string, value: Value) => {
    const all = { ...changed, [key]: value }
    setChanged(all)
    onChange({ sent: { form: all }, isReadable: true })
  }
  return form.map(({ key, label, kind, value: received }) => {
    const value = changed[key] ?? received
    if (kind === 'checkbox') {
      return <Checkbox key={key} label={label} checked={value === true} onChange={(checked) => change(key, checked)} />
    }
    const shown = { value: value === null ? '' : String(value) }
    return (
      <Field key={key} label={label}>
        {kind === 'long_text' ? (
          <TextArea rows={3} {...shown} onChange={({ currentTarget }) => change(key, currentTarget.value)} />
        ) : (
          <Input {...shown} onChange={({ currentTarget }) => change(key, currentTarget.value)} />
        )}
      </Field>
    )
  })
}

interface MailProps extends Pick<RerunInputProps, 'onChange'> {
  readonly mail: NonNullable<AutomationRunInput['mail']>
}

function Mail({ mail, onChange }: MailProps) {
  const [changed, setChanged] = useState<Readonly<Record<string, string>>>({})
  const change = (name: string, value: string) => {
    const all = { ...changed, [name]: value }
    setChanged(all)
    onChange({ sent: { mail: all }, isReadable: true })
  }
  const { from, subject, text } = { ...mail, ...changed }
  return (
    <>
      <Field label={t('From')}>
        <Input type="email" value={from} onChange={({ currentTarget }) => change('from', currentTarget.value)} />
      </Field>
      <Field label={t('Subject')}>
        <Input value={subject} onChange={({ currentTarget }) => change('subject', currentTarget.value)} />
      </Field>
      <Field label={t('Text')}>
        <TextArea rows={5} value={text} onChange={({ currentTarget }) => change('text', currentTarget.value)} />
      </Field>
    </>
  )
}
