/** The projects for which this browser has answered the offer to give columns a status. */
const storage_key = 'atrium-column-mapping'
const projects_max = 200

function stored(): readonly string[] {
  try {
    return JSON.parse(localStorage.getItem(storage_key) ?? '[]') as string[]
  } catch {
    return []
  }
}

export function isMapped(project: string): boolean {
  return stored().includes(project)
}

export function rememberMapped(project: string): void {
  try {
    localStorage.setItem(storage_key, JSON.stringify([project, ...stored()].slice(0, projects_max)))
  } catch {
    // Nothing can be stored: the offer returns with the next page.
  }
}
