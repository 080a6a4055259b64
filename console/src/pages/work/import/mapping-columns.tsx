/** The columns of a CSV file: what each one becomes. */

import { useFieldsOf } from '../../../app/tasks/field-reads.ts'
import { useProjects } from '../../../app/tasks/reads.ts'
import { Section, Select, Table } from '../../../design/index.ts'
import { t } from '../../../language/index.ts'
import { type MappingPartProps, status_and_column } from './choices.ts'
import { defaultTarget, fieldKeyOf } from './names.ts'

const field_choices = [
  { value: '', label: t('Leave out') },
  { value: 'title', label: t('Title') },
  { value: 'description', label: t('Description') },
  { value: status_and_column, label: t('Status and column') },
  { value: 'status', label: t('Status') },
  { value: 'column', label: t('Column of the board') },
  { value: 'priority', label: t('Priority') },
  { value: 'assignee', label: t('Assignee') },
  { value: 'due_at', label: t('Due date') },
  { value: 'completed_at', label: t('Completed at') },
  { value: 'labels', label: t('Labels, separated by commas') },
  { value: 'project', label: t('Project') },
  { value: 'comment', label: t('Comment') },
  { value: 'key', label: t('Key: tells rows apart') },
  { value: 'blocked_by', label: t('Blocked by: keys') },
  { value: 'blocks', label: t('Blocks: keys') },
] as const

const field_types = [
  ['text', 'text'],
  ['number', 'number'],
  ['boolean', t('yes or no')],
  ['list', 'list'],
] as const

export function ColumnChoices({ read, choices, change }: MappingPartProps) {
  const { fields = [] } = useFieldsOf(choices.workspace)
  const projects = useProjects().data ?? []
  const header = [...new Set(read.table?.header.filter((name) => name !== '') ?? [])]
  const defined = fields.map(({ key, name }) => ({ value: `custom_fields.${key}`, label: t('Field {name}', { name }) }))
  const choicesFor = (column: string) => {
    const key = fieldKeyOf(column, header.indexOf(column))
    const isDefined = fields.some((field) => field.key === key)
    const own = field_types.map(([type, name]) => ({
      value: `custom_fields.${key}|${type}`,
      label: t('New field: {name}', { name }),
    }))
    return [...field_choices, ...defined, ...(isDefined ? [] : own)]
  }
  const choose = (column: string, field: string) => {
    const map = { ...choices.map, [column]: field }
    const target = defaultTarget(read, 'csv', map, choices.workspace, projects)
    const changesTarget = field === 'project' || choices.map[column] === 'project'
    change({ map, ...(changesTarget && { target }) })
  }
  return (
    <Section title={t('Columns')} description={t('What each column of the file becomes. A title is needed.')}>
      <Table
        label={t('Columns of the file')}
        rows={header}
        rowKey={(column) => column}
        columns={[
          { key: 'column', title: t('Column'), cell: (column) => <span className="cut">{column}</span> },
          {
            key: 'sample',
            title: t('First value'),
            from: 'wide',
            cell: (column) => <span className="cut muted">{sampleOf(read, column)}</span>,
          },
          {
            key: 'field',
            title: t('Becomes'),
            width: 'min(18rem, 52%)',
            cell: (column) => (
              <Select
                aria-label={t('{column} becomes', { column })}
                size="s"
                value={choices.map[column] ?? ''}
                choices={choicesFor(column)}
                onChange={(field) => choose(column, field)}
              />
            ),
          },
        ]}
      />
    </Section>
  )
}

function sampleOf({ table }: MappingPartProps['read'], column: string): string {
  const at = table?.header.indexOf(column) ?? -1
  return table?.all.map(({ cells }) => cells[at]?.trim() ?? '').find((text) => text !== '') ?? ''
}
