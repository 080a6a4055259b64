/**
 * The layers of the server and the console, and the rules for imports in server/src, console/src, proof and
 * sdk/typescript/src. Type imports count, and no cycle is excused. The tables in ARCHITECTURE.md and console/README.md
 * list the same layers and folders; server/test/docs/architecture.test.ts compares them.
 */

/** For each source folder its layers from the top: the layers that each one may import, besides itself. */
export const layers = {
  'server/src': {
    'main.ts': [
      'secret-key.ts',
      'config.ts',
      'http',
      'workers',
      'mcp',
      'derive',
      'catalogue.ts',
      'resources',
      'automations',
      'api',
      'files',
      'mail',
      'egress',
      'db',
      'lib',
    ],
    cli: [
      'main.ts',
      'secret-key.ts',
      'config.ts',
      'demo',
      'console',
      'http',
      'workers',
      'mcp',
      'conform',
      'derive',
      'catalogue.ts',
      'resources',
      'search',
      'notifications',
      'automations',
      'imports',
      'api',
      'files',
      'egress',
      'db',
      'lib',
    ],
    demo: ['catalogue.ts', 'resources', 'automations', 'api', 'db', 'lib'],
    http: [
      'config.ts',
      'console',
      'rooms',
      'mcp',
      'derive',
      'catalogue.ts',
      'resources',
      'search',
      'notifications',
      'automations',
      'api',
      'files',
      'db',
      'lib',
    ],
    console: [
      'workers',
      'catalogue.ts',
      'resources',
      'notifications',
      'automations',
      'api',
      'files',
      'mail',
      'egress',
      'db',
      'lib',
    ],
    rooms: ['resources', 'api', 'db', 'lib'],
    workers: [
      'config.ts',
      'catalogue.ts',
      'resources',
      'search',
      'notifications',
      'automations',
      'api',
      'files',
      'mail',
      'egress',
      'text',
      'db',
      'lib',
    ],
    mcp: ['derive', 'catalogue.ts', 'resources', 'api', 'lib'],
    conform: ['catalogue.ts', 'api', 'lib'],
    derive: ['catalogue.ts', 'resources', 'automations', 'api', 'db', 'lib'],
    'catalogue.ts': ['resources', 'api', 'lib'],
    resources: ['search', 'notifications', 'automations', 'api', 'files', 'mail', 'egress', 'text', 'db', 'lib'],
    search: ['api', 'text', 'db', 'lib'],
    notifications: ['api', 'text', 'db', 'lib'],
    automations: ['api', 'lib'],
    imports: ['api/limits.ts', 'lib'],
    api: ['files', 'mail', 'egress', 'text', 'db', 'lib'],
    files: ['egress', 'db', 'lib'],
    'secret-key.ts': ['config.ts', 'db', 'lib'],
    'config.ts': ['api', 'files', 'lib'],
    egress: ['lib'],
    text: ['lib'],
    mail: ['lib'],
    db: ['lib'],
    lib: [],
  },
  'server/src/api': {
    'pipeline.ts': ['services.ts', 'write', 'stream', 'request-log', 'request', 'credits', 'declare', 'limits.ts'],
    write: ['services.ts', 'stream', 'request-log', 'request', 'declare', 'limits.ts'],
    stream: ['services.ts', 'request', 'declare', 'limits.ts'],
    'request-log': ['request', 'declare', 'limits.ts'],
    request: ['credits', 'declare', 'limits.ts'],
    'services.ts': ['stream', 'request-log', 'request', 'credits', 'declare', 'limits.ts'],
    credits: ['declare', 'limits.ts'],
    declare: ['services.ts', 'limits.ts'],
    'limits.ts': [],
  },
  'console/src': {
    'main.tsx': ['start.tsx', 'design', 'language'],
    'start.tsx': ['shell', 'pages', 'text', 'app', 'data', 'design', 'lib', 'language'],
    shell: ['pages', 'text', 'app', 'data', 'design', 'lib', 'language'],
    pages: ['text', 'app', 'data', 'design', 'lib', 'language'],
    text: ['app', 'data', 'design', 'lib', 'language'],
    app: ['data', 'design', 'lib', 'language'],
    data: ['lib', 'language'],
    design: ['lib', 'language'],
    lib: ['language'],
    language: [],
  },
}

/**
 * The folders of the repository that a folder may import, besides itself. The console uses the server through HTTP and
 * shares with it one file of types, and what exports of other programs mean.
 */
export const folders = {
  'server/src': [],
  'console/src': ['sdk/typescript', 'server/src/console/shapes.ts', 'server/src/imports'],
  'sdk/typescript/src': [],
  proof: ['server/src', 'server/test', 'sdk/typescript', 'bench', 'build', 'docs/contract'],
}

const src = 'server/src'
const roots = '^(server/src|console/src|proof|sdk/typescript/src)/'
const tests = String.raw`\.test\.ts$`

/** A path below `root`: `lib` matches the folder, `main.tsx` the file. */
const under = (names, root = src) =>
  `^${root}/(${names.map((name) => (name.includes('.') ? `${name.replace('.', String.raw`\.`)}$` : `${name}/`)).join('|')})`

