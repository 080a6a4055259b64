/** The projects that a guest sees: chosen in the invitation, shown and changed on the page of people. */
import type { Project } from '@atrium/sdk'
import { useState } from 'react'
import { FormDialog } from '../../app/form-dialog.tsx'
import { fieldErrors, useAll, useAppWrite } from '../../data/index.ts'
import type { Person } from '../../data/shapes.ts'
import { Combobox, Field } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { nameOfPerson } from './person-name.ts'

const projects_max = 1000

/** All projects, archived ones included. */
function useAllProjects() {
  return useAll<Project>('project', {}, (atrium) => atrium.projects.list({ limit: 100 }), { max: projects_max })
}

interface ProjectsFieldProps {
  readonly value: readonly string[]
  readonly onChange: (value: string[]) => void
  readonly error?: string | undefined
}

export function ProjectsField({ value, onChange, error }: ProjectsFieldProps) {
  const projects = useAllProjects()
  return (
    <Field
      label={t('Projects')}
      hint={t('The guest sees these projects with everything in them, and nothing else.')}
      error={error}
      required
    >
      <Combobox
        label={t('Projects')}
        multiple
        placeholder={t('Choose projects')}
        options={(projects.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        value={[...value]}
        onChange={onChange}
      />
    </Field>
  )
}

/** Changes the projects of a guest, or makes a person a guest of some. */
export function GuestProjectsDialog({ person, onClose }: { readonly person: Person; readonly onClose: () => void }) {
  const [projects, setProjects] = useState<readonly string[]>(person.projects ?? [])
  const isGuest = person.role === 'guest'
  const name = nameOfPerson(person)
  const write = useAppWrite('PATCH people/{user}', {
    invalidates: ['GET people', 'GET directory'],
    done: () => (isGuest ? t('Projects of {name} changed', { name }) : t('{name} is a guest now', { name })),
    toastErrors: false,
  })
  const save = async () => {
    const body = { projects: [...projects], ...(isGuest ? {} : { role: 'guest' as const }) }
    if ((await write.run({ params: { user: person.user }, body })) !== undefined) onClose()
  }
  return (
    <FormDialog
      title={isGuest ? t('Projects of {name}', { name }) : t('Make {name} a guest', { name })}
      description={t('What is outside of these projects is closed to the guest at once.')}
      action={isGuest ? t('Save') : t('Make guest')}
      isReady={projects.length > 0}
      write={write}
      fields={['projects']}
      onSubmit={save}
      onClose={onClose}
    >
      <ProjectsField value={projects} onChange={setProjects} error={fieldErrors(write.error).projects} />
    </FormDialog>
  )
}

/** The names of a guest's projects. */
export function useProjectNames(ids: readonly string[]): readonly string[] {
  const projects = useAllProjects()
  return ids.map((id) => projects.data?.find((each) => each.id === id)?.name ?? id)
}
