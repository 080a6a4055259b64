/**
 * Imports a file that another program exported: the file, the mapping with a preview, the progress, and a report of what was
 * left out. What is written is written by the work of the command line.
 */
import './import.css'
import { useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { useFileDrop } from '../../../app/file-drop.ts'
import { useMode, useSession } from '../../../data/index.ts'
import { Page, Skeleton } from '../../../design/index.ts'
import { t } from '../../../language/index.ts'
import { FileChoice } from './file-choice.tsx'
import { findJob, useJob } from './job.ts'
import { Mapping } from './mapping.tsx'
import { Report } from './report.tsx'
import { RunningImport, StoppedImport } from './running.tsx'
import { useChosenFile } from './use-chosen-file.ts'

/** Account, organization and mode: whose import it is. */
function useOwner(): string {
  const { account, organization } = useSession()
  return `${account.id} ${organization.id} ${useMode()}`
}

/** The button that changes the state of the import goes away with the old state: the focus moves to the new one. */
function useKeptFocus(kind: string | undefined) {
  const place = useRef<HTMLDivElement>(null)
  const before = useRef(kind)
  useEffect(() => {
    if (before.current !== undefined && before.current !== kind && document.activeElement === document.body) {
      place.current?.focus()
    }
    before.current = kind
  }, [kind])
  return place
}

export function ImportPage() {
  const owner = useOwner()
  const job = useJob()
  const chosen = useChosenFile()
  const [isReady, setReady] = useState(false)
  useEffect(() => {
    setReady(false)
    void findJob(owner).then(() => setReady(true))
  }, [owner])
  const state = useKeptFocus(isReady ? job?.kind : undefined)
  const choosing = isReady && job?.kind === 'none'
  const isOver = useFileDrop(choosing, (files) => chosen.choose(files?.[0]))
  return (
    <Page
      title={t('Import')}
      description={t('Bring tasks from Trello, Jira, Linear, or any list in a CSV file.')}
      trail={<Link href="/work">{t('Work')}</Link>}
    >
      {!isReady || job === undefined ? (
        <Skeleton height="12rem" />
      ) : (
        <div ref={state} tabIndex={-1} className="import-state">
          {job.kind === 'running' && <RunningImport job={job} />}
          {job.kind === 'stopped' && <StoppedImport job={job} owner={owner} />}
          {job.kind === 'finished' && <Report file={job.file} report={job.report} />}
          {job.kind === 'none' && <FileChoice chosen={chosen} isOver={isOver} />}
          {job.kind === 'none' && chosen.read !== null && chosen.file !== null && (
            <Mapping
              key={chosen.read.sha256}
              owner={owner}
              file={chosen.file}
              encoding={chosen.encoding}
              read={chosen.read}
              onStarted={chosen.forget}
            />
          )}
        </div>
      )}
    </Page>
  )
}
