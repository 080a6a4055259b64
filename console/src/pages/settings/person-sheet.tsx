import '../../design/item-list.css'
import { useState } from 'react'
import { NotFoundSheet } from '../../app/not-found-sheet.tsx'
import { useHasRole } from '../../data/index.ts'
import type { Person } from '../../data/shapes.ts'
import { Avatar, Button, CopyId, Fact, Facts, RelativeTime, Section, Sheet } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { GuestProjectsDialog, useProjectNames } from './guest-projects.tsx'
import { FactorReset, PersonFactor, useSeesFactors } from './person-factor.tsx'
import { nameOfPerson } from './person-name.ts'
import { PersonStatus } from './person-status.tsx'
import { useStatusChange } from './person-status-change.tsx'
import { roleHints, roleNames } from './roles.ts'

interface PersonSheetProps {
  /** Undefined if no person has the ID in the URL. */
  readonly person: Person | undefined
  readonly onClose: () => void
}

export function PersonSheet({ person, onClose }: PersonSheetProps) {
  if (person === undefined) {
    return (
      <NotFoundSheet noun={t('person')} onClose={onClose}>
        {t('The person may belong to another organization.')}
      </NotFoundSheet>
    )
  }
  const name = nameOfPerson(person)
  return (
    <Sheet open onClose={onClose} title={name}>
      <div className="stack">
        <Avatar name={name} id={person.user} size="l" />
        <PersonFacts person={person} />
        {person.projects !== null && <GuestProjects person={person} projects={person.projects} />}
        <StatusChange person={person} />
        <FactorReset person={person} />
      </div>
    </Sheet>
  )
}

function PersonFacts({ person }: { readonly person: Person }) {
  const none = <span className="subtle">—</span>
  const seesFactors = useSeesFactors()
  return (
    <Facts>
      <Fact name={t('Status')}>
        <PersonStatus status={person.status} />
      </Fact>
      <Fact name={t('Role')}>
        <PersonRole role={person.role} />
      </Fact>
      <Fact name={t('Title')}>{person.title ?? none}</Fact>
      <Fact name={t('Email')}>{person.email ?? none}</Fact>
      {seesFactors && (
        <Fact name={t('Second factor')}>
          <PersonFactor second_factor={person.second_factor} />
        </Fact>
      )}
      <Fact name={t('Last seen')}>
        <RelativeTime at={person.last_seen} none={t('Never')} />
      </Fact>
      <Fact name={t('User ID')}>
        <CopyId id={person.user} label={t('Copy user ID')} />
      </Fact>
      <Fact name={t('Member ID')}>
        <CopyId id={person.member} label={t('Copy member ID')} />
      </Fact>
    </Facts>
  )
}

interface GuestProjectsProps {
  readonly person: Person
  readonly projects: readonly string[]
}

function GuestProjects({ person, projects }: GuestProjectsProps) {
  const may = useHasRole('admin')
  const names = useProjectNames(projects)
  const [isChoosing, setChoosing] = useState(false)
  return (
    <Section
      title={t('Projects')}
      actions={
        may && (
          <Button size="s" onClick={() => setChoosing(true)}>
            {t('Change')}
          </Button>
        )
      }
    >
      <ul aria-label={t('Projects')}>
        {names.map((name, i) => (
          <li key={projects[i]}>{name}</li>
        ))}
      </ul>
      {isChoosing && <GuestProjectsDialog person={person} onClose={() => setChoosing(false)} />}
    </Section>
  )
}

function StatusChange({ person }: { readonly person: Person }) {
  const { item, dialog } = useStatusChange(person)
  if (item === null) return null
  return (
    <div>
      <Button {...(item.icon && { icon: item.icon })} onClick={item.onSelect}>
        {item.label}
      </Button>
      {dialog}
    </div>
  )
}

function PersonRole({ role }: Pick<Person, 'role'>) {
  if (role === null) return <span className="subtle">{t('No account')}</span>
  return (
    <>
      {roleNames[role]}
      <p className="item-hint">{roleHints[role]}</p>
    </>
  )
}
