import { after, before, it } from 'node:test'
import { readPage } from './page.ts'
import { SourceCopy } from './source-copy.ts'

let copy: SourceCopy
before(() => {
  copy = new SourceCopy()
})
after(() => copy.remove())

it('docs/adding-a-noun.md adds a noun that passes every check', () => {
  const files = copy.follow(readPage('docs/adding-a-noun.md')).filter((file) => !file.endsWith('.md'))
  copy.run('biome', 'check', '--error-on-warnings', '--vcs-enabled=false', ...new Set(files))
  copy.run('server/test/derive/record.ts')
  copy.run('server/src/derive/generate.ts')
  copy.run('tsc')
  const conformance = ['catalogue', 'errors', 'events', 'idempotency', 'lists', 'tenants'].map(
    (name) => `server/test/conformance/${name}.test.ts`,
  )
  copy.run('server/test/run.ts', ...conformance, '--test-name-pattern=milestone|extension')
  const coverage = [
    'src/resources/milestones/milestones.test.ts',
    'src/mcp/tool.test.ts',
    'test/conformance/coverage.test.ts',
    'test/derive/descriptions.test.ts',
    'test/docs/contract.test.ts',
    'test/durability/tenants.test.ts',
  ]
  copy.run('server/test/run.ts', ...coverage.map((file) => `server/${file}`))
})
