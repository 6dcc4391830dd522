// What a table's page says of the age of its metadata.
import { ageText } from '../../ui/format-quantity.ts'

/** @param isStale the catalog could not be reached when it was asked */
export function freshnessText(isStale: boolean, ageMs: number): string {
  return isStale
    ? `The catalog could not be reached: this is how it was ${ageText(ageMs)}.`
    : `as the catalog had it ${ageText(ageMs)}`
}
