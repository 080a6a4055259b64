/** Everything that happened as one hash, which must be equal for two runs of one seed. */
import { createHash } from 'node:crypto'

export class Trace {
  lines = 0
  private readonly hash = createHash('sha256')
  private waiting = ''

  add(line: string): void {
    this.lines++
    this.waiting += `${line}\n`
    if (this.waiting.length > 1 << 16) this.flush()
  }

  private flush(): void {
    this.hash.update(this.waiting)
    this.waiting = ''
  }

  digest(): string {
    this.flush()
    return this.hash.copy().digest('hex')
  }
}
