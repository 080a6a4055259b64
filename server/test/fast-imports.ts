/**
 * Loaded into test processes first. Node looks at the disk several times to resolve an import of one source file by another,
 * whose path and format are in the specifier already; this takes a fifth of the time in which the server is loaded.
 */
import { registerHooks } from 'node:module'

const is_relative_source = /^\.\.?\/.*\.ts$/

registerHooks({
  resolve(specifier, context, nextResolve) {
    if (context.parentURL === undefined || !is_relative_source.test(specifier)) return nextResolve(specifier, context)
    return { url: new URL(specifier, context.parentURL).href, format: 'module-typescript', shortCircuit: true }
  },
})
