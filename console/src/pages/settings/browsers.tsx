/** The browsers that show the person's notices: this one by a click, each of them with a way to end it. */
import '../../design/item-list.css'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { BellRing, Monitor, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { ErrorState, FormError } from '../../app/error-state.tsx'
import { toast } from '../../app/toasts.ts'
import { keys, useApp, useAppWrite } from '../../data/index.ts'
import { offersPush, ownSubscriptionId, subscribe, unsubscribeHere } from '../../data/push.ts'
import type { PushSubscriptionEntry } from '../../data/shapes.ts'
import {
  Badge,
  Button,
  Card,
  Empty,
  IconButton,
  Notice,
  RelativeTime,
  Section,
  SkeletonLines,
} from '../../design/index.ts'
import { rich, t } from '../../language/index.ts'
import { deviceOf } from './device.ts'

const list_name = 'GET push-subscriptions'
const own_key = ['push', 'own']

export function Browsers() {
  const list = useApp(list_name, {})
  const own = useQuery({ queryKey: own_key, queryFn: ownSubscriptionId })
  const [isDenied, setDenied] = useState(offersPush && Notification.permission === 'denied')
  const rows = list.data?.data
  const isOn = rows?.some(({ id }) => id === own.data) === true
  const turnOn = (
    <TurnOn
      publicKey={list.data?.public_key ?? ''}
      onDenied={() => setDenied(true)}
      isReady={list.data !== undefined}
    />
  )
  return (
    <Section
      title={t('Browsers')}
      description={t('A browser shows your notices, also while Atrium is closed.')}
      actions={offersPush && !isDenied && !isOn && rows !== undefined && rows.length > 0 && turnOn}
    >
      {!offersPush && (
        <Notice title={t('This browser shows no notices')}>
          {t(
            'It does not offer that for this page. On an iPhone or iPad, add Atrium to the Home Screen and open it there.',
          )}
        </Notice>
      )}
      {isDenied && (
        <Notice title={t('Notices are blocked here')}>
          {t(
            'You have not allowed them for this page. Allow them in the settings of the browser, then reload the page.',
          )}
        </Notice>
      )}
      {list.error ? (
        <ErrorState error={list.error} onRetry={() => void list.refetch()} />
      ) : rows === undefined ? (
        <Card>
          <SkeletonLines lines={2} />
        </Card>
      ) : rows.length > 0 ? (
        <Card flush>
          <ul className="item-list" aria-label={t('Browsers')}>
            {rows.map((row) => (
              <BrowserItem key={row.id} row={row} isOwn={row.id === own.data} />
            ))}
          </ul>
        </Card>
      ) : (
        offersPush &&
        !isDenied && (
          <Empty icon={BellRing} title={t('No browser shows notices')} actions={turnOn}>
            {t('Turn them on in each browser and on each phone where you want them.')}
          </Empty>
        )
      )}
    </Section>
  )
}

interface TurnOnProps {
  readonly publicKey: string
  readonly isReady: boolean
  readonly onDenied: () => void
}

function TurnOn({ publicKey, isReady, onDenied }: TurnOnProps) {
  const client = useQueryClient()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const turnOn = async () => {
    setBusy(true)
    setError(null)
    try {
      const entry = await subscribe(publicKey)
      if (entry === null) {
        if (Notification.permission === 'denied') onDenied()
        return
      }
      client.setQueryData(own_key, entry.id)
      await client.invalidateQueries({ queryKey: keys.appAll(list_name) })
      toast({ text: t('This browser shows your notices'), tone: 'good' })
    } catch (reason) {
      setError(reason)
    } finally {
      setBusy(false)
    }
  }
  return (
    <div className="stack">
      <Button icon={BellRing} busy={busy} disabled={!isReady} onClick={() => void turnOn()}>
        {t('Turn on in this browser')}
      </Button>
      <FormError error={error} fields={[]} />
    </div>
  )
}

function BrowserItem({ row, isOwn }: { readonly row: PushSubscriptionEntry; readonly isOwn: boolean }) {
  const client = useQueryClient()
  const write = useAppWrite('DELETE push-subscriptions/{id}', {
    invalidates: [list_name],
    done: () => t('The browser shows no more notices'),
  })
  const device = deviceOf(row.user_agent)
  const remove = async () => {
    const removed = await write.run({ params: { id: row.id } })
    if (removed === undefined || !isOwn) return
    await unsubscribeHere()
    client.setQueryData(own_key, null)
  }
  return (
    <li className="item">
      <span className="item-icon">
        <Monitor aria-hidden="true" />
      </span>
      <div className="grow">
        <p className="item-title">
          <span className="cut">{device}</span>
          {isOwn && <Badge tone="good">{t('This browser')}</Badge>}
        </p>
        <p className="item-hint">
          {rich('On since {relativeTime}', { relativeTime: <RelativeTime at={row.created} /> })}
        </p>
      </div>
      <IconButton icon={Trash2} label={t('Turn off in {browser}', { browser: device })} onClick={() => void remove()} />
    </li>
  )
}
