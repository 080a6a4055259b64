/** The custom fields of a workspace: what its tasks can have beside the fields that every task has. */
import '../../app/tasks/fields.css'
import type { CustomField } from '@atrium/sdk'
import { ArrowDown, ArrowUp, ListPlus, Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Link, useParams } from 'wouter'
import { ErrorState } from '../../app/error-state.tsx'
import { useFieldsOf } from '../../app/tasks/field-reads.ts'
import { FieldDot } from '../../app/tasks/field-show.tsx'
import { typeName } from '../../app/tasks/field-values.ts'
import { useWorkspaces } from '../../app/tasks/reads.ts'
import { patch, remove, useWrite } from '../../data/index.ts'
import { Badge, Button, ConfirmDialog, Empty, IconButton, Page, Skeleton } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { FieldDialog } from './field-dialog.tsx'

const position_step = 1024

export function FieldsPage() {
  const { id = '' } = useParams()
  const workspace = useWorkspaces().data?.find((each) => each.id === id)
  const { fields, error, refetch } = useFieldsOf(id)
  const [open, setOpen] = useState<CustomField | 'new' | null>(null)
  const [deleted, setDeleted] = useState<CustomField | null>(null)
  const create = (
    <Button kind="primary" icon={Plus} onClick={() => setOpen('new')}>
      {t('New field')}
    </Button>
  )
  return (
    <Page
      title={t('Custom fields')}
      width="narrow"
      description={t('Custom fields for the tasks of this workspace, each with a type.')}
      trail={
        <>
          <Link href="/work">{t('Work')}</Link>
          <Link href={`/work/workspaces/${id}`}>{workspace?.title ?? t('Workspace')}</Link>
        </>
      }
      actions={create}
    >
      {error ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : fields === undefined ? (
        <FieldSkeletons />
      ) : fields.length === 0 ? (
        <Empty icon={ListPlus} title={t('No custom fields yet')} actions={create}>
          {t(
            'A field such as Points, Severity or Launch date appears on every task of the workspace. Lists sort by it.',
          )}
        </Empty>
      ) : (
        <FieldList fields={fields} onEdit={setOpen} onDelete={setDeleted} />
      )}
      {open !== null && (
        <FieldDialog workspace={id} {...(open === 'new' ? {} : { field: open })} onClose={() => setOpen(null)} />
      )}
      {deleted !== null && <DeleteField field={deleted} onClose={() => setDeleted(null)} />}
    </Page>
  )
}

interface FieldListProps {
  readonly fields: readonly CustomField[]
  readonly onEdit: (field: CustomField) => void
  readonly onDelete: (field: CustomField) => void
}

function FieldList({ fields, onEdit, onDelete }: FieldListProps) {
  const move = useFieldMove(fields)
  return (
    <ol className="field-list" aria-label={t('Custom fields')}>
      {fields.map((field, i) => (
        <li className="field-row" key={field.id}>
          <div className="grow">
            <div className="field-row-head">
              <span className="field-row-name">{field.name}</span>
              <span className="subtle">{typeName(field.type)}</span>
            </div>
            {field.options.length > 0 && (
              <div className="field-row-options">
                {field.options.map(({ id, name, color }) => (
                  <Badge key={id}>
                    <FieldDot color={color} />
                    <span className="cut">{name}</span>
                  </Badge>
                ))}
              </div>
            )}
          </div>
          <IconButton
            icon={ArrowUp}
            label={t('Move {name} up', { name: field.name })}
            size="s"
            disabled={i === 0}
            onClick={() => move(i, -1)}
          />
          <IconButton
            icon={ArrowDown}
            label={t('Move {name} down', { name: field.name })}
            size="s"
            disabled={i === fields.length - 1}
            onClick={() => move(i, 1)}
          />
          <IconButton
            icon={Pencil}
            label={t('Edit {name}', { name: field.name })}
            size="s"
            onClick={() => onEdit(field)}
          />
          <IconButton
            icon={Trash2}
            label={t('Delete {name}', { name: field.name })}
            size="s"
            onClick={() => onDelete(field)}
          />
        </li>
      ))}
    </ol>
  )
}

interface FieldMove {
  readonly field: CustomField
  readonly position: number
}

/** Moves a field one place up (-1) or down, between the positions of its new neighbours. */
function useFieldMove(fields: readonly CustomField[]) {
  const write = useWrite<FieldMove, CustomField>({
    write: (atrium, { field, position }) => atrium.customFields.update(field.id, { position }),
    changes: ({ field, position }) => [patch('custom_field', field.id, { position })],
    done: ({ name }) => t('{name} moved', { name }),
    undo:
      (_, { field }) =>
      (atrium) =>
        atrium.customFields.update(field.id, { position: field.position }),
  })
  return (index: number, by: -1 | 1) => {
    const field = fields[index]
    if (field === undefined) return
    const beside = fields[index + by]?.position ?? field.position
    const beyond = fields[index + 2 * by]?.position ?? beside + 2 * by * position_step
    void write.run({ field, position: (beside + beyond) / 2 })
  }
}

function DeleteField({ field, onClose }: { readonly field: CustomField; readonly onClose: () => void }) {
  const { id, name } = field
  const write = useWrite({
    write: (atrium, deleted: string) => atrium.customFields.delete(deleted),
    changes: (deleted) => [remove('custom_field', deleted)],
    done: () => t('{name} deleted', { name }),
  })
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={t('Delete “{name}”?', { name })}
      action={t('Delete')}
      busy={write.busy}
      onConfirm={() => void write.run(id).then(onClose)}
    >
      {t('Tasks keep their values, as fields without a type. A new field with the same key finds them again.')}
    </ConfirmDialog>
  )
}

function FieldSkeletons() {
  return (
    <div className="stack" aria-busy="true">
      {['a', 'b', 'c'].map((each) => (
        <Skeleton key={each} height="3rem" />
      ))}
    </div>
  )
}
