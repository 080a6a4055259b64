/** Rows and values that are not imported as they stand. */
import type { Note } from '../../../../../server/src/imports/draft.ts'
import { Badge, formatLanguage, Table } from '../../../design/index.ts'
import { t } from '../../../language/index.ts'
import { action_tones, actionName } from './report-csv.ts'

export function NotesTable({ label, notes }: { readonly label: string; readonly notes: readonly Note[] }) {
  const hasKeys = notes.some(({ key }) => isShownKey(key))
  return (
    <Table
      label={label}
      rows={notes}
      rowKey={({ line, column, action, reason }) => `${line} ${column} ${action} ${reason}`}
      columns={[
        {
          key: 'line',
          title: t('Row'),
          width: '4.5rem',
          cell: ({ line }) => <span className="numbers">{line.toLocaleString(formatLanguage())}</span>,
        },
        {
          key: 'action',
          title: t('What'),
          width: '9rem',
          cell: (note) => <Badge tone={action_tones[note.action]}>{actionName(note)}</Badge>,
        },
        { key: 'reason', title: t('Why'), cell: ({ reason }) => <span className="import-reason">{reason}</span> },
        ...(hasKeys
          ? [
              {
                key: 'key',
                title: t('Key'),
                width: '7rem',
                from: 'wide' as const,
                cell: ({ key }: Note) => <span className="cut">{isShownKey(key) ? key : ''}</span>,
              },
            ]
          : []),
      ]}
    />
  )
}

/** A key by which a person finds the row: not its number, and not the long id of a card. */
const isShownKey = (key: string | null) =>
  key !== null && key.length <= 16 && !(key.startsWith('r') && Number.isInteger(Number(key.slice(1))))
