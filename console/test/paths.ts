/** The paths of all pages, as the registers of the areas and the router have them. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const source = join(import.meta.dirname, '../src')

export function pagePaths(): string[] {
  const registers = [...globSync('pages/*/routes.ts', { cwd: source }), 'app/router.tsx']
  return registers.flatMap((file) => {
    const text = readFileSync(join(source, file), 'utf8')
    return [...text.matchAll(/path: '([^']+)',\s*load:/g)].map((match) => match[1] as string)
  })
}
