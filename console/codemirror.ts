/**
 * Builds CodeMirror so that it runs under the console's Content-Security-Policy: its styles become an adopted style sheet, as it
 * makes one in a shadow root, instead of a style element. The rewrite must match once, so that another version of the package fails
 * the build instead of losing its styles.
 */
import type { Plugin } from 'vite'

const module_path = /\/node_modules\/style-mod\/src\/style-mod\.js$/
const only_in_shadow_roots = '!root.head && root.adoptedStyleSheets'

export function codemirror(): Plugin {
  return {
    name: 'codemirror',
    enforce: 'pre',
    transform(code, id) {
      if (!module_path.test(id)) return undefined
      const parts = code.split(only_in_shadow_roots)
      if (parts.length !== 2)
        throw new Error(`style-mod: "${only_in_shadow_roots}" matched ${parts.length - 1} times, not once.`)
      return { code: parts.join('root.adoptedStyleSheets'), map: null }
    },
  }
}
