/**
 * Maps the elements of a drawing to the items of a snapshot. A text bound to a shape or arrow becomes the text of its item.
 * An element of an unknown type becomes an item of type `unknown`, so no element is lost (contract/14#board-item).
 */
import type { BoardItemContent } from '../board_item.ts'
import type { Asset, Drawing, Element } from '../excalidraw.ts'
import { flagIn, linkIn, taskIn, textIn, wordIn, wordsIn } from './fields.ts'
import { type Anchors, anchorOf, type Box, boxOf, centreOf, endOf, pathOf, rotationOf } from './geometry.ts'
import { styleOf } from './style.ts'

export interface MappedItem {
  readonly element: string
  readonly asset: string | null
  readonly content: BoardItemContent
}

/** The look-ups that the mapping of every item uses. */
interface Mapping {
  readonly elements: ReadonlyMap<string, Element>
  readonly boxes: ReadonlyMap<string, Box>
  readonly assets: ReadonlyMap<string, Asset>
  /** The text of each container, and the container of each such text. */
  readonly labels: ReadonlyMap<string, Element>
  readonly containers: ReadonlyMap<string, string>
  readonly itemOf: (element: string) => string
  readonly tasks: ReadonlySet<string>
}

/** Ids of the tasks whose pages the elements of a drawing link to. */
export function linkedTaskIds(drawing: Drawing): string[] {
  return [...new Set(drawing.elements.map(taskIn).filter((task) => task !== null))]
}

/**
 * The items of a drawing, in drawing order. `itemOf` returns the item id of an element. `tasks` contains the linked tasks that
 * exist.
 */
export function toItems(
  drawing: Drawing,
  itemOf: (element: string) => string,
  tasks: ReadonlySet<string> = new Set(),
): MappedItem[] {
  const elements = new Map(drawing.elements.map((element) => [element.id, element]))
  const boxes = new Map(drawing.elements.map((element) => [element.id, boxOf(element)]))
  const labels = labelsOf(drawing.elements, elements)
  const containers = new Map([...labels].map(([container, label]) => [label.id, container]))
  const mapping: Mapping = { elements, boxes, assets: drawing.assets, labels, containers, itemOf, tasks }
  return drawing.elements
    .filter((element) => !containers.has(element.id))
    .map((element, order) => toItem(mapping, element, order))
}

/** The text bound to each container. A text whose container is missing or already has a text becomes an item of its own. */
function labelsOf(all: readonly Element[], elements: ReadonlyMap<string, Element>): Map<string, Element> {
  const labels = new Map<string, Element>()
  for (const element of all) {
    const container = element.type === 'text' ? wordIn(element, 'containerId') : null
    if (container === null || labels.has(container)) continue
    const found = elements.get(container)
    if (found !== undefined && found.type !== 'text') labels.set(container, element)
  }
  return labels
}

function toItem(mapping: Mapping, element: Element, order: number): MappedItem {
  const box = mapping.boxes.get(element.id) as Box
  const anchors = anchorsFor(mapping, element)
  const type = typeOf(element, anchors)
  const label = type === 'text' ? element : mapping.labels.get(element.id)
  const asset = type === 'image' ? (mapping.assets.get(wordIn(element, 'fileId') ?? '') ?? null) : null
  const frame = frameOf(mapping, element)
  const path = pathOf(box)
  const centre = centreOf(box)
  const [first = centre] = path
  const last = path.at(-1) ?? centre
  const content: BoardItemContent = {
    type,
    position:
      frame === null
        ? { ...centre, relative_to: 'canvas' }
        : { x: centre.x - frame.box.left, y: centre.y - frame.box.top, relative_to: 'parent_top_left' },
    geometry: { width: box.width, height: box.height, rotation: rotationOf(box) },
    order,
    style: styleOf(element, label),
    text: type === 'frame' ? textIn(element, 'name') || null : label === undefined ? null : textOf(label),
    data: dataOf(element, type, box, asset),
    parent: frame === null ? null : frame.item,
    groups: wordsIn(element, 'groupIds'),
    connector:
      type === 'connector'
        ? {
            start: endOf(element, 'startBinding', first, anchors),
            end: endOf(element, 'endBinding', last, anchors),
            path,
          }
        : null,
    linked_task: linkedTask(element, mapping.tasks),
    locked: flagIn(element, 'locked'),
    source: { format: 'excalidraw', element_id: element.id, element_type: element.type },
  }
  return { element: element.id, asset: asset?.sha256 ?? null, content }
}

function linkedTask(element: Element, tasks: ReadonlySet<string>): string | null {
  const task = taskIn(element)
  return task !== null && tasks.has(task) ? task : null
}

const types: Readonly<Record<string, string>> = {
  rectangle: 'shape',
  ellipse: 'shape',
  diamond: 'shape',
  text: 'text',
  arrow: 'connector',
  line: 'line',
  freedraw: 'freehand',
  frame: 'frame',
  magicframe: 'frame',
  image: 'image',
  embeddable: 'embed',
  iframe: 'embed',
}

function typeOf(element: Element, anchors: Anchors): string {
  const bound =
    element.type === 'line' &&
    (anchorOf(element, 'startBinding', anchors) !== undefined || anchorOf(element, 'endBinding', anchors) !== undefined)
  if (bound) return 'connector'
  return Object.hasOwn(types, element.type) ? (types[element.type] as string) : 'unknown'
}

/** The items that the ends of an element can be bound to; a text in a container stands for the container. */
function anchorsFor({ elements, boxes, containers, itemOf }: Mapping, from: Element): Anchors {
  return (id) => {
    const bound = containers.get(id) ?? id
    if (bound === from.id || !elements.has(bound)) return undefined
    return { item: itemOf(bound), box: boxes.get(bound) as Box }
  }
}

/** The frame that contains an element; null for frames. */
function frameOf({ elements, boxes, itemOf }: Mapping, element: Element): { item: string; box: Box } | null {
  const id = wordIn(element, 'frameId')
  if (id === null || types[element.type] === 'frame') return null
  const frame = elements.get(id)
  if (frame === undefined || types[frame.type] !== 'frame') return null
  return { item: itemOf(id), box: boxes.get(id) as Box }
}

/** The text as typed, without the line breaks of wrapping. */
function textOf(label: Element): string | null {
  return textIn(label, 'originalText') || textIn(label, 'text') || null
}

function dataOf(element: Element, type: string, box: Box, asset: Asset | null): Record<string, unknown> {
  const link = linkIn(element, 'link')
  if (type === 'shape') return { shape: element.type, link }
  if (type === 'embed') return { url: link }
  if (type === 'line' || type === 'freehand') {
    const points = box.points.map(({ x, y }) => ({ x: x - box.left, y: y - box.top }))
    return { points, link }
  }
  if (type === 'image') {
    const { sha256, media_type, size_bytes } = asset ?? {}
    return { asset: asset === null ? null : { sha256, media_type, size_bytes }, link }
  }
  return { link }
}
