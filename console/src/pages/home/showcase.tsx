/** What the demo organization shows in a minute: the parts that other tools do not have. A person can hide it. */
import { ArrowRight, Building2, History, PenTool, ShieldCheck, SquareKanban, Workflow, X } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { newOrganizationIsOpen, recentChangesAreOpen } from '../../app/overlays.ts'
import { useHasRole, useSession } from '../../data/index.ts'
import { IconButton, Section } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import type { Store } from '../../lib/store.ts'

const storage_key = 'atrium.showcase-hidden'

interface Sight {
  readonly title: string
  readonly text: string
  readonly icon: typeof X
  /** A page, or an overlay of the page. */
  readonly to: string | Store<boolean>
  readonly for?: 'admin' | 'operator'
}

const sights: readonly Sight[] = [
  {
    title: t('Move a card on the live board'),
    text: t('Open a project and drag a card, or press Space on it. Others see it at once.'),
    icon: SquareKanban,
    to: '/work',
  },
  {
    title: t('Take any change back'),
    text: t(
      'Changes you make to tasks can be undone for a day, unless something else has changed the same values since.',
    ),
    icon: History,
    to: recentChangesAreOpen,
  },
  {
    title: t('Preview an automation'),
    text: t('Open a flow and choose Preview: it shows what a run would change before it changes anything.'),
    icon: Workflow,
    to: '/automations',
  },
  {
    title: t('Draw on a whiteboard'),
    text: t('Boards hold drawings beside real tasks.'),
    icon: PenTool,
    to: '/boards',
  },
  {
    title: t('Verify the audit log'),
    text: t('Verify the log: each entry is chained to the one before it, so a changed one shows.'),
    icon: ShieldCheck,
    to: '/developers/audit',
    for: 'admin',
  },
  {
    title: t('Make it yours'),
    text: t('Create your own organization, empty and beside this one. It takes a name and your address.'),
    icon: Building2,
    to: newOrganizationIsOpen,
    for: 'operator',
  },
]

export function Showcase() {
  const { demo, operator } = useSession()
  const isAdmin = useHasRole('admin')
  const [isHidden, setHidden] = useState(() => localStorage.getItem(storage_key) !== null)
  if (!demo || isHidden) return null
  const hide = () => {
    localStorage.setItem(storage_key, 'yes')
    setHidden(true)
  }
  return (
    <Section
      title={t('See it in a minute')}
      actions={<IconButton icon={X} label={t('Hide see it in a minute')} size="s" onClick={hide} />}
    >
      <ul className="sights">
        {sights
          .filter((sight) => sight.for === undefined || (sight.for === 'admin' ? isAdmin : operator))
          .map((sight) => (
            <li key={sight.title}>
              <SightLink {...sight} />
            </li>
          ))}
      </ul>
    </Section>
  )
}

function SightLink({ title, text, icon: Icon, to }: Sight) {
  const content = (
    <>
      <span className="step-icon">
        <Icon aria-hidden="true" />
      </span>
      <span className="grow">
        <span className="step-title">{title}</span>
        <span className="step-text">{text}</span>
      </span>
      <ArrowRight aria-hidden="true" className="step-arrow" />
    </>
  )
  return typeof to === 'string' ? (
    <Link href={to} className="step sight">
      {content}
    </Link>
  ) : (
    <button type="button" className="step sight" onClick={() => to.set(true)}>
      {content}
    </button>
  )
}
