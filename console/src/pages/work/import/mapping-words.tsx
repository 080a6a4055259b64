/** The words of a file: statuses, columns, priorities and people, each with what it stands for. */
import type { People as Members } from '../../../../../server/src/imports/people.ts'
import type { Plan } from '../../../../../server/src/imports/plan.ts'
import { leave_out } from '../../../../../server/src/imports/vocabulary.ts'
import { priorityChoices, statusChoices } from '../../../app/tasks/values.ts'
import { useDirectory } from '../../../data/index.ts'
import {
  Badge,
  Card,
  Checkbox,
  Combobox,
  formatLanguage,
  Section,
  Select,
  Table,
  type TableColumn,
} from '../../../design/index.ts'
import { t, textLanguage } from '../../../language/index.ts'
import type { MappingPartProps } from './choices.ts'
import { page_limits } from './limits.ts'
import { columnNamed, type FoundWords, statusOfWord, type Word } from './names.ts'

const wordColumns = (title: string): readonly TableColumn<Word>[] => [
  { key: 'word', title, cell: ({ word }) => <span className="cut">{word}</span> },
  {
    key: 'count',
    title: t('Rows'),
    width: '5rem',
    align: 'end',
    from: 'wide',
    cell: ({ count }) => <span className="numbers subtle">{count.toLocaleString(formatLanguage())}</span>,
  },
]

interface StatusesProps extends MappingPartProps {
  readonly words: FoundWords
  /** Columns that the project has. */
  readonly existing: readonly string[]
}

export function Statuses({ choices, change, words, existing }: StatusesProps) {
  const shown = words.statuses.slice(0, page_limits.words_shown)
  const status: TableColumn<Word> = {
    key: 'status',
    title: t('Status'),
    width: 'min(11rem, 34%)',
    cell: ({ word }) => (
      <Select
        aria-label={t('Status of {word}', { word })}
        size="s"
        value={statusOfWord(word, choices.kind, choices.statuses)}
        choices={[
          ...(statusOfWord(word, choices.kind, choices.statuses) === '' ? [{ value: '', label: t('Choose…') }] : []),
          ...statusChoices,
          { value: leave_out, label: t('Leave out') },
        ]}
        onChange={(chosen) => change({ statuses: { ...choices.statuses, [word]: chosen } })}
      />
    ),
  }
  const column: TableColumn<Word> = {
    key: 'column',
    title: t('Column of the board'),
    width: 'min(14rem, 34%)',
    cell: ({ word }) => <BoardColumn word={word} {...{ choices, change, existing }} />,
  }
  const isTrello = choices.kind === 'trello'
  return (
    <>
      {shown.length > 0 && (
        <Section
          title={t('Statuses')}
          description={
            isTrello
              ? t('Lists that are not understood become To do.')
              : t('Rows with a status that is not chosen are left out.')
          }
        >
          <Table
            label={t('Statuses of the file')}
            rows={shown}
            rowKey={({ word }) => word}
            columns={[...wordColumns(isTrello ? t('List') : t('Word')), status, ...(words.areColumns ? [column] : [])]}
          />
        </Section>
      )}
      {words.columns.length > 0 && (
        <Section title={t('Columns of the board')}>
          <Table
            label={t('Columns of the board')}
            rows={words.columns.slice(0, page_limits.words_shown)}
            rowKey={({ word }) => word}
            columns={[...wordColumns(t('Word')), column]}
          />
        </Section>
      )}
    </>
  )
}

interface BoardColumnProps extends Pick<MappingPartProps, 'choices' | 'change'> {
  readonly word: string
  readonly existing: readonly string[]
}

function BoardColumn({ word, choices, change, existing }: BoardColumnProps) {
  const value = columnNamed(word, choices.columns) ?? ''
  const names = [...new Set([word, ...existing])]
  const isNew = (name: string) => choices.target.kind === 'existing' && !existing.includes(name)
  return (
    <Select
      aria-label={t('Column of {word}', { word })}
      size="s"
      value={value}
      choices={[
        ...names.map((name) => ({ value: name, label: isNew(name) ? t('New: {name}', { name }) : name })),
        { value: '', label: t('No column') },
      ]}
      onChange={(chosen) => change({ columns: { ...choices.columns, [word]: chosen } })}
    />
  )
}

