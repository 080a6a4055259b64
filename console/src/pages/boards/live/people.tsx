/** What the page around the canvas shows of the room: who is on the board, and whether all is saved. */
import { useLostSince } from '../../../data/connection.ts'
import { Avatar, Badge } from '../../../design/index.ts'
import { t } from '../../../language/index.ts'
import type { Person } from './connection.ts'
import type { LiveState } from './live-board.ts'
import { personKey } from './person-name.ts'

const shown_max = 6

export function BoardState({ live }: { readonly live: LiveState }) {
  const isLost = useLostSince() !== null || live.state === 'connecting'
  const saving = isLost ? t('Not saved, no connection') : t('Saving…')
  const saved = live.state === 'connecting' ? t('Connecting…') : t('Saved')
  return (
    <span role="status">
      <Badge tone={isLost ? 'warn' : 'neutral'}>{live.saved ? saved : saving}</Badge>
    </span>
  )
}

interface BoardPeopleProps {
  readonly people: readonly Person[]
  readonly nameOf: (person: Person) => string
}

/** Each person once. */
export function BoardPeople({ people, nameOf }: BoardPeopleProps) {
  const shown = [...new Map(people.map((person) => [personKey(person), person])).entries()].map(([id, person]) => ({
    id,
    name: nameOf(person),
    guest: person.guest,
  }))
  return (
    <ul className="live-people" aria-label={t('On this board')}>
      {shown.slice(0, shown_max).map(({ id, name, guest }) => (
        <li key={id} title={name}>
          <Avatar name={guest ?? name} id={id} size="s" />
          <span className="unseen">{name}</span>
        </li>
      ))}
      {shown.length > shown_max && <li className="subtle">+{shown.length - shown_max}</li>}
    </ul>
  )
}
