/** An import that runs, and one that was stopped. */
import { Play, Square, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button, Card, ConfirmDialog, Notice, Progress, Section } from '../../../design/index.ts'
import { t, textLanguage } from '../../../language/index.ts'
import { type Counts, discardJob, type JobState, resumeJob, stopJob } from './job.ts'

type Running = Extract<JobState, { kind: 'running' }>
type StoppedJob = Extract<JobState, { kind: 'stopped' }>

const sum = ({ tasks, comments, dependencies }: Counts): number => tasks + comments + dependencies

export function RunningImport({ job: { file, done, total, waits } }: { readonly job: Running }) {
  const [isStopping, setStopping] = useState(false)
  const share = total === null ? undefined : Math.min(1, sum(done) / Math.max(1, sum(total)))
  const part = (what: keyof Counts, name: string) =>
    total !== null && total[what] > 0
      ? [
          t('{done} of {total} {name}', {
            done: done[what].toLocaleString(textLanguage()),
            total: total[what].toLocaleString(textLanguage()),
            name,
          }),
        ]
      : []
  const parts = [...part('tasks', t('tasks')), ...part('comments', t('comments')), ...part('dependencies', t('links'))]
  return (
    <Section
      title={t('Importing {file}', { file })}
      description={t('It goes on while you visit other pages of Atrium in this tab.')}
    >
      <Card>
        <div className="stack">
          <Progress label={t('Import of {file}', { file })} value={share} />
          <div className="row" data-wrap>
            <p className="grow numbers" role="status">
              {waits ?? (parts.length === 0 ? t('Reading the file…') : parts.join(', '))}
            </p>
            <Button
              icon={Square}
              disabled={isStopping}
              onClick={() => {
                setStopping(true)
                stopJob()
              }}
            >
              {isStopping ? t('Stopping…') : t('Stop')}
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
    <Section title={t('Import of {file}', { file })}>
      <Notice
        tone={reason === null ? 'info' : 'bad'}
        title={t('The import is not finished')}
        actions={
          <>
            <Button kind="primary" icon={Play} onClick={() => void resumeJob(owner)}>
              {t('Resume')}
            </Button>
            <Button icon={Trash2} onClick={() => setAsking(true)}>
              {t('Discard')}
            </Button>
          </>
        }
      >
        {t(
          '{reason} What is created stays, and nothing is created twice. The file and the choices are kept in this browser until you resume, discard or sign out.',
          { reason: reason ?? t('It was stopped.') },
        )}
      </Notice>
      <ConfirmDialog
        open={isAsking}
        title={t('Discard this import?')}
        action={t('Discard')}
        onConfirm={() => void discardJob()}
        onClose={() => setAsking(false)}
      >
        {t('The tasks that are created stay. Importing the same file later creates only what is missing.')}
      </ConfirmDialog>
    </Section>
  )
}
