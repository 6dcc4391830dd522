// The body of an export request, part of the contract: the ticket, the format, and the options that the format has.
import * as z from 'zod'
import { ticketRequest } from './contract.ts'

/** Redeems a ticket for its whole result as a file; see docs/http-api.md for what the options mean. */
export const exportRequest = z.discriminatedUnion(
  'format',
  [
    ticketRequest.extend({
      format: z.literal('csv'),
      options: z
        .strictObject({
          delimiter: z.enum([',', ';', '\t', '|']).default(','),
          header: z.boolean().default(true),
          /** What stands for NULL. */
          nullText: z
            .string()
            .max(32)
            .regex(/^[^"\r\n,;\t|]*$/, 'holds a character that separates fields')
            .default(''),
          guardsFormulas: z.boolean().default(false),
        })
        .prefault({}),
    }),
    ticketRequest.extend({
      format: z.literal('jsonl'),
      options: z.strictObject({ largeNumbers: z.enum(['text', 'number']).default('text') }).prefault({}),
    }),
    ticketRequest.extend({ format: z.literal('parquet'), options: z.strictObject({}).prefault({}) }),
    ticketRequest.extend({ format: z.literal('arrow'), options: z.strictObject({}).prefault({}) }),
    ticketRequest.extend({ format: z.literal('xlsx'), options: z.strictObject({}).prefault({}) }),
  ],
  { error: 'is none of csv, jsonl, parquet, arrow, xlsx' },
)
export type ExportRequest = z.output<typeof exportRequest>
/** What the file shall be. */
export type ExportTarget = DistributiveOmit<ExportRequest, 'ticket'>
type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never
