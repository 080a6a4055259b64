/** A text as a QR code. */
import './qr-code.css'
import { generate } from 'lean-qr'

/** Modules around the code, without which cameras do not find it. */
const quiet = 4

export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const code = generate(text)
  const size = code.size + 2 * quiet
  let path = ''
  for (let y = 0; y < code.size; y++)
    for (let x = 0; x < code.size; x++) if (code.get(x, y)) path += `M${x + quiet} ${y + quiet}h1v1h-1z`
  return (
    <svg className="qr-code" role="img" aria-label={label} viewBox={`0 0 ${size} ${size}`} shapeRendering="crispEdges">
      <path d={path} fill="currentColor" />
    </svg>
  )
}
