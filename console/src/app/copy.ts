import { t } from '../language/index.ts'
import { toast } from './toasts.ts'

/** Copies a text and says so; shows it for copying by hand if the browser refuses. */
export async function copy(text: string, name: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    toast({ text: t('{name} copied', { name }) })
  } catch {
    toast({ text: t('The browser blocked copying. Copy it here:'), detail: text })
  }
}
