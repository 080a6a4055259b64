/** What the file is, and the workspace and project that its tasks go to. */
import type { Task } from '@atrium/sdk'
import { useEffect, useState } from 'react'
import type { SourceKind } from '../../../../../server/src/imports/draft.ts'
import { useProjects, useWorkspaces } from '../../../app/tasks/reads.ts'
import { useAtrium } from '../../../data/index.ts'
import { Card, Checkbox, Field, Input, Notice, Section, Select } from '../../../design/index.ts'
import { t } from '../../../language/index.ts'
import type { MappingPartProps } from './choices.ts'
import { importId } from './job.ts'
import { page_limits } from './limits.ts'
import { defaultTarget, namesProjects, projectNameOf } from './names.ts'

const kind_names: Readonly<Record<SourceKind, string>> = {
  trello: t('Trello board (JSON)'),
  jira: t('Export of Jira (CSV)'),
  linear: t('Export of Linear (CSV)'),
  csv: t('Any list (CSV)'),
}

export function Target({ read, choices, change, owner }: MappingPartProps & { readonly owner: string }) {
  const workspaces = useWorkspaces().data ?? []
  const projects = useProjects().data ?? []
  const kinds: readonly SourceKind[] = read.board === null ? ['csv', 'jira', 'linear'] : ['trello']
  return (
    <Section
      title={t('File and project')}
      description={t('What “{name}” is, and where its tasks go.', { name: read.name })}
    >
      <Card>
        <div className="grid" style={{ '--least': '16rem', '--gap': 'var(--s-4)' }}>
          <Field label={t('Kind of file')}>
            <Select
              value={choices.kind}
              choices={kinds.map((value) => ({ value, label: kind_names[value] }))}
              onChange={(kind) => {
                const target = defaultTarget(read, kind, choices.map, choices.workspace, projects)
                change({ kind, target, statuses: {}, priorities: {}, columns: {} })
              }}
            />
          </Field>
          <Field label={t('Workspace')}>
            <Select
              value={choices.workspace}
              choices={workspaces.map(({ id, title }) => ({ value: id, label: title }))}
              onChange={(workspace) =>
                change({
                  workspace,
                  target: defaultTarget(read, choices.kind, choices.map, workspace, projects),
                  columns: {},
                })
              }
            />
          </Field>
          <ProjectChoice read={read} choices={choices} change={change} />
        </div>
        <ImportedBefore read={read} choices={choices} change={change} owner={owner} />
      </Card>
    </Section>
  )
}

function ProjectChoice({ read, choices, change }: MappingPartProps) {
  const { target, kind, map, workspace } = choices
  const projects = (useProjects().data ?? []).filter(
    (each) => each.workspace === workspace && each.status !== 'archived',
  )
  const name = projectNameOf(read, page_limits.project_name_chars_max)
  return (
    <>
      <Field label={t('Project')}>
        <Select
          value={target.kind === 'existing' ? target.id : target.kind}
          choices={[
            { value: 'new', label: t('A new project') },
            ...(namesProjects(kind, map) ? [{ value: 'named', label: t('The projects that the file names') }] : []),
            ...projects.map((each) => ({ value: each.id, label: each.name })),
          ]}
          onChange={(value) => {
            if (value === 'new') change({ target: { kind: 'new', name }, columns: {} })
            else
              change({ target: value === 'named' ? { kind: 'named' } : { kind: 'existing', id: value }, columns: {} })
          }}
        />
      </Field>
      {target.kind === 'new' && (
        <Field label={t('Name of the new project')} required>
          <Input
            value={target.name}
            maxLength={page_limits.project_name_chars_max}
            onChange={({ currentTarget }) => change({ target: { kind: 'new', name: currentTarget.value } })}
          />
        </Field>
      )}
    </>
  )
}

/** Says so if tasks of the same file are there already. */
function ImportedBefore({ read, choices, change }: MappingPartProps & { readonly owner: string }) {
  const found = useImportedTask(read, choices.workspace, choices.kind)
  const projects = useProjects().data ?? []
  if (found === null) return null
  const project = projects.find(({ id }) => id === found.project)
  return (
    <div className="import-fault">
      <Notice title={t('This file was imported before')}>
        {project === undefined
          ? t('Its tasks are there, such as {key}.', { key: found.key })
          : t('Its tasks are in {name}.', { name: project.name })}{' '}
        {t('They are found and left as they are; only what is missing is created.')}
      </Notice>
      <Checkbox
        label={t('Create all tasks again')}
        checked={choices.again !== ''}
        onChange={(isAgain) => change({ again: isAgain ? crypto.randomUUID() : '' })}
      />
    </div>
  )
}

function useImportedTask(read: ReadFileOf, workspace: string, kind: SourceKind): Task | null {
  const atrium = useAtrium()
  const [found, setFound] = useState<Task | null>(null)
  useEffect(() => {
    let isOver = false
    const find = async () => {
      const id = await importId(workspace, kind, read.sha256, '')
      const { data } = await atrium.tasks.list({ workspace, filter: `custom_fields.import_id = "${id}"`, limit: 1 })
      if (!isOver) setFound(data[0] ?? null)
    }
    find().catch(() => {})
    return () => {
      isOver = true
    }
  }, [atrium, read.sha256, workspace, kind])
  return found
}

type ReadFileOf = MappingPartProps['read']
