/** The licences of the packages whose code is bundled into the program: `NOTICES.md` of the package. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { OutputBundle } from 'rolldown'

/** A plugin of both bundlers that adds the folder of every package whose modules end up in the output. */
export function collectPackages(folders: Set<string>) {
  return {
    name: 'packages',
    generateBundle(_: unknown, bundle: OutputBundle): void {
      for (const output of Object.values(bundle)) {
        const ids = output.type === 'chunk' ? output.moduleIds : output.originalFileNames
        for (const id of ids) {
          const folder = /^\0?(\/.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1]
          if (folder !== undefined) folders.add(folder)
        }
      }
    },
  }
}

interface Notice {
  readonly name: string
  readonly version: string
  readonly licence: string
  readonly text: string
}

/** The text of all notices; packages with the same licence text share it. */
export function notices(folders: Iterable<string>): string {
  const all = [...folders].map(noticeOf).sort((a, b) => (title(a) < title(b) ? -1 : 1))
  const byText = Map.groupBy(all, ({ text }) => text)
  const parts = [...byText].map(([text, some]) => {
    const names = some.map((each) => `- ${title(each)} (${each.licence})`)
    return [...new Set(names), '', ...text.split('\n').map((line) => `    ${line}`.trimEnd())].join('\n')
  })
  const head = '# Notices\n\nThe program contains code of these packages, under these licences.'
  return `${[head, ...parts].join('\n\n')}\n`
}

function noticeOf(folder: string): Notice {
  const { name, version, license, licenses } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const licence = license ?? licenses?.[0]?.type ?? 'see its text'
  const files = globSync('{LICEN[CS]E,Licen[cs]e,licen[cs]e,COPYING,NOTICE}*', { cwd: folder }).sort()
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8').replaceAll('\r', '').trim())
  const text = texts.length > 0 ? texts.join('\n\n') : `The package contains no licence text; it declares ${licence}.`
  return { name, version, licence, text }
}

function title({ name, version }: Notice): string {
  return `${name} ${version}`
}

/** The folder of an installed package. Throws if it is missing. */
export function packageFolder(root: string, name: string): string {
  const folder = join(root, 'node_modules', name)
  if (!existsSync(folder)) throw new Error(`${name} is not installed. Run npm ci.`)
  return folder
}
