/** What a trigger for incoming webhooks asks on its card; signature and headers are set on the canvas. */
import { Field, Input } from '../../../design/index.ts'
import { t } from '../../../language/index.ts'

interface WebhookFieldsProps {
  readonly node: { readonly config: Readonly<Record<string, unknown>> }
  readonly set: (path: string, value: unknown) => void
  readonly faultOf: (path: string) => string | undefined
}

export function WebhookFields({ node, set, faultOf }: WebhookFieldsProps) {
  const { when } = node.config
  return (
    <Field
      label={t('Only if')}
      hint={t("A formula about the request: request.body.kind == 'bug'. Empty: every request starts a run.")}
      error={faultOf('when')}
    >
      <Input
        className="formula-field"
        spellCheck={false}
        value={typeof when === 'string' ? when : ''}
        maxLength={1024}
        onChange={({ currentTarget: { value } }) => set('when', value === '' ? undefined : value)}
      />
    </Field>
  )
}
