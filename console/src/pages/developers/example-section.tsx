/** Sends an endpoint an example of an event, and shows what came back. */
import type { WebhookEndpoint } from '@atrium/sdk'
import { Send } from 'lucide-react'
import { useState } from 'react'
import { useApp, useAppWrite, useMode } from '../../data/index.ts'
import type { ExampleSent } from '../../data/shapes.ts'
import { Button, CodeBlock, duration, Notice, Section, Select } from '../../design/index.ts'

export function ExampleSection({ endpoint }: { readonly endpoint: WebhookEndpoint }) {
  const mode = useMode()
  const types = useApp('GET event-types', {})
  const [type, setType] = useState('workflow.task.created')
  const [sent, setSent] = useState<ExampleSent | null>(null)
  const write = useAppWrite('POST endpoints/{id}/example', {})
  const send = async () => {
    const answer = await write.run({ params: { id: endpoint.id }, body: { mode, type } })
    if (answer !== undefined) setSent(answer)
  }
  const choices = (types.data?.data ?? [{ type }]).map((each) => ({ value: each.type, label: each.type }))
  return (
    <Section
      title="Try it"
      description="An example goes out signed like a real event; it is in no log and counts for nothing."
    >
      <div className="row">
        <Select aria-label="Type of the example" value={type} choices={choices} onChange={setType} />
        <Button icon={Send} busy={write.busy} onClick={() => void send()}>
          Send an example
        </Button>
      </div>
      {sent !== null && <Answer sent={sent} />}
    </Section>
  )
}

function Answer({ sent }: { readonly sent: ExampleSent }) {
  const { http_status, error_category, response_excerpt, request } = sent
  const isGood = error_category === null
  const headers = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`)
  return (
    <div className="stack">
      <Notice
        tone={isGood ? 'good' : 'bad'}
        title={`${http_status ?? error_category} in ${duration(sent.duration_ms)}`}
      >
        {response_excerpt ?? (isGood ? 'No body.' : 'Nothing came back.')}
      </Notice>
      <CodeBlock title="What was sent" code={`${headers.join('\n')}\n\n${request.body}`} wrap />
    </div>
  )
}
