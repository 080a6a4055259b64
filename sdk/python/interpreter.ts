/** Whether this machine has the Python that the SDK needs. */
import { execFileSync } from 'node:child_process'

/** Why Python cannot run the SDK here, or null if it can. */
export function whyNoPython(): string | null {
  try {
    const version = execFileSync('python3', ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    const [, major = 0, minor = 0] = /(\d+)\.(\d+)/.exec(version)?.map(Number) ?? []
    if (major === 3 && minor >= 11) return null
    return `it needs python3 3.11 or newer, and this is ${version.trim()}`
  } catch {
    return 'python3 is not installed; it needs 3.11 or newer'
  }
}
