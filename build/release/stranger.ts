/** A person who has the files of a release in an empty folder, an own home, and nothing else of the project. */
import { execFile, spawn } from 'node:child_process'
import { copyFileSync, mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface Stranger {
  readonly folder: string
  /** What a shell command writes. Rejects with its messages if it fails. */
  shell(command: string, more?: Readonly<Record<string, string>>): Promise<string>
  start(command: string, more?: Readonly<Record<string, string>>): Promise<StartedServer>
}

export interface StartedServer {
  readonly url: string
  /** Everything written until it listened. */
  readonly said: string
  /** Ends it like a crash. */
  end(): Promise<void>
}

export function newStranger(folder: string, files: readonly string[]): Stranger {
  const [home, here] = [join(folder, 'home'), join(folder, 'here')]
  for (const each of [home, here]) mkdirSync(each, { recursive: true })
  for (const file of files) copyFileSync(file, join(here, basename(file)))
  // npm must not find a registry: what it needs is in the file.
  const { PATH = '' } = process.env
  const env = {
    PATH: withoutProject(PATH),
    HOME: home,
    npm_config_registry: 'http://127.0.0.1:9',
    npm_config_audit: 'false',
  }
  return {
    folder: here,
    async shell(command, more = {}) {
      const { stdout } = await run('bash', ['-euc', command], { cwd: here, env: { ...env, ...more } })
      return stdout
    },
    start: (command, more = {}) => startServer(command, here, { ...env, ...more }),
  }
}

/** Without the folders that the project's own npm scripts add: they hold its Node. */
function withoutProject(path: string): string {
  const folders = path.split(':').filter((folder) => !folder.includes('node_modules'))
  return folders.join(':')
}

/** Runs a shell command that starts a server; resolves when it listens. */
export async function startServer(command: string, cwd: string, env: Record<string, string>): Promise<StartedServer> {
  // A group of its own, because npx starts the program in a shell and passes no signals on.
  const child = spawn('bash', ['-euc', command], { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const kill = () => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
      process.kill(-child.pid, 'SIGKILL')
  }
  process.once('exit', kill)
  const end = async () => {
    kill()
    await ended
  }
  const lines: string[] = []
  createInterface(child.stderr).on('line', (line) => lines.push(line))
  const url = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).on('line', (line) => {
      lines.push(line)
      const found = /"msg":"listening","url":"([^"]+)"/.exec(line)?.[1]
      if (found !== undefined) resolve(found)
    })
    void ended.then(() => reject(new Error(`${command} ended:\n${lines.join('\n')}`)))
  })
  return { url, said: lines.join('\n'), end }
}

/** The blocks of a Markdown page in a language, in their order. */
export function codeBlocks(page: string, language: string): string[] {
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(([, text = '']) => text)
}
