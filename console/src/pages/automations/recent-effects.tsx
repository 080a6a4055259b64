/** What the flow would have done in the last 7 days, in one sentence: asked for by a button, because it rehearses up to 50 runs. */
import type { AutomationEffects } from '@atrium/sdk'
import { History } from 'lucide-react'
import { useState } from 'react'
import { FormError } from '../../app/error-state.tsx'
import { useAtrium } from '../../data/index.ts'
import { Button, Notice } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { effectsText } from './effects-text.ts'

export function RecentEffects({ flow }: { readonly flow: string }) {
  const atrium = useAtrium()
  const [effects, setEffects] = useState<AutomationEffects | null>(null)
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  const ask = async () => {
    setBusy(true)
    setError(null)
    try {
      setEffects(await atrium.automationFlows.effects(flow))
    } catch (failure) {
      setError(failure)
    }
    setBusy(false)
  }
  if (effects !== null) {
    return (
      <Notice tone={effects.failed > 0 ? 'warn' : 'info'} title={t('The last 7 days')}>
        {effectsText(effects)}
      </Notice>
    )
  }
  return (
    <div className="stack">
      <div>
        <Button icon={History} busy={isBusy} onClick={() => void ask()}>
          {t('Try the last 7 days')}
        </Button>
      </div>
      <FormError error={error} />
    </div>
  )
}
