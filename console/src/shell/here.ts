/** Where the person is, as the navigation marks it. */
import { useLocation, useSearch } from 'wouter'
import { projectOf } from '../app/project-filter.ts'

/** Layouts that show the tasks of all projects, or those of the one that their filter names first. */
const layouts: ReadonlySet<string> = new Set(['/work/tasks', '/work/board', '/work/calendar', '/work/timeline'])

/** The path; that of the project where a layout shows one project. */
export function useHere(): string {
  const [path] = useLocation()
  const search = useSearch()
  if (!layouts.has(path)) return path
  const { project } = projectOf(new URLSearchParams(search).get('filter') ?? '')
  return project === null ? path : `/work/projects/${project}`
}

/** Whether the person is on a page or below it. */
export function useIsHere(page: string): boolean {
  const here = useHere()
  return here === page || here.startsWith(`${page}/`)
}
