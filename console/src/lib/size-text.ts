import { t } from '../language/index.ts'

const units = [t('bytes'), 'KiB', 'MiB', 'GiB'] as const

/** A size as people read it: `1.4 MiB`. */
export function sizeText(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10))
  const value = bytes / 1024 ** step
  return `${step === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[step]}`
}
