/** What a trigger for incoming webhooks asks on its card; signature and headers are set on the canvas. */
import { Field } from '../../../design/index.ts'
import { t } from '../../../language/index.ts'
import { FormulaField } from '../formula/formula-field.tsx'

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
      <FormulaField
        label={t('Only if')}
        path="when"
        value={typeof when === 'string' ? when : ''}
        onChange={(value) => set('when', value === '' ? undefined : value)}
      />
    </Field>
  )
}
