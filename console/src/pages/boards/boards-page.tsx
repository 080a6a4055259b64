/** All boards with their thumbnails. A file dropped anywhere on the page becomes a new board. */
import './boards.css'
import { ImageUp, PenTool, Plus } from 'lucide-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { useShortcut } from '../../app/shortcuts.ts'
import { useHasRole, useSession, useUrlParam } from '../../data/index.ts'
import { Button, CodeBlock, Empty, Page, Switch } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { BoardGrid } from './board-grid.tsx'
import { useImport } from './import-drawing.tsx'
import { CreateDialog } from './name-dialog.tsx'
import { useBoards } from './reads.ts'

export function BoardsPage() {
  const isMember = useHasRole('member')
  const [archived, setArchived] = useUrlParam('archived')
  const [isCreating, setCreating] = useState(false)
  const [, navigate] = useLocation()
  const list = useBoards(archived !== null)
  const importing = useImport(null, ({ id }) => navigate(`/boards/${id}`), isMember && !isCreating)
  useShortcut('n', t('New board'), () => isMember && setCreating(true))
  const rows = list.rows?.filter(({ status }) => archived !== null || status === 'active')
  return (
    <Page
      title={t('Boards')}
      description={t('Drawings shared with the organization. Linked tasks show their current status.')}
      width="full"
      actions={
        <>
          <Switch
            label={t('Show archived')}
            checked={archived !== null}
            onChange={(next) => setArchived(next ? '1' : null)}
          />
          {isMember && (
            <>
              <Button icon={ImageUp} busy={importing.busy} onClick={importing.choose}>
                {t('Import')}
              </Button>
              <Button kind="primary" icon={Plus} onClick={() => setCreating(true)}>
                {t('New board')}
              </Button>
            </>
          )}
        </>
      }
    >
      {importing.surface}
      {isCreating && <CreateDialog onClose={() => setCreating(false)} />}
      <BoardGrid label={t('Boards')} list={list} rows={rows} empty={<NoBoards onChoose={importing.choose} />} />
    </Page>
  )
}

function NoBoards({ onChoose }: { readonly onChoose: () => void }) {
  const { organization } = useSession()
  const isMember = useHasRole('member')
  if (!isMember) {
    return (
      <Empty icon={PenTool} title={t('No boards yet')}>
        {t('The whiteboards of your projects appear here.')}
      </Empty>
    )
  }
  return (
    <div className="stack">
      <Empty
        icon={PenTool}
        title={t('No boards yet')}
        actions={
          <Button icon={ImageUp} onClick={onChoose}>
            {t('Choose file')}
          </Button>
        }
      >
        {t(
          'A board shows an Excalidraw drawing. Elements that link to a task show that task with its current status and assignee. Drop a file anywhere on this page, or import one from the command line:',
        )}
      </Empty>
      <CodeBlock code={`atrium board import plan.excalidraw --organization ${organization.id} --name Plan`} wrap />
    </div>
  )
}
