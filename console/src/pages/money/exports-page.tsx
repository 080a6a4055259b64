/** Exports of tasks as one file. A job runs without this page; the jobs started in this tab are remembered here. */
import './money.css'
import type { ExportJob } from '@atrium/sdk'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { useParams } from 'wouter'
import { ErrorState } from '../../app/error-state.tsx'
import { useMode, useObject, useWrite } from '../../data/index.ts'
import {
  Button,
  Card,
  CopyId,
  CopyText,
  Empty,
  Fact,
  Facts,
  formatLanguage,
  Page,
  Progress,
  RelativeTime,
  SkeletonLines,
  StatusBadge,
} from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { useWorkspace } from './workspace-choice.tsx'

const remembered_max = 20
const poll_ms = 1500

export function ExportsPage() {
  const { id } = useParams()
  const mode = useMode()
  const { workspace, choice } = useWorkspace()
  const [started, setStarted] = useState(() => rememberedJobs(mode))
  const write = useWrite({
    write: (atrium, of: string | undefined) =>
      atrium.exports.create({ resource: 'tasks', ...(of === undefined ? {} : { workspace: of }) }),
    waits: false,
    done: () => t('Export started'),
  })
  const start = async () => {
    const job = await write.run(workspace?.id)
    if (job !== undefined) setStarted(rememberJob(mode, job.id))
  }
  const jobs = id === undefined || started.includes(id) ? started : [id, ...started]
  return (
    <Page
      title={t('Exports')}
      description={t(
        'All tasks of a workspace as NDJSON, one object per line. An export costs 500 credits; its file is kept for 7 days.',
      )}
      actions={
        <>
          {choice}
          <Button kind="primary" icon={Download} busy={write.busy} onClick={() => void start()}>
            {t('Export tasks')}
          </Button>
        </>
      }
    >
      {jobs.length === 0 ? (
        <Empty icon={Download} title={t('No exports yet')}>
          {t(
            'Export the tasks of a workspace with the button above. To open an export that was started elsewhere, search for its ID.',
          )}
        </Empty>
      ) : (
        <div className="stack">
          {jobs.map((job) => (
            <Card key={job}>
              <Job id={job} />
            </Card>
          ))}
        </div>
      )}
    </Page>
  )
}

/**
 * Polls until the job has ended and its file is known: events carry neither the download URL nor the row count. Each read
 * signs a new URL, valid for an hour.
 */
function Job({ id }: { readonly id: string }) {
  const [isFinal, setFinal] = useState(false)
  const job = useObject('export_job', id, (atrium) => atrium.jobs.retrieve(id), isFinal ? {} : { every_ms: poll_ms })
  const { data } = job
  const ended = data !== undefined && hasEnded(data)
  const isComplete = ended && (data.status !== 'completed' || data.download_url !== null)
  if (isComplete !== isFinal) setFinal(isComplete)
  if (job.error) return <ErrorState error={job.error} onRetry={() => void job.refetch()} plain />
  if (data === undefined) return <SkeletonLines lines={3} />
  return (
    <div className="stack">
      <JobFacts job={data} />
      {!ended && <Progress label={t('Export in progress')} />}
      {data.download_url !== null && <DownloadLink url={new URL(data.download_url)} />}
    </div>
  )
}

function hasEnded({ status }: ExportJob): boolean {
  return status !== 'queued' && status !== 'running'
}

function JobFacts({ job }: { readonly job: ExportJob }) {
  const { row_count, size_bytes, sha256 } = job
  return (
    <Facts>
      <Fact name={t('Status')}>
        <StatusBadge status={job.status} />
      </Fact>
      {job.error !== null && <Fact name={t('Error')}>{job.error}</Fact>}
      <Fact name={t('Started')}>
        <RelativeTime at={job.created} />
      </Fact>
      {row_count !== null && <Fact name={t('Tasks')}>{row_count.toLocaleString(formatLanguage())}</Fact>}
      {size_bytes !== null && <Fact name={t('Size')}>{t('{ceil} KiB', { ceil: Math.ceil(size_bytes / 1024) })}</Fact>}
      {sha256 !== null && (
        <Fact name="SHA-256">
          <CopyText text={sha256} />
        </Fact>
      )}
      <Fact name={t('ID')}>
        <CopyId id={job.id} />
      </Fact>
    </Facts>
  )
}

/** Relative to the console's own origin, which may differ from the server's public URL. */
function DownloadLink({ url }: { readonly url: URL }) {
  return (
    <div>
      <a className="button" data-kind="primary" href={url.pathname + url.search} download>
        {t('Download')}
      </a>
    </div>
  )
}

function rememberedJobs(mode: string): readonly string[] {
  const jobs: unknown = JSON.parse(sessionStorage.getItem(`exports ${mode}`) ?? '[]')
  return Array.isArray(jobs) ? jobs.filter((id) => typeof id === 'string') : []
}

function rememberJob(mode: string, id: string): readonly string[] {
  const jobs = [id, ...rememberedJobs(mode)].slice(0, remembered_max)
  sessionStorage.setItem(`exports ${mode}`, JSON.stringify(jobs))
  return jobs
}
