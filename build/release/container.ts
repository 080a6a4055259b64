/** The container of a release, built and run by Debian's tools in folders of its own: no image or volume of the machine is touched. */
import { execFile, execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { type StartedServer, startServer } from './stranger.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')
const tools = ['mmdebstrap', 'buildah', 'podman', 'runc']
const image = 'localhost/atrium'

/** Why this machine cannot build and run the container, or null if it can. */
export function whyNoContainer(): string | null {
  if (process.platform !== 'linux') return 'containers are built on Linux'
  if (process.getuid?.() !== 0) return 'containers are built as root'
  const missing = tools.filter((tool) => !isInPath(tool))
  return missing.length === 0 ? null : `not installed: ${missing.join(', ')} (apt-get install ${missing.join(' ')})`
}

function isInPath(tool: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${tool}`], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

export interface Containers {
  podman(...args: string[]): Promise<string>
  /**
   * Starts the image on the host's network; resolves when it listens. Without options it has a read-only root file system, a
   * volume, and no capabilities.
   */
  start(
    name: string,
    environment: Readonly<Record<string, string>>,
    options?: readonly string[],
  ): Promise<StartedServer>
  bytes(): Promise<number>
  remove(): Promise<void>
}

/** Debian’s packages cannot be downloaded here. */
export class MirrorUnreachable extends Error {}

const unreachable =
  /Could not (?:resolve|connect)|Temporary failure|Unable to (?:connect|fetch)|Failed to fetch|timed out/

const own_options = [
  ...['--read-only', '--cap-drop', 'all', '--security-opt', 'no-new-privileges'],
  ...['--volume', 'data:/var/lib/atrium'],
]

/** Builds the image from a package. */
export async function buildContainer(folder: string, program: string): Promise<Containers> {
  const [context, store] = [join(folder, 'context'), join(folder, 'store')]
  mkdirSync(context, { recursive: true })
  copyFileSync(program, join(context, basename(program)))
  await run(join(root, 'deploy/base.sh'), [join(context, 'base.tar')]).catch((error) => {
    throw unreachable.test(error.stderr) ? new MirrorUnreachable(error.stderr) : error
  })
  const storage = ['--root', store, '--runroot', join(folder, 'run'), '--storage-driver', 'vfs']
  const file = join(root, 'deploy/Containerfile')
  // Isolation by chroot needs neither user namespaces nor control groups.
  const settings = ['--isolation', 'chroot', '--format', 'docker', '--file', file, '--tag', image]
  await run('buildah', [...storage, 'build', ...settings, context], { maxBuffer: 2 ** 24 })
  const own = [...storage, '--runtime', 'runc', '--cgroup-manager', 'cgroupfs']
  const podman = async (...args: string[]) => (await run('podman', [...own, ...args])).stdout
  return {
    podman,
    start(name, environment, options = own_options) {
      // Limits over those of the test process need a capability that a machine may not give.
      const here = ['--network', 'host', '--ulimit', 'nofile=4096:4096', '--ulimit', 'nproc=4096:4096']
      const values = Object.entries(environment).flatMap(([key, value]) => ['--env', `${key}=${value}`])
      // Without systemd no timer runs the health check; the test runs it.
      const manual = ['--health-interval', 'disable']
      const words = ['podman', ...own, 'run', '--name', name, ...options, ...here, ...values, ...manual, image]
      return startServer(words.join(' '), folder, { PATH: process.env.PATH ?? '' })
    },
    bytes: async () => Number(await podman('image', 'inspect', '--format', '{{.Size}}', image)),
    async remove() {
      await podman('rm', '--all', '--force', '--time', '0')
      await podman('volume', 'rm', '--all', '--force')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
