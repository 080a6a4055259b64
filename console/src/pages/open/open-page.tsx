/** Leads from an id to where it is shown: `/open/evt_…`, `/open/KEP-42`. */
import { FileQuestion } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useLocation, useParams } from 'wouter'
import { ErrorState } from '../../app/error-state.tsx'
import { app, refused, useMode } from '../../data/index.ts'
import { Button, Empty, Field, Input, Page, SkeletonLines, sending } from '../../design/index.ts'

export function OpenPage() {
  const { id } = useParams()
  return <Page title="Open an id">{id === undefined ? <Ask /> : <Opening key={id} id={id} />}</Page>
}

function Opening({ id }: { readonly id: string }) {
  const mode = useMode()
  const [, navigate] = useLocation()
  const [error, setError] = useState<unknown>(null)
  useEffect(() => {
    const over = new AbortController()
    app('GET open/{id}', { params: { id }, query: { mode } }, { signal: over.signal }).then(
      ({ url }) => navigate(url, { replace: true }),
      (reason: unknown) => !over.signal.aborted && setError(reason),
    )
    return () => over.abort()
  }, [id, mode, navigate])
  if (error === null) return <SkeletonLines lines={3} />
  if (!refused(error, 'resource_not_found')) return <ErrorState error={error} />
  const other = mode === 'live' ? 'test' : 'live'
  return (
    <Empty
      icon={FileQuestion}
      title={`Nothing has the id ${id}`}
      actions={<Button onClick={() => navigate(`/open/${id}?mode=${other}`)}>{`Look among ${other} data`}</Button>}
    >
      {`It was looked for among the ${mode} data of this organization. It may be of the other kind, or have been deleted.`}
    </Empty>
  )
}

function Ask() {
  const [text, setText] = useState('')
  const [, navigate] = useLocation()
  const id = text.trim()
  return (
    <form className="row" onSubmit={sending(() => id !== '' && navigate(`/open/${encodeURIComponent(id)}`))}>
      <Field label="Any id, or the key of a task" bare className="grow">
        <Input
          autoFocus
          placeholder="evt_…, req_…, tsk_…, KEP-42"
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
      </Field>
      <Button kind="primary" type="submit" disabled={id === ''}>
        Open
      </Button>
    </form>
  )
}
