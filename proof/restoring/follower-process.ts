/** `atrium backup --follow` as operators run it, and what its status says. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { type FollowStatus, readFollowStatus } from '../../server/src/db/backup/follow/status.ts'
import { inheritedEnvironment } from '../../server/test/durability/processes.ts'
import { program } from './run-atrium.ts'

type Environment = Readonly<Record<string, string>>

export interface FollowerProcess {
  /** Its log so far. */
  log(): string
  alive(): boolean
  kill(): Promise<void>
}

/** Starts a follower and waits until it follows. */
export async function startFollower(destination: string, environment: Environment): Promise<FollowerProcess> {
  const child = spawn(program, ['backup', '--follow', destination], {
    env: { ...inheritedEnvironment(), ...environment, ATRIUM_LOG_LEVEL: 'info' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const end = () => void child.kill('SIGKILL')
  process.once('exit', end)
  const ended = once(child, 'exit').then(() => process.removeListener('exit', end))
  const lines: string[] = []
  createInterface(child.stderr).on('line', (line) => lines.push(line))
  await new Promise<void>((resolve, reject) => {
    createInterface(child.stdout).on('line', (line) => {
      lines.push(line)
      if (line.includes('"msg":"following')) resolve()
    })
    void ended.then(() => reject(new Error(`the follower ended:\n${lines.join('\n')}`)))
  })
  return {
    log: () => lines.join('\n'),
    alive: () => child.exitCode === null && child.signalCode === null,
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** Waits until the status satisfies `isReached`; null after `limit_ms`. */
export async function statusWhen(
  folder: string,
  isReached: (status: FollowStatus) => boolean,
  limit_ms: number,
): Promise<FollowStatus | null> {
  for (const until = performance.now() + limit_ms; performance.now() < until; await sleep(10)) {
    const status = readFollowStatus(folder)
    if (status !== null && isReached(status)) return status
  }
  return null
}
