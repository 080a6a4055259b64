/** Sends everything again that an endpoint has missed in a time. */
import type { WebhookEndpoint } from '@atrium/sdk'
import { useState } from 'react'
import { FormDialog } from '../../app/form-dialog.tsx'
import { useWrite } from '../../data/index.ts'
import { Field, Select } from '../../design/index.ts'
import { t, textLanguage } from '../../language/index.ts'

const hour_seconds = 3600
/** One call schedules a bounded number; more calls than this are left to the person. */
const calls_max = 50

const times = [
  { value: String(hour_seconds), label: t('Last hour') },
  { value: String(24 * hour_seconds), label: t('Last 24 hours') },
  { value: String(7 * 24 * hour_seconds), label: t('Last 7 days') },
  // A minute less than the 14 days that the server accepts: this clock may be behind.
  { value: String(14 * 24 * hour_seconds - 60), label: t('Last 14 days') },
]

interface RecoverDialogProps {
  readonly endpoint: WebhookEndpoint
  readonly onClose: () => void
}

export function RecoverDialog({ endpoint, onClose }: RecoverDialogProps) {
  const [seconds, setSeconds] = useState(String(24 * hour_seconds))
  const write = useWrite({
    write: async (atrium, first: number) => {
      let count = 0
      let since: number | null = first
      for (let call = 0; since !== null && call < calls_max; call++) {
        const recovery: { readonly count: number; readonly next_since: number | null } =
          await atrium.webhookEndpoints.recover(endpoint.id, { since })
        count += recovery.count
        since = recovery.next_since
      }
      return { count }
    },
    manage: true,
    toastErrors: false,
    done: ({ count }) =>
      count === 0
        ? t('Nothing was missed')
        : t('{count} deliveries scheduled', { count: count.toLocaleString(textLanguage()) }),
  })
  const recover = async () => {
    const since = Math.floor(Date.now() / 1000) - Number(seconds)
    if ((await write.run(since)) !== undefined) onClose()
  }
  return (
    <FormDialog
      title={t('Recover missed events?')}
      description={t(
        'Sends every event that this endpoint subscribes to and has not received, including those held back while it was paused.',
      )}
      action={t('Recover')}
      write={write}
      onSubmit={recover}
      onClose={onClose}
    >
      <Field label={t('Events of the')}>
        <Select value={seconds} choices={times} onChange={setSeconds} />
      </Field>
    </FormDialog>
  )
}
