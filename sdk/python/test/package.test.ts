/** The Python package as users get it: built twice, installed in an empty folder, with every snippet of its README, and its types. */
import assert from 'node:assert/strict'
import { type ExecFileSyncOptions, execFile, execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { openWorld, type World } from '../../../server/test/world.ts'
import { environment, missing, python_folder } from './driver.ts'

const run = promisify(execFile)
const readme = readFileSync(join(python_folder, 'README.md'), 'utf8')
const blocks = [...readme.matchAll(/^```py\n(.*?)^```$/gms)].map((match) => match[1] as string)

/** The snippets as one program, and deliveries for the receiver in them. */
const snippets = `${blocks.join('\n')}
import hashlib
import hmac
import time

body = b'{"type":"workflow.task.completed","data":{"object":{"title":"the page"}}}'
now = int(time.time())
signature = hmac.new(b"whsec_1", f"{now}.".encode() + body, hashlib.sha256).hexdigest()
signed = {"service-signature": f"t={now},v1={signature}"}
probe = {"service-event-type": "platform.webhook_endpoint.verify"}
print(receive(body, probe, "whsec_1"), receive(body, signed, "whsec_1"), receive(body, signed, "whsec_2"))
`

/** Programs that must not pass the type checker, and what it says. */
const wrong: readonly (readonly [program: string, message: RegExp])[] = [
  ['atrium.tasks.create(workspace="w", titel="x")', /Unexpected keyword argument "titel"/],
  ['atrium.tasks.create(workspace="w")', /Missing named argument "title"/],
  ['atrium.tasks.create(workspace="w", title="x", priority="hihg")', /Argument "priority".*incompatible type/],
  ['atrium.tasks.create(workspace="w", title=None)', /Argument "title".*incompatible type "None"/],
  ['atrium.tasks.complete("KEP-1")["titel"]', /TypedDict "Task" has no key "titel"/],
  ['atrium.tasks.list(expand=["asignee"])', /asignee|No overload variant/],
  ['atrium.events.stream(types=["workflow.taks.*"])', /incompatible type.*taks/],
  ['atrium.tasks.retrieve("KEP-1").project', /has no attribute "project"/],
  ['await_me: int = AsyncAtrium(api_key=None).tasks.complete("KEP-1")', /Incompatible types in assignment/],
]

const right = `
from typing import assert_type
from atrium.types import AtriumEvent, ExpandedTask, Task, TaskChanges
assert_type(atrium.tasks.retrieve("KEP-1"), Task)
assert_type(atrium.tasks.retrieve("KEP-1", expand=["project"]), ExpandedTask)
assert_type(atrium.dry_run(lambda atrium: atrium.tasks.complete("KEP-1")).answer, Task)
def about(event: AtriumEvent) -> None:
    if event["type"] == "workflow.task.updated":
        assert_type(event["data"]["previous_attributes"], TaskChanges | None)
        if "title" in event["data"]["object"]:
            assert_type(event["data"]["object"], Task)
`

const mypy = spawnSync('mypy', ['--version'], { encoding: 'utf8' }).stdout ?? ''

if (missing !== null) it('the package is tried where python3 is installed', (t) => t.diagnostic(missing as string))
else describe('the Python package', trials)

function trials(): void {
  let root: string
  let world: World
  before(async () => {
    root = mkdtempSync(join(tmpdir(), 'atrium-python-'))
    world = await openWorld('sqlite')
    mkdirSync(join(root, 'user'))
    writeFileSync(join(root, 'user/snippets.py'), snippets)
  })
  after(async () => {
    rmSync(root, { recursive: true })
    await world.close()
  })
  const options: ExecFileSyncOptions = { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }

  it('has the same bytes each time it is built, from any folder', () => {
    const copy = join(root, 'copy')
    for (const name of ['atrium', 'build_backend.py', 'pyproject.toml', 'README.md', 'LICENSE'])
      cpSync(join(python_folder, name), join(copy, name), { recursive: true })
    for (const [source, target] of [
      [python_folder, 'first'],
      [copy, 'second'],
    ] as const)
      execFileSync('python3', [join(source, 'build_backend.py'), join(root, target)], options)
    const files = readdirSync(join(root, 'first')).sort()
    const { version } = JSON.parse(readFileSync(join(python_folder, '../../package.json'), 'utf8'))
    assert.deepEqual(files, [`atrium-${version}-py3-none-any.whl`, `atrium-${version}.tar.gz`])
    for (const file of files)
      assert.deepEqual(readFileSync(join(root, 'first', file)), readFileSync(join(root, 'second', file)), file)
  })

  it('installs without a network or another package, and every snippet of its README works', async () => {
    const [wheel = ''] = readdirSync(join(root, 'first')).filter((file) => file.endsWith('.whl'))
    const where = ['--target', join(root, 'installed'), '--no-index', '--no-deps', '--quiet', '--no-compile']
    // Debian has pip in a package of its own. A wheel that is unpacked is installed, too.
    const hasPip = spawnSync('python3', ['-m', 'pip', '--version']).status === 0
    const install = hasPip ? ['pip', 'install', ...where] : ['zipfile', '--extract']
    const into = hasPip ? [] : [join(root, 'installed')]
    execFileSync('python3', ['-m', ...install, join(root, 'first', wheel), ...into], options)
    const { stdout } = await run('python3', ['snippets.py'], {
      cwd: join(root, 'user'),
      env: {
        PATH: process.env.PATH,
        PYTHONPATH: join(root, 'installed'),
        ATRIUM_KEY: world.acme.key,
        ATRIUM_URL: world.server.url,
      },
    })
    assert.deepEqual(stdout.trim().split('\n'), [
      'WRI-1 todo',
      "['Write the second page', 'Write the first page']",
      'True',
      'no such task',
      "['Send invoice 2031', 'Write the first page', 'Write the second page']",
      '1 True 1',
      "done ['workflow.task.completed'] 10",
      'WRI-1 200 1 0',
      'True',
      'WRI-1 is done',
      'done: the page',
      '204 204 400',
    ])
  })

  it('passes a strict type checker with its README, which refuses misspelled names and values', (t) => {
    if (mypy === '') {
      t.diagnostic('Types are not checked here: mypy is not installed. On Debian: apt-get install mypy')
      return
    }
    const head = 'from atrium import AsyncAtrium, Atrium\natrium = Atrium(api_key=None)\n'
    writeFileSync(join(root, 'user/right.py'), head + right)
    for (const [i, [program]] of wrong.entries()) writeFileSync(join(root, `user/wrong${i}.py`), `${head}${program}\n`)
    const files = ['snippets.py', 'right.py', ...wrong.map((_each, i) => `wrong${i}.py`)]
    const checker = ['--strict', '--no-error-summary', '--cache-dir', join(tmpdir(), 'atrium-mypy'), ...files]
    const checked = spawnSync('mypy', checker, {
      cwd: join(root, 'user'),
      env: { ...environment, MYPYPATH: python_folder },
      encoding: 'utf8',
    })
    const lines = checked.stdout.trim().split('\n')
    const unexpected = lines.filter((line) => line !== '' && !/^wrong\d+\.py|: note: /.test(line))
    assert.deepEqual([unexpected, checked.stderr], [[], ''])
    for (const [i, [program, message]] of wrong.entries()) {
      const own = lines.filter((line) => line.startsWith(`wrong${i}.py`) && line.includes('error:'))
      assert.match(own.join('\n'), message, `${program}\n${lines.join('\n')}`)
    }
    t.diagnostic(mypy.trim())
  })
}
