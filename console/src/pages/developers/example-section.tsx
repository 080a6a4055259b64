/** Sends an example event to an endpoint and shows the response. */
import type { WebhookEndpoint } from '@atrium/sdk'
import { Send } from 'lucide-react'
import { useState } from 'react'
import { useApp, useAppWrite, useMode } from '../../data/index.ts'
import type { ExampleResult } from '../../data/shapes.ts'
import { Button, CodeBlock, duration, Notice, Section, Select } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { outcomeText } from './outcome.ts'

export function ExampleSection({ endpoint }: { readonly endpoint: WebhookEndpoint }) {
  const mode = useMode()
  const types = useApp('GET event-types', {})
  const [type, setType] = useState('workflow.task.created')
  const [sent, setSent] = useState<ExampleResult | null>(null)
  const write = useAppWrite('POST endpoints/{id}/example', {})
  const send = async () => {
    const result = await write.run({ params: { id: endpoint.id }, body: { mode, type } })
    if (result !== undefined) setSent(result)
  }
  const choices = (types.data?.data ?? [{ type }]).map((each) => ({ value: each.type, label: each.type }))
  return (
    <Section
      title={t('Test')}
      description={t('An example is signed like a real event. It is not logged and does not affect the status.')}
    >
      <div className="row">
        <Select aria-label={t('Event type')} value={type} choices={choices} onChange={setType} />
        <Button icon={Send} busy={write.busy} onClick={() => void send()}>
          {t('Send example')}
        </Button>
      </div>
      {sent !== null && <Result sent={sent} />}
    </Section>
  )
}

function Result({ sent }: { readonly sent: ExampleResult }) {
  const { error_category, response_excerpt, request } = sent
  const isGood = error_category === null
  const headers = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`)
  return (
    <div className="stack">
      <Notice
        tone={isGood ? 'good' : 'bad'}
        title={t('{outcome} in {duration_ms}', { outcome: outcomeText(sent), duration_ms: duration(sent.duration_ms) })}
      >
        {response_excerpt ?? (isGood ? t('Empty response body.') : t('No response.'))}
      </Notice>
      <CodeBlock title={t('Request')} code={`${headers.join('\n')}\n\n${request.body}`} wrap />
    </div>
  )
}
