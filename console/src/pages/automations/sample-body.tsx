/** A sample of the body that an incoming webhook receives, to preview the flow with. */
import { Field, TextArea } from '../../design/index.ts'
import { t } from '../../language/index.ts'

export interface Sample {
  readonly text: string
  /** Undefined while the text is empty: the preview takes the latest request. */
  readonly request?: { readonly body: unknown }
  readonly isReadable: boolean
}

const example = JSON.stringify({ title: t('The lamp is broken') })

export const no_sample: Sample = { text: '', isReadable: true }

function readSample(text: string): Sample {
  if (text.trim() === '') return { text, isReadable: true }
  try {
    return { text, request: { body: JSON.parse(text) as unknown }, isReadable: true }
  } catch {
    return { text, isReadable: false }
  }
}

interface SampleBodyProps {
  readonly sample: Sample
  readonly onChange: (sample: Sample) => void
}

export function SampleBody({ sample, onChange }: SampleBodyProps) {
  return (
    <Field
      label={t('Body of the request')}
      hint={t('As JSON. Empty: the latest request that started a run.')}
      error={sample.isReadable ? undefined : t('This is not valid JSON yet.')}
    >
      <TextArea
        className="formula-field"
        rows={4}
        spellCheck={false}
        placeholder={example}
        value={sample.text}
        onChange={({ currentTarget }) => onChange(readSample(currentTarget.value))}
      />
    </Field>
  )
}
