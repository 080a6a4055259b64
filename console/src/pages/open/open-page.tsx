/** Opens the page of any object by its ID or task key: `/open/evt_…`, `/open/KEP-42`. */
import { FileQuestion } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useLocation, useParams } from 'wouter'
import { ErrorState } from '../../app/error-state.tsx'
import { OtherOrganization } from '../../app/other-organization.tsx'
import { app, hasErrorCode, useMode } from '../../data/index.ts'
import { Button, Empty, Field, Input, Page, SkeletonLines, submitHandler } from '../../design/index.ts'
import { t } from '../../language/index.ts'

export function OpenPage() {
  const { id } = useParams()
  return <Page title={t('Open by ID')}>{id === undefined ? <IdForm /> : <Redirect key={id} id={id} />}</Page>
}

function Redirect({ id }: { readonly id: string }) {
  const mode = useMode()
  const [, navigate] = useLocation()
  const [error, setError] = useState<unknown>(null)
  useEffect(() => {
    const abort = new AbortController()
    app('GET open/{id}', { params: { id }, query: { mode } }, { signal: abort.signal }).then(
      ({ url }) => navigate(url, { replace: true }),
      (reason: unknown) => !abort.signal.aborted && setError(reason),
    )
    return () => abort.abort()
  }, [id, mode, navigate])
  if (error === null) return <SkeletonLines lines={3} />
  if (!hasErrorCode(error, 'resource_not_found')) return <ErrorState error={error} />
  const other = mode === 'live' ? 'test' : 'live'
  return (
    <>
      <Empty
        icon={FileQuestion}
        title={t('Nothing found for {id}', { id })}
        actions={
          <Button onClick={() => navigate(`/open/${id}?mode=${other}`)}>
            {t('Search the {other} data', { other })}
          </Button>
        }
      >
        {t(
          'The {mode} data of this organization has no object with this ID. It may be in the {other} data, or have been deleted.',
          { mode, other },
        )}
      </Empty>
      <OtherOrganization />
    </>
  )
}

function IdForm() {
  const [text, setText] = useState('')
  const [, navigate] = useLocation()
  const id = text.trim()
  return (
    <form className="row" onSubmit={submitHandler(() => id !== '' && navigate(`/open/${encodeURIComponent(id)}`))}>
      <Field label={t('ID or task key')} hiddenLabel className="grow">
        <Input
          autoFocus
          placeholder={t('evt_…, req_…, tsk_…, KEP-42')}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
      </Field>
      <Button kind="primary" type="submit" disabled={id === ''}>
        {t('Open')}
      </Button>
    </form>
  )
}
