/** Chooses an active person, also by the name of a team, or leaves a task unassigned. */
import type { ComponentProps } from 'react'
import { seesProjects, teamWords, useDirectory } from '../../data/index.ts'
import { Combobox } from '../../design/index.ts'
import { t } from '../../language/index.ts'

const unassigned = 'unassigned'

interface AssigneeChoiceProps extends Pick<ComponentProps<typeof Combobox>, 'size' | 'trigger'> {
  /** Undefined if the choice starts empty. */
  readonly value?: string | null
  readonly onChange: (user: string | null) => void
  /** The projects of the tasks: guests are offered only where they see all of them. Without it, no guest is offered. */
  readonly projects?: readonly (string | null)[]
}

const no_project = [null]

export function AssigneeChoice({ value, onChange, projects = no_project, ...look }: AssigneeChoiceProps) {
  const { active, teams, nameOf } = useDirectory()
  const people = active
    .filter((person) => seesProjects(person, projects))
    .map(({ id, name, email }) => {
      return { value: id, label: name, words: teamWords(teams, id), ...(email && { hint: email }) }
    })
  const isFormer = typeof value === 'string' && !active.some(({ id }) => id === value)
  const former = isFormer ? [{ value, label: nameOf(value) }] : []
  return (
    <Combobox
      {...look}
      label={t('Assignee')}
      options={[{ value: unassigned, label: t('Unassigned') }, ...people, ...former]}
      value={value === undefined ? [] : [value ?? unassigned]}
      onChange={([user]) => user !== undefined && onChange(user === unassigned ? null : user)}
    />
  )
}
