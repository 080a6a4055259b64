/**
 * Builds Excalidraw so that it runs under the console's Content-Security-Policy and requests nothing from other hosts. The
 * published package asks a CDN for its fonts whatever path it is given, sets HTML as text, and starts workers. Each rewrite
 * must match as often as it says, so that another version of the package fails the build instead of breaking the page.
 */
import { globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative, sep } from 'node:path'
import type { Plugin } from 'vite'

const main = createRequire(import.meta.url).resolve('@excalidraw/excalidraw')
const dist = dirname(main)
const { version } = JSON.parse(readFileSync(join(dist, '../../package.json'), 'utf8')) as { version: string }

/** The names of some font files have no hash, so the folder names the version. */
const folder = `assets/excalidraw-${version}`

/** Handwriting for Chinese and Japanese: 12 MiB in 209 files. Such text is drawn in a font of the system. */
const left_out = /^fonts\/Xiaolai\//

interface Rewrite {
  readonly what: string
  readonly from: RegExp
  readonly to: string
  readonly times: number
}

const rewrites: readonly Rewrite[] = [
  {
    what: 'fonts come from the console',
    from: /`https:\/\/esm\.sh\/\$\{.{1,80}?\}\/dist\/prod\/`/g,
    to: `\`\${location.origin}/${folder}/\``,
    times: 1,
  },
  { what: 'fonts that are left out', from: /"\.\/fonts\/Xiaolai\/[^"]+"/g, to: '"local:"', times: 209 },
  {
    what: 'an item of the library is an element, not HTML',
    from: /(\w+)(\.current)?\.innerHTML=(\w+)\.outerHTML/g,
    to: '$1$2.replaceChildren(...[$3.cloneNode(true)].map(n=>(n.querySelectorAll("style").forEach(s=>s.remove()),n)))',
    times: 2,
  },
  { what: 'an empty item of the library', from: /(\w+)\.innerHTML=""\}/g, to: '$1.replaceChildren()}', times: 1 },
  { what: 'no worker makes subsets of fonts', from: /typeof Worker<"u"/g, to: 'false', times: 1 },
  {
    what: 'images are resized without WebAssembly',
    from: /features:\["js","wasm"\]/g,
    to: 'features:["js"]',
    times: 1,
  },
  {
    what: 'a style of exported texts is set, not written',
    from: /(\w+)\.setAttribute\("style","white-space: pre;"\)/g,
    to: '$1.style.whiteSpace="pre"',
    times: 1,
  },
  {
    what: 'the menu does not offer Mermaid diagrams',
    from: /(\w+)\((\w+)\.Item,(\{onSelect:\(\)=>\w+\.setOpenDialog\(\{name:"ttd",tab:"mermaid"\}\))/g,
    to: 'false&&$1($2.Item,$3',
    times: 1,
  },
]

/** Modules that are replaced: they need WebAssembly, or are not installed, or are texts in other languages. */
const replaced: Readonly<Record<string, string>> = {
  // Exported pictures contain the whole font instead of a subset.
  './subset-shared.chunk.js': `
    export const toBase64 = async (bytes) => 'data:font/woff2;base64,' + new Uint8Array(bytes).toBase64()
    export const subsetToBase64 = toBase64`,
  './subset-worker.chunk.js': 'export const WorkerUrl = undefined',
  '@excalidraw/mermaid-to-excalidraw': `
    export const parseMermaidToExcalidraw = async () => { throw new Error('Mermaid diagrams are not supported.') }`,
}

const prefix = '\0excalidraw:'

export function excalidraw(): Plugin {
  const counts = new Map(rewrites.map((rewrite) => [rewrite, 0]))
  return {
    name: 'excalidraw',
    enforce: 'pre',
    resolveId(source, importer) {
      if (!importer?.startsWith(dist)) return undefined
      if (Object.hasOwn(replaced, source)) return prefix + source
      return /^\.\/locales\/(?!en)/.test(source) ? `${prefix}locale` : undefined
    },
    load(id) {
      if (!id.startsWith(prefix)) return undefined
      return replaced[id.slice(prefix.length)] ?? 'export default {}'
    },
    transform(code, id) {
      if (!id.startsWith(dist) || !id.endsWith('.js')) return undefined
      let text = code
      for (const rewrite of rewrites) {
        const found = text.match(rewrite.from)?.length ?? 0
        if (found === 0) continue
        counts.set(rewrite, (counts.get(rewrite) ?? 0) + found)
        text = text.replaceAll(rewrite.from, rewrite.to)
      }
      return text === code ? undefined : { code: text, map: null }
    },
    generateBundle() {
      for (const [{ what, times }, count] of counts) {
        if (count !== times) throw new Error(`Excalidraw ${version}: "${what}" matched ${count} times, not ${times}.`)
      }
      for (const file of globSync(join(dist, 'fonts/**/*.woff2'))) {
        const path = relative(dist, file).replaceAll(sep, '/')
        if (!left_out.test(path))
          this.emitFile({ type: 'asset', fileName: `${folder}/${path}`, source: readFileSync(file) })
      }
    },
  }
}
