/**
 * Derived files follow the catalogue, tried on a copy of the sources: a new operation appears in every document without
 * another edit, and a renamed field makes `generate --check` fail.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, it } from 'node:test'

const root = join(import.meta.dirname, '../../..')
const copied = ['package.json', 'server/src', 'docs', 'sdk/typescript/src', 'sdk/typescript/README.md', 'sdk/python']

let folder: string
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'atrium-sources-'))
  for (const path of copied) cpSync(join(root, path), join(folder, path), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  generate() // `bin/check generated` checks the repository's own files.
})
after(() => rmSync(folder, { recursive: true, force: true }))

function run(program: string, ...words: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, program), ...words], {
    encoding: 'utf8',
    env: { ...process.env, NODE_COMPILE_CACHE: join(folder, '.cache') },
  })
  assert.equal(stderr, '')
  return { status, stdout: stdout.trim() }
}

function generate(...words: string[]) {
  return run('server/src/derive/generate.ts', ...words)
}

const read = (path: string) => readFileSync(join(folder, path), 'utf8')

function edit(path: string, from: string | RegExp, to: string): void {
  const text = read(path)
  assert.ok(text.search(from) >= 0, `${path} does not contain ${from}: adapt this test to the source.`)
  writeFileSync(join(folder, path), text.replaceAll(from, to))
}

it('a renamed field makes the check name every document that contains it', () => {
  const noun = 'server/src/resources/workspaces/workspace.ts'
  edit(noun, 'default_currency', 'usual_currency')
  const { status, stdout } = generate('--check')
  assert.equal(status, 1)
  assert.match(stdout, /^out of date \(run npm run generate\): /)
  assert.match(stdout, /\bdocs\/openapi\.json\b/)
  assert.match(stdout, /\bsdk\/typescript\/src\/generated\/\S+/)
  assert.ok(!read('docs/openapi.json').includes('usual_currency'), 'a check writes nothing')
  edit(noun, 'usual_currency', 'default_currency')
  assert.deepEqual(generate('--check'), { status: 0, stdout: '' })
})

it('a new operation with its file and its line in the catalogue appears in every document and in the reference', async () => {
  const known = await referenceOf(join(root, 'server/src'))
  writeFileSync(join(folder, 'server/src/resources/tasks/applaud.ts'), applaud)
  const index = 'server/src/resources/tasks/index.ts'
  edit(index, /^import \{ batchTasks \}/gm, "import { applaudTask } from './applaud.ts'\nimport { batchTasks }")
  edit(index, '  moveTask,', '  moveTask,\n  applaudTask,')
  const { stdout } = generate()
  for (const path of ['docs/operations.md', 'docs/openapi.json', 'docs/mcp-tools.md']) {
    assert.ok(
      stdout.includes(path),
      `npm run generate did not write ${path}. Derive it from the catalogue in server/src/derive. Written: ${stdout}`,
    )
  }
  const document = JSON.parse(read('docs/openapi.json'))
  const described = document.paths['/v1/tasks/{id}/applaud'].post
  assert.equal(described.operationId, 'tasks.applaud')
  assert.ok(described.description.startsWith('Applauds a task.'))
  assert.deepEqual([described['x-credits'], described['x-scope']], [10, 'tasks:write'])
  assert.equal(described['x-extension'], true)
  assert.match(read('docs/operations.md'), /## Beyond the contract\n[\s\S]*tasks\.applaud/)
  assert.match(read('sdk/typescript/src/generated/resources.ts'), /applaud/)
  assert.match(read('sdk/python/atrium/generated/resources.py'), /def applaud\(/)

  const shown = await referenceOf(join(folder, 'server/src'))
  assert.equal(shown.paths['/v1/tasks/{id}/applaud'].post.description, described.description)
  assert.ok(shown.tags.find(({ name }) => name === 'endpoint_disabled')?.description.includes('every operation'))
  const { '/v1/tasks/{id}/applaud': _new, ...others } = shown.paths
  assert.deepEqual(others, known.paths)
})

interface Reference {
  // biome-ignore lint/suspicious/noExplicitAny: the test reads the document as a client does
  readonly paths: Record<string, any>
  readonly tags: readonly { name: string; description: string }[]
}

/** The document that the reference page of these sources shows. */
async function referenceOf(sources: string): Promise<Reference> {
  const program = `
    import { makeReferenceDocument } from ${JSON.stringify(join(sources, 'http/reference.ts'))}
    process.stdout.write(await makeReferenceDocument())`
  const words = ['--input-type=module', '--eval', program]
  const { status, stdout, stderr } = spawnSync(process.execPath, words, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  assert.equal(status, 0, stderr)
  return JSON.parse(stdout) as Reference
}

const applaud = `import { writeOperation } from '../../api/declare/operation.ts'
import { showTask, Task, taskNoun } from './task.ts'

/** Applauds a task. The task stays unchanged. */
export const applaudTask = writeOperation({
  id: 'tasks.applaud',
  method: 'POST',
  path: '/v1/tasks/{id}/applaud',
  summary: 'Applaud a task',
  scope: 'tasks:write',
  credits: 10,
  extension: true,
  target: taskNoun,
  returns: Task,
  emits: [],
  example: { params: { id: '{task}' } },
  handle: ({ target }) => showTask(target),
})
`
