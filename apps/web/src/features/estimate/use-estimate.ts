// The estimate of the statement that Run would take. While another text is asked about, the last answer is shown as old.
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { EstimateResponse, RequestedPin } from '@lake/core/api/contract.ts'
import { toApiError, type ApiError } from '../../api/api-error.ts'
import { estimateQuery } from '../../api/query-client.ts'

export interface ShownEstimate {
  estimate: EstimateResponse | null
  /** Why there is none; the editor marks what has a place in the text. */
  error: ApiError | null
  /** True while `estimate` is of the text before this one. */
  isOld: boolean
}

const NOTHING: ShownEstimate = { estimate: null, error: null, isOld: false }

/** @param sql null: there is nothing to run */
export function useEstimate(sql: string | null, pins: readonly RequestedPin[]): ShownEstimate {
  const { data, error, isPlaceholderData } = useQuery({
    ...estimateQuery(sql ?? '', pins),
    enabled: sql !== null,
    placeholderData: keepPreviousData,
  })
  if (sql === null) return NOTHING
  if (error !== null) return { estimate: null, error: toApiError(error), isOld: false }
  return { estimate: data ?? null, error: null, isOld: isPlaceholderData }
}
