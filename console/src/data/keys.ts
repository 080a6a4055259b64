/**
 * Cache keys: mode, object type as the API names it, then the read. An event about a task thus finds every list of tasks.
 */
import type { Mode } from './shapes.ts'

export const keys = {
  one: (mode: Mode, noun: string, id: string) => [mode, noun, 'one', id] as const,
  list: (mode: Mode, noun: string, params: object = {}) => [mode, noun, 'list', params] as const,
  lists: (mode: Mode, noun: string) => [mode, noun, 'list'] as const,
  noun: (mode: Mode, noun: string) => [mode, noun] as const,
  app: (name: string, input: object = {}) => ['app', name, input] as const,
  appAll: (name: string) => ['app', name] as const,
}
