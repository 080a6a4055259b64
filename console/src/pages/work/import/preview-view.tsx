/** What the file would become: counts, the first tasks, and what would be left out. */

import { Labels } from '../../../app/tasks/marks.tsx'
import { useDirectory } from '../../../data/index.ts'
import {
  date,
  formatLanguage,
  Notice,
  Section,
  SkeletonLines,
  Stat,
  StatusBadge,
  Table,
} from '../../../design/index.ts'
import { t } from '../../../language/index.ts'
import { allOf } from '../../../language/lists.ts'
import type { Choices } from './choices.ts'
import { page_limits } from './limits.ts'
import { NotesTable } from './notes-table.tsx'
import type { ReadFile } from './read-file.ts'
import type { Preview, PreviewState } from './use-preview.ts'

interface PreviewViewProps {
  readonly state: PreviewState
  readonly read: ReadFile
  readonly choices: Choices
}

export function PreviewView({ state, read, choices }: PreviewViewProps) {
  if (state.kind === 'loading') {
    return (
      <Section title={t('Preview')}>
        <SkeletonLines />
      </Section>
    )
  }
  if (state.kind === 'failed') {
    return (
      <Section title={t('Preview')}>
        <Notice tone="bad" title={t('There is no preview yet')}>
          {state.message}
        </Notice>
      </Section>
    )
  }
  const { preview } = state
  return (
    <>
      <Section title={t('Preview')} description={t('Nothing has been created yet.')}>
        <Counts preview={preview} />
        <ColumnsLeftOut read={read} choices={choices} />
        <FirstTasks preview={preview} choices={choices} />
      </Section>
      {preview.notes.length > 0 && <LeftOut preview={preview} />}
    </>
  )
}

function Counts({ preview: { plan, counts } }: { readonly preview: Preview }) {
  const columns = [...plan.projects.values()].reduce((sum, project) => sum + project.columns.size, 0)
  const stats: readonly (readonly [string, number])[] = [
    [t('Tasks'), plan.tasks],
    [t('Rows left out'), plan.rows - plan.tasks],
    [t('Projects'), plan.projects.size],
    [t('Columns'), columns],
    [t('Labels'), plan.labels.size],
    [t('Comments'), plan.comments],
    [t('Links'), plan.links],
    [t('Values left out or cut'), counts.left_out + counts.cut],
  ]
  return (
    <div className="grid import-counts" style={{ '--least': '7.5rem' }}>
      {stats.map(([label, value]) => (
        <Stat key={label} label={label} value={value.toLocaleString(formatLanguage())} />
      ))}
    </div>
  )
}

/** A column that is not recognised is left out until a person says what it becomes. */
function ColumnsLeftOut({ read, choices: { kind, map } }: Pick<PreviewViewProps, 'read' | 'choices'>) {
  const columns = read.table?.header.filter((name) => name !== '' && (map[name] ?? '') === '') ?? []
  if (kind !== 'csv' || columns.length === 0) return null
  return (
    <Notice
      tone="warn"
      title={t('{count, plural, one {1 column is} other {# columns are}} left out', { count: columns.length })}
    >
      {t('{columns}. Choose under Columns what they become.', { columns: allOf(columns) })}
    </Notice>
  )
}

function FirstTasks({ preview, choices }: { readonly preview: Preview; readonly choices: Choices }) {
  const { nameOf } = useDirectory()
  const { drafts, people } = preview
  if (drafts.length === 0) return <Notice tone="warn">{t('No row becomes a task yet. The reasons are below.')}</Notice>
  const personOf = (names: readonly string[]) => {
    const user = choices.people[names[0] ?? ''] === '' ? null : people.find(names)
    return user === null ? '' : nameOf(user)
  }
  return (
    <Table
      label={t('First tasks')}
      rows={drafts}
      rowKey={({ key }) => key}
      columns={[
        { key: 'title', title: t('Title'), cell: ({ fields }) => <span className="cut">{fields.title}</span> },
        {
          key: 'status',
          title: t('Status'),
          width: '9rem',
          cell: ({ fields }) => <StatusBadge status={fields.status ?? 'todo'} />,
        },
        {
          key: 'column',
          title: t('Column'),
          from: 'wide',
          width: '9rem',
          cell: ({ column }) => <span className="cut">{column}</span>,
        },
        {
          key: 'assignee',
          title: t('Assignee'),
          from: 'wide',
          width: '10rem',
          cell: ({ person }) => <span className="cut">{personOf(person)}</span>,
        },
        {
          key: 'due',
          title: t('Due'),
          from: 'widest',
          width: '7rem',
          cell: ({ fields }) => (fields.due_at === undefined ? '' : date(fields.due_at)),
        },
        {
          key: 'labels',
          title: t('Labels'),
          from: 'widest',
          width: '14rem',
          cell: ({ fields }) => <Labels labels={fields.labels ?? []} max={3} />,
        },
      ]}
    />
  )
}

function LeftOut({ preview: { notes, counts } }: { readonly preview: Preview }) {
  const total = counts.refused + counts.left_out + counts.cut
  return (
    <Section
      title={t('What would be left out')}
      description={
        total > page_limits.notes_shown
          ? t('The first {notes_shown}. The report lists all of them after the import.', {
              notes_shown: page_limits.notes_shown,
            })
          : t('The report lists it again after the import.')
      }
    >
      <NotesTable label={t('What would be left out')} notes={notes} />
    </Section>
  )
}
