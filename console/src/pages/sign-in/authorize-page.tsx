/**
 * An application asks the person for access by OAuth. The person reads what it asks for and where the browser goes next, and
 * decides; nothing is allowed without a click.
 */
import { useState } from 'react'
import { ErrorState } from '../../app/error-state.tsx'
import { PublicFrame } from '../../app/public-frame.tsx'
import { ScopeWords } from '../../app/scope-words.tsx'
import { toast } from '../../app/toasts.ts'
import { useApp, useAppWrite } from '../../data/index.ts'
import type { AuthorizationRequest, SignedIn } from '../../data/shapes.ts'
import { switchOrganization } from '../../data/switch-organization.ts'
import { Button, Field, Notice, Select } from '../../design/index.ts'
import { followLanguage, rich, t } from '../../language/index.ts'

export function AuthorizePage({ session }: { readonly session: SignedIn }) {
  followLanguage(session.preferences.language)
  // As it was sent: the router decodes it.
  const [request] = useState(() => location.search.slice(1))
  return <Asking key={session.organization.id} request={request} session={session} />
}

function Asking({ request, session }: { readonly request: string; readonly session: SignedIn }) {
  const asking = useApp('GET oauth/authorization', { query: { request } })
  if (asking.error) {
    return (
      <PublicFrame title={t('This application cannot ask for access')}>
        <ErrorState error={asking.error} plain />
        <Organizations session={session} />
      </PublicFrame>
    )
  }
  if (asking.data === undefined) return <div className="starting" aria-busy="true" />
  const { application, asked, refusal } = asking.data
  if (asked === null) {
    return (
      <PublicFrame title={t('{name} asks for something that it cannot get', { name: application.name })}>
        <Notice tone="bad">{refusal?.error_description}</Notice>
        <Button onClick={() => refusal && location.assign(refusal.location)}>
          {t('Back to {host}', { host: asking.data.redirect_host })}
        </Button>
      </PublicFrame>
    )
  }
  return <Decision request={request} data={asking.data} asked={asked} session={session} />
}

interface DecisionProps {
  readonly request: string
  readonly data: AuthorizationRequest
  readonly asked: NonNullable<AuthorizationRequest['asked']>
  readonly session: SignedIn
}

function Decision({ request, data, asked, session }: DecisionProps) {
  const { application, organization, denied } = data
  const [isGone, setGone] = useState(false)
  const allow = useAppWrite('POST oauth/authorization', { invalidates: ['GET oauth/grants'] })
  const leave = (address: string) => {
    setGone(true)
    location.assign(address)
  }
  const decide = async () => {
    const allowed = await allow.run({ body: { request } })
    if (allowed !== undefined) leave(allowed.location)
  }
  return (
    <PublicFrame
      title={t('Allow {name}?', { name: application.name })}
      description={rich('It asks for access to {strong}. You are signed in as {email}.', {
        strong: <strong>{organization.name}</strong>,
        email: session.account.email,
      })}
      foot={t('It acts under its own name. You can end its access at any time in Settings → Security.')}
    >
      {!application.is_registered && (
        <Notice tone="warn" title={t('Not registered by your organization')}>
          {t('The program has chosen its name itself. Allow it only if you have just started it.')}
        </Notice>
      )}
      <Organizations session={session} />
      <ScopeWords scopes={asked.scopes} label={t('What it can do')} />
      <Limits asked={asked} />
      <Destination data={data} />
      <div className="stack">
        <Button kind="primary" busy={allow.busy} disabled={isGone} onClick={() => void decide()}>
          {t('Allow')}
        </Button>
        <Button disabled={isGone || allow.busy} onClick={() => leave(denied)}>
          {t('Deny')}
        </Button>
      </div>
      {isGone && <p className="subtle">{t('If nothing opens, you can close this page.')}</p>}
    </PublicFrame>
  )
}

function Limits({ asked: { withheld, resource, mode } }: Pick<DecisionProps, 'asked'>) {
  return (
    <>
      {withheld.length > 0 && (
        <Notice>
          {t('It also asks for {scopes}, which your role does not have.', { scopes: withheld.join(', ') })}
        </Notice>
      )}
      {resource === 'mcp' && <p className="subtle">{t('Only as an agent, by the tools of this server.')}</p>}
      {mode === 'test' && <p className="subtle">{t('Only in the test data.')}</p>}
    </>
  )
}

function Destination({ data: { redirect_host: host, is_local } }: Pick<DecisionProps, 'data'>) {
  const strong = <strong>{host}</strong>
  return (
    <p>
      {is_local
        ? rich('Then you go back to the program on this computer ({strong}).', { strong })
        : rich('Then you go to {strong}.', { strong })}
    </p>
  )
}

/** A person of several organizations chooses the one that is asked about. */
function Organizations({ session: { organization, organizations } }: { readonly session: SignedIn }) {
  if (organizations.length < 2) return null
  const choose = (id: string) => switchOrganization(id).catch((error: unknown) => toast({ error }))
  return (
    <Field label={t('Organization')}>
      <Select
        value={organization.id}
        choices={organizations.map(({ id, name }) => ({ value: id, label: name }))}
        onChange={(id) => void choose(id)}
      />
    </Field>
  )
}
