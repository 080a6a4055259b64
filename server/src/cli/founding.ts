/** Founding an organization with its first key and a link for its owner: what `init` does, and `serve` on an empty database. */
import { createLink } from '../console/links/create-by-operator.ts'
import { story_hours, tellStory } from '../demo/tell.ts'
import { Teller } from '../demo/teller.ts'
import type { OpenServices } from '../main.ts'
import { createKey } from '../resources/api_keys/create-by-operator.ts'
import {
  type Founded,
  type Founding,
  foundFirstOrganization,
  foundOrganization,
} from '../resources/organizations/found.ts'
import { linkText, secretText } from './print.ts'

export interface FirstKey {
  readonly organization: string
  /** The owner's user id. */
  readonly user: string
  readonly api_key: {
    readonly id: string
    readonly secret: string
    readonly scopes: readonly string[]
    readonly mode: string
  }
}

/** Both are shown once. */
export interface FirstAccess extends FirstKey {
  /** Where the owner sets a password. */
  readonly setup_url: string
}

export async function found(services: OpenServices, founding: Founding): Promise<FirstAccess> {
  const first = await withKey(services, await foundOrganization(services, founding))
  return await withLink(services, first, founding.ownerEmail)
}

const demo: Founding = { name: 'Demo', ownerEmail: 'owner@demo.example', plan: 'studio', domains: [] }

/**
 * The demo organization of an installation that has none, with some days of work; null when there is one. What it is worth
 * without that work it has in any case: where credits or switched-off operations end the story early, the log says so.
 */
export async function foundDemo(services: OpenServices): Promise<FirstAccess | null> {
  const teller = new Teller(services, story_hours)
  const founded = await foundFirstOrganization(teller.services, demo)
  if (founded === null) return null
  const first = await withKey({ ...services, ...teller.services }, founded)
  await tellStory(teller, founded).catch((error) => {
    services.log.warn('the demo organization is there, but not all of its work', { error: String(error) })
  })
  return await withLink(services, first, demo.ownerEmail)
}

async function withLink(services: OpenServices, first: FirstKey, email: string): Promise<FirstAccess> {
  const { url } = await createLink(services, { organization: first.organization, email, role: 'owner' })
  return { ...first, setup_url: url }
}

/** A key of the organization's own, live, with every scope (decisions §7). */
async function withKey(services: OpenServices, { organization, user }: Founded): Promise<FirstKey> {
  const { id, secret, scopes, mode } = await createKey(services, { organization, name: 'First key', scopes: 'all' })
  return { organization, user, api_key: { id, secret, scopes, mode } }
}

/** What a person sees who has just started Atrium for the first time. */
export function demoText({ api_key, setup_url }: FirstAccess, url: string): string {
  const head = `Atrium listens on ${url}. The database was empty: it now has the organization "${demo.name}" (owner ${demo.ownerEmail}).`
  return `\n${head}\n\n${linkText(setup_url)}\n\n${secretText(api_key.secret, url)}\n\n`
}
