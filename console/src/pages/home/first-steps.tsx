/** The first steps on an organization that has little: each goes away when it is done, all of them when one has no need. */
import { ArrowRight, Check, Fingerprint, FolderKanban, PenTool, Terminal, UserPlus, X } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { useAll, useApp, useList, useMay, useMode, useSession } from '../../data/index.ts'
import { Card, IconButton, Section } from '../../design/index.ts'

const storage_key = 'atrium.first-steps'

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
  const left = steps.filter(({ done }) => !done).length
  const onHide = () => {
    keepHidden(organization.id)
    setHidden(true)
  }
  return (
    <Section
      title="First steps"
      description={left === 1 ? 'One is left.' : `${left} of ${steps.length} are left.`}
      actions={<IconButton icon={X} label="Hide the first steps" size="s" onClick={onHide} />}
    >
      <Card flush>
        <ul className="steps">
          {steps.map(({ title, text, icon: Icon, to, done }) => (
            <li key={title}>
              <Link href={to} className="step" data-done={done || undefined}>
                <span className="step-icon">{done ? <Check aria-hidden="true" /> : <Icon aria-hidden="true" />}</span>
                <span className="grow">
                  <span className="step-title">
                    {title}
                    {done && <span className="unseen"> (done)</span>}
                  </span>
                  <span className="step-text">{text}</span>
                </span>
                <ArrowRight aria-hidden="true" className="step-arrow" />
              </Link>
            </li>
          ))}
        </ul>
      </Card>
    </Section>
  )
}

const isHidden = (organization: string) => localStorage.getItem(storage_key) === organization
const keepHidden = (organization: string) => localStorage.setItem(storage_key, organization)

/** None where all are done, or somebody did not want to see them; `null` until that is known. */
export function useFirstSteps(): readonly Step[] | null {
  const isAdmin = useMay('admin')
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
  const steps: Step[] = [
    {
      title: 'Make a workspace and a project',
      text: 'Tasks live in projects: as a board, as a list, with time and comments.',
      icon: FolderKanban,
      to: '/work',
      done: workspaces.data.length > 0,
    },
    {
      title: 'Start a whiteboard',
      text: 'Or drop an Excalidraw file on the page.',
      icon: PenTool,
      to: '/boards',
      done: boards.rows.length > 0,
    },
  ]
  if (isAdmin) {
    steps.push(
      {
        title: 'Invite somebody',
        text: 'You get a link to pass on. No mail server is needed.',
        icon: UserPlus,
        to: '/settings/people',
        done: people.length > 1,
      },
      {
        title: 'Make a key and call the API',
        text: 'With a ready curl, and the log of every request.',
        icon: Terminal,
        to: '/developers',
        done: keys.length > 1,
      },
    )
  }
  if (passkeys_unavailable === null) {
    steps.push({
      title: 'Add a passkey',
      text: 'Sign in with your fingerprint, face or security key.',
      icon: Fingerprint,
      to: '/settings/security',
      done: has_passkey,
    })
  }
  return steps.every(({ done }) => done) ? [] : steps
}
