/**
 * The build and the development server of the console. The Content-Security-Policy allows no inline styles and scripts, so
 * no plugin may add any.
 */
import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { codemirror } from './codemirror.ts'
import { excalidraw } from './excalidraw.ts'

const resolve = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** The API server behind `npm run dev:console`. */
const server = process.env.ATRIUM_CONSOLE_SERVER ?? 'http://127.0.0.1:4010'

// The server accepts writes from its own origin only, and the development server has another one.
const proxied = { target: server, changeOrigin: true, headers: { origin: server } }

/** Chunks load their styles in any order, so each file declares the order of the cascade layers. */
const layers: Plugin = {
  name: 'layers',
  enforce: 'pre',
  transform(code, id) {
    return /\/src\/.*\.css$/.test(id) ? `@layer reset, base, components, pages;\n${code}` : undefined
  },
}

/** `main.tsx` imports the program after the language. The page starts the downloads at once, and the styles come first. */
const early: Plugin = {
  name: 'early',
  transformIndexHtml: {
    order: 'post',
    handler(_, { bundle = {} }) {
      const chunks = Object.values(bundle).filter((each) => each.type === 'chunk')
      const start = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith('/console/src/start.tsx'))
      const program = chunks.filter(({ name, fileName }) => name === 'program' && start?.imports.includes(fileName))
      return [...(start === undefined ? [] : [start]), ...program].flatMap(({ fileName, viteMetadata }) => [
        link('modulepreload', fileName),
        ...[...(viteMetadata?.importedCss ?? [])].map((file) => link('stylesheet', file)),
      ])
    },
  },
}

const link = (rel: string, file: string) => ({
  tag: 'link',
  attrs: { rel, crossorigin: true, href: `/${file}` },
  injectTo: 'head' as const,
})

/** What runs before the language is known; it imports nothing of the program. */
const opening = /\/console\/src\/(?:language\/index\.ts|design\/(?:tokens|base|page)\.css)$|vite\/preload-helper/

interface Graph {
  getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null
}

/** What a first visit loads, whose size is bounded, and the pages of tasks, which share most of their code. */
const first_pages = ['home/home-page.tsx', 'sign-in/sign-in-page.tsx']
const work_pages = ['work/project-page.tsx', 'work/tasks-page.tsx', 'work/board-by/board-page.tsx']

/** One chunk for what pages of tasks share, in place of dozens of a few hundred bytes, each of which costs more than it saves. */
function ofWork(id: string, graph: Graph): string | null {
  return importedBy(work_pages, graph).has(id) && !importedBy(first_pages, graph).has(id) ? 'work' : null
}

const imported = new Map<readonly string[], Set<string>>()

/** The modules that pages import, without those that they load later. */
function importedBy(pages: readonly string[], graph: Graph): ReadonlySet<string> {
  const known = imported.get(pages)
  if (known !== undefined) return known
  const found = new Set<string>()
  const add = (id: string): void => {
    if (found.has(id)) return
    found.add(id)
    for (const each of graph.getModuleInfo(id)?.importedIds ?? []) add(each)
  }
  for (const page of pages) add(resolve(`src/pages/${page}`))
  imported.set(pages, found)
  return found
}

export default defineConfig({
  root: resolve('.'),
  plugins: [layers, early, codemirror(), excalidraw(), react()],
  resolve: {
    alias: [
      { find: '@atrium/sdk', replacement: resolve('../sdk/typescript/src/index.ts') },
      // The original inserts style elements, which the Content-Security-Policy blocks.
      { find: 'react-style-singleton', replacement: resolve('src/design/no-style-elements.ts') },
    ],
  },
  // The worker of PDF files is one file, so that its policy allows no other.
  worker: { format: 'es' },
  build: {
    emptyOutDir: true,
    manifest: true,
    target: ['chrome123', 'edge123', 'firefox128', 'safari17.5'],
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    // Each editor is one lazy chunk; console/test/budget.test.ts limits the first load.
    chunkSizeWarningLimit: 1200,
    rollupOptions: {
      treeshake: {
        // A page that takes a button of the design system takes no table with it.
        moduleSideEffects: [{ test: /\/console\/src\/(data|design)\/.*\.tsx?$/, sideEffects: false }],
        // Radix gives each function a name by it, which kept functions that nothing uses.
        manualPureFunctions: ['__name'],
      },
      input: [resolve('index.html'), resolve('service-worker/service-worker.ts')],
      // A service worker controls the paths below its own, and browsers look for a new one at the same address.
      output: {
        entryFileNames: ({ name }) => (name === 'service-worker' ? '[name].js' : 'assets/[name]-[hash].js'),
        // What runs before the language is known imports nothing of the program. The program stays one chunk, which
        // compresses better than many.
        codeSplitting: {
          groups: [
            { name: 'opening', test: opening, priority: 2 },
            { name: 'program', test: /\/console\/src\/start\.tsx$/, priority: 1 },
            { name: ofWork, debugName: 'work', minShareCount: 3, includeDependenciesRecursively: false },
          ],
        },
      },
    },
  },
  server: { host: '127.0.0.1', port: 4011, strictPort: true, proxy: { '/v1': proxied, '/app/api': proxied } },
})
