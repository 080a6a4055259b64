/** The packages of the Python SDK. Its own build backend makes them, with the standard library of Python alone. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

const backend = join(import.meta.dirname, '../../sdk/python/build_backend.py')

/** Writes wheel and source archive. `date` is the time of their files: `2027-01-31`. */
export function writePython(folder: string, date: string): void {
  const epoch = String(Date.parse(`${date}T00:00:00Z`) / 1000)
  execFileSync('python3', [backend, folder], {
    env: { PATH: process.env.PATH, SOURCE_DATE_EPOCH: epoch, PYTHONDONTWRITEBYTECODE: '1' },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}
