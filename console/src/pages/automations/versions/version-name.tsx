/** The name of a version: shown with its number, given, changed and removed. */
import type { AutomationFlow, AutomationVersions } from '@atrium/sdk'
import { Tag } from 'lucide-react'
import { useState } from 'react'
import { FormDialog } from '../../../app/form-dialog.tsx'
import { useWrite } from '../../../data/index.ts'
import { Button, Field, Input } from '../../../design/index.ts'
import { t } from '../../../language/index.ts'

export type Version = AutomationVersions['versions'][number]

/** “2”, or “2 (Before the summer)”. */
export function titleOfVersion({ version, name }: Pick<Version, 'version' | 'name'>): string {
  return name === null ? String(version) : t('{number} ({name})', { number: version, name })
}

interface VersionNameProps {
  readonly flow: AutomationFlow
  readonly version: Version
}

export function VersionName(props: VersionNameProps) {
  const [isOpen, setOpen] = useState(false)
  const { name } = props.version
  return (
    <div className="row">
      {name !== null && <strong className="version-name">{name}</strong>}
      <Button icon={Tag} onClick={() => setOpen(true)}>
        {name === null ? t('Name version') : t('Rename version')}
      </Button>
      {isOpen && <NameDialog {...props} onClose={() => setOpen(false)} />}
    </div>
  )
}

function NameDialog({ flow, version, onClose }: VersionNameProps & { readonly onClose: () => void }) {
  const { version: number, name: before } = version
  const [name, setName] = useState(before ?? '')
  const write = useWrite({
    write: (atrium, given: string | null) =>
      atrium.automationFlows.nameVersion(flow.id, { version: number, name: given }),
    rereads: ['automation_versions'],
    undo: () => (atrium) => atrium.automationFlows.nameVersion(flow.id, { version: number, name: before }),
    done: (_, given) => (given === null ? t('Name removed') : t('Version {number} named', { number })),
    toastErrors: false,
  })
  const save = async (given: string | null) => {
    if ((await write.run(given)) !== undefined) onClose()
  }
  return (
    <FormDialog
      title={t('Name of version {number}', { number })}
      description={t('Shown where versions are listed and compared. Runs do not change.')}
      action={t('Save')}
      isReady={name.trim() !== ''}
      write={write}
      aside={
        before !== null && (
          <Button kind="danger" busy={write.busy} onClick={() => void save(null)}>
            {t('Remove name')}
          </Button>
        )
      }
      onSubmit={() => save(name.trim())}
      onClose={onClose}
    >
      <Field label={t('Name')}>
        <Input autoFocus maxLength={500} value={name} onChange={({ currentTarget }) => setName(currentTarget.value)} />
      </Field>
    </FormDialog>
  )
}
