/** What Markdown documents name exists: links and their anchors, paths of the repository, npm scripts, commands of `atrium`. */
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { operationIds } from '../../src/catalogue.ts'
import { commands } from '../../src/cli/commands.ts'
import { nearest } from '../../src/lib/nearest.ts'
import { anchorsOf, type Page, readPage, root, targetOf } from './page.ts'
import { repositoryFiles } from './repository.ts'

const pages = repositoryFiles('.md').map(readPage)

it('every link has a target, and every anchor a heading', () => {
  const faults = pages.flatMap((page) =>
    page.links.flatMap((link) => {
      if (/^(?:https?|mailto):/.test(link.to)) return []
      const path = targetOf(page, link)
      if (!existsSync(join(root, path))) return [`${page.path}: [${link.words}](${link.to}) leads nowhere.`]
      if (link.anchor === null) return []
      const anchors = anchorsOf(readPage(path))
      if (anchors.has(link.anchor)) return []
      const close = nearest(link.anchor, anchors)
      return [`${page.path}: ${path} has no heading #${link.anchor}.${close === null ? '' : ` Nearest: #${close}.`}`]
    }),
  )
  assertNone(faults)
})

it('every path of the repository exists', () => {
  const faults = pages.flatMap((page) =>
    codeOf(page).flatMap(({ line, text }) =>
      pathsIn(text)
        .filter((path) => !exists(path))
        .map((path) => `${page.path}:${line}: ${path} does not exist. Correct the path or name an existing file.`),
    ),
  )
  assertNone(faults)
})

it('every npm script exists', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object }
  const names = Object.keys(scripts)
  const faults = pages.flatMap((page) =>
    codeOf(page).flatMap(({ line, text }) =>
      [...text.matchAll(/\bnpm run ([\w:-]+)/g)]
        .filter(([, name = '']) => !names.includes(name))
        .map(
          ([, name = '']) => `${page.path}:${line}: npm run ${name} is no script. Nearest: ${nearest(name, names)}.`,
        ),
    ),
  )
  assertNone(faults)
})

it('every command and operation of atrium exists', () => {
  const faults = pages.flatMap((page) =>
    codeOf(page).flatMap(({ line, text }) =>
      // `from atrium import` is Python.
      [
        ...text.matchAll(/(?:^|[\s|&(;]|bin\/|npx )(?<!\bfrom )atrium ([a-z][a-z-]*(?: [^\n|&;`)]*)?)(?=[\n|&;`)]|$)/g),
      ].flatMap(([, words = '']) => {
        const fault = faultOfCommand(words)
        return fault === null ? [] : [`${page.path}:${line}: ${fault}`]
      }),
    ),
  )
  assertNone(faults)
})

/** What is wrong with the words after `atrium`, if anything. */
function faultOfCommand(text: string): string | null {
  const words = text.trim().split(/\s+/)
  const names = commands.map(({ name }) => name)
  const known = names.some((name) => name.split(' ').every((word, i) => word === words[i]))
  if (!known)
    return `atrium ${words.slice(0, 2).join(' ')} is no command. Nearest: ${nearest(words.slice(0, 2).join(' '), names)}.`
  const operation = words[0] === 'api' ? words[1] : undefined
  if (operation === undefined || !/^[a-z_]+\.[a-z_]+$/.test(operation) || operationIds.has(operation)) return null
  return `${operation} is no operation. Nearest: ${nearest(operation, operationIds)}.`
}

interface Code {
  readonly line: number
  readonly text: string
}

/** The code of a page by line: fenced and indented blocks, and what stands between backticks. */
function codeOf({ text }: Page): Code[] {
  let isFenced = false
  return text.split('\n').flatMap((content, index) => {
    const line = index + 1
    if (content.startsWith('```')) {
      isFenced = !isFenced
      return []
    }
    if (isFenced || content.startsWith('    ')) return [{ line, text: content.replace(/(?:^| )#.*$/, '') }]
    return [...content.matchAll(/`([^`]+)`/g)].map(([, inside = '']) => ({ line, text: inside }))
  })
}

const top_level = new Set(globSync('*', { cwd: root }))
const source_file = /\.(?:ts|tsx|mjs|md|sql|py)$/

/** Names that an example invents or that an installation writes. */
const invented =
  /(?:^|\/)(?:widgets?|paint(?:\.test)?\.ts|0099_(?:task_estimates|milestones)\.ts|milestones?(?:(?:\.test)?\.ts)?|sql-log\.mjs|RELEASE-NOTES\.md|data|dist|node_modules)(?:\/|$)|^@/

/** The paths in a piece of code: they begin with a folder of the root, or end like a source file. */
function pathsIn(text: string): string[] {
  const words = text.split(/[\s,;:'"()=|<>$]+/).map((word) => word.replace(/^\.\//, '').replace(/[.]+$/, ''))
  return words.filter((word) => {
    if (!/^[\w@][\w.@-]*(?:\/[\w.@*-]+)*\/?$/.test(word) || invented.test(word)) return false
    const isFromRoot = word.includes('/') && top_level.has(word.split('/', 1)[0] ?? '')
    return isFromRoot || source_file.test(word)
  })
}

/** Every file and folder of the repository, each with a slash before it. */
const entries = new Set(
  repositoryFiles().flatMap((path) => {
    const parts = path.split('/')
    return parts.map((_, i) => `/${parts.slice(0, i + 1).join('/')}`)
  }),
)

/** A document may leave out the folders that its subject stands in. */
function exists(path: string): boolean {
  const end = path.replace(/\/$/, '').replaceAll('.', '\\.').replaceAll(/\*+/g, '[^/]*')
  const pattern = new RegExp(`/${end}$`)
  return existsSync(join(root, path)) || [...entries].some((entry) => pattern.test(entry))
}

function assertNone(faults: readonly string[]): void {
  assert.deepEqual(faults, [], `\n${faults.join('\n')}`)
}
