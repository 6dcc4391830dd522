// Runs a parser over many damaged inputs. Each must give a value or an error with a documented code, within memory that
// is a multiple of the input. A case is made from its seed alone: LAKE_FUZZ_SEED=<seed> LAKE_FUZZ_RUNS=1 repeats it.
// With LAKE_FUZZ_GUIDED=1, inputs that reach code which none reached before are damaged further; then a case is made from all
// before it, and the same run repeats it.
import { expect, it } from 'vitest'
import { isAppError, type ErrorCode } from '@lake/core/errors.ts'
import { createRandom } from '../support/random-queries.ts'
import { countAllocations } from './count-allocations.ts'
import { startCoverage } from './coverage.ts'
import type { Random } from './mutate-bytes.ts'

const FIRST_SEED = Number(process.env['LAKE_FUZZ_SEED'] ?? 1)
const RUNS = process.env['LAKE_FUZZ_RUNS'] === undefined ? undefined : Number(process.env['LAKE_FUZZ_RUNS'])
const DEFAULT_RUNS = 250
const IS_GUIDED = process.env['LAKE_FUZZ_GUIDED'] === '1'
/** Of one case, however busy the machine is. */
const HANG_MS = 20_000
const MIB = 1_048_576
const MULTIPLE = 64
const DAMAGE_CODES: readonly ErrorCode[] = ['TABLE_CORRUPT', 'TABLE_UNSUPPORTED']

export interface FuzzTarget<Input> {
  /** Valid ones, which are run as they are first: most must be taken. */
  readonly inputs: readonly Input[]
  readonly mutate: (inputs: readonly Input[], random: Random) => Input
  readonly sizeOf: (input: Input) => number
  readonly run: (input: Input) => unknown
  /** What it may be refused with; damage and what is not read where absent. */
  readonly codes?: readonly ErrorCode[]
  /** True for a parser that gives undefined, or faults, rather than throw. */
  readonly isTotal?: boolean
  /** Cases in the suite, where they take longer or shorter than usual. */
  readonly runs?: number
  /** How many bytes it may take for each of the input, beside one MiB. */
  readonly multiple?: number
}

export function fuzz<Input>(name: string, target: FuzzTarget<Input>): void {
  const { inputs, mutate, sizeOf, codes = DAMAGE_CODES, multiple = MULTIPLE } = target
  const runs = RUNS ?? target.runs ?? DEFAULT_RUNS
  const faultOf = async (input: Input): Promise<{ fault: string | undefined; isRefused: boolean }> => {
    const startedAtMs = performance.now()
    const { error } = await countAllocations(() => target.run(input), MIB + multiple * sizeOf(input))
    const isSlow = performance.now() - startedAtMs > HANG_MS
    if (isSlow) return { fault: 'takes very long', isRefused: false }
    if (error === undefined) return { fault: undefined, isRefused: false }
    const isExpected = target.isTotal !== true && isAppError(error) && codes.includes(error.code)
    return { fault: isExpected ? undefined : describe(error), isRefused: true }
  }

  it(
    name,
    async () => {
      expect(inputs.length).toBeGreaterThan(0)
      let refused = 0
      for (const input of inputs) {
        const { fault, isRefused } = await faultOf(input)
        expect(fault).toBeUndefined()
        if (isRefused) refused += 1
      }
      expect(refused).toBeLessThanOrEqual(inputs.length / 3)
      refused = 0
      const pool = [...inputs]
      const coverage = IS_GUIDED ? await startCoverage() : undefined
      for (let seed = FIRST_SEED; seed < FIRST_SEED + runs; seed += 1) {
        const input = mutate(pool, createRandom(seed))
        const { fault, isRefused } = await faultOf(input)
        if (isRefused) refused += 1
        if ((await coverage?.hasGrown()) === true) pool.push(input)
        if (fault === undefined) continue
        throw new Error(
          `${fault}\nTo repeat: ${IS_GUIDED ? `LAKE_FUZZ_GUIDED=1 LAKE_FUZZ_SEED=${FIRST_SEED} LAKE_FUZZ_RUNS=${runs}` : `LAKE_FUZZ_SEED=${seed} LAKE_FUZZ_RUNS=1`} npm run unit -- --project server fuzz -t ${JSON.stringify(name)}`,
        )
      }
      // Or the damage reached nothing.
      if (target.isTotal !== true && runs >= DEFAULT_RUNS / 5) expect(refused).toBeGreaterThan(runs / 20)
    },
    30_000 + runs * 1_000,
  )
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = isAppError(error) ? ` ${error.code}` : ''
  return `${error.name}${code}: ${error.stack ?? error.message}`
}
