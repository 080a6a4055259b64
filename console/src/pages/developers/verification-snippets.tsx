/** Code that verifies the signature of an event, in four languages. */
import { useState } from 'react'
import { CodeBlock, Segments } from '../../design/index.ts'
import { rich, t } from '../../language/index.ts'

const snippets = {
  TypeScript: `import { verifyWebhook } from '@atrium/sdk'

// The raw bytes, before anything parses them.
const event = await verifyWebhook(body, request.headers, process.env.SIGNING_SECRET)`,
  Node: `import { Webhook } from 'standardwebhooks'

const event = new Webhook(process.env.SIGNING_SECRET).verify(body, request.headers)`,
  Python: `from standardwebhooks import Webhook

event = Webhook(os.environ["SIGNING_SECRET"]).verify(body, dict(request.headers))`,
  Ruby: `require "standardwebhooks"

event = StandardWebhooks::Webhook.new(ENV.fetch("SIGNING_SECRET")).verify(body, headers)`,
} as const

type Language = keyof typeof snippets
const languages = (Object.keys(snippets) as Language[]).map((value) => ({ value, label: value }))

export function VerificationSnippets() {
  const [language, setLanguage] = useState<Language>('TypeScript')
  return (
    <div className="stack">
      <Segments label={t('Language')} value={language} choices={languages} onChange={setLanguage} />
      <CodeBlock title={t('Verify every event')} code={snippets[language]} />
      <p className="subtle">
        {rich('The {link} shows five languages without a library, and common mistakes.', {
          link: (
            <a className="link" href="/docs#tag/webhooks">
              {t('webhooks guide')}
            </a>
          ),
        })}
      </p>
    </div>
  )
}
