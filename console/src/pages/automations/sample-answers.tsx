/** Sample answers to the form of a flow, to preview the flow with. */
import type { AutomationFlow } from '@atrium/sdk'
import { Checkbox, Field, Input, Section, Select, TextArea } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { type FormFieldDraft, formFieldsOf } from './editor/form-field.ts'
import { draftOf } from './editor/graph.ts'

/** By the keys of the fields. Empty: the preview takes the latest answers, or invented ones. */
export type Answers = Readonly<Record<string, string | boolean>>

interface SampleAnswersProps {
  readonly flow: AutomationFlow
  readonly answers: Answers
  readonly onChange: (answers: Answers) => void
}

export function SampleAnswers({ flow, answers, onChange }: SampleAnswersProps) {
  const trigger = draftOf(flow.graph).nodes.find(({ type }) => type === 'trigger.form')
  return (
    <Section title={t('Sample answers')}>
      <p className="muted">{t('Leave all of them empty to use the latest answers, or invented ones.')}</p>
      {formFieldsOf(trigger?.config.fields).map((field) => (
        <Answer
          key={field.key}
          field={field}
          value={answers[field.key]}
          onChange={(value) => onChange(withAnswer(answers, field.key, value))}
        />
      ))}
    </Section>
  )
}

function withAnswer(answers: Answers, key: string, value: string | boolean): Answers {
  const others = Object.entries(answers).filter(([each]) => each !== key)
  return Object.fromEntries(value === '' || value === false ? others : [...others, [key, value]])
}

interface AnswerProps {
  readonly field: FormFieldDraft
  readonly value: string | boolean | undefined
  readonly onChange: (value: string | boolean) => void
}

function Answer({ field, value, onChange }: AnswerProps) {
  if (field.kind === 'checkbox') return <Checkbox label={field.label} checked={value === true} onChange={onChange} />
  const text = typeof value === 'string' ? value : ''
  return (
    <Field label={field.label}>
      {field.kind === 'select' ? (
        <Select
          choices={['', ...(field.options ?? [])].map((option) => ({ value: option, label: option }))}
          value={text}
          onChange={onChange}
        />
      ) : field.kind === 'long_text' ? (
        <TextArea rows={3} value={text} onChange={({ currentTarget }) => onChange(currentTarget.value)} />
      ) : (
        <Input
          type={field.kind === 'date' ? 'date' : 'text'}
          value={text}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
        />
      )}
    </Field>
  )
}
