declare module 'virtual:sections' {
  import type { Section } from '../sections.ts'
  export const sections: readonly Section[]
}
