/**
 * Profiles: servers with their keys, in a file that only its owner reads. Invariants: the file is replaced as a whole, so
 * that no moment shows half of it, and is never written with other rights than 0600; a key leaves it in a header only.
 */
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { quoted } from '../../lib/quoted.ts'
import { didYouMean } from '../api/suggest.ts'
import { Failure } from '../command.ts'

export interface Profile {
  readonly url: string
  readonly key: string
  readonly organization: string
  readonly mode: string
}

export interface Profiles {
  readonly default: string | null
  readonly profiles: Readonly<Record<string, Profile>>
}

export const profile_name = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

const fileIn = (folder: string): string => join(folder, 'profiles.json')

/** All profiles of a folder; none when there is no file. */
export function readProfiles(folder: string): Profiles {
  const file = fileIn(folder)
  let text: string
  try {
    if ((statSync(file).mode & 0o077) !== 0) {
      throw new Failure(`${file} holds keys, and other users can read it. Run chmod 600 ${file}.`)
    }
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return { default: null, profiles: {} }
    if (error instanceof Failure) throw error
    throw new Failure(`${file} cannot be read: ${(error as Error).message}.`)
  }
  try {
    const read = JSON.parse(text) as Partial<Profiles>
    const profiles = Object.entries(read.profiles ?? {}).map(([name, each]) => [name, checked(each)])
    return { default: read.default ?? null, profiles: Object.fromEntries(profiles) }
  } catch {
    // The parser's message would show a piece of the file, and with it of a key.
    throw new Failure(`${file} is damaged. Correct it, or remove it and add the profiles again.`)
  }
}

function checked(profile: Partial<Profile>): Profile {
  const { url, key, organization, mode } = profile
  for (const text of [url, key, organization, mode]) if (typeof text !== 'string') throw new Error('not a profile')
  return profile as Profile
}

export function writeProfiles(folder: string, profiles: Profiles): void {
  const file = fileIn(folder)
  const draft = `${file}.${process.pid}.new`
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFileSync(draft, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600, flag: 'wx', flush: true })
    chmodSync(draft, 0o600)
    renameSync(draft, file)
  } catch (error) {
    rmSync(draft, { force: true })
    throw new Failure(`${file} cannot be written: ${(error as Error).message}.`)
  }
}

/** The profile of this name; refuses an unknown one. */
export function requireProfile({ profiles }: Profiles, name: string): Profile {
  const found = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  if (found !== undefined) return found
  const advice = didYouMean(name, Object.keys(profiles)) || " 'atrium profile list' lists the profiles."
  throw new Failure(`There is no profile ${quoted(name)}.${advice}`)
}
