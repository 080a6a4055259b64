/** An import that runs, and one that was stopped. */
import { Play, Square, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button, Card, ConfirmDialog, Notice, Progress, Section } from '../../../design/index.ts'
import { type Counts, discardJob, type JobState, resumeJob, stopJob } from './job.ts'

type Running = Extract<JobState, { kind: 'running' }>
type StoppedJob = Extract<JobState, { kind: 'stopped' }>

const sum = ({ tasks, comments, dependencies }: Counts): number => tasks + comments + dependencies

export function RunningImport({ job: { file, done, total, waits } }: { readonly job: Running }) {
  const [isStopping, setStopping] = useState(false)
  const share = total === null ? undefined : Math.min(1, sum(done) / Math.max(1, sum(total)))
  const part = (what: keyof Counts, name: string) =>
    total !== null && total[what] > 0
      ? [`${done[what].toLocaleString('en')} of ${total[what].toLocaleString('en')} ${name}`]
      : []
  const parts = [...part('tasks', 'tasks'), ...part('comments', 'comments'), ...part('dependencies', 'links')]
  return (
    <Section title={`Importing ${file}`} description="It goes on while you visit other pages of Atrium in this tab.">
      <Card>
        <div className="stack">
          <Progress label={`Import of ${file}`} value={share} />
          <div className="row" data-wrap>
            <p className="grow numbers" role="status">
              {waits ?? (parts.length === 0 ? 'Reading the file…' : parts.join(', '))}
            </p>
            <Button
              icon={Square}
              disabled={isStopping}
              onClick={() => {
                setStopping(true)
                stopJob()
              }}
            >
              {isStopping ? 'Stopping…' : 'Stop'}
            </Button>
          </div>
        </div>
      </Card>
    </Section>
  )
}

export function StoppedImport({ job: { file, reason }, owner }: { readonly job: StoppedJob; readonly owner: string }) {
  const [isAsking, setAsking] = useState(false)
  return (
    <Section title={`Import of ${file}`}>
      <Notice
        tone={reason === null ? 'info' : 'bad'}
        title="The import is not finished"
        actions={
          <>
            <Button kind="primary" icon={Play} onClick={() => void resumeJob(owner)}>
              Resume
            </Button>
            <Button icon={Trash2} onClick={() => setAsking(true)}>
              Discard
            </Button>
          </>
        }
      >
        {reason ?? 'It was stopped.'} What is created stays, and nothing is created twice. The file and the choices are
        kept in this browser until you resume, discard or sign out.
      </Notice>
      <ConfirmDialog
        open={isAsking}
        title="Discard this import?"
        action="Discard"
        onConfirm={() => void discardJob()}
        onClose={() => setAsking(false)}
      >
        The tasks that are created stay. Importing the same file later creates only what is missing.
      </ConfirmDialog>
    </Section>
  )
}
