/** The planted faults of every row: which text of the product is broken, and that the row must notice it. */
import { commit_faults } from './commit-faults.ts'
import type { Plant } from './plant.ts'
import { crowd_faults } from './rows/crowd-faults.ts'
import { fuzz_faults } from './rows/fuzz-faults.ts'
import { io_faults } from './rows/io-faults.ts'
import { isolation_faults } from './rows/isolation-faults.ts'
import { log_faults } from './rows/log-faults.ts'
import { model_faults } from './rows/model-faults.ts'
import { power_faults } from './rows/power-faults.ts'
import { restore_faults } from './rows/restore-faults.ts'
import { simulation_faults } from './rows/simulation-faults.ts'
import { time_faults } from './rows/time-faults.ts'
import { upgrade_faults } from './rows/upgrade-faults.ts'

export interface PlantedFault {
  readonly name: string
  /** What is broken on purpose. */
  readonly what: string
  /** Cycles in which the row must notice. */
  readonly cycles: number
  /** How: texts of the product that are read as others. None where the row breaks something itself. */
  readonly plants?: readonly Plant[]
}

export const faults = {
  crowd: crowd_faults,
  egress: [
    {
      name: 'mapped_is_public',
      what: 'an IPv6 address is public unless it is on a list, and mapped ones are not on it',
      cycles: 100,
      plants: [
        {
          file: 'server/src/lib/addresses.ts',
          find: "return global6.check(address, 'ipv6') && ",
          put: 'return !/^(?:::1?|f[cde].*)$/i.test(address) && ',
        },
      ],
    },
    {
      name: 'endless_is_read',
      what: 'an answer is read for as long as it comes, and the last ones are kept',
      cycles: 100,
      plants: [
        {
          file: 'server/src/lib/egress-exchange.ts',
          find: '    if (size >= bytes_max) break\n',
          put: '    if (size >= 200 * bytes_max) break\n',
        },
        {
          file: 'server/src/lib/egress-exchange.ts',
          find: '    chunks.push(chunk)\n',
          put: '    chunks.push(chunk)\n    kept.push(chunk)\n',
        },
        {
          file: 'server/src/lib/egress-exchange.ts',
          find: 'class NoTls extends Error {}',
          put: 'const kept: Buffer[] = []\n\nclass NoTls extends Error {}',
        },
      ],
    },
  ],
  fuzz: fuzz_faults,
  io: io_faults,
  isolation: isolation_faults,
  kill: commit_faults,
  model: model_faults,
  power: power_faults,
  log: log_faults,
  races: [
    {
      name: 'any_input',
      what: 'a key answers whatever it is sent with',
      cycles: 2,
      plants: [
        {
          file: 'server/src/api/idempotency.ts',
          find: 'if (row.fingerprint !== claim.fingerprint) throw',
          put: 'if (row.fingerprint === null) throw',
        },
      ],
    },
  ],
  scopes: [
    {
      name: 'read_is_enough',
      what: 'whoever may read a noun may also change it',
      cycles: 2000,
      plants: [
        {
          file: 'server/src/api/authorize.ts',
          find: '!caller.scopes.has(scope)',
          put: "!caller.scopes.has(scope) && !caller.scopes.has(scope.replace(':write', ':read') as Scope)",
        },
      ],
    },
    {
      name: 'believed_after_revocation',
      what: 'a credential that was deleted is believed for as long as it is remembered',
      cycles: 2000,
      plants: [
        {
          file: 'server/src/resources/api_keys/delete.ts',
          find: 'credentials.forget()',
          put: 'void credentials',
        },
      ],
    },
    {
      name: 'lapsed_is_served',
      what: 'a lapsed plan is looked at only when the scope is missing',
      cycles: 400,
      plants: [
        {
          file: 'server/src/api/pipeline.ts',
          find: '  requirePlan(caller)\n  requireScope(caller, operation.scope)',
          put: '  requireScope(caller, operation.scope)\n  requirePlan(caller)',
        },
      ],
    },
  ],
  secrets: [
    {
      name: 'agent_in_clear',
      what: "the log of requests keeps the client's name as it was sent",
      cycles: 40,
      plants: [
        {
          file: 'server/src/api/log-request.ts',
          find: 'redactCredentials(text)',
          put: 'String(agent)',
        },
      ],
    },
    {
      name: 'unsealed_replay',
      what: 'an answer with a secret is kept for its replay as it is',
      cycles: 10,
      plants: [
        {
          file: 'server/src/resources/api_keys/create.ts',
          find: 'sealed: true',
          put: 'sealed: false',
        },
      ],
    },
    {
      name: 'signing_secret_encoded',
      what: 'the secret of a webhook endpoint is encoded and not sealed',
      cycles: 40,
      plants: [
        {
          file: 'server/src/resources/webhook_endpoints/secrets.ts',
          find: 'sealed: sealer.seal(secret, context(realm, endpoint))',
          put: "sealed: Buffer.from(secret).toString('base64')",
        },
      ],
    },
  ],
  restore: restore_faults,
  simulation: simulation_faults,
  tenants: [
    {
      name: 'every_realm',
      what: 'an object is found by its id alone, whosever it is',
      cycles: 120,
      plants: [
        {
          file: 'server/src/api/noun.ts',
          find: ".where('realm', '=', p('realm'))\n        .where('id', '=', p('id')) as never",
          put: ".where('id', '=', p('id')) as never",
        },
      ],
    },
    {
      name: 'cursor_of_all',
      what: 'a cursor is signed for its list and not for its realm',
      cycles: 300,
      plants: [
        {
          file: 'server/src/api/cursor.ts',
          find: `\n\${binding.realm}\n`.replaceAll('\n', '\\n'),
          put: '\\n',
        },
      ],
    },
    {
      name: 'slow_strangers',
      what: "another tenant's object is found first and then denied, which takes a millisecond",
      cycles: 2,
      plants: [
        {
          file: 'server/src/api/noun.ts',
          find: 'find: (reader, caller, reference) => reader.first(byId, { realm: caller.realm, id: reference }),',
          put: `find: async (reader, caller, reference) => {
            const row = await reader.first(byId, { realm: caller.realm, id: reference })
            if (row !== undefined) return row
            const others = await reader.all(byAnyone, { id: reference })
            for (const end = performance.now() + 1; others.length > 0 && performance.now() < end; );
            return undefined
          },`,
        },
        {
          file: 'server/src/api/noun.ts',
          find: 'const byId = findById(declared.table)',
          put: `const byId = findById(declared.table)
            const byAnyone = query((db, p) => db.selectFrom(declared.table).select('realm').where('id', '=', p('id')))`,
        },
      ],
    },
  ],
  time: time_faults,
  upgrade: upgrade_faults,
} as const satisfies Readonly<Record<string, readonly PlantedFault[]>>

export type RowName = keyof typeof faults

export function faultsOf(row: string): readonly PlantedFault[] {
  return (faults as Readonly<Record<string, readonly PlantedFault[]>>)[row] ?? []
}