/** Only words that are not understood. */
export function Priorities({ choices, change, words }: MappingPartProps & { readonly words: readonly Word[] }) {
  if (words.length === 0) return null
  return (
    <Section title={t('Priorities')} description={t('Rows with a priority that is not chosen are left out.')}>
      <Table
        label={t('Priorities of the file')}
        rows={words.slice(0, page_limits.words_shown)}
        rowKey={({ word }) => word}
        columns={[
          ...wordColumns(t('Word')),
          {
            key: 'priority',
            title: t('Priority'),
            width: 'min(14rem, 45%)',
            cell: ({ word }) => (
              <Select
                aria-label={t('Priority of {word}', { word })}
                size="s"
                value={choices.priorities[word] ?? ''}
                choices={[{ value: '', label: t('Choose…') }, ...priorityChoices]}
                onChange={(chosen) => change({ priorities: without(choices.priorities, word, chosen) })}
              />
            ),
          },
        ]}
      />
    </Section>
  )
}

function without(words: Readonly<Record<string, string>>, word: string, chosen: string) {
  const { [word]: _, ...rest } = words
  return chosen === '' ? rest : { ...rest, [word]: chosen }
}

interface PeopleProps extends MappingPartProps {
  readonly plan: Plan
  readonly people: Members
}

export function People({ choices, change, plan, people }: PeopleProps) {
  const { active } = useDirectory()
  const names = new Map([...plan.people].map(([word, count]) => [word, count] as const))
  // A person who is mapped to no member is not an assignee of the plan any longer.
  for (const word of Object.keys(choices.people)) if (!names.has(word)) names.set(word, 0)
  if (names.size === 0) return null
  const rows = [...names].map(([word, count]) => ({ word, count })).slice(0, page_limits.words_shown)
  const options = [
    { value: '', label: t('Unassigned') },
    ...active.map(({ id, name, email }) => ({ value: id, label: name, ...(email !== null && { hint: email }) })),
  ]
  const memberOf = (word: string) =>
    choices.people[word] ?? people.find([word]) ?? (plan.strangers.has(word) ? '' : 'other')
  return (
    <Section title={t('People')} description={t('Assignees in the file, and the members that they are.')}>
      <Table
        label={t('People of the file')}
        rows={rows}
        rowKey={({ word }) => word}
        columns={[
          ...wordColumns(t('Name')),
          {
            key: 'member',
            title: t('Member'),
            width: 'min(16rem, 52%)',
            cell: ({ word }) => (
              <Combobox
                label={t('Member for {word}', { word })}
                size="s"
                options={options}
                value={[memberOf(word)]}
                placeholder={t('The member of another name')}
                onChange={([user = '']) => change({ people: { ...choices.people, [word]: user } })}
              />
            ),
          },
        ]}
      />
    </Section>
  )
}

/** What else the file has: custom fields, which can be left out, and labels. */
export function Fields({ choices, change, plan }: MappingPartProps & { readonly plan: Plan }) {
  const keys = [...new Set([...plan.fields.keys(), ...choices.without])].sort()
  const labels = [...plan.labels]
  if (keys.length === 0 && labels.length === 0) return null
  return (
    <Section title={t('Fields and labels')}>
      <Card>
        <div className="stack">
          {keys.length > 0 && (
            <fieldset className="grid import-fields" style={{ '--least': '12rem' }}>
              <legend className="field-label">{t('Custom fields of the tasks')}</legend>
              {keys.map((key) => (
                <Checkbox
                  key={key}
                  label={key}
                  checked={!choices.without.includes(key)}
                  onChange={(isKept) =>
                    change({
                      without: isKept ? choices.without.filter((each) => each !== key) : [...choices.without, key],
                    })
                  }
                />
              ))}
            </fieldset>
          )}
          {labels.length > 0 && (
            <p className="row" data-wrap>
              <span className="field-label">{t('Labels')}</span>
              {labels.slice(0, page_limits.labels_shown).map(([label, count]) => (
                <Badge key={label}>
                  {label} · {count.toLocaleString(formatLanguage())}
                </Badge>
              ))}
              {labels.length > page_limits.labels_shown && (
                <span className="subtle">
                  {t('and {count} more', {
                    count: (labels.length - page_limits.labels_shown).toLocaleString(textLanguage()),
                  })}
                </span>
              )}
            </p>
          )}
        </div>
      </Card>
    </Section>
  )
}
