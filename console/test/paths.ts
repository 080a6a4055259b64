/** The paths of all pages, from the route files of the areas and from the router. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const source = join(import.meta.dirname, '../src')

export function pagePaths(): string[] {
  const routeFiles = [...globSync('pages/*/routes.ts', { cwd: source }), 'shell/router.tsx']
  return routeFiles.flatMap((file) => {
    const text = readFileSync(join(source, file), 'utf8')
    return [...text.matchAll(/path: '([^']+)',\s*load:/g)].map((match) => match[1] as string)
  })
}
