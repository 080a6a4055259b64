/**
 * Empties a workspace and deletes it: the server deletes only an empty one, so that a program cannot lose a workspace by one
 * request. Every kind is deleted page by page until its list is empty; what was deleted stays deleted after a stop.
 */
import type { Atrium } from '@atrium/sdk'
import { hasErrorCode } from '../../data/index.ts'
import { t } from '../../language/index.ts'

export interface DeletionProgress {
  /** What is being deleted, as a plural noun. */
  readonly kind: string
  /** How many objects of all kinds are deleted. */
  readonly deleted: number
}

export interface DeletionOptions {
  readonly onProgress: (progress: DeletionProgress) => void
  readonly signal: AbortSignal
}

interface Listed {
  readonly id: string
}

/** A kind of object in a workspace. */
interface Kind {
  readonly text: (count: number) => string
  readonly plural: string
  readonly page: (atrium: Atrium, workspace: string) => PromiseLike<{ readonly data: readonly Listed[] }>
  readonly delete: (atrium: Atrium, workspace: string, page: readonly Listed[]) => Promise<unknown>
}

/** Objects of a page, and deletions at a time. */
const page_limit = 100
const concurrency = 4

/** Deletes the objects of a page one by one. The first failure rejects; requests that were sent go on. */
function oneByOne(remove: (atrium: Atrium, id: string) => PromiseLike<unknown>): Kind['delete'] {
  return async (atrium, _, page) => {
    const queue = [...page]
    const work = async () => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        await remove(atrium, next.id).then(undefined, acceptDeleted)
      }
    }
    await Promise.all(Array.from({ length: concurrency }, work))
  }
}

/** Another person may delete the same object. */
function acceptDeleted(error: unknown): void {
  if (!hasErrorCode(error, 'resource_deleted')) throw error
}

const tasks: Kind = {
  plural: t('tasks'),
  text: (count) => t('{count, plural, one {# task} other {# tasks}}', { count }),
  page: (atrium, workspace) => atrium.tasks.list({ workspace, limit: page_limit }),
  delete: (atrium, workspace, page) =>
    Promise.resolve(atrium.tasks.bulk({ workspace, tasks: page.map(({ id }) => id), delete: true })),
}

/**
 * In this order: tasks are deleted before their projects, because a project with many tasks changes them all in one commit,
 * and again after them, because the deletion of an archived project restores its tasks. Time entries follow, because those of
 * an archived project cannot be deleted.
 */
