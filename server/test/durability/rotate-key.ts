/** Rotates the secret key of the installation in its environment, and kills itself behind the step that it is given. */
import { type GivenFiles, rotate } from '../../src/cli/secret-key-rotate.ts'

const { files, killAfter } = JSON.parse(process.argv[2] as string) as { files: GivenFiles; killAfter: string }
await rotate(files, (step) => {
  if (step === killAfter) process.kill(process.pid, 'SIGKILL')
})
