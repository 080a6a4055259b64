import { after, before, it } from 'node:test'
import { readPage } from './page.ts'
import { SourceCopy } from './source-copy.ts'

let copy: SourceCopy
before(() => {
  copy = new SourceCopy()
})
after(() => copy.remove())

it('docs/adding-an-operation.md adds an operation that passes every check', () => {
  const files = copy.follow(readPage('docs/adding-an-operation.md'))
  copy.run('biome', 'check', '--error-on-warnings', '--vcs-enabled=false', ...files)
  copy.run('server/test/derive/record.ts')
  copy.run('server/src/derive/generate.ts')
  copy.run('tsc')
  const conformance = ['catalogue', 'idempotency'].map((name) => `server/test/conformance/${name}.test.ts`)
  const ofPaint = '--test-name-pattern=columns.paint|painting a column|extension'
  copy.run('server/test/run.ts', 'server/src/resources/columns/paint.test.ts', ...conformance, ofPaint)
  copy.run('server/test/run.ts', 'server/test/derive/descriptions.test.ts')
})
