/** Getting started: the first steps of a new organization. Each is checked off when done; a person can hide them all. */
import { ArrowRight, Check, Fingerprint, FolderKanban, PenTool, Terminal, UserPlus, X } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { useAll, useApp, useHasRole, useList, useMode, useSession } from '../../data/index.ts'
import { Card, IconButton, Section } from '../../design/index.ts'
import { t } from '../../language/index.ts'

const storage_key = 'atrium.first-steps'
const first_key_name = 'First key'

export interface Step {
  readonly title: string
  readonly text: string
  readonly icon: typeof Check
  readonly to: string
  readonly done: boolean
}

export function FirstSteps({ steps }: { readonly steps: readonly Step[] }) {
  const { organization } = useSession()
  const [hidden, setHidden] = useState(false)
  if (hidden) return null
  const done = steps.filter((step) => step.done).length
  const hide = () => {
    saveHidden(organization.id)
    setHidden(true)
  }
  return (
    <Section
      title={t('Getting started')}
      description={t('{done} of {count} done.', { done, count: steps.length })}
      actions={<IconButton icon={X} label={t('Hide getting started')} size="s" onClick={hide} />}
    >
      <Card flush>
        <ul className="steps">
          {steps.map((step) => (
            <li key={step.title}>
              <StepLink {...step} />
            </li>
          ))}
        </ul>
      </Card>
    </Section>
  )
}

function StepLink({ title, text, icon: Icon, to, done }: Step) {
  return (
    <Link href={to} className="step" data-done={done || undefined}>
      <span className="step-icon">{done ? <Check aria-hidden="true" /> : <Icon aria-hidden="true" />}</span>
      <span className="grow">
        <span className="step-title">
          {title}
          {done && <span className="unseen"> {t('(done)')}</span>}
        </span>
        <span className="step-text">{text}</span>
      </span>
      <ArrowRight aria-hidden="true" className="step-arrow" />
    </Link>
  )
}

const isHidden = (organization: string) => localStorage.getItem(storage_key) === organization
const saveHidden = (organization: string) => localStorage.setItem(storage_key, organization)

/** The steps; empty if all are done or hidden, `null` until that is known. */
export function useFirstSteps(): readonly Step[] | null {
  const isAdmin = useHasRole('admin')
  const mode = useMode()
  const { has_passkey, passkeys_unavailable, organization } = useSession()
  const [hidden] = useState(() => isHidden(organization.id))
  const enabled = !hidden
  const workspaces = useAll('workspace', {}, (atrium) => atrium.workspaces.list(), { max: 1, enabled })
  const boards = useList('board', { limit: 1 }, (atrium) => atrium.boards.list({ limit: 1 }), { enabled })
  const directory = useApp('GET directory', { query: { mode } })
  const error = workspaces.error ?? boards.error ?? directory.error
  if (hidden || error) return []
  if (!workspaces.data || !boards.rows || !directory.data) return null
  const { people, keys } = directory.data
  const steps = [
    { ...workspaceStep, done: workspaces.data.length > 0 },
    { ...boardStep, done: boards.rows.length > 0 },
    // The first person is the owner; a key of this name was created on the command line with the organization.
    ...(isAdmin
      ? [
          { ...inviteStep, done: people.length > 1 },
          { ...keyStep, done: keys.some(({ name }) => name !== first_key_name) },
        ]
      : []),
    ...(passkeys_unavailable === null ? [{ ...passkeyStep, done: has_passkey }] : []),
  ]
  return steps.every(({ done }) => done) ? [] : steps
}

const workspaceStep = {
  title: t('Create a workspace and a project'),
  text: t('A project shows its tasks as a board and as a list.'),
  icon: FolderKanban,
  to: '/work',
}
const boardStep = {
  title: t('Create a whiteboard'),
  text: t('Draw alone or together, with your tasks on the canvas.'),
  icon: PenTool,
  to: '/boards',
}
const inviteStep = {
  title: t('Invite people'),
  text: t('You get a link to share. No mail server is needed.'),
  icon: UserPlus,
  to: '/settings/people',
}
const keyStep = {
  title: t('Create an API key'),
  text: t('Call the API with curl, and see every request in the log.'),
  icon: Terminal,
  to: '/developers',
}
const passkeyStep = {
  title: t('Add a passkey'),
  text: t('Sign in with your fingerprint, face or security key.'),
  icon: Fingerprint,
  to: '/settings/security',
}
