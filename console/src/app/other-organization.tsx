/** A link to an object of another organization of the same person: says where it is and opens it there. */
import './other-organization.css'
import { ArrowRight } from 'lucide-react'
import { useApp } from '../data/index.ts'
import { useSession } from '../data/session-store.ts'
import { switchOrganization } from '../data/switch-organization.ts'
import { Button } from '../design/button.tsx'
import { rich, t } from '../language/index.ts'
import { toast } from './toasts.ts'

/** The first ID in the page's path; an object's page is at `/area/nouns/ID`. */
function idOfPath(): string | undefined {
  return location.pathname.split('/').find((segment) => /^[a-z]{2,4}_[0-9A-Z]{26}$/.test(segment))
}

/** Shown below a "not found"; nothing if the person's other organizations do not have the object either. */
export function OtherOrganization() {
  const { organizations } = useSession()
  const id = idOfPath()
  return id === undefined || organizations.length < 2 ? null : <Located key={id} id={id} />
}

function Located({ id }: { readonly id: string }) {
  const { data } = useApp('GET open/{id}/organization', { params: { id } })
  if (data === undefined) return null
  const { organization, mode } = data
  return (
    <div className="other-organization">
      <p>{rich('It belongs to your organization {strong}.', { strong: <strong>{organization.name}</strong> })}</p>
      <div>
        <Button kind="primary" icon={ArrowRight} onClick={() => void openIn(organization.id, mode)}>
          {t('Open in {name}', { name: organization.name })}
        </Button>
      </div>
    </div>
  )
}

/** Opens the page's address in another organization of the person. */
export async function openIn(organization: string, mode: 'live' | 'test'): Promise<void> {
  try {
    await switchOrganization(organization)
    const url = new URL(location.href)
    if (mode === 'test') url.searchParams.set('mode', mode)
    else url.searchParams.delete('mode')
    history.replaceState(history.state, '', url)
  } catch (error) {
    toast({ error })
  }
}
