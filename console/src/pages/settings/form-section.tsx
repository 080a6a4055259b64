/** A section with one form in a card: its fields, the error of its write, and the button that submits it. */
import type { ReactNode } from 'react'
import { FormError } from '../../app/error-state.tsx'
import { Button, Card, Section, submitHandler } from '../../design/index.ts'
import { t } from '../../language/index.ts'

interface FormSectionProps {
  readonly title: string
  readonly description?: ReactNode
  readonly action?: string
  /** Whether the fields can be submitted as they are. */
  readonly isReady: boolean
  /** Without the button. */
  readonly isReadOnly?: boolean
  /** As wide as the card. */
  readonly isWide?: boolean
  readonly write: { readonly busy: boolean; readonly error: unknown }
  /** Parameters whose errors are shown at their fields. */
  readonly fields: readonly string[]
  readonly onSubmit: () => void
  readonly children: ReactNode
}

export function FormSection(props: FormSectionProps) {
  const {
    title,
    description,
    action = t('Save'),
    isReady,
    isReadOnly,
    isWide,
    write,
    fields,
    onSubmit,
    children,
  } = props
  return (
    <Section title={title} description={description}>
      <form onSubmit={submitHandler(() => isReady && !write.busy && onSubmit())}>
        <Card
          foot={
            !isReadOnly && (
              <Button type="submit" busy={write.busy} disabled={!isReady}>
                {action}
              </Button>
            )
          }
        >
          <div className={isWide ? 'stack' : 'stack form-narrow'}>
            {children}
            <FormError error={write.error} fields={fields} />
          </div>
        </Card>
      </form>
    </Section>
  )
}
