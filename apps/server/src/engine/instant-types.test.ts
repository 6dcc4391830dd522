import { describe, expect, it } from 'vitest'
import { INSTANT_TYPE, instantsIn, nameInstants } from './instant-types.ts'

const NANOS = 'TIMESTAMP_NS'
const ZONED = 'TIMESTAMP WITH TIME ZONE'

describe('[TY1] which nanosecond times of a type are instants', () => {
  it.each([
    [NANOS, ZONED, [0], INSTANT_TYPE],
    [NANOS, NANOS, [], NANOS],
    [`${NANOS}[]`, `${ZONED}[]`, [0], `${INSTANT_TYPE}[]`],
    [`${NANOS}[3]`, `${ZONED}[3]`, [0], `${INSTANT_TYPE}[3]`],
    [
      `STRUCT(a ${NANOS}, b ${ZONED}, c ${NANOS})`,
      `STRUCT(a ${NANOS}, b ${ZONED}, c ${ZONED})`,
      [1],
      `STRUCT(a ${NANOS}, b ${ZONED}, c ${INSTANT_TYPE})`,
    ],
    [`MAP(${NANOS}, INTEGER)`, `MAP(${ZONED}, INTEGER)`, [0], `MAP(${INSTANT_TYPE}, INTEGER)`],
    // Names and values that look like a type.
    [
      `STRUCT("${NANOS}," ${NANOS})`,
      `STRUCT("${NANOS}," ${ZONED})`,
      [0],
      `STRUCT("${NANOS}," ${INSTANT_TYPE})`,
    ],
    [`STRUCT(${NANOS} ${NANOS})`, `STRUCT(${NANOS} ${ZONED})`, [0], `STRUCT(${NANOS} ${INSTANT_TYPE})`],
    [
      `STRUCT("a""${NANOS})" ${NANOS})`,
      `STRUCT("a""${NANOS})" ${ZONED})`,
      [0],
      `STRUCT("a""${NANOS})" ${INSTANT_TYPE})`,
    ],
    [`ENUM('${NANOS}', 'x')`, `ENUM('${NANOS}', 'x')`, [], `ENUM('${NANOS}', 'x')`],
  ])('%s beside %s', (type, zoned, instants, named) => {
    expect(instantsIn(type, zoned)).toEqual(instants)
    expect(nameInstants(type, instants)).toBe(named)
  })

  it('is not said where the types differ otherwise, or are not known', () => {
    expect(instantsIn(`STRUCT(a ${NANOS})`, `STRUCT(b ${ZONED})`)).toEqual([])
    expect(instantsIn(NANOS, 'VARCHAR')).toEqual([])
    expect(instantsIn(NANOS, undefined)).toEqual([])
  })
})
