/** The pages for contributors, followed in one copy of the source tree, because checking a copy takes a minute. */
import { after, before, it } from 'node:test'
import { readPage } from './page.ts'
import { SourceCopy } from './source-copy.ts'

let copy: SourceCopy
before(() => {
  copy = new SourceCopy()
})
after(() => copy.remove())

/** By page: the tests that find what it adds. */
const pages = {
  'docs/adding-an-operation.md': ['src/resources/columns/paint.test.ts'],
  'docs/adding-a-noun.md': ['src/resources/milestones/milestones.test.ts', 'test/durability/tenants.test.ts'],
  'docs/adding-a-field.md': ['src/resources/tasks/estimate.test.ts', 'src/automations/schema.test.ts'],
}
const everywhere = [
  'src/mcp/tool.test.ts',
  'test/conformance/coverage.test.ts',
  'test/derive/descriptions.test.ts',
  'test/docs/contract.test.ts',
]
const conformance = ['catalogue', 'errors', 'events', 'idempotency', 'lists', 'rights', 'tenants']

it('docs/adding-*.md add an operation, a noun and a field that pass every check', () => {
  const files = Object.keys(pages).flatMap((path) => copy.follow(readPage(path)))
  const code = new Set(files.filter((file) => !file.endsWith('.md')))
  copy.run('biome', 'check', '--error-on-warnings', '--vcs-enabled=false', ...code)
  copy.run('tsc')
  copy.run('server/test/derive/record.ts')
  copy.run('server/src/derive/generate.ts')
  const common = conformance.map((name) => `server/test/conformance/${name}.test.ts`)
  copy.run('server/test/run.ts', ...common, '--test-name-pattern=columns.paint|milestone|extension|has a row')
  const own = [...Object.values(pages).flat(), ...everywhere]
  copy.run('server/test/run.ts', ...own.map((file) => `server/${file}`))
})
