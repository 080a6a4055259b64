/** What an import did: tasks that it created, that were there, and what was left out. */
import { Download } from 'lucide-react'
import type { Note } from '../../../../../server/src/imports/draft.ts'
import { saveCsv } from '../../../app/csv.ts'
import { useProjects } from '../../../app/tasks/reads.ts'
import { Button, ButtonLink, formatLanguage, Notice, Section, Stat } from '../../../design/index.ts'
import { t, textLanguage } from '../../../language/index.ts'
import { discardJob, type ImportReport } from './job.ts'
import { page_limits } from './limits.ts'
import { NotesTable } from './notes-table.tsx'
import { isRowLeftOut, reportCsv } from './report-csv.ts'

export function Report({ file, report }: { readonly file: string; readonly report: ImportReport }) {
  const { arrived, notes, comments, dependencies, projects } = report
  // A project that was there before has only its id in the report.
  const known = new Map(useProjects().data?.map(({ id, name }) => [id, name]))
  const there = arrived.filter(({ outcome }) => outcome === 'there').length
  const rows_left_out = new Set(notes.filter(isRowLeftOut).map(({ line }) => line)).size
  const stats: readonly (readonly [string, number])[] = [
    [t('Tasks created'), arrived.length - there],
    [t('Already there'), there],
    [t('Rows left out'), rows_left_out],
    [t('Comments'), comments],
    [t('Links'), dependencies],
  ]
  return (
    <>
      <Section title={t('Report of {file}', { file })}>
        <Notice
          tone={rows_left_out > 0 ? 'warn' : 'good'}
          title={t('The import is finished')}
          actions={
            <>
              {projects.map(([id, name]) => (
                <ButtonLink key={id} kind="primary" to={`/work/projects/${id}`}>
                  {t('Open {get}', { get: known.get(id) ?? name })}
                </ButtonLink>
              ))}
              {projects.length === 0 && <ButtonLink to="/work/tasks?sort=-created">{t('Show tasks')}</ButtonLink>}
              <Button icon={Download} onClick={() => saveCsv(`import ${file}`, reportCsv(report))}>
                {t('Download report')}
              </Button>
              <Button onClick={() => void discardJob()}>{t('Import another file')}</Button>
            </>
          }
        >
          {t('Imported tasks have the custom fields import_id and import_row.')}
        </Notice>
        <div className="grid import-counts" style={{ '--least': '7.5rem' }}>
          {stats.map(([label, value]) => (
            <Stat key={label} label={label} value={value.toLocaleString(formatLanguage())} />
          ))}
        </div>
      </Section>
      {notes.length > 0 && (
        <Section
          title={t('Left out')}
          {...(notes.length > page_limits.notes_shown && {
            description: t('The first {notes_shown} of {count}. The downloaded report has all of them.', {
              notes_shown: page_limits.notes_shown,
              count: notes.length.toLocaleString(textLanguage()),
            }),
          })}
        >
          <NotesTable label={t('Left out')} notes={rowsFirst(notes).slice(0, page_limits.notes_shown)} />
        </Section>
      )}
    </>
  )
}

const rowsFirst = (notes: readonly Note[]) =>
  notes.toSorted((a, b) => Number(isRowLeftOut(b)) - Number(isRowLeftOut(a)))
