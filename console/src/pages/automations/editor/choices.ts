/** What the fields of a node offer: people, projects, columns, templates, event types by their names. */
import type { AutomationFlow, Column, CustomField, Project, TaskTemplate, Workspace } from '@atrium/sdk'
import { useMemo } from 'react'
import { teamWords, useAll, useApp, useDirectory } from '../../../data/index.ts'
import { type ComboboxOption, inWords } from '../../../design/index.ts'
import { type CallableFlow, callableOf } from './call.ts'

export const statusOptions = options(['backlog', 'todo', 'in_progress', 'in_review', 'blocked', 'done', 'canceled'])
export const priorityOptions = options(['urgent', 'high', 'medium', 'low', 'none'])

function options(words: readonly string[]): readonly ComboboxOption[] {
  return words.map((value) => ({ value, label: inWords(value) }))
}

/** People are also found by their teams. */
export function usePeopleOptions(): readonly ComboboxOption[] {
  const { active, teams } = useDirectory()
  return useMemo(
    () =>
      active.map(({ id, name, email }) => ({ value: id, label: name, hint: email ?? '', words: teamWords(teams, id) })),
    [active, teams],
  )
}

export function useTeamOptions(): readonly ComboboxOption[] {
  const { teams } = useDirectory()
  return useMemo(() => teams.map(({ id, name }) => ({ value: id, label: name })), [teams])
}

export function useWorkspaceChoices(): readonly { readonly value: string; readonly label: string }[] {
  const { data } = useAll<Workspace>('workspace', {}, (atrium) => atrium.workspaces.list({ limit: 100 }))
  return useMemo(() => (data ?? []).map(({ id, title }) => ({ value: id, label: title })), [data])
}

export function useProjectOptions(workspace: string): readonly ComboboxOption[] {
  const { data } = useAll<Project>(
    'project',
    { workspace },
    (atrium) => atrium.projects.list({ workspace, limit: 100 }),
    { enabled: workspace !== '' },
  )
  return useMemo(
    () => (data ?? []).filter(({ status }) => status === 'active').map(({ id, name }) => ({ value: id, label: name })),
    [data],
  )
}

export function useColumnOptions(project: string | null): readonly ComboboxOption[] {
  const { data } = useAll<Column>(
    'column',
    { project },
    (atrium) => atrium.columns.list({ project: project ?? '', limit: 100 }),
    { enabled: project !== null },
  )
  return useMemo(
    () => (data ?? []).toSorted((a, b) => a.position - b.position).map(({ id, name }) => ({ value: id, label: name })),
    [data],
  )
}

export function useTemplateOptions(workspace: string): readonly ComboboxOption[] {
  const { data } = useAll<TaskTemplate>('task_template', { workspace }, (atrium) =>
    atrium.taskTemplates.list({ workspace, limit: 100 }),
  )
  return useMemo(() => (data ?? []).map(({ id, name }) => ({ value: id, label: name })), [data])
}

/** The flows of a workspace that others can call, the active ones first. */
export function useCallableFlows(workspace: string): readonly CallableFlow[] {
  const { data } = useAll<AutomationFlow>('automation_flow', { callable: true }, (atrium) =>
    atrium.automationFlows.list({ limit: 100 }),
  )
  return useMemo(() => {
    const flows = (data ?? []).filter((flow) => flow.workspace === workspace).flatMap((flow) => callableOf(flow) ?? [])
    return flows.toSorted((a, b) => Number(b.status === 'active') - Number(a.status === 'active'))
  }, [data, workspace])
}

/** Events that a flow may react to: those of work, in words. */
export function useEventOptions(): readonly ComboboxOption[] {
  const { data } = useApp('GET event-types', {})
  return useMemo(
    () =>
      (data?.data ?? [])
        .filter(({ type }) => type.startsWith('workflow.'))
        .map(({ type }) => ({ value: type, label: inWords(type.split('.').slice(1).join(' ')), hint: type })),
    [data],
  )
}

/** Fields of tasks that a trigger can watch, besides custom fields. */
export const watched_fields = [
  'title',
  'description',
  'status',
  'priority',
  'assignee',
  'labels',
  'due_at',
  'start_at',
  'project',
  'column',
  'parent',
  'is_archived',
] as const

/** Fields whose change a trigger can wait for, with the custom fields of the workspace. */
export function useWatchedFields(workspace: string): readonly ComboboxOption[] {
  const { data } = useAll<CustomField>('custom_field', { workspace }, (atrium) =>
    atrium.customFields.list({ workspace, limit: 100 }),
  )
  return useMemo(
    () => [
      ...watched_fields.map((field) => ({ value: field, label: inWords(field) })),
      ...(data ?? []).map(({ key, name }) => ({ value: `custom_fields.${key}`, label: name })),
    ],
    [data],
  )
}

/** The names of the ids that a graph of this workspace may contain. */
export function useNameOf(workspace: string): (id: string) => string {
  const { nameOf } = useDirectory()
  const projects = useProjectOptions(workspace)
  const templates = useTemplateOptions(workspace)
  const flows = useCallableFlows(workspace)
  return useMemo(() => {
    const names = new Map([...projects, ...templates].map(({ value, label }) => [value, label]))
    for (const { id, name } of flows) names.set(id, name)
    return (id) => names.get(id) ?? nameOf(id)
  }, [flows, nameOf, projects, templates])
}
