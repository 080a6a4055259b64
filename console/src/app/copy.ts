import { toast } from './toasts.ts'

/** Copies a text and says so; shows it for copying by hand if the browser refuses. */
export async function copy(text: string, name: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    toast({ text: `${name} copied` })
  } catch {
    toast({ text: 'The browser blocked copying. Copy it here:', detail: text })
  }
}