const kinds: readonly Kind[] = [
  tasks,
  {
    plural: t('projects'),
    text: (count) => t('{count, plural, one {# project} other {# projects}}', { count }),
    page: (atrium, workspace) => atrium.projects.list({ workspace, limit: page_limit }),
    delete: oneByOne((atrium, id) => atrium.projects.delete(id)),
  },
  tasks,
  {
    plural: t('time entries'),
    text: (count) => t('{count, plural, one {# time entry} other {# time entries}}', { count }),
    page: (atrium, workspace) => atrium.timeEntries.list({ workspace, limit: page_limit }),
    delete: oneByOne((atrium, id) => atrium.timeEntries.delete(id)),
  },
  {
    plural: t('invoice drafts'),
    text: (count) => t('{count, plural, one {# invoice draft} other {# invoice drafts}}', { count }),
    page: (atrium, workspace) => atrium.invoiceDrafts.list({ workspace, limit: page_limit }),
    delete: oneByOne((atrium, id) => atrium.invoiceDrafts.delete(id)),
  },
  {
    plural: t('expenses'),
    text: (count) => t('{count, plural, one {# expense} other {# expenses}}', { count }),
    page: (atrium, workspace) => atrium.expenses.list({ workspace, limit: page_limit }),
    delete: oneByOne((atrium, id) => atrium.expenses.delete(id)),
  },
  {
    plural: t('billing rates'),
    text: (count) => t('{count, plural, one {# billing rate} other {# billing rates}}', { count }),
    page: (atrium, workspace) => atrium.billingRates.list({ workspace, limit: page_limit }),
    delete: oneByOne((atrium, id) => atrium.billingRates.delete(id)),
  },
  {
    plural: t('saved filters'),
    text: (count) => t('{count, plural, one {# saved filter} other {# saved filters}}', { count }),
    page: (atrium, workspace) => atrium.savedFilters.list({ workspace, limit: page_limit }),
    delete: oneByOne((atrium, id) => atrium.savedFilters.delete(id)),
  },
  {
    plural: t('task templates'),
    text: (count) => t('{count, plural, one {# task template} other {# task templates}}', { count }),
    page: (atrium, workspace) => atrium.taskTemplates.list({ workspace, limit: page_limit }),
    delete: oneByOne((atrium, id) => atrium.taskTemplates.delete(id)),
  },
  {
    plural: t('custom fields'),
    text: (count) => t('{count, plural, one {# custom field} other {# custom fields}}', { count }),
    page: (atrium, workspace) => atrium.customFields.list({ workspace, limit: page_limit }),
    delete: oneByOne((atrium, id) => atrium.customFields.delete(id)),
  },
  {
    plural: t('portfolios'),
    text: (count) => t('{count, plural, one {# portfolio} other {# portfolios}}', { count }),
    page: (atrium, workspace) => atrium.portfolios.list({ workspace, limit: page_limit }),
    delete: oneByOne((atrium, id) => atrium.portfolios.delete(id)),
  },
]

/**
 * Deletes a workspace with everything in it. Flows are paused first, so that none of them starts while its objects go, and
 * runs that have begun are canceled. Rejects with the first error, or with the signal's reason once it is aborted.
 */
export async function deleteWorkspace(atrium: Atrium, workspace: string, options: DeletionOptions) {
  await endAutomations(atrium, workspace, options)
  let deleted = 0
  for (const kind of kinds) {
    for (;;) {
      options.signal.throwIfAborted()
      options.onProgress({ kind: kind.plural, deleted })
      const { data } = await kind.page(atrium, workspace)
      if (data.length === 0) break
      await kind.delete(atrium, workspace, data)
      deleted += data.length
    }
  }
  return await atrium.workspaces.delete(workspace)
}

/** Pauses the active flows and cancels the runs that have not ended. */
async function endAutomations(atrium: Atrium, workspace: string, { onProgress, signal }: DeletionOptions) {
  onProgress({ kind: 'automations', deleted: 0 })
  for await (const flow of atrium.automationFlows.list({ workspace, limit: page_limit })) {
    signal.throwIfAborted()
    if (flow.status === 'active') await atrium.automationFlows.pause(flow.id, { workspace })
  }
  for await (const run of atrium.automationRuns.list({ workspace, limit: page_limit })) {
    signal.throwIfAborted()
    if (run.ended_at === null) {
      await atrium.automationRuns.cancel(run.id, { workspace }).then(undefined, (error: unknown) => {
        // It has ended in the meantime.
        if (!hasErrorCode(error, 'resource_conflict')) throw error
      })
    }
  }
}

export interface WorkspaceContents {
  /** "3 projects", "more than 100 time entries": only of kinds that the workspace contains. */
  readonly texts: readonly string[]
}

/** What a workspace contains, in words. Kinds that the person may not read are left out. */
export async function contentsOf(atrium: Atrium, workspace: string): Promise<WorkspaceContents> {
  const pages = await Promise.all(
    [...new Set(kinds)].map(async ({ text, page }) => {
      const { data } = await page(atrium, workspace)
      return { text, count: data.length }
    }),
  )
  return {
    texts: pages.flatMap(({ text, count }) =>
      count === 0 ? [] : [count === page_limit ? t('at least {text}', { text: text(count) }) : text(count)],
    ),
  }
}
