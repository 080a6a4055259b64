/** What a run received from outside: the answers of a form, a mail, the request of an incoming webhook, or the inputs of a call. */
import './automations.css'
import type { AutomationRun, AutomationRunInput } from '@atrium/sdk'
import { ErrorState } from '../../app/error-state.tsx'
import { useObject } from '../../data/index.ts'
import { Fact, Facts, Section } from '../../design/index.ts'
import { JsonTree } from '../../design/json-tree.tsx'
import { t } from '../../language/index.ts'

/** What the run received; idle for runs of triggers that receive nothing. */
export function useRunInput({ id, workspace, trigger }: AutomationRun) {
  return useObject('automation_run_input', id, (atrium) => atrium.automationRuns.input(id, { workspace }), {
    enabled: ['trigger.form', 'trigger.mail', 'trigger.webhook', 'trigger.call'].includes(trigger.type),
  })
}

export function RunInput({ input }: { readonly input: ReturnType<typeof useRunInput> }) {
  if (input.data === undefined && input.error === null) return null
  return (
    <Section title={t('Received')}>
      {input.data === undefined ? (
        <ErrorState error={input.error} onRetry={() => void input.refetch()} plain />
      ) : (
        <Received input={input.data} />
      )}
    </Section>
  )
}

function Received({ input: { form, mail, request, call } }: { readonly input: AutomationRunInput }) {
  if (form !== null) {
    return (
      <Facts>
        {form.map(({ key, label, value }) => (
          <Fact key={key} name={label}>
            <span className="received-answer">{answerText(value)}</span>
          </Fact>
        ))}
      </Facts>
    )
  }
  if (mail !== null) return <ReceivedMail mail={mail} />
  if (call !== null) return <JsonTree value={call} label={t('The inputs as JSON')} />
  return request === null ? (
    <p className="subtle">{t('Nothing is kept of it.')}</p>
  ) : (
    <JsonTree value={request} label={t('The request as JSON')} />
  )
}

function ReceivedMail({ mail }: { readonly mail: NonNullable<AutomationRunInput['mail']> }) {
  const { from, name, subject, text, attachments } = mail
  return (
    <Facts>
      <Fact name={t('From')}>{name === '' ? from : `${name} <${from}>`}</Fact>
      <Fact name={t('Subject')}>{subject}</Fact>
      <Fact name={t('Text')}>
        <span className="received-answer">{text === '' ? t('None') : text}</span>
      </Fact>
      {attachments.length > 0 && (
        <Fact name={t('Attachments')}>{t('{names} (not kept)', { names: attachments.join(', ') })}</Fact>
      )}
    </Facts>
  )
}

function answerText(value: string | number | boolean | null): string {
  if (value === null) return t('None')
  return typeof value === 'boolean' ? (value ? t('Yes') : t('No')) : String(value)
}
