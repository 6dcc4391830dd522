// Text that is dropped on the editor, such as a name from the catalog, goes in where the pointer is. Monaco's own way leaves
// marks of its snippets in the text.
import type { monaco } from './monaco-setup.ts'

/** @returns how to stop taking texts */
export function takeDroppedText(
  container: HTMLElement,
  editor: monaco.editor.IStandaloneCodeEditor,
  insert: (text: string) => void,
): () => void {
  const take = (event: DragEvent): DataTransfer | null => {
    const isText = event.dataTransfer?.types.includes('text/plain') === true
    if (!isText) return null
    event.preventDefault()
    event.stopPropagation()
    const { position } = editor.getTargetAtClientPoint(event.clientX, event.clientY) ?? {}
    if (position) editor.setPosition(position)
    return event.dataTransfer
  }
  const onDragOver = (event: DragEvent): void => {
    const data = take(event)
    if (data !== null) data.dropEffect = 'copy'
    // Shows where it would go.
    if (data !== null) editor.focus()
  }
  const onDrop = (event: DragEvent): void => {
    const text = take(event)?.getData('text/plain') ?? ''
    if (text !== '') insert(text)
  }
  container.addEventListener('dragover', onDragOver, { capture: true })
  container.addEventListener('drop', onDrop, { capture: true })
  return () => {
    container.removeEventListener('dragover', onDragOver, { capture: true })
    container.removeEventListener('drop', onDrop, { capture: true })
  }
}
