/**
 * The folder of file contents in a simulated process: it is empty and stays so. A real disk answers when it likes, which would
 * change the order of events from run to run.
 */

function missing(): never {
  throw Object.assign(new Error('ENOENT: no such file or directory'), { code: 'ENOENT' })
}

export async function mkdir(): Promise<void> {}
export async function rm(): Promise<void> {}
export async function readdir(): Promise<readonly string[]> {
  return []
}
export async function open(): Promise<never> {
  missing()
}
export async function opendir(): Promise<never> {
  missing()
}
export async function rename(): Promise<never> {
  missing()
}
export async function stat(): Promise<never> {
  missing()
}
