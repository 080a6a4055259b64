import { planted } from '../plant.ts'
import { simulation_plants } from './plants.ts'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
const r = spawnSync(process.execPath, [...process.execArgv, join(import.meta.dirname, 'zzcount.ts'), ...process.argv.slice(2)], { env: { ...process.env, ...planted(simulation_plants) }, stdio: 'inherit' })
process.exitCode = r.status ?? 1
