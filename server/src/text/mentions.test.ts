import assert from 'node:assert/strict'
import { it } from 'node:test'
import { text_limits } from './limits.ts'
import { mentionsOf, storedMentions, withPlainMentions } from './mentions.ts'

const ada = 'usr_01K1QX6V0000000000000000AA'
const bob = 'usr_01K1QX6V0000000000000000BB'
const design = 'team_01K1QX6V0000000000000000DD'
const at = (id: string, name = 'Ada Lovelace') => `[@${name}](atrium:${id})`

it('a text names people and teams in their order, each once', () => {
  assert.deepEqual(mentionsOf(`Hello ${at(bob, 'Bob')}, **${at(ada)}** and ${at(bob)}`), [bob, ada])
  assert.deepEqual(mentionsOf(`> - 1. ${at(ada, 'Zoë \\[ops\\] 👩')}`), [ada])
  assert.deepEqual(mentionsOf(`${at(design, 'Design')} and ${at(ada)}, ${at(design)}`), [design, ada])
  assert.equal(storedMentions(null), '[]')
  assert.equal(storedMentions(at(ada)), `["${ada}"]`)
})

it('a quoted text has the names in place of the links', () => {
  assert.equal(
    withPlainMentions(`${at(ada)}, ask ${at(bob, 'Zoë \\[ops\\] 👩')}.`),
    '@Ada Lovelace, ask @Zoë [ops] 👩.',
  )
  assert.equal(withPlainMentions(`For ${at(design, 'Design')}`), 'For @Design')
  for (const text of ['[@KEP-1](atrium:tsk_01K1QX6V0000000000000000AA)', `[Ada](atrium:${ada})`, `[@](atrium:${ada})`])
    assert.equal(withPlainMentions(text), text)
})

it('a link in another form is not a mention', () => {
  for (const text of [
    '@Ada Lovelace',
    `[Ada](atrium:${ada})`,
    '[@KEP-1](atrium:tsk_01K1QX6V0000000000000000AA)',
    `[@Ada](atrium:${ada.toLowerCase()})`,
    `[@Ada](atrium:${ada}0)`,
    `[@Design](atrium:${design}0)`,
    '[@Design](atrium:teams_01K1QX6V0000000000000000DD)',
    `[@Ada](https://example.com/${ada})`,
    `![@Ada](atrium:${ada})`,
    `\\[@Ada](atrium:${ada})`,
    `[@Ada\\](atrium:${ada})`,
    `](atrium:${ada})`,
  ]) {
    assert.deepEqual(mentionsOf(text), [], text)
  }
})

it('code does not mention anyone, and what only looks like code does not hide a mention', () => {
  const mention = at(ada)
  for (const code of [
    `\`${mention}\``,
    `\`\` a \` ${mention} \`\``,
    `\`a\n${mention}\``,
    `\`\`\`\n${mention}\n\`\`\``,
    `~~~ js\n${mention}\n\n${mention}`,
    `> \`\`\`\`\n> ${mention}\n> \`\`\`\n> ${mention}`,
    `- \`\`\`\n  ${mention}\n  \`\`\``,
  ]) {
    assert.deepEqual(mentionsOf(code), [], code)
  }
  for (const text of [
    `\`a\n\n${mention}\``,
    `\\\`${mention}\``,
    `\`a\`\` ${mention}`,
    `\`a\` ${mention} \`b\``,
    `\`\`\`\na\n\`\`\`\n${mention}`,
    `\`\`\`a\`\`\` ${mention}`,
    `~~~\r\na\r\n~~~\r\n${mention}`,
  ]) {
    assert.deepEqual(mentionsOf(text), [ada], text)
  }
})

it('a text names at most 100 people', () => {
  const ids = Array.from({ length: 101 }, (_, i) => `usr_01K1QX6V000000000000000${String(i).padStart(3, '0')}`)
  assert.deepEqual(mentionsOf(ids.map((id) => at(id)).join(' ')), ids.slice(0, text_limits.mentions_max))
})

it('the steps grow with the text, not with its square', () => {
  const mention = at(ada)
  const parts = [
    '[',
    '\\',
    '`',
    '``` ',
    '> ',
    '- ',
    '[@',
    '\\[',
    ']',
    '](atrium:usr_',
    `](atrium:${ada})`,
    '~~~\n',
    '\n\n',
  ]
  for (const part of parts) {
    const text = part.repeat(Math.floor(400_000 / part.length)) + mention
    assert.ok(mentionsOf(text).length <= 1, part)
  }
  const runs = Array.from({ length: 2500 }, (_, i) => `a${'`'.repeat(i)}`).join('')
  assert.deepEqual(mentionsOf(runs + mention), [ada])
})
