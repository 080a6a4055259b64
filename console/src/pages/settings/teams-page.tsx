/** The teams of the organization. Owners and admins make them and choose their people. */
import './settings.css'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useLocation, useParams } from 'wouter'
import { ErrorState } from '../../app/error-state.tsx'
import { useApp, useHasRole } from '../../data/index.ts'
import type { Team } from '../../data/shapes.ts'
import { Button, Empty, Page, Table, type TableColumn } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { TeamDialog } from './team-dialog.tsx'
import { TeamSheet } from './team-sheet.tsx'

export function TeamsPage() {
  const { team: chosen } = useParams()
  const [, navigate] = useLocation()
  const may = useHasRole('admin')
  const teams = useApp('GET teams', {})
  const [isCreating, setCreating] = useState(false)
  const rows = teams.data?.data
  const create = (
    <Button kind="primary" icon={Plus} onClick={() => setCreating(true)}>
      {t('New team')}
    </Button>
  )
  return (
    <Page
      title={t('Teams')}
      description={t('Groups of people. Tasks are filtered by them; a team gives no rights.')}
      actions={may && create}
    >
      {teams.error ? (
        <ErrorState error={teams.error} onRetry={() => void teams.refetch()} />
      ) : rows?.length === 0 ? (
        <Empty title={t('No teams yet')}>{t('A team has people who work together, such as Design or Sales.')}</Empty>
      ) : (
        <Table
          label={t('Teams')}
          columns={columns}
          rows={rows}
          rowKey={({ id }) => id}
          to={({ id }) => `/settings/teams/${id}`}
          current={chosen}
        />
      )}
      {isCreating && (
        <TeamDialog onClose={() => setCreating(false)} onSaved={({ id }) => navigate(`/settings/teams/${id}`)} />
      )}
      {chosen !== undefined && rows !== undefined && (
        <TeamSheet team={rows.find(({ id }) => id === chosen)} onClose={() => navigate('/settings/teams')} />
      )}
    </Page>
  )
}

const columns: readonly TableColumn<Team>[] = [
  { key: 'name', title: t('Name'), cell: ({ name }) => <span className="cut">{name}</span> },
  {
    key: 'description',
    title: t('Description'),
    from: 'wide',
    cell: ({ description }) => <span className="subtle cut">{description}</span>,
  },
  { key: 'people', title: t('People'), width: '6rem', align: 'end', cell: ({ people }) => people },
]
