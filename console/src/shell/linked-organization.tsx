/** The page of a link that belongs to another organization than the session: continues there, or stays. */
import { ArrowRight, Building2, Link2 } from 'lucide-react'
import { type ReactNode, useEffect } from 'react'
import { useLocation, useSearch } from 'wouter'
import { type Command, useCommands } from '../app/commands.ts'
import { copy } from '../app/copy.ts'
import { openIn } from '../app/other-organization.tsx'
import { linkTo, organizationOf, putOrganization } from '../data/link-organization.ts'
import { useMode } from '../data/mode.ts'
import { useSession } from '../data/session-store.ts'
import { Button } from '../design/button.tsx'
import { Empty } from '../design/empty.tsx'
import { Page } from '../design/page.tsx'
import { t } from '../language/index.ts'

const commands: readonly Command[] = [
  {
    id: 'shell.copy-link',
    title: t('Copy link to this page'),
    group: t('This page'),
    icon: Link2,
    words: t('url address share'),
    run: () => void copy(linkTo(location.pathname + location.search), t('Link')),
  },
]

/** Shows `children` unless the address names another organization. */
export function LinkedOrganization({ children }: { readonly children: ReactNode }) {
  const [path] = useLocation()
  const linked = organizationOf(useSearch())
  const { organization } = useSession()
  useCommands(commands)
  const isElsewhere = linked !== null && linked !== organization.id
  // biome-ignore lint/correctness/useExhaustiveDependencies: each page gets it
  useEffect(() => {
    if (!isElsewhere) putOrganization()
  }, [isElsewhere, path, organization.id])
  return isElsewhere ? <Elsewhere id={linked} /> : children
}

function Elsewhere({ id }: { readonly id: string }) {
  const mode = useMode()
  const [, navigate] = useLocation()
  const { organization, organizations } = useSession()
  const other = organizations.find((each) => each.id === id)
  if (other === undefined) {
    return (
      <Page title={t('Page not available')}>
        <Empty
          icon={Building2}
          title={t('You are not a member of this link’s organization')}
          actions={<Button onClick={() => navigate('/')}>{t('Go to {name}', { name: organization.name })}</Button>}
        >
          {t('Ask the person who sent it for an invitation, or sign in with another account.')}
        </Empty>
      </Page>
    )
  }
  return (
    <Page title={t('Another organization')}>
      <Empty
        icon={Building2}
        title={t('This page belongs to {name}', { name: other.name })}
        actions={
          <>
            <Button onClick={putOrganization}>{t('Stay in {name}', { name: organization.name })}</Button>
            <Button kind="primary" icon={ArrowRight} onClick={() => void openIn(other.id, mode)}>
              {t('Continue in {name}', { name: other.name })}
            </Button>
          </>
        }
      >
        {t('You are working in {name}.', { name: organization.name })}
      </Empty>
    </Page>
  )
}
