/**
 * Writes every file that is derived from the catalogue (`npm run generate`), or with `--check` lists the files that are
 * out of date (`bin/check generated`).
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { catalogue } from '../catalogue.ts'
import { schemaTexts } from '../db/tables/schema-text.ts'
import { errorGuide } from './error-guide.ts'
import { errorsPage } from './errors-page.ts'
import { allEventTypes } from './event-types.ts'
import { eventsPage } from './events-page.ts'
import type { RecordedExamples } from './examples.ts'
import { graphSchema } from './graph-schema.ts'
import { jsonText } from './json-text.ts'
import { openApiDocument } from './openapi/document.ts'
import { operationsPage } from './operations-page.ts'
import { readPromises } from './promises.ts'
import { rightsPage } from './rights-page.ts'
import { sdkFiles } from './sdk/files.ts'
import { toolsPage } from './tools-page.ts'

const root = join(import.meta.dirname, '../../..')

/** Path from the root → content. */
async function generated(): Promise<Record<string, string>> {
  const schemas = Object.entries(schemaTexts()).map(([file, text]) => [`server/src/db/${file}`, text])
  const eventTypes = await allEventTypes()
  const examples = JSON.parse(readFileSync(join(root, 'docs/examples.json'), 'utf8')) as RecordedExamples
  const sources = { catalogue, eventTypes, examples, promises: readPromises() }
  const document = openApiDocument(sources)
  return {
    'docs/operations.md': operationsPage(catalogue),
    'docs/events.md': eventsPage(catalogue, eventTypes, examples.events),
    'docs/errors.md': errorsPage(catalogue),
    'docs/mcp-tools.md': toolsPage(catalogue),
    'docs/rights.md': rightsPage(catalogue),
    'server/src/mcp/promises.json': `${jsonText(Object.fromEntries(sources.promises))}\n`,
    'docs/openapi.json': `${jsonText(document)}\n`,
    'docs/contract/automation-graph.schema.json': `${jsonText(graphSchema(document))}\n`,
    ...sdkFiles(document, errorGuide),
    ...Object.fromEntries(schemas),
  }
}

const checking = process.argv.includes('--check')
const stale: string[] = []
for (const [path, content] of Object.entries(await generated())) {
  const file = join(root, path)
  const current = existsSync(file) ? readFileSync(file, 'utf8') : null
  if (current === content) continue
  stale.push(path)
  if (!checking) writeFileSync(file, content)
}
if (stale.length > 0) {
  process.stdout.write(`${checking ? 'out of date (run npm run generate)' : 'written'}: ${stale.join(', ')}\n`)
  if (checking) process.exitCode = 1
}
