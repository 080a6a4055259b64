/** Filters for the tasks of one project. */

/** A filter for the tasks of one project. Parentheses only where they are needed: chips show what is in them as text. */
export function inProject(project: string, filter: string): string {
  const condition = /\bOR\b/i.test(filter) ? `(${filter})` : filter
  return filter === '' ? `project = ${project}` : `project = ${project} AND ${condition}`
}

/** The project to which a filter is limited by its first condition, and the other conditions. */
export function projectOf(filter: string): { readonly project: string | null; readonly rest: string } {
  const [, project, rest = ''] = /^project = (prj_\w+)(?: AND ([\s\S]+))?$/.exec(filter) ?? []
  if (project === undefined) return { project: null, rest: filter }
  const isOne = !/\bOR\b/i.test(rest) || /^\([^()]*\)$/.test(rest)
  return isOne ? { project, rest: rest.replace(/^\(([^()]*)\)$/, '$1') } : { project: null, rest: filter }
}
