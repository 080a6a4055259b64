/**
 * Where a running server listens, kept in a file of the data folder, so that commands beside it print links that work. A
 * file whose process has ended does not count.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config.ts'

interface Address {
  readonly url: string
  readonly pid: number
}

const fileOf = ({ dataDir }: Config): string => join(dataDir, 'server.json')

/** Publishes where this process listens. Does not fail if the folder cannot be written: links then use the settings. */
export function publishAddress(config: Config, url: string): void {
  const file = fileOf(config)
  const address: Address = { url, pid: process.pid }
  try {
    mkdirSync(config.dataDir, { recursive: true, mode: 0o700 })
    writeFileSync(`${file}.${process.pid}`, `${JSON.stringify(address)}\n`, { mode: 0o600 })
    renameSync(`${file}.${process.pid}`, file)
  } catch {
    // Links then name the configured port.
  }
}

/** Removes it, unless another server has published its own. */
export function withdrawAddress(config: Config): void {
  if (readAddress(config)?.pid === process.pid) rmSync(fileOf(config), { force: true })
}

/** The URL of the server that runs on this data folder; null if none is known to run. */
export function runningServerUrl(config: Config): string | null {
  const address = readAddress(config)
  return address !== null && isAlive(address.pid) ? address.url : null
}

function readAddress(config: Config): Address | null {
  try {
    const { url, pid } = JSON.parse(readFileSync(fileOf(config), 'utf8'))
    return typeof url === 'string' && URL.canParse(url) && Number.isInteger(pid) && pid > 0 ? { url, pid } : null
  } catch {
    return null
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as { code?: string }).code === 'EPERM'
  }
}
