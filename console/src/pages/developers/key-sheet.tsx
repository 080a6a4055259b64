/** One key: what it may, how it is used, and revoking it. */
import type { ApiKey } from '@atrium/sdk'
import { useState } from 'react'
import { Link } from 'wouter'
import { useDirectory, useWrite } from '../../data/index.ts'
import type { LogSummary } from '../../data/shapes.ts'
import {
  Button,
  ConfirmDialog,
  CopyText,
  dateTime,
  Empty,
  Fact,
  Facts,
  RelativeTime,
  Sheet,
} from '../../design/index.ts'
import { UseLine } from './keys-page.tsx'

interface KeySheetProps {
  readonly apiKey: ApiKey | undefined
  readonly use: LogSummary['credentials'][number] | undefined
  readonly onClose: () => void
}

export function KeySheet({ apiKey, use, onClose }: KeySheetProps) {
  if (apiKey === undefined) {
    return (
      <Sheet open onClose={onClose} title="No such key">
        <Empty plain title="There is no key with this id">
          It may have been revoked, or be of the other mode.
        </Empty>
      </Sheet>
    )
  }
  return (
    <Sheet open onClose={onClose} title={apiKey.name} actions={<Revoke apiKey={apiKey} use={use} onDone={onClose} />}>
      <KeyFacts apiKey={apiKey} use={use} />
    </Sheet>
  )
}

function KeyFacts({ apiKey, use }: Pick<KeySheetProps, 'use'> & { readonly apiKey: ApiKey }) {
  const { nameOf } = useDirectory()
  return (
    <Facts>
      <Fact name="Key">
        <span className="dev-mono">{`${apiKey.hint}…${apiKey.last4}`}</span>
      </Fact>
      <Fact name="Acts for">{apiKey.owner.type === 'organization' ? 'the organization' : nameOf(apiKey.owner.id)}</Fact>
      <Fact name="Last used">
        <RelativeTime at={apiKey.last_used_at} none="never" />
      </Fact>
      <Fact name="Last 24 hours">
        <UseLine use={use} />
      </Fact>
      <Fact name="Requests">
        <Link href={`/developers/requests?credential=${apiKey.id}`}>In the log</Link>
      </Fact>
      <Fact name="Made">{dateTime(apiKey.created)}</Fact>
      <Fact name="Expires">{apiKey.expires_at === null ? 'never' : dateTime(apiKey.expires_at)}</Fact>
      <Fact name="Version">{apiKey.api_version}</Fact>
      <Fact name="Id">
        <CopyText text={apiKey.id} />
      </Fact>
      <Fact name="May">
        <ul className="key-scopes dev-mono">
          {apiKey.scopes.map((scope) => (
            <li key={scope}>{scope}</li>
          ))}
        </ul>
      </Fact>
    </Facts>
  )
}

function Revoke({
  apiKey,
  use,
  onDone,
}: {
  readonly apiKey: ApiKey
  readonly use: KeySheetProps['use']
  readonly onDone: () => void
}) {
  const [isAsking, setAsking] = useState(false)
  const write = useWrite({
    write: (atrium, id: string) => atrium.apiKeys.delete(id),
    manage: true,
    done: () => `${apiKey.name} revoked`,
  })
  const revoke = async () => {
    if ((await write.run(apiKey.id)) !== undefined) onDone()
  }
  return (
    <>
      <Button kind="danger" onClick={() => setAsking(true)}>
        Revoke
      </Button>
      <ConfirmDialog
        open={isAsking}
        onClose={() => setAsking(false)}
        title={`Revoke ${apiKey.name}?`}
        action="Revoke the key"
        onConfirm={() => void revoke()}
        busy={write.busy}
        {...(use === undefined ? {} : { typed: apiKey.name })}
      >
        {use === undefined
          ? 'Nothing called with it in the last 24 hours.'
          : `It was called with ${use.requests.toLocaleString('en')} times in the last 24 hours: that will fail from now on.`}{' '}
        A revoked key cannot be brought back.
      </ConfirmDialog>
    </>
  )
}
