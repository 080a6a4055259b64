/** The editor in the console's tokens. The rules are no layer's, as those of CodeMirror that they replace. */
import { EditorView } from '@codemirror/view'

export const formulaTheme = EditorView.theme({
  '&': { color: 'var(--text)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5', maxHeight: '12rem' },
  '.cm-content': { padding: '0.4375rem 0', minHeight: '2lh', caretColor: 'var(--text)' },
  '.cm-line': { padding: '0 0.625rem' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--bg-active)' },
  '&.cm-focused .cm-nonmatchingBracket': { backgroundColor: 'var(--bad-soft)' },
  '.cm-tooltip': {
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius)',
    backgroundColor: 'var(--bg-overlay)',
    boxShadow: 'var(--shadow-m)',
    overflow: 'hidden',
    zIndex: 'var(--z-menu)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    fontFamily: 'var(--mono)',
    fontSize: 'var(--text-s)',
    maxWidth: 'min(30rem, 90vw)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '0.25rem 0.5rem' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { background: 'var(--bg-selected)', color: 'var(--text)' },
  '.cm-completionDetail': { color: 'var(--text-muted)', fontStyle: 'normal' },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: 'var(--strong)' },
})
