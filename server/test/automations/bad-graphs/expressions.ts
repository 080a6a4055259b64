import { nodeIn } from '../good-graph.ts'
import type { Bad } from './bad.ts'

/** Faults of an expression by itself: syntax, types, unknown variables and functions. */
export const expressions: readonly Bad[] = [
  {
    name: 'syntax',
    spoil: (g) => {
      nodeIn(g, 'urgent').config.expr = "task.priority = 'urgent'"
    },
    faults: [['graph.nodes[4].config.expr', ', character 15 of the expression: Unexpected character: =.']],
  },
  {
    name: 'an unknown variable',
    spoil: (g) => {
      nodeIn(g, 'urgent').config.expr = 'issue.urgent'
    },
    faults: [['graph.nodes[4].config.expr', ', character 1 of the expression: Unknown variable issue.']],
  },
  {
    name: 'an unknown field of a task',
    spoil: (g) => {
      nodeIn(g, 'urgent').config.expr = 'task.urgent'
    },
    faults: [['graph.nodes[4].config.expr', ', character 6 of the expression: No such key: urgent.']],
  },
  {
    name: 'a condition that is not a bool',
    spoil: (g) => {
      nodeIn(g, 'urgent').config.expr = 'task.priority'
    },
    faults: [
      ['graph.nodes[4].config.expr', ', character 1 of the expression: It gives a string, but a bool is required.'],
    ],
  },
  {
    name: 'a case that is not a bool',
    spoil: (g) => {
      nodeIn(g, 'kind').config.cases[0].expr = 'size(task.labels)'
    },
    faults: [
      [
        'graph.nodes[5].config.cases[0].expr',
        ', character 1 of the expression: It gives an int, but a bool is required.',
      ],
    ],
  },
  {
    name: 'a text where a number is needed',
    spoil: (g) => {
      nodeIn(g, 'wait').config.seconds = { $expr: "'60'" }
    },
    faults: [
      ['graph.nodes[7].config.seconds', ', character 1 of the expression: It gives a string, but an int is required.'],
    ],
  },
  {
    name: 'a double where an int is needed',
    spoil: (g) => {
      nodeIn(g, 'until').config.at = { $expr: '1.5 * 2.0' }
    },
    faults: [
      ['graph.nodes[8].config.at', ', character 1 of the expression: It gives a double, but an int is required.'],
    ],
  },
  {
    name: 'items that are not a list',
    spoil: (g) => {
      nodeIn(g, 'checks').config.items = { $expr: 'task.title' }
    },
    faults: [
      ['graph.nodes[15].config.items', ', character 1 of the expression: It gives a string, but a list is required.'],
    ],
  },
  {
    name: 'an operator on wrong types',
    spoil: (g) => {
      nodeIn(g, 'until').config.at = { $expr: 'now + task.title' }
    },
    faults: [['graph.nodes[8].config.at', ', character 1 of the expression: no such overload: int + string.']],
  },
  {
    name: 'an unknown function',
    spoil: (g) => {
      nodeIn(g, 'urgent').config.expr = "task.title.matches('a')"
    },
    faults: [['graph.nodes[4].config.expr', ', character 1 of the expression: Unknown function matches().']],
  },
  {
    name: 'a pattern that is data',
    spoil: (g) => {
      nodeIn(g, 'urgent').config.expr = 'rematch(task.title, task.key)'
    },
    faults: [
      ['graph.nodes[4].config.expr', ', character 21 of the expression: The pattern of rematch() must be a literal.'],
    ],
  },
  {
    name: 'an unclosed template',
    spoil: (g) => {
      nodeIn(g, 'comment').config.body = { $template: 'Hello {{ task.title }' }
    },
    faults: [['graph.nodes[12].config.body', ', character 7 of the template: The template has {{ without }}.']],
  },
  {
    name: 'a wrong expression in a template',
    spoil: (g) => {
      nodeIn(g, 'comment').config.body = { $template: 'Hello {{ task.title }} and {{  task.name }}' }
    },
    faults: [['graph.nodes[12].config.body', ', character 37 of the template: No such key: name.']],
  },
  {
    name: 'too many expressions in a template',
    spoil: (g) => {
      nodeIn(g, 'comment').config.body = { $template: '{{ now }}'.repeat(51) }
    },
    faults: [
      ['graph.nodes[12].config.body', ', character 451 of the template: The template has too many expressions.'],
    ],
  },
  {
    name: 'too many expressions',
    spoil: (g) => {
      nodeIn(g, 'hook').config.body = Array(500).fill({ $expr: 'now' })
    },
    faults: [['graph.nodes', 'have more than 500 expressions, or more than 100000 characters of them.']],
  },
  {
    name: 'a wrong expression in a body',
    spoil: (g) => {
      nodeIn(g, 'hook').config.body = { a: [{ b: { $expr: 'nope' } }] }
    },
    faults: [['graph.nodes[13].config.body.a[0].b', ', character 1 of the expression: Unknown variable nope.']],
  },
]
