// The floors of server/src, drawn in ARCHITECTURE.md: imports point down only. Types count as imports.

const src = 'server/src'
const tests = String.raw`\.test\.ts$`

/** The floors from the top: what each folder or file may import of server/src, besides itself. */
const floors = {
  'main.ts': [
    'config.ts',
    'http',
    'workers',
    'mcp',
    'derive',
    'catalogue',
    'resources',
    'automations',
    'api',
    'db',
    'lib',
  ],
  cli: [
    'main.ts',
    'config.ts',
    'demo',
    'console',
    'http',
    'workers',
    'mcp',
    'conform',
    'derive',
    'catalogue',
    'resources',
    'automations',
    'api',
    'db',
    'lib',
  ],
  demo: ['catalogue', 'resources', 'automations', 'api', 'db', 'lib'],
  http: ['config.ts', 'console', 'mcp', 'derive', 'catalogue', 'resources', 'automations', 'api', 'db', 'lib'],
  console: ['workers', 'catalogue', 'resources', 'automations', 'api', 'db', 'lib'],
  workers: ['config.ts', 'catalogue', 'resources', 'automations', 'api', 'db', 'lib'],
  mcp: ['derive', 'catalogue', 'resources', 'api', 'lib'],
  conform: ['catalogue', 'api', 'lib'],
  derive: ['catalogue', 'resources', 'automations', 'api', 'db', 'lib'],
  catalogue: ['resources', 'api', 'lib'],
  resources: ['automations', 'api', 'db', 'lib'],
  automations: ['api', 'lib'],
  api: ['db', 'lib'],
  'config.ts': ['lib'],
  db: ['lib'],
  lib: [],
}

/** `lib` matches the folder, `config.ts` the file, `catalogue` either a file or a folder of that name. */
const under = (names) =>
  `^${src}/(${names.map((name) => (name.endsWith('.ts') ? name.replace('.', String.raw`\.`) : `${name}(/|\\.ts$)`)).join('|')})`

const floorRules = Object.entries(floors).map(([floor, below]) => ({
  name: `floor-${floor}`,
  comment: `${floor} may import: ${below.join(', ') || 'nothing of server/src'}.`,
  severity: 'error',
  from: { path: under([floor]), pathNot: tests },
  to: { path: `^${src}/`, pathNot: under([floor, ...below]) },
}))

const unknownFloor = {
  name: 'floor-unknown',
  comment: 'A new folder of server/src gets its floor in .dependency-cruiser.mjs and in ARCHITECTURE.md.',
  severity: 'error',
  from: { path: `^${src}/`, pathNot: [under(Object.keys(floors)), tests] },
  to: {},
}

const only = (name, folders, packages, builtins = 'none') => ({
  name,
  comment: `Only ${folders.join(', ')} may import ${packages}${builtins === 'none' ? '' : `, node:${builtins}`}.`,
  severity: 'error',
  from: { path: `^${src}/`, pathNot: [under(folders), tests] },
  to: { path: [`node_modules/(@types/)?(${packages})/`, `^(node:)?(${builtins})$`] },
})

export default {
  forbidden: [
    ...floorRules,
    unknownFloor,
    {
      name: 'neighbour-by-its-noun',
      comment:
        'Another resource is reached through its noun (tasks/task.ts), its queries*.ts or events.ts, never its operations.',
      severity: 'error',
      from: { path: `^${src}/resources/([^/]+)/`, pathNot: tests },
      to: {
        path: `^${src}/resources/`,
        pathNot: [
          `^${src}/resources/$1/`,
          String.raw`/(queries[^/]*|events)\.ts$`,
          String.raw`/(?<noun>\w+?)(ies|es|s)?/\k<noun>y?\.ts$`, // tasks/task.ts, time_entries/time_entry.ts, usage/usage.ts
        ],
      },
    },
    only('fastify-in-http', ['http'], 'fastify|@fastify/[^/]+'),
    only('engine-in-db', ['db'], 'pg|pg-[^/]+', 'sqlite'),
    only('kysely-above-db', ['db', 'api', 'resources'], 'kysely'),
    only('commander-in-cli', ['cli'], 'commander'),
    only('mcp-sdk-in-mcp', ['mcp'], '@modelcontextprotocol/[^/]+'),
    only('webauthn-in-console', ['console'], '@simplewebauthn/[^/]+'),
    {
      name: 'no-cycles',
      severity: 'error',
      from: { path: `^${src}/` },
      to: { circular: true },
    },
    {
      name: 'no-tests-in-production',
      severity: 'error',
      from: { path: `^${src}/`, pathNot: tests },
      to: { path: [tests, '^(server/test|bench|examples)/'] },
    },
    {
      name: 'no-development-packages-in-production',
      comment: 'What server/src imports is listed under "dependencies" in package.json.',
      severity: 'error',
      from: { path: `^${src}/`, pathNot: tests },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], pathNot: 'node_modules/@types/' },
    },
    {
      name: 'inside-the-repository',
      severity: 'error',
      from: { path: `^${src}/` },
      to: { path: String.raw`^(\.\.|/)`, couldNotResolve: false },
    },
    {
      name: 'resolvable',
      severity: 'error',
      from: { path: `^${src}/` },
      to: { couldNotResolve: true },
    },
  ],
  options: {
    parser: 'tsc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(web|sdk)/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'types', 'default'],
      extensions: ['.ts', '.js', '.mjs', '.cjs', '.json'],
    },
    builtInModules: { add: ['node:sqlite', 'node:test'] },
  },
}
