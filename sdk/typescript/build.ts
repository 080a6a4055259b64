/** Builds the package: `npm run build:sdk` writes sdk/typescript/dist, or the `dist` of the folder given as argument. */
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const compiler = join(import.meta.dirname, '../../node_modules/.bin/tsc')

/** Compiles `src` of a package folder into its `dist`: modules, declarations, source maps. Throws the compiler's messages. */
export function buildPackage(folder: string): void {
  rmSync(join(folder, 'dist'), { recursive: true, force: true })
  execFileSync(compiler, ['-p', join(folder, 'tsconfig.json')], { stdio: ['ignore', 'inherit', 'inherit'] })
  // The compiler renames imports in modules, but not in declarations, where not every tool understands `.ts`.
  for (const file of globSync('dist/**/*.d.ts', { cwd: folder })) {
    const path = join(folder, file)
    writeFileSync(
      path,
      readFileSync(path, 'utf8').replaceAll(/(from |import\()(['"])(\.{1,2}\/[^'"]+)\.ts\2/g, '$1$2$3.js$2'),
    )
  }
}

if (import.meta.main) buildPackage(resolve(process.argv[2] ?? import.meta.dirname))
