/** A sample of a mail, to preview the flow with. */
import { Field, Input, Section, TextArea } from '../../design/index.ts'
import { t } from '../../language/index.ts'

/** Empty fields are left out; without any, the preview takes the latest mail, or an invented one. */
export interface MailSample {
  readonly from?: string
  readonly subject?: string
  readonly text?: string
}

interface SampleMailProps {
  readonly sample: MailSample
  readonly onChange: (sample: MailSample) => void
  /** Only the address can be wrong: the other fields take any text. */
  readonly error: string | undefined
}

export function SampleMail({ sample, onChange, error }: SampleMailProps) {
  const change = (name: keyof MailSample, value: string) => {
    const { [name]: _, ...others } = sample
    onChange(value === '' ? others : { ...others, [name]: value })
  }
  const { from = '', subject = '', text = '' } = sample
  return (
    <Section title={t('Sample mail')}>
      <p className="muted">{t('Leave all of them empty to use the latest mail, or an invented one.')}</p>
      <Field label={t('From')} error={error}>
        <Input type="email" value={from} onChange={({ currentTarget }) => change('from', currentTarget.value)} />
      </Field>
      <Field label={t('Subject')}>
        <Input
          value={subject}
          maxLength={200}
          onChange={({ currentTarget }) => change('subject', currentTarget.value)}
        />
      </Field>
      <Field label={t('Text')}>
        <TextArea rows={3} value={text} onChange={({ currentTarget }) => change('text', currentTarget.value)} />
      </Field>
    </Section>
  )
}
