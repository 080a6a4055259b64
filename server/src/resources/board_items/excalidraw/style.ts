/** The style of an element under the names of this API, with only the properties that its type has. */
import type { Element } from '../excalidraw.ts'
import { numberIn, objectIn, wordIn } from './fields.ts'

/** `label`: the text element of the item, which is the element itself or is bound to it. */
export function styleOf(element: Element, label: Element | undefined): Record<string, unknown> {
  const ends = element.type === 'arrow' || element.type === 'line'
  return {
    stroke_color: wordIn(element, 'strokeColor'),
    background_color: wordIn(element, 'backgroundColor'),
    fill_style: wordIn(element, 'fillStyle'),
    stroke_width: numberIn(element, 'strokeWidth', null),
    stroke_style: wordIn(element, 'strokeStyle'),
    roughness: numberIn(element, 'roughness', null),
    opacity: numberIn(element, 'opacity', null),
    rounded: objectIn(element, 'roundness') !== null || wordIn(element, 'strokeSharpness') === 'round',
    ...(ends
      ? { start_arrowhead: wordIn(element, 'startArrowhead'), end_arrowhead: wordIn(element, 'endArrowhead') }
      : {}),
    ...(label === undefined ? {} : textStyleOf(label)),
  }
}

function textStyleOf(label: Element): Record<string, unknown> {
  return {
    text_color: wordIn(label, 'strokeColor'),
    font_size: numberIn(label, 'fontSize', null),
    font_family: numberIn(label, 'fontFamily', null),
    text_align: wordIn(label, 'textAlign'),
    vertical_align: wordIn(label, 'verticalAlign'),
  }
}
