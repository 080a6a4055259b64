/**
 * Whether real texts stay as they are in the editor: each is opened and saved without an edit, and edited in one paragraph.
 * `node console/test/texts-unchanged.ts FOLDER... [--browser]` does that with every `.md` file below the folders and prints the
 * figures as JSON. With `--browser` each text is the description of a task, which a browser opens in the editor and saves.
 */
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Page } from 'playwright-core'
import { EditedText } from '../src/text/editor/document.ts'
import { isKept, type NamedText, readTexts, schema, tryEdits } from './edited-texts.ts'
import { openStage, type Stage } from './stage.ts'

/** What a batch of tasks may hold, in texts of the largest size. */
const batch_texts = 10

export interface Kept {
  readonly texts: number
  readonly changed: readonly string[]
}

function keptByEditor(texts: readonly NamedText[]) {
  const changed: string[] = []
  const spread: string[] = []
  let edits = 0
  for (const { name, text } of texts) {
    const edited = new EditedText(schema, text)
    if (!isKept(edited, text)) changed.push(name)
    const tried = tryEdits(edited, text)
    edits += tried.count
    spread.push(...tried.spread.map((at) => `${name}: block ${at}`))
  }
  return { texts: texts.length, changed, edits, spread }
}

/** Opens each text in the editor of a page, and saves it. A text that is not empty is expected. */
export async function keptByBrowser(stage: Stage, page: Page, texts: readonly NamedText[]): Promise<Kept> {
  const { id: workspace } = await stage.atrium.workspaces.create({ title: 'Texts' })
  const changed: string[] = []
  for (let from = 0; from < texts.length; from += batch_texts) {
    const part = texts.slice(from, from + batch_texts)
    const data = part.map(({ text }, i) => ({ title: titleOf(from + i), description: text }))
    const { data: tasks } = await stage.atrium.tasks.batch({ workspace, data })
    for (const [i, { id }] of tasks.entries()) {
      await openAndSave(page, `/work/tasks/${id}`, titleOf(from + i))
      const { description, revision } = await stage.atrium.tasks.retrieve(id)
      if (description !== part[i]?.text || revision !== 1) changed.push(part[i]?.name ?? id)
    }
  }
  return { texts: texts.length, changed }
}

/** No title is a part of another one. */
const titleOf = (at: number) => `Text ${at} of all`

async function openAndSave(page: Page, path: string, title: string): Promise<void> {
  await page.evaluate((to) => history.pushState(null, '', to), path)
  await page.waitForFunction((shown) => document.title.includes(shown), title)
  await page.getByRole('button', { name: 'Edit description' }).click()
  await page.getByRole('textbox', { name: 'Description', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Edit description' }).waitFor()
}

async function run(): Promise<void> {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { browser: { type: 'boolean' } } })
  const files = positionals.flatMap((folder) => globSync('**/*.md', { cwd: folder }).map((name) => join(folder, name)))
  const texts = readTexts(files.sort()).filter(({ text }) => text.trim() !== '')
  if (values.browser !== true) return report(keptByEditor(texts))
  const stage = await openStage()
  try {
    const { page } = await stage.visit('/work')
    report(await keptByBrowser(stage, page, texts))
  } finally {
    await stage.close()
  }
}

function report(found: Kept & { readonly spread?: readonly string[] }): void {
  process.stdout.write(`${JSON.stringify(found)}\n`)
  process.exitCode = found.texts > 0 && found.changed.length === 0 && (found.spread ?? []).length === 0 ? 0 : 1
}

if (import.meta.main) void run()
