/**
 * How the console is built and served while it is worked on. The built page must run under a policy that allows no inline
 * style and no inline script, so nothing here may put either into it.
 */
import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** The server that the pages of `npm run dev:console` talk to. */
const server = process.env.ATRIUM_CONSOLE_SERVER ?? 'http://127.0.0.1:4010'

// The server takes writes only from its own origin, which is not the one that serves these pages while they are worked on.
const proxied = { target: server, changeOrigin: true, headers: { origin: server } }

/** Chunks bring their own styles, in whatever order: each says which layer stands above which. */
const layers: Plugin = {
  name: 'layers',
  enforce: 'pre',
  transform(code, id) {
    return /\/src\/.*\.css$/.test(id) ? `@layer reset, base, components, pages;\n${code}` : undefined
  },
}

export default defineConfig({
  root: at('.'),
  plugins: [layers, react()],
  resolve: {
    alias: [
      { find: '@atrium/sdk', replacement: at('../sdk/typescript/src/index.ts') },
      // What stops the page from scrolling behind a dialog would write a style element, which the policy refuses.
      { find: 'react-style-singleton', replacement: at('src/design/no-style-elements.ts') },
    ],
  },
  build: {
    emptyOutDir: true,
    manifest: true,
    target: ['chrome123', 'edge123', 'firefox128', 'safari17.5'],
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
  server: { host: '127.0.0.1', port: 4011, strictPort: true, proxy: { '/v1': proxied, '/app/api': proxied } },
})
