import { UserRoundX } from 'lucide-react'
import type { Person } from '../../data/shapes.ts'
import { Avatar, Button, CopyText, Empty, Fact, Facts, RelativeTime, Sheet } from '../../design/index.ts'
import { PersonStatus } from './people-page.tsx'
import { nameOfPerson, useStatusChange } from './person.ts'
import { roleHints, roleNames } from './roles.ts'

interface PersonSheetProps {
  /** Undefined: nobody has this id. */
  readonly person: Person | undefined
  readonly onClose: () => void
}

export function PersonSheet({ person, onClose }: PersonSheetProps) {
  return (
    <Sheet open onClose={onClose} title={person === undefined ? 'Nobody' : nameOfPerson(person)}>
      {person === undefined ? (
        <Empty icon={UserRoundX} title="Nobody has this id" plain>
          The person may belong to another organization.
        </Empty>
      ) : (
        <div className="stack">
          <Avatar name={nameOfPerson(person)} id={person.user} size="l" />
          <Facts>
            <Fact name="Status">
              <PersonStatus status={person.status} />
            </Fact>
            <Fact name="Role">
              <PersonRights person={person} />
            </Fact>
            <Fact name="Title">{person.title ?? <span className="subtle">—</span>}</Fact>
            <Fact name="Email">{person.email ?? <span className="subtle">—</span>}</Fact>
            <Fact name="Last seen">
              <RelativeTime at={person.last_seen} none="never" />
            </Fact>
            <Fact name="User">
              <CopyText text={person.user} />
            </Fact>
            <Fact name="Member">
              <CopyText text={person.member} />
            </Fact>
          </Facts>
          <StatusChange person={person} />
        </div>
      )}
    </Sheet>
  )
}

function StatusChange({ person }: { readonly person: Person }) {
  const change = useStatusChange(person)
  if (change === null) return null
  return (
    <div>
      <Button {...(change.icon ? { icon: change.icon } : {})} onClick={change.onSelect}>
        {change.label}
      </Button>
    </div>
  )
}

function PersonRights({ person: { role } }: { readonly person: Person }) {
  if (role === null) return <span className="subtle">No account here</span>
  return (
    <>
      {roleNames[role]}
      <p className="item-hint">{roleHints[role]}</p>
    </>
  )
}
