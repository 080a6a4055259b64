/** The columns of a CSV file: what each one becomes. */
import { Section, Select, Table } from '../../../design/index.ts'
import { useFieldsOf } from '../field-reads.ts'
import { useProjects } from '../reads.ts'
import { type MappingPartProps, status_and_column } from './choices.ts'
import { defaultTarget, fieldKeyOf } from './names.ts'

const field_choices = [
  { value: '', label: 'Leave out' },
  { value: 'title', label: 'Title' },
  { value: 'description', label: 'Description' },
  { value: status_and_column, label: 'Status and column' },
  { value: 'status', label: 'Status' },
  { value: 'column', label: 'Column of the board' },
  { value: 'priority', label: 'Priority' },
  { value: 'assignee', label: 'Assignee' },
  { value: 'due_at', label: 'Due date' },
  { value: 'completed_at', label: 'Completed at' },
  { value: 'labels', label: 'Labels, separated by commas' },
  { value: 'project', label: 'Project' },
  { value: 'comment', label: 'Comment' },
  { value: 'key', label: 'Key: tells rows apart' },
  { value: 'blocked_by', label: 'Blocked by: keys' },
  { value: 'blocks', label: 'Blocks: keys' },
] as const

const field_types = [
  ['text', 'text'],
  ['number', 'number'],
  ['boolean', 'yes or no'],
  ['list', 'list'],
] as const

export function ColumnChoices({ read, choices, change }: MappingPartProps) {
  const { fields = [] } = useFieldsOf(choices.workspace)
  const projects = useProjects().data ?? []
  const header = [...new Set(read.table?.header.filter((name) => name !== '') ?? [])]
  const defined = fields.map(({ key, name }) => ({ value: `custom_fields.${key}`, label: `Field ${name}` }))
  const choicesFor = (column: string) => {
    const key = fieldKeyOf(column, header.indexOf(column))
    const isDefined = fields.some((field) => field.key === key)
    const own = field_types.map(([type, name]) => ({
      value: `custom_fields.${key}|${type}`,
      label: `New field: ${name}`,
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
    <Section title="Columns" description="What each column of the file becomes. A title is needed.">
      <Table
        label="Columns of the file"
        rows={header}
        rowKey={(column) => column}
        columns={[
          { key: 'column', title: 'Column', cell: (column) => <span className="cut">{column}</span> },
          {
            key: 'sample',
            title: 'First value',
            from: 'wide',
            cell: (column) => <span className="cut muted">{sampleOf(read, column)}</span>,
          },
          {
            key: 'field',
            title: 'Becomes',
            width: 'min(18rem, 52%)',
            cell: (column) => (
              <Select
                aria-label={`${column} becomes`}
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
