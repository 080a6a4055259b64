/** Uploads of a page, each with its progress. Leaving the page cancels them. */
import type { File as AtriumFile } from '@atrium/sdk'
import { useCallback, useEffect, useRef, useState } from 'react'
import { describeError, UserCanceled, uploadFile } from '../data/index.ts'

export interface Upload {
  readonly key: string
  readonly name: string
  /** The sent part, from 0 to 1. */
  readonly part: number
  /** Why it failed; null while it runs. */
  readonly fault: string | null
  readonly file: File
}

export interface Uploads {
  readonly uploads: readonly Upload[]
  readonly add: (files: readonly File[]) => void
  readonly cancel: (key: string) => void
  readonly retry: (key: string) => void
}

/** `done` is awaited for each file, in the order in which uploads end. */
export function useUploads(workspace: string, done: (file: AtriumFile) => Promise<unknown>): Uploads {
  const [uploads, setUploads] = useState<readonly Upload[]>([])
  const controllers = useRef(new Map<string, AbortController>())
  const latest = useRef(done)
  latest.current = done
  useEffect(() => {
    const running = controllers.current
    return () => {
      for (const controller of running.values()) controller.abort()
    }
  }, [])
  const change = useCallback((key: string, fields: Partial<Upload> | null) => {
    setUploads((all) =>
      all.flatMap((each) => (each.key !== key ? [each] : fields === null ? [] : [{ ...each, ...fields }])),
    )
  }, [])
  const start = useCallback(
    async (key: string, file: File) => {
      const controller = new AbortController()
      controllers.current.set(key, controller)
      try {
        const { signal } = controller
        const uploaded = await uploadFile(workspace, file, { signal, onProgress: (part) => change(key, { part }) })
        await latest.current(uploaded)
        change(key, null)
      } catch (error) {
        if (error instanceof UserCanceled) change(key, null)
        else change(key, { fault: describeError(error).text })
      } finally {
        controllers.current.delete(key)
      }
    },
    [workspace, change],
  )
  const add = (files: readonly File[]) => {
    const added = files.map((file) => ({
      key: crypto.randomUUID(),
      name: file.name || 'image',
      part: 0,
      fault: null,
      file,
    }))
    setUploads((all) => [...all, ...added])
    for (const { key, file } of added) void start(key, file)
  }
  const cancel = (key: string) => {
    controllers.current.get(key)?.abort()
    change(key, null)
  }
  const retry = (key: string) => {
    const failed = uploads.find((each) => each.key === key)
    if (failed === undefined) return
    change(key, { part: 0, fault: null })
    void start(key, failed.file)
  }
  return { uploads, add, cancel, retry }
}
