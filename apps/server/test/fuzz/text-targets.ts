// How texts are damaged: as bytes, or, where they are JSON, mostly in their structure.
import { mutateBytes, type Random } from './mutate-bytes.ts'
import { mutateJson, type Json } from './mutate-json.ts'

export const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

export const textTarget = {
  mutate: (inputs: readonly string[], random: Random): string =>
    textOf(mutateBytes(inputs.map(bytesOf), random)),
  sizeOf: (text: string) => text.length,
}

export const jsonTarget = {
  mutate: (inputs: readonly string[], random: Random): string =>
    random() < 0.8
      ? JSON.stringify(
          mutateJson(
            inputs.map((text) => JSON.parse(text) as Json),
            random,
          ),
        )
      : textTarget.mutate(inputs, random),
  sizeOf: (text: string) => text.length,
  multiple: 256,
}
