/**
 * Installs an automation flow: creates the draft, previews it on a task, and activates it with `--activate`.
 *
 *   node examples/install-flow.ts GRAPH.json --workspace ID --task ID [--url URL] [--name N] [--project ID] [--activate] [--mode live|shadow]
 */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { parseArgs } from 'node:util'
import { Api, Refused } from './load-board/api.ts'

const usage = `usage: node examples/install-flow.ts GRAPH.json --workspace ID --task ID [options]

  GRAPH.json        the graph of the flow
  --workspace ID    workspace of the flow
  --task ID         task for the preview (an id or a key)
  --url URL         of the server (default ATRIUM_URL, else http://127.0.0.1:4010)
  --key KEY         an API key with automations:write and the scopes that the flow needs (default ATRIUM_KEY)
  --name NAME       of the flow (default: the file's name)
  --project ID      only tasks of this project
  --activate        activates it after the preview
  --mode MODE       live (default) or shadow

Exit codes: 0 success, 1 refused, 2 wrong usage.`

interface Preview {
  readonly steps: readonly { readonly node: string; readonly status: string; readonly reason: string | null }[]
  readonly required_scopes: readonly string[]
  readonly missing_scopes: readonly string[]
  readonly matches_last_7_days: unknown
  readonly preview_token: string
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      workspace: { type: 'string', default: '' },
      task: { type: 'string', default: '' },
      url: { type: 'string', default: process.env.ATRIUM_URL ?? 'http://127.0.0.1:4010' },
      key: { type: 'string', default: process.env.ATRIUM_KEY ?? '' },
      name: { type: 'string' },
      project: { type: 'string' },
      activate: { type: 'boolean', default: false },
      mode: { type: 'string', default: 'live' },
    },
  })
  const [file] = positionals
  const { workspace, task, url, key } = values
  if (positionals.length !== 1 || file === undefined || workspace === '' || task === '' || key === '') {
    console.error(usage)
    return 2
  }
  const api = new Api({ url, key, purpose: `install-flow-${randomUUID()}` })
  const graph = JSON.parse(readFileSync(file, 'utf8'))
  const name = values.name ?? basename(file, '.json')
  const flow = await api.post('/v1/automation_flows', {
    workspace,
    name,
    graph,
    project: values.project ?? null,
  })
  const preview: Preview = await api.post(`/v1/automation_flows/${flow.id}/preview`, { workspace, task })
  console.log(`${flow.id} would do with ${task}:`)
  for (const step of preview.steps)
    console.log(`  ${step.node}: ${step.status}${step.reason ? ` (${step.reason})` : ''}`)
  console.log(`It needs ${preview.required_scopes.join(', ') || 'no scopes'}.`)
  if (preview.missing_scopes.length > 0) console.log(`The key lacks ${preview.missing_scopes.join(', ')}.`)
  if (!values.activate) return 0
  await api.post(`/v1/automation_flows/${flow.id}/activate`, {
    workspace,
    preview_token: preview.preview_token,
    scope_acknowledged: true,
    mode: values.mode,
  })
  console.log(`${flow.id} is active (${values.mode}).`)
  return 0
}

try {
  process.exitCode = await main()
} catch (error) {
  if (!(error instanceof Refused)) throw error
  console.error(error.message)
  process.exitCode = 1
}
