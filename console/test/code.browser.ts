/** Blocks of code in texts: colored where they are read and where they are written, in known languages alone. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Locator } from 'playwright-core'
import { checkNoScriptRan, checkPage, forgetShifts, settled } from './checks.ts'
import { stageOf } from './stage.ts'

const sample = 'const name = "Ada" // who'
const sample_colors = ['const:keyword', '"Ada":string', '// who:comment']
const fenced = (info: string, code = sample) => `\`\`\`${info}\n${code}\n\`\`\``

/** Names of languages that would become an element, a property or a class if they were taken for more than a name. */
const hostile_names = [
  '"><img src=x onerror=window.__xss=1>',
  'x"onmouseover="window.__xss=1',
  '</pre><script>window.__xss=1</script>',
  'data:text/html,<script>window.__xss=1</script>',
  '../../../etc/passwd',
  'constructor',
  '__proto__',
  'toString',
  'hasOwnProperty',
  'x unseen hljs-keyword toast',
  'x\u2066gnp\u2069',
  'n'.repeat(2000),
]

describe('code in texts', () => {
  const stage = stageOf()
  let workspace: string
  before(async () => {
    workspace = (await stage.atrium.workspaces.create({ title: 'Harbour' })).id
  })

  const visitTask = async (description: string) => {
    const task = await stage.atrium.tasks.create({ workspace, title: 'Code', description })
    const watched = await stage.visit(`/work/tasks/${task.key}`)
    return { ...watched, task, watched }
  }
  /** The colored parts of each block: `const:keyword`. */
  const colorsOf = (blocks: Locator) =>
    blocks.evaluateAll((all) =>
      all.map((block) =>
        [...block.querySelectorAll('[class*="hljs-"]')].map(
          (part) => `${part.textContent}:${/hljs-(\w+)/.exec(part.className)?.[1]}`,
        ),
      ),
    )
  const colored = (blocks: Locator) => blocks.locator('[class*="hljs-"]')

  it('has the colors of its language in the reader, and is plain in an unknown one and without one', async () => {
    const infos = ['ts', 'JS title="a.js"', 'python', '', 'klingon', 'text']
    const { page, watched } = await visitTask(infos.map((info) => fenced(info)).join('\n\n'))
    const blocks = page.locator('.markdown .code')
    await colored(blocks).first().waitFor()
    await settled(page)
    const [typescript, javascript, python, ...rest] = await colorsOf(blocks)
    assert.deepEqual([typescript, javascript], [sample_colors, sample_colors])
    assert.deepEqual(python, ['"Ada":string'])
    assert.deepEqual(rest, [[], [], []])
    assert.deepEqual(await blocks.allTextContents(), Array(infos.length).fill(sample))
    const shown = await blocks
      .first()
      .evaluate((block) =>
        ['.hljs-keyword', '.hljs-string', '.hljs-comment'].map(
          (kind) => getComputedStyle(block.querySelector(kind) as Element).color,
        ),
      )
    assert.equal(new Set([...shown, await blocks.last().evaluate((block) => getComputedStyle(block).color)]).size, 4)
    // Colors come after the text and move nothing.
    await checkPage(watched, 'code-reader')
  })

  it('is colored while it is written, and plain in an unknown language and without one', async () => {
    const { page, watched, task } = await visitTask('Before')
    await page.getByRole('button', { name: 'Edit description' }).click()
    const editor = page.getByRole('textbox', { name: 'Description', exact: true })
    await editor.and(page.locator(':focus')).waitFor()
    await page.keyboard.press('ControlOrMeta+End')
    for (const info of ['ts', 'klingon', '']) {
      await page.keyboard.press('Enter')
      await page.keyboard.type(`\`\`\`${info} `)
      await page.keyboard.type(sample)
      // Three ends of lines leave the block.
      for (let i = 0; i < 3; i++) await page.keyboard.press('Enter')
      await page.keyboard.type('After')
    }
    const blocks = editor.locator('pre')
    assert.deepEqual(await colorsOf(blocks), [sample_colors, [], []])
    assert.deepEqual(await blocks.allTextContents(), [sample, sample, sample])
    await forgetShifts(page)
    await checkPage(watched, 'code-editor')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Edit description' }).waitFor()
    const { description } = await stage.atrium.tasks.retrieve(task.id)
    assert.equal(
      description,
      ['Before', ...['ts', 'klingon', ''].flatMap((info) => [fenced(info), 'After'])].join('\n\n'),
    )
  })

  it('of a hostile language is text: nothing runs, no element and no class is made of its name', async () => {
    const text = hostile_names.map((name) => `~~~${name}\n${sample}\n~~~`).join('\n\n')
    const { page, watched, task } = await visitTask(text)
    const checkHarmless = async (blocks: Locator, place: string) => {
      assert.deepEqual(await blocks.allTextContents(), Array(hostile_names.length).fill(sample), place)
      assert.deepEqual(await colorsOf(blocks), Array(hostile_names.length).fill([]), place)
      const classes = await blocks.locator('code').evaluateAll((all) => all.flatMap((each) => [...each.classList]))
      assert.deepEqual(
        classes.filter((name) => !/^language-[\w+#.-]{1,40}$/.test(name)),
        [],
        place,
      )
      assert.equal(await page.locator('.markdown :is(img, script, [onerror], [onmouseover])').count(), 0, place)
      await checkNoScriptRan(page)
      const { foreign, violations, errors } = watched
      assert.deepEqual({ foreign, violations, errors }, { foreign: [], violations: [], errors: [] }, place)
    }
    await page.locator('.markdown .code').last().waitFor()
    await settled(page)
    await checkHarmless(page.locator('.markdown .code'), 'reader')
    await page.getByRole('button', { name: 'Edit description' }).click()
    const editor = page.getByRole('textbox', { name: 'Description', exact: true })
    await editor.locator('pre').last().waitFor()
    await checkHarmless(editor.locator('pre'), 'editor')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Edit description' }).waitFor()
    const kept = await stage.atrium.tasks.retrieve(task.id)
    assert.deepEqual([kept.description, kept.revision], [text, 1])
  })
})
