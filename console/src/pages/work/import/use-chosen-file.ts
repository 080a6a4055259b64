/** The file that a person chose, read; or what is wrong with it. */
import { useRef, useState } from 'react'
import { type Encoding, type ReadFile, readFile, UnusableFile } from './read-file.ts'

export interface ChosenFile {
  readonly file: File | null
  readonly read: ReadFile | null
  readonly encoding: Encoding | null
  readonly fault: UnusableFile | null
  readonly isReading: boolean
  readonly choose: (file: File | undefined, encoding?: Encoding | null) => void
  readonly forget: () => void
}

type Known = Pick<ChosenFile, 'file' | 'read' | 'encoding' | 'fault' | 'isReading'>

const nothing: Known = { file: null, read: null, encoding: null, fault: null, isReading: false }

export function useChosenFile(): ChosenFile {
  const [known, setKnown] = useState<Known>(nothing)
  const latest = useRef(0)
  const choose = (file: File | undefined, encoding: Encoding | null = null) => {
    if (file === undefined) return
    const turn = ++latest.current
    const settle = (found: Partial<Known>) => {
      if (turn === latest.current) setKnown({ ...nothing, file, encoding, ...found })
    }
    settle({ isReading: true })
    readFile(file, encoding).then(
      (read) => settle({ read }),
      (error: unknown) => settle({ fault: error instanceof UnusableFile ? error : new UnusableFile(String(error)) }),
    )
  }
  const forget = () => {
    latest.current++
    setKnown(nothing)
  }
  return { ...known, choose, forget }
}
