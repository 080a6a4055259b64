/** What people copy from office programs becomes Markdown that says the same. The HTML is what the programs put on the clipboard, shortened. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { stageOf } from './stage.ts'

const word = `<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><meta name=Generator content="Microsoft Word 15">
<link rel=File-List href="file:///C:/Temp/filelist.xml"><style>
<!--
 /* Style Definitions */
 p.MsoNormal {margin:0cm; font-size:11.0pt;}
-->
</style></head><body lang=DE style='tab-interval:35.4pt'><!--StartFragment-->
<h2 style='mso-list:none'><span style='font-weight:bold'>Crane</span><o:p></o:p></h2>
<p class=MsoNormal><b style='mso-bidi-font-weight:normal'>Stops</b> at <i>half</i> height, <span style='text-decoration:line-through'>daily</span>.<o:p></o:p></p>
<p class=MsoNormal><o:p>&nbsp;</o:p></p>
<p class=MsoListParagraphCxSpFirst style='text-indent:-18.0pt;mso-list:l0 level1 lfo1'><![if !supportLists]><span style='font-family:Symbol'><span style='mso-list:Ignore'>·<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp;&nbsp; </span></span></span><![endif]>Fuse<o:p></o:p></p>
<p class=MsoListParagraphCxSpMiddle style='margin-left:72.0pt;mso-list:l0 level2 lfo1'><![if !supportLists]><span style='mso-list:Ignore'>1.<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp; </span></span><![endif]>burnt<o:p></o:p></p>
<p class=MsoListParagraphCxSpMiddle style='margin-left:72.0pt;mso-list:l0 level2 lfo1'><![if !supportLists]><span style='mso-list:Ignore'>2.<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp; </span></span><![endif]>too weak<o:p></o:p></p>
<p class=MsoListParagraphCxSpLast style='mso-list:l0 level1 lfo1'><![if !supportLists]><span style='mso-list:Ignore'>·<span style='font:7.0pt "Times New Roman"'>&nbsp; </span></span><![endif]>Rope<o:p></o:p></p>
<table class=MsoTableGrid border=1 style='border-collapse:collapse'><tr><td width=90 style='width:67pt'><p class=MsoNormal>Part<o:p></o:p></p></td><td><p class=MsoNormal>Price<o:p></o:p></p></td></tr>
<tr><td><p class=MsoNormal>Fuse</p></td><td><p class=MsoNormal><b>3</b></p></td></tr></table>
<p class=MsoNormal>Say <code>style="none"</code> twice.<img width=10 src="file:///C:/Temp/image001.png"></p>
<!--EndFragment--></body></html>`

const docs = `<meta charset='utf-8'><b style="font-weight:normal;" id="docs-internal-guid-1f2e"><h1 dir="ltr" style="line-height:1.38"><span style="font-size:20pt;font-weight:700">Plan</span></h1><p dir="ltr" style="margin-top:0pt"><span style="font-weight:400;white-space:pre-wrap">We </span><span style="font-weight:700;font-style:normal">must</span><span style="font-weight:400"> </span><span style="font-style:italic;font-weight:400">wait</span><span style="font-weight:400">.</span></p><br /><ul style="margin-top:0"><li dir="ltr" style="list-style-type:disc" aria-level="1"><p dir="ltr" role="presentation"><span style="font-weight:400">one</span></p></li><ul><li dir="ltr" aria-level="2"><p dir="ltr" role="presentation"><span style="font-weight:400">below</span></p></li></ul><li dir="ltr" aria-level="1"><p dir="ltr" role="presentation"><span style="font-weight:400">two</span></p></li></ul><ul><li dir="ltr" role="checkbox" aria-checked="true" aria-level="1"><img src="data:image/png;base64,iVBORw0KGgo=" alt="checked"><p dir="ltr" role="presentation"><span style="font-weight:400">done</span></p></li><li dir="ltr" role="checkbox" aria-checked="false" aria-level="1"><img src="data:image/png;base64,iVBORw0KGgo=" alt="unchecked"><p dir="ltr" role="presentation"><span>open</span></p></li></ul></b><br class="Apple-interchange-newline">`

const online = `<div class="OutlineElement SCXW1"><p class="Paragraph SCXW1" style="font-weight:normal"><span class="TextRun" style="font-weight:bold">To do</span><span class="EOP">&nbsp;</span></p></div><div class="ListContainerWrapper SCXW1"><ul class="BulletListStyle1" role="list"><li data-aria-level="1" role="listitem"><p class="Paragraph"><span>call</span></p></li></ul></div><div class="ListContainerWrapper SCXW1"><ul role="list"><li data-aria-level="2" role="listitem"><p class="Paragraph"><span>twice</span></p></li></ul></div><div class="ListContainerWrapper SCXW1"><ul role="list"><li data-aria-level="1" role="listitem"><p class="Paragraph"><span>write</span></p></li></ul></div>`

const excel = `<html xmlns:x="urn:schemas-microsoft-com:office:excel"><head><style><!--table {mso-displayed-decimal-separator:"\\,";} .xl65 {font-weight:700;}--></style></head><body link=blue><table border=0 cellpadding=0 style='border-collapse:collapse;width:96pt'><col width=64 span=2 style='width:48pt'><!--StartFragment--><tr height=20 style='height:15.0pt'><td height=20 class=xl65>Part</td><td>Price</td></tr><tr><td>Fuse | big</td><td align=right>3,50</td></tr><!--EndFragment--></table></body></html>`

describe('text from office programs', () => {
  const stage = stageOf()
  let workspace: string
  before(async () => {
    workspace = (await stage.atrium.workspaces.create({ title: 'Office' })).id
  })

  /** Pastes as a browser does; a picture of the text is beside it if `picture` is set. */
  const paste = (page: Page, html: string, picture: boolean) =>
    page.evaluate(
      ([html, picture]) => {
        const data = new DataTransfer()
        data.setData('text/html', html)
        data.setData('text/plain', html.replaceAll(/<[^>]*>/g, ''))
        if (picture) data.items.add(new File([new Uint8Array(9)], 'image.png', { type: 'image/png' }))
        document.activeElement?.dispatchEvent(
          new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }),
        )
      },
      [html, picture] as const,
    )

  for (const [program, html, picture, markdown] of [
    [
      'Word: headings, marks, lists of two levels, a table; its picture of the text is no file',
      word,
      true,
      '## Crane\n\n**Stops** at *half* height, ~~daily~~.\n\n- Fuse\n  1. burnt\n  2. too weak\n- Rope\n\n| Part | Price |\n| --- | --- |\n| Fuse | **3** |\n\nSay `style="none"` twice.',
    ],
    [
      'Google Docs: nothing is bold but what is, lists below lists, boxes',
      docs,
      false,
      '# Plan\n\nWe **must** *wait*.\n\n- one\n  - below\n- two\n\n- [x] done\n- [ ] open',
    ],
    [
      'Word in the browser: its lists of one item are one list',
      online,
      false,
      '**To do**\n\n- call\n  - twice\n- write',
    ],
    [
      'Excel: a table whose first row names the columns',
      excel,
      true,
      '| Part | Price |\n| --- | --- |\n| Fuse \\| big | 3,50 |',
    ],
  ] as const) {
    it(`${program}`, async () => {
      const task = await stage.atrium.tasks.create({ workspace, title: 'Paste' })
      const watched = await stage.visit(`/work/tasks/${task.key}`)
      const { page } = watched
      const editor = page.getByRole('textbox', { name: 'Write a comment', exact: true })
      await editor.click()
      await paste(page, html, picture)
      await page.getByRole('button', { name: 'Comment', exact: true }).click()
      await page.getByRole('list', { name: 'Comments' }).getByRole('listitem').first().waitFor()
      const { data } = await stage.atrium.tasks.comments.list(task.id)
      assert.equal(data[0]?.body, markdown)
      assert.deepEqual([watched.foreign, watched.violations, watched.errors], [[], [], []])
      assert.deepEqual((await stage.atrium.files.list({ workspace })).data, [])
    })
  }
})
