import { after, before, it } from 'node:test'
import { readPage } from './page.ts'
import { SourceCopy } from './source-copy.ts'

let copy: SourceCopy
before(() => {
  copy = new SourceCopy()
})
after(() => copy.remove())

it('docs/adding-a-field.md adds a field of tasks that passes every check', () => {
  const files = copy.follow(readPage('docs/adding-a-field.md'))
  copy.run('biome', 'check', '--error-on-warnings', '--vcs-enabled=false', ...new Set(files))
  copy.run('tsc')
  copy.run('server/test/derive/record.ts')
  copy.run('server/src/derive/generate.ts')
  const tests = ['server/src/resources/tasks/estimate.test.ts', 'server/src/automations/schema.test.ts']
  copy.run('server/test/run.ts', ...tests, 'server/test/derive/descriptions.test.ts')
})