const layerRules = Object.entries(layers).flatMap(([root, table]) => [
  ...Object.entries(table).map(([layer, below]) => ({
    name: `layer-${root.replaceAll('/', '-')}-${layer}`,
    comment: `${root}/${layer} may import: ${below.join(', ') || `nothing of ${root}`}.`,
    severity: 'error',
    from: { path: under([layer], root), pathNot: tests },
    to: { path: `^${root}/`, pathNot: under([layer, ...below], root) },
  })),
  {
    name: `layer-${root.replaceAll('/', '-')}-unknown`,
    comment: `Add a new folder of ${root} to \`layers\` in .dependency-cruiser.mjs and to the table in its document.`,
    severity: 'error',
    from: { path: `^${root}/`, pathNot: [under(Object.keys(table), root), tests] },
    to: {},
  },
])

const folderRules = Object.entries(folders).map(([folder, others]) => ({
  name: `folder-${folder.replaceAll('/', '-')}`,
  comment: `${folder} may import of this repository, besides itself: ${others.join(', ') || 'nothing'}.`,
  severity: 'error',
  from: { path: `^${folder}/`, pathNot: tests },
  to: {
    path: '^(server|console|sdk|proof|bench|build|examples|docs|bin)/',
    pathNot: `^(${[folder, ...others].map((name) => name.replace('.', String.raw`\.`)).join('|')})(/|$)`,
  },
}))

const only = (name, folders, packages, builtins = 'none') => ({
  name,
  comment: `Only ${folders.join(', ')} may import ${packages}${builtins === 'none' ? '' : `, node:${builtins}`}.`,
  severity: 'error',
  from: { path: `^${src}/`, pathNot: [under(folders), tests] },
  to: { path: [`node_modules/(@types/)?(${packages})/`, `^(node:)?(${builtins})$`] },
})

const consoleRules = [
  {
    name: 'one-area-of-pages',
    comment: 'An area of pages does not import another area; what they share belongs in console/src/app.',
    severity: 'error',
    from: { path: '^console/src/pages/([^/]+)/' },
    to: { path: '^console/src/pages/', pathNot: '^console/src/pages/$1/' },
  },
  {
    name: 'pages-by-register',
    comment: 'The shell reaches pages through shell/areas.ts, shell/router.tsx and shell/public-pages.tsx only.',
    severity: 'error',
    from: {
      path: '^console/src/(shell/|main|start)',
      pathNot: String.raw`/(areas\.ts|router\.tsx|public-pages\.tsx)$`,
    },
    to: { path: '^console/src/pages/' },
  },
  {
    name: 'server-types-by-one-file',
    comment: 'Only console/src/data/shapes.ts imports the types that the server shares; server/src/imports is for all.',
    severity: 'error',
    from: { path: '^console/src/', pathNot: String.raw`^console/src/data/shapes\.ts$` },
    to: { path: '^server/', pathNot: '^server/src/imports/' },
  },
  {
    name: 'imports-in-browsers',
    comment: 'Browsers run server/src/imports: it uses no builtin module and no package.',
    severity: 'error',
    from: { path: '^server/src/imports/', pathNot: tests },
    to: { path: ['node_modules/', '^(node:|fs|path|crypto|stream)'] },
  },
  {
    name: 'sdk-stands-alone',
    comment: 'The SDK is a package of its own: it imports its own files only, no package and no builtin module.',
    severity: 'error',
    from: { path: '^sdk/typescript/src/' },
    to: { pathNot: '^sdk/typescript/src/' },
  },
]

export default {
  forbidden: [
    ...layerRules,
    ...folderRules,
    ...consoleRules,
    {
      name: 'neighbour-by-its-noun',
      comment:
        'A resource imports the noun of another resource (tasks/task.ts), its events.ts or its shared/, nothing else.',
      severity: 'error',
      from: { path: `^${src}/resources/([^/]+)/`, pathNot: tests },
      to: {
        path: `^${src}/resources/`,
        pathNot: [
          `^${src}/resources/$1/`,
          String.raw`/(shared/[^/]+|events)\.ts$`,
          String.raw`/(?<noun>\w+?)(ies|es|s)?/\k<noun>y?\.ts$`, // tasks/task.ts, time_entries/time_entry.ts, usage/usage.ts
        ],
      },
    },
    only('engine-in-db', ['db'], 'pg|pg-[^/]+', 'sqlite'),
    only('kysely-above-db', ['db', 'api', 'search', 'notifications', 'resources'], 'kysely'),
    only('commander-in-cli', ['cli'], 'commander'),
    only('mcp-sdk-in-mcp', ['mcp'], '@modelcontextprotocol/[^/]+'),
    only('mail-libraries-in-mail', ['mail'], 'nodemailer|smtp-server|postal-mime|html-to-text'),
    only('web-push-in-egress', ['egress'], '@block65/[^/]+'),
    only('webauthn-in-console', ['console'], '@simplewebauthn/[^/]+'),
    only('websockets-in-http', ['http'], 'ws'),
    {
      name: 'no-cycles',
      comment: 'Move what both modules need to a third one.',
      severity: 'error',
      from: { path: roots },
      to: { circular: true },
    },
    {
      name: 'no-tests-in-production',
      severity: 'error',
      from: { path: `^${src}/`, pathNot: tests },
      to: { path: [tests, '^(server/test|console|proof|bench|examples)/'] },
    },
    {
      name: 'no-development-packages-in-production',
      comment: 'List every package that server/src imports under "dependencies" in package.json.',
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
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'types', 'default'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.cjs', '.json'],
    },
    builtInModules: { add: ['node:sqlite', 'node:test'] },
  },
}
