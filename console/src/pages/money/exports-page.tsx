/** Exports: all tasks in one file. A job goes on without this page; the ones begun in this tab are kept here. */
import './money.css'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { useParams } from 'wouter'
import { ErrorState } from '../../app/error-state.tsx'
import { useMode, useObject, useWrite } from '../../data/index.ts'
import {
  Button,
  Card,
  CopyText,
  Empty,
  Fact,
  Facts,
  Page,
  Progress,
  RelativeTime,
  SkeletonLines,
} from '../../design/index.ts'
import { useWorkspace } from './workspace-choice.tsx'

const kept_max = 20

export function ExportsPage() {
  const { id } = useParams()
  const mode = useMode()
  const { workspace, choice } = useWorkspace()
  const [begun, setBegun] = useState(() => keptJobs(mode))
  const write = useWrite({
    write: (atrium, of: string | undefined) =>
      atrium.exports.create({ resource: 'tasks', ...(of === undefined ? {} : { workspace: of }) }),
    done: () => 'The export is on its way',
  })
  const begin = async () => {
    const job = await write.run(workspace?.id)
    if (job !== undefined) setBegun(keepJob(mode, job.id))
  }
  const jobs = id === undefined || begun.includes(id) ? begun : [id, ...begun]
  return (
    <Page
      title="Exports"
      description="Every task of a workspace as NDJSON, one object a line. Costs 500 credits; the file is kept for a while."
      actions={
        <>
          {choice}
          <Button kind="primary" icon={Download} busy={write.busy} onClick={() => void begin()}>
            Export the tasks
          </Button>
        </>
      }
    >
      {jobs.length === 0 ? (
        <Empty icon={Download} title="No exports yet">
          One that was begun elsewhere is found by its id: open it with the search above.
        </Empty>
      ) : (
        <div className="stack">
          {jobs.map((job) => (
            <Job key={job} id={job} />
          ))}
        </div>
      )}
    </Page>
  )
}

function Job({ id }: { readonly id: string }) {
  const [isOver, setOver] = useState(false)
  // Reading a job makes its address anew, which is good for an hour; events have neither its address nor its rows.
  const job = useObject('export_job', id, (atrium) => atrium.jobs.retrieve(id), isOver ? {} : { every_ms: 1500 })
  const { data } = job
  const ended = data !== undefined && !['queued', 'running'].includes(data.status)
  const isWhole = ended && (data.status !== 'completed' || data.download_url !== null)
  if (isWhole !== isOver) setOver(isWhole)
  if (job.error) {
    return (
      <Card>
        <ErrorState error={job.error} onRetry={() => void job.refetch()} plain />
      </Card>
    )
  }
  if (data === undefined) {
    return (
      <Card>
        <SkeletonLines lines={3} />
      </Card>
    )
  }
  return (
    <Card>
      <div className="stack">
        <Facts>
          <Fact name="Job">
            <CopyText text={data.id} />
          </Fact>
          <Fact name="Begun">
            <RelativeTime at={data.created} />
          </Fact>
          <Fact name="Status">{data.error ?? data.status}</Fact>
          {data.row_count !== null && <Fact name="Tasks">{data.row_count.toLocaleString('en')}</Fact>}
          {data.size_bytes !== null && <Fact name="Size">{`${Math.ceil(data.size_bytes / 1024)} KiB`}</Fact>}
          {data.sha256 !== null && (
            <Fact name="SHA-256">
              <CopyText text={data.sha256} />
            </Fact>
          )}
        </Facts>
        {!ended && <Progress label="The export is being written" />}
        {data.download_url !== null && (
          <div>
            <a
              className="button"
              data-kind="primary"
              href={new URL(data.download_url).pathname + new URL(data.download_url).search}
              download
            >
              Download
            </a>
          </div>
        )}
      </div>
    </Card>
  )
}

function keptJobs(mode: string): readonly string[] {
  const kept: unknown = JSON.parse(sessionStorage.getItem(`exports ${mode}`) ?? '[]')
  return Array.isArray(kept) ? kept.filter((id) => typeof id === 'string') : []
}

function keepJob(mode: string, id: string): readonly string[] {
  const jobs = [id, ...keptJobs(mode)].slice(0, kept_max)
  sessionStorage.setItem(`exports ${mode}`, JSON.stringify(jobs))
  return jobs
}
