/**
 * Packs a folder the way npm does, so that the same files make the same bytes: names are sorted, owners and times are fixed,
 * and modes say only whether a file is executable.
 */
import { execFileSync } from 'node:child_process'
import { basename, dirname } from 'node:path'

/** Writes a `.tgz` whose entries begin with the folder's name; npm expects `package`. `time` is a date: `2027-01-31`. */
export function packFolder(folder: string, file: string, time: string): void {
  const fixed = [
    '--sort=name',
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    '--mode=u=rwX,go=rX',
    `--mtime=${time} 00:00Z`,
  ]
  const where = ['-C', dirname(folder), basename(folder)]
  // gzip of GNU writes the same bytes on every processor, unlike zlib of Node; -n leaves out the time.
  const args = ['--format=ustar', ...fixed, '--use-compress-program=gzip -n', '-cf', file, ...where]
  const { PATH = '' } = process.env
  execFileSync('tar', args, { env: { PATH, LC_ALL: 'C' }, stdio: ['ignore', 'ignore', 'inherit'] })
}
