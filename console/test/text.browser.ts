/** Two people discuss a bug in text: what one writes with tools and keys, the other reads, ticks and changes. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { checkNoScriptRan, checkPage, forgetShifts } from './checks.ts'
import { readTexts } from './edited-texts.ts'
import { hostileMarkdown } from './hostile.ts'
import { type StagePerson, stageOf } from './stage.ts'
import { keptByBrowser } from './texts-unchanged.ts'

describe('texts of tasks', () => {
  const stage = stageOf()
  let mara: StagePerson
  let workspace: string
  before(async () => {
    mara = await stage.person('member')
    workspace = (await stage.atrium.workspaces.create({ title: 'Booking' })).id
  })

  const descriptionOf = async (id: string) => (await stage.atrium.tasks.retrieve(id)).description
  const until = async <T>(read: () => Promise<T>, expected: T) => {
    for (let i = 0; i < 100; i++) {
      if (JSON.stringify(await read()) === JSON.stringify(expected)) return
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    assert.deepEqual(await read(), expected)
  }
  const editorOn = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true })

  it('a description is written with keys, tools and choices, and read formatted', async () => {
    const task = await stage.atrium.tasks.create({ workspace, title: 'Login fails on phones' })
    const other = await stage.atrium.tasks.create({ workspace, title: 'Session cookie is lost' })
    // Choices are found by searching, which follows the commits.
    const isFound = async () => (await stage.atrium.search.list({ query: 'session', workspace })).data.length
    await until(isFound, 1)
    const watched = await stage.visit(`/work/tasks/${task.key}`)
    const { page } = watched
    await page.getByRole('button', { name: 'Add description' }).click()
    const editor = editorOn(page, 'Description')
    // The focus follows with the next frame.
    await editor.and(page.locator(':focus')).waitFor()
    const keys = page.keyboard
    await keys.type('## Steps')
    await keys.press('Enter')
    await keys.type('Open the ')
    await page.getByRole('button', { name: 'Bold' }).click()
    await keys.type('login')
    await page.getByRole('button', { name: 'Bold' }).click()
    await keys.type(' page with `a_b`, ask @mar')
    await page.getByRole('option', { name: /Mara Lindt/ }).waitFor()
    await keys.press('Enter')
    await keys.type('see #session')
    await page.getByRole('option', { name: /Session cookie/ }).waitFor()
    await keys.press('Enter')
    await keys.press('Enter')
    await keys.type('/check')
    await page.getByRole('option', { name: /Checklist/ }).waitFor()
    await keys.press('Enter')
    await keys.type('Reproduce')
    await keys.press('Enter')
    await keys.type('Fix 1 < 2')
    await checkPage(watched, 'text-editor')
    await keys.press('ControlOrMeta+Enter')
    const expected = [
      '## Steps',
      `Open the **login** page with \`a_b\`, ask [@Mara Lindt](atrium:${mara.user}) see [${other.key}](atrium:${other.id})`,
      '- [ ] Reproduce\n- [ ] Fix 1 < 2',
    ].join('\n\n')
    await until(() => descriptionOf(task.id), expected)
    assert.deepEqual((await stage.atrium.tasks.retrieve(task.id)).mentions, [mara.user])
    await page.getByRole('heading', { name: 'Steps' }).waitFor()
    await page.getByRole('link', { name: other.key }).waitFor()
    // The text that was saved takes the place of the taller editor.
    await forgetShifts(page)
    await checkPage(watched, 'text-reader')
  })

  it('is formatted by shortcuts, and what was written is undone and redone', async () => {
    const task = await stage.atrium.tasks.create({ workspace, title: 'Shortcuts' })
    const { page } = await stage.visit(`/work/tasks/${task.key}`)
    await page.getByRole('button', { name: 'Add description' }).click()
    const editor = editorOn(page, 'Description')
    await editor.and(page.locator(':focus')).waitFor()
    const keys = page.keyboard
    for (const [chord, word] of [
      ['b', 'bold'],
      ['i', 'slanted'],
      ['e', 'code'],
      ['Shift+s', 'gone'],
    ] as const) {
      await keys.press(`ControlOrMeta+${chord}`)
      await keys.type(word)
      await keys.press(`ControlOrMeta+${chord}`)
      await keys.type(' ')
    }
    await keys.type('end')
    const end = editor.getByText('end')
    await end.waitFor()
    await keys.press('ControlOrMeta+z')
    await end.waitFor({ state: 'detached' })
    await keys.press('ControlOrMeta+Shift+z')
    await end.waitFor()
    await keys.press('ControlOrMeta+Enter')
    const read = async () => (await descriptionOf(task.id))?.trim()
    await until(read, '**bold** *slanted* `code` ~~gone~~ end')
  })

  it('a description is saved although the task changed otherwise, and not over another description', async () => {
    const task = await stage.atrium.tasks.create({ workspace, title: 'Move the pier', description: 'North' })
    const watched = await stage.visit(`/work/tasks/${task.key}`)
    const { page } = watched
    const write = async (text: string) => {
      await page.getByRole('button', { name: 'Edit description' }).click()
      await editorOn(page, 'Description').and(page.locator(':focus')).waitFor()
      await page.keyboard.press('ControlOrMeta+End')
      await page.keyboard.type(text)
    }
    await write(' or south')
    await stage.atrium.tasks.update(task.id, { priority: 'high' })
    await page.keyboard.press('ControlOrMeta+Enter')
    await page.getByRole('button', { name: 'Edit description' }).waitFor()
    assert.equal(await descriptionOf(task.id), 'North or south')
    await write(', or west')
    await stage.atrium.tasks.update(task.id, { description: 'East' })
    await page.keyboard.press('ControlOrMeta+Enter')
    await page.getByText('The description changed while you were editing').waitFor()
    await page.getByText('Current description: East').waitFor()
    assert.equal(await descriptionOf(task.id), 'East')
    await page.getByRole('button', { name: 'Overwrite' }).click()
    await page.getByRole('button', { name: 'Edit description' }).waitFor()
    assert.equal(await descriptionOf(task.id), 'North or south, or west')
    // Both conflicts, which the browser logs.
    watched.errors.length = 0
  })

  it('keeps what is being written over a reload and another task, and Escape can be undone', async () => {
    const fields = { workspace, description: 'Old words' }
    const task = await stage.atrium.tasks.create({ ...fields, title: 'Kept words' })
    const other = await stage.atrium.tasks.create({ ...fields, title: 'Other words' })
    const { page } = await stage.visit(`/work/tasks?task=${task.key}`)
    const panel = page.getByRole('dialog')
    const open = async (key: string, title: string) => {
      await page.getByRole('link', { name: title }).click()
      await panel.getByText(key, { exact: true }).waitFor()
    }
    await panel.getByRole('button', { name: 'Edit description' }).click()
    const editor = editorOn(page, 'Description')
    await editor.and(page.locator(':focus')).waitFor()
    await page.keyboard.type(' and new ones')
    await open(other.key, 'Other words')
    await open(task.key, 'Kept words')
    await editor.getByText('Old words and new ones').waitFor()
    const comment = editorOn(page, 'Write a comment')
    await comment.click()
    await page.keyboard.type('Half a thought')
    await page.reload()
    await editor.getByText('Old words and new ones').waitFor()
    await comment.getByText('Half a thought').waitFor()
    await editor.press('Escape')
    await panel.getByRole('button', { name: 'Edit description' }).and(page.locator(':focus')).waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await editor.getByText('Old words and new ones').waitFor()
    await editor.press('ControlOrMeta+Enter')
    await until(() => descriptionOf(task.id), 'Old words and new ones')
    await panel.getByRole('button', { name: 'Edit description' }).and(page.locator(':focus')).waitFor()
  })

  it('drops what was being written when the person signs out', async () => {
    const person = await stage.person('member', 'Nils', 'Ott')
    const task = await stage.atrium.tasks.create({ workspace, title: 'Secret words' })
    const { page } = await stage.visit(`/work/tasks/${task.key}`, { person, fresh: true })
    await editorOn(page, 'Write a comment').click()
    await page.keyboard.type('For me alone')
    const kept = () => page.evaluate(() => JSON.stringify(localStorage).includes('For me alone'))
    await until(kept, true)
    await page.getByRole('button', { name: /^Account of/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    assert.equal(await kept(), false)
  })

  it('leaves the focus in the editor after a comment, for the next one', async () => {
    const task = await stage.atrium.tasks.create({ workspace, title: 'Two comments' })
    const { page } = await stage.visit(`/work/tasks/${task.key}`)
    const comment = editorOn(page, 'Write a comment')
    const comments = page.getByRole('list', { name: 'Comments' })
    await comment.click()
    for (const word of ['First', 'Second']) {
      await page.keyboard.type(word)
      await page.keyboard.press('ControlOrMeta+Enter')
      await comments.getByText(word).waitFor()
      await comment.and(page.locator(':focus')).waitFor()
    }
    await until(async () => (await stage.atrium.tasks.comments.list(task.id)).data.length, 2)
  })

  it('fills a new table from its first cell, and Tab behind the last cell begins a row', async () => {
    const task = await stage.atrium.tasks.create({ workspace, title: 'Costs' })
    const { page } = await stage.visit(`/work/tasks/${task.key}`)
    await page.getByRole('button', { name: 'Add description' }).click()
    const editor = editorOn(page, 'Description')
    await editor.and(page.locator(':focus')).waitFor()
    await page.getByRole('button', { name: 'Table' }).click()
    await editor.getByRole('table').waitFor()
    for (let cell = 1; cell <= 10; cell += 1) {
      if (cell > 1) await page.keyboard.press('Tab')
      await page.keyboard.type(`c${cell}`)
    }
    await page.keyboard.press('ControlOrMeta+Enter')
    const rows = ['| c1 | c2 | c3 |', '| --- | --- | --- |', '| c4 | c5 | c6 |', '| c7 | c8 | c9 |', '| c10 |  |  |']
    await until(async () => (await descriptionOf(task.id))?.trim(), rows.join('\n'))
  })

  it('takes images that are dropped on it, where they are dropped', async () => {
    const task = await stage.atrium.tasks.create({ workspace, title: 'Drop', description: 'First\n\nSecond' })
    const { page } = await stage.visit(`/work/tasks/${task.key}`)
    await page.getByRole('button', { name: 'Edit description' }).click()
    const editor = editorOn(page, 'Description')
    const place = await editor.getByText('First').evaluate((element) => {
      const { left, top, height } = element.getBoundingClientRect()
      return { clientX: left + 2, clientY: top + height / 2 }
    })
    await editor.evaluate(async (element, at) => {
      const canvas = Object.assign(document.createElement('canvas'), { width: 2, height: 2 })
      const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve))
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File([blob as Blob], 'dropped.png', { type: 'image/png' }))
      const target = element.querySelector('p') ?? element
      target.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true, ...at }))
    }, place)
    await editor.getByRole('img', { name: 'dropped.png' }).waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Edit description' }).waitFor()
    const plain = async () => (await descriptionOf(task.id))?.replace(/\(\/v1\/files\/fil_\w+\)/, '()')
    await until(plain, '![dropped.png]()First\n\nSecond')
  })

  it('shows tables, boxes, struck out words and addresses, wherever Markdown of programs has them', async () => {
    const description = [
      '| Part | Count |\n| :--- | ---: |\n| Rope \\| line | 12 |',
      '- [x] ~~old~~ new\n- [ ] next',
      'See https://example.org/a_b, www.example.org and <mailto:a@b.example>.',
    ].join('\n\n')
    const task = await stage.atrium.tasks.create({ workspace, title: 'Parts', description })
    const { page } = await stage.visit(`/work/tasks/${task.key}`)
    const text = page.locator('.markdown').filter({ has: page.getByRole('table') })
    await text.waitFor()
    assert.deepEqual(await text.locator('th, td').allTextContents(), ['Part', 'Count', 'Rope | line', '12'])
    assert.equal(await text.getByRole('checkbox', { name: 'next' }).isChecked(), false)
    assert.deepEqual(await text.locator('s, del').allTextContents(), ['old'])
    assert.deepEqual(
      await text.locator('a').evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).href)),
      ['https://example.org/a_b', 'http://www.example.org/', 'mailto:a@b.example'],
    )
  })

  it('names people and tasks as they are called now, and the text keeps what was written', async () => {
    const person = await stage.person('member', 'Ines', 'Alt')
    const other = await stage.atrium.tasks.create({ workspace, title: 'Other' })
    const text = `Ask [@Ines Alt](atrium:${person.user}) about [${other.key}](atrium:${other.id})`
    const task = await stage.atrium.tasks.create({ workspace, title: 'Names', description: text })
    const own = await stage.visit('/settings/profile', { person, fresh: true })
    await own.page.getByLabel('Last name').fill('Neu')
    await own.page.getByRole('button', { name: 'Save' }).first().click()
    await own.page.getByText(/saved/i).first().waitFor()
    await own.page.context().close()
    const { page } = await stage.visit(`/work/tasks/${task.key}`)
    await page.locator('.markdown').getByText('@Ines Neu', { exact: true }).waitFor()
    const kept = await stage.atrium.tasks.retrieve(task.id)
    assert.deepEqual([kept.description, kept.mentions], [text, [person.user]])
  })

  it('opening and saving changes no byte, and a tick changes one character although another person wrote meanwhile', async () => {
    const text = '* [ ] one\n* [X] two\n\n\nSetext\n===\nlazy _text_  \n\n[a]: http://a.example\n'
    const task = await stage.atrium.tasks.create({ workspace, title: 'Checklist', description: text })
    const { page } = await stage.visit(`/work/tasks/${task.key}`)
    await page.getByRole('button', { name: 'Edit description' }).click()
    await editorOn(page, 'Description').waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Edit description' }).waitFor()
    const same = await stage.atrium.tasks.retrieve(task.id)
    assert.deepEqual([same.description, same.revision], [text, 1])
    const before = `New line\n\n${text}`
    await page.route('**/v1/events/stream*', (route) => route.abort())
    await stage.atrium.tasks.update(task.id, { description: before })
    await page.getByRole('checkbox', { name: 'one' }).click()
    await until(() => descriptionOf(task.id), before.replace('[ ] one', '[x] one'))
    await page.unroute('**/v1/events/stream*')
  })

  it('real texts stay as they are when they are opened and saved', async () => {
    const root = join(import.meta.dirname, '../..')
    const files = ['README.md', 'CHANGELOG.md', 'docs/words.md', 'docs/inbox.md', 'docs/contract/14-resources.md']
    const texts = readTexts(files.map((file) => join(root, file)))
    const { page } = await stage.visit('/work')
    assert.deepEqual(await keptByBrowser(stage, page, texts), { texts: files.length, changed: [] })
  })

  it('an edit of one paragraph leaves all other bytes alone, also through source mode', async () => {
    const text = 'First\r\nline\r\n\r\n* one\r\n+ two\r\n\r\n<div>\r\nHTML\r\n</div>\r\nLast   \r\n'
    const task = await stage.atrium.tasks.create({ workspace, title: 'Edit', description: text })
    const { page } = await stage.visit(`/work/tasks/${task.key}`)
    await page.getByRole('button', { name: 'Edit description' }).click()
    const editor = editorOn(page, 'Description')
    await editor.getByText('one').click()
    await page.keyboard.press('End')
    await page.keyboard.type(' more')
    await page.getByRole('button', { name: 'Edit as Markdown' }).click()
    const changed = text.replace('* one', '* one more')
    assert.equal(await editor.inputValue(), changed.replaceAll('\r\n', '\n'))
    await page.getByRole('button', { name: 'Edit as formatted text' }).click()
    await editor.getByText('one more').waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Edit description' }).waitFor()
    await until(() => descriptionOf(task.id), changed)
  })

  it('pasted web pages become Markdown without scripts, styles and foreign images, and pasted images become files', async () => {
    const task = await stage.atrium.tasks.create({ workspace, title: 'Paste' })
    const watched = await stage.visit(`/work/tasks/${task.key}`)
    const { page } = watched
    const editor = editorOn(page, 'Write a comment')
    await editor.click()
    await page.evaluate(() => {
      const data = new DataTransfer()
      data.setData(
        'text/html',
        '<meta charset="utf-8"><h1 style="color:red">Title</h1><p onclick="__xss=1">A <b>bold</b> <a href="javascript:__xss=1">x</a> <a href="https://a.example/">y</a>' +
          '<img src="https://evil.example/i.png" alt="pic" onerror="__xss=1"><script>__xss=1</script></p><p class="MsoNormal">Word<o:p></o:p></p><table><tr><th>H</th></tr><tr><td>c</td></tr></table>',
      )
      document.activeElement?.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }),
      )
    })
    await editor.getByRole('heading', { name: 'Title' }).waitFor()
    await page.keyboard.press('ControlOrMeta+End')
    await page.evaluate(async () => {
      const canvas = Object.assign(document.createElement('canvas'), { width: 2, height: 2 })
      const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve))
      const data = new DataTransfer()
      data.items.add(new File([blob as Blob], 'shot.png', { type: 'image/png' }))
      document.activeElement?.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }),
      )
    })
    await editor.getByRole('img', { name: 'shot.png' }).waitFor()
    await page.getByRole('button', { name: 'Comment', exact: true }).click()
    await page.getByRole('list', { name: 'Comments' }).getByRole('img', { name: 'shot.png' }).waitFor()
    const { data } = await stage.atrium.tasks.comments.list(task.id)
    const body = data[0]?.body ?? ''
    const file = /!\[shot\.png\]\((\/v1\/files\/fil_\w+)\)/.exec(body)?.[0]
    assert.ok(file, body)
    assert.equal(
      body.replace(file, 'FILE'),
      '# Title\n\nA **bold** x [y](https://a.example/)![pic](https://evil.example/i.png)\n\nWord\n\n| H |\n| --- |\n| c |\n\nFILE',
    )
    await checkNoScriptRan(page)
    assert.deepEqual([watched.foreign, watched.violations, watched.errors], [[], [], []])
  })

  it('the history shows what changed in a text, word by word', async () => {
    const task = await stage.atrium.tasks.create({ workspace, title: 'Told', description: 'Open the old page at once' })
    await stage.atrium.tasks.update(task.id, { description: 'Open the new page at once' })
    const watched = await stage.visit(`/work/tasks/${task.key}?part=history`)
    const { page } = watched
    await page.getByRole('button', { name: 'Show changes' }).click()
    const [removed, added] = [page.getByRole('deletion'), page.getByRole('insertion')]
    await added.waitFor()
    assert.deepEqual([await removed.allTextContents(), await added.allTextContents()], [['old'], ['new']])
    await checkPage(watched, 'text-history')
  })

  it('hostile texts run nothing, load nothing and lead nowhere, in the reader and in the editor', async () => {
    const task = await stage.atrium.tasks.create({ workspace, title: 'Hostile', description: hostileMarkdown })
    const watched = await stage.visit(`/work/tasks/${task.key}`)
    const { page } = watched
    const checkHarmless = async (place: string) => {
      await checkNoScriptRan(page)
      assert.deepEqual([watched.foreign, watched.violations, watched.errors], [[], [], []], place)
      assert.equal(
        await page
          .locator(
            '.markdown :is(img[src], svg:not(.lucide), script, iframe, style, object, form, [onerror], [onload])',
          )
          .count(),
        0,
      )
      const links = await page
        .locator('.markdown a[href]')
        .evaluateAll((all) =>
          all.map((link) => [(link as HTMLAnchorElement).protocol, (link as HTMLAnchorElement).host === location.host]),
        )
      for (const [protocol, isOwn] of links) {
        assert.ok(isOwn || ['http:', 'https:', 'mailto:'].includes(String(protocol)), `${place}: ${protocol}`)
      }
      return links.length
    }
    await page.getByText('end of the text').waitFor()
    assert.ok((await checkHarmless('reader')) > 3)
    await page.getByRole('button', { name: 'Edit description' }).click()
    await editorOn(page, 'Description').getByText('end of the text').waitFor()
    await checkHarmless('editor')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Edit description' }).waitFor()
    assert.equal((await stage.atrium.tasks.retrieve(task.id)).revision, 1)
    for (const text of ['> '.repeat(5000), '- '.repeat(9000), '[a]('.repeat(9000), '`'.repeat(60_000)]) {
      await stage.atrium.tasks.update(task.id, { description: `${text}\n\nend of the text` })
      await stage.visit(`/work/tasks/${task.key}`)
      await page.locator('.markdown').filter({ hasText: 'end of the text' }).first().waitFor()
      await checkHarmless(text.slice(0, 8))
    }
  })
})
