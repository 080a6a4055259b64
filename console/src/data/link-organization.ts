/**
 * The organization of a link (`?organization=org_…`). A person of several organizations has it in the address of every
 * page, and a copied link always carries it, so that a link opens the same objects for another person: a list has no
 * id in its address, and the key of a task may exist in two organizations. An address without it opens in the organization
 * of the session.
 */
import { withParam } from './mode.ts'
import { currentSession } from './session-store.ts'

const param = 'organization'

export function organizationOf(search: string): string | null {
  return new URLSearchParams(search).get(param)
}

/** Adds the session's organization to a path for a person of several organizations, unless the path names one. */
export function withOrganization(to: string): string {
  const session = currentSession()
  if (!session?.signed_in || session.organizations.length < 2) return to
  return withParam(to, param, session.organization.id)
}

/** The absolute address of a path, to be sent to another person. */
export function linkTo(path: string): string {
  const session = currentSession()
  return `${location.origin}${session?.signed_in ? withParam(path, param, session.organization.id) : path}`
}

/** Puts the session's organization into the address of the open page, in place of any other. */
export function putOrganization(): void {
  const url = new URL(location.href)
  url.searchParams.delete(param)
  const next = withOrganization(`${url.pathname}${url.search}${url.hash}`)
  if (next !== `${location.pathname}${location.search}${location.hash}`) history.replaceState(history.state, '', next)
}
