/**
 * The addresses that texts may lead to. People, teams and tasks are `atrium:` and their id, files are their path in the API
 * (`data/files.ts`).
 */

/** Schemes that a link of a text may have. */
const allowed = /^(?:https?:\/\/|mailto:)/i

export type LinkTarget =
  | { readonly kind: 'object'; readonly id: string }
  | { readonly kind: 'file'; readonly id: string }
  | { readonly kind: 'outside'; readonly href: string }
  /** Scripts, data, relative addresses and anything else: shown as text. */
  | { readonly kind: 'none' }

/** How a text refers to a file: by its path in the API. */
const file_path = /^\/v1\/files\/(fil_[0-9A-Z]{26})$/
const own = /^atrium:([a-z]{3,4}_[0-9A-Za-z]{1,60})$/

export function linkTarget(href: string): LinkTarget {
  const id = own.exec(href)?.[1]
  if (id !== undefined) return { kind: 'object', id }
  const file = file_path.exec(href)?.[1]
  if (file !== undefined) return { kind: 'file', id: file }
  if (!allowed.test(href) || !URL.canParse(href)) return { kind: 'none' }
  return { kind: 'outside', href }
}

/** The address of an object in texts. */
export function objectAddress(id: string): string {
  return `atrium:${id}`
}

/** Whether an id is that of a person or a team: texts show the present name. */
export function isMentioned(id: string): boolean {
  return id.startsWith('usr_') || isTeam(id)
}

export function isTeam(id: string): boolean {
  return id.startsWith('team_')
}

/** The page of an object. */
export function pageOf(id: string): string {
  return id.startsWith('tsk_') ? `/work/tasks/${id}` : `/open/${id}`
}
