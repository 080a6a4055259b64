/** A test world for the duration of a trial, with its own PostgreSQL where the environment names none. */
import { openWorld, type World, type WorldOptions } from '../server/test/world.ts'
import { ensurePostgres } from './postgres.ts'
import type { EngineName } from './row.ts'

/** Opens a world, uses it and closes it. `cluster` is the folder of a PostgreSQL server started here. */
export async function inWorld<T>(
  engine: EngineName,
  options: WorldOptions,
  use: (world: World, cluster: string | null) => Promise<T>,
): Promise<T> {
  await using postgres = await ensurePostgres(engine)
  const world = await openWorld(engine, options)
  try {
    return await use(world, postgres.folder)
  } finally {
    await world.close()
  }
}

/** Collects what the world's process logs instead of printing it. */
export function captureLog(world: World): string[] {
  const lines: string[] = []
  for (const level of ['debug', 'info', 'warn', 'error'] as const) {
    world.services.log[level] = (message, fields) => void lines.push(JSON.stringify([message, fields]))
  }
  return lines
}
