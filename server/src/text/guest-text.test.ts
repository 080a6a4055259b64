import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newId } from '../lib/ids.ts'
import { guestText } from './guest-text.ts'

const [person, task, file, team] = [newId('usr', 1), newId('tsk', 2), newId('fil', 3), newId('team', 4)]

describe('a text for guests', () => {
  it('says of people, teams, tasks and files only that they are there, and keeps all other words', () => {
    assert.deepEqual(guestText(`Ask [@Ada \\[Bo\\]](atrium:${person}), see [Secret pier](atrium:${task})!`), [
      { text: 'Ask ' },
      { hidden: 'person' },
      { text: ', see ' },
      { hidden: 'task' },
      { text: '!' },
    ])
    assert.deepEqual(guestText(`![plan.png](/v1/files/${file})`), [{ hidden: 'file' }])
    assert.deepEqual(guestText(`[@Design](atrium:${team}) or ${team}`), [
      { hidden: 'team' },
      { text: ' or ' },
      { hidden: 'team' },
    ])
    assert.deepEqual(guestText(`[doc](</v1/files/${file}> "Secret")`), [{ hidden: 'file' }])
    assert.deepEqual(guestText('*Bold* [link](https://example.com)'), [{ text: '*Bold* [link](https://example.com)' }])
    assert.deepEqual(guestText(''), [])
  })

  it('shows no id, however it is written', () => {
    for (const written of [
      `<atrium:${person}>`,
      `https://atrium.example/work/tasks/${task}`,
      `[a][b]\n\n[b]: atrium:${person}`,
      `\`[@Ada](atrium:${person})\``,
      `[[@Ada](atrium:${person})](atrium:${task})`,
      `${person}${task}`,
      `_${file}_`,
      `<atrium:${team}>`,
    ])
      assert.doesNotMatch(JSON.stringify(guestText(written)), /(usr|tsk|fil|team)_[0-9A-Z]{26}/, written)
  })

  it('reads a hostile text of the largest size in one turn, piece by piece the same', () => {
    for (const piece of ['[', '![](atrium:', '\\[', '[@a](', '](atrium:usr_', '[](/v1/files/'])
      assert.equal(
        guestText(piece.repeat(65_536 / piece.length))
          .map((part) => ('text' in part ? part.text : ''))
          .join(''),
        piece.repeat(65_536 / piece.length),
      )
  })
})
