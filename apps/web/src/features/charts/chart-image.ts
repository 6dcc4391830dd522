// A chart as a file: the picture on its own ground, with the line that says what it was made from.
import { hexOfToken } from '../../ui/token-colors.ts'

const NAMESPACE = 'http://www.w3.org/2000/svg'
const TOKENS = ['accent', 'ink-2', 'canvas'] as const
const LINE_PX = 22
const PIXELS_EACH = 2

function line(text: string, y: number): SVGTextElement {
  const element = document.createElementNS(NAMESPACE, 'text')
  element.setAttribute('x', '8')
  element.setAttribute('y', String(y))
  element.setAttribute('font-size', '11')
  element.setAttribute('fill', 'currentColor')
  element.textContent = text
  return element
}

/** The chart with the texts under it, as an SVG that needs nothing from this page. */
export function chartSvg(chart: SVGSVGElement, texts: readonly string[]): string {
  const copy = chart.cloneNode(true) as SVGSVGElement
  const width = Number(chart.getAttribute('width'))
  const height = Number(chart.getAttribute('height'))
  const total = height + texts.length * LINE_PX
  copy.setAttribute('height', String(total))
  copy.setAttribute('viewBox', `0 0 ${width} ${total}`)
  copy.setAttribute('xmlns', NAMESPACE)
  const ground = document.createElementNS(NAMESPACE, 'rect')
  for (const [name, value] of [
    ['width', width],
    ['height', total],
    ['fill', 'var(--canvas)'],
  ] as const)
    ground.setAttribute(name, String(value))
  copy.prepend(ground)
  texts.forEach((text, index) => copy.append(line(text, height + index * LINE_PX + 14)))
  let svg = new XMLSerializer().serializeToString(copy)
  for (const token of TOKENS) svg = svg.replaceAll(`var(--${token})`, hexOfToken(token))
  return svg.replaceAll('var(--font-ui)', 'system-ui, sans-serif')
}

/** The same as pixels, twice as fine. */
export async function chartPng(svg: string, widthPx: number, heightPx: number): Promise<Blob> {
  const image = new Image(widthPx, heightPx)
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`
  await image.decode()
  const canvas = document.createElement('canvas')
  canvas.width = widthPx * PIXELS_EACH
  canvas.height = heightPx * PIXELS_EACH
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height)
  return await new Promise((resolve, reject) => {
    canvas.toBlob((blob) => {
      if (blob === null) reject(new Error('The browser made no picture'))
      else resolve(blob)
    }, 'image/png')
  })
}

export const imageHeight = (chart: SVGSVGElement, lineCount: number): number =>
  Number(chart.getAttribute('height')) + lineCount * LINE_PX
