/** The cases of a switch: a port and the condition that leads to it. */
import { Plus, Trash2 } from 'lucide-react'
import { Button, IconButton, Input } from '../../../design/index.ts'
import { t } from '../../../language/index.ts'
import { FormulaField } from '../formula/formula-field.tsx'
import type { SettingProps } from './setting.ts'

interface Case {
  readonly port: string
  readonly expr: string
}

const cases_max = 10

export function CasesField({ value, onChange }: SettingProps) {
  const cases = Array.isArray(value) ? (value as readonly Case[]) : []
  const change = (index: number, next: Case) => onChange(cases.map((each, i) => (i === index ? next : each)))
  return (
    <div className="stack">
      {cases.map((each, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a case has no other identity; its port is edited
        <div className="case-row" key={i}>
          <Input
            aria-label={t('Name of case {number}', { number: i + 1 })}
            value={each.port}
            onChange={({ currentTarget }) => change(i, { ...each, port: currentTarget.value })}
          />
          <IconButton
            icon={Trash2}
            label={t('Remove case {number}', { number: i + 1 })}
            onClick={() => onChange(cases.toSpliced(i, 1))}
          />
          <FormulaField
            label={t('Condition of case {number}', { number: i + 1 })}
            path={`cases[${i}].expr`}
            value={each.expr}
            onChange={(expr) => change(i, { ...each, expr })}
          />
        </div>
      ))}
      {cases.length < cases_max && (
        <Button
          icon={Plus}
          size="s"
          onClick={() => onChange([...cases, { port: `case_${cases.length + 1}`, expr: '' }])}
        >
          {t('Add case')}
        </Button>
      )}
    </div>
  )
}
