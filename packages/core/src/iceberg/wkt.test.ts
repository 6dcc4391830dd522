import { describe, expect, test } from 'vitest'
import { parseHex } from './utf8.ts'
import { formatWkt } from './wkt.ts'

const bytes = (hex: string): Uint8Array => parseHex(hex.replaceAll(' ', '')) ?? new Uint8Array()
const ONE = '000000000000f03f'
const TWO = '0000000000000040'
const THREE = '0000000000000840'
const FOUR = '0000000000001040'
const NAN = '000000000000f87f'
const POINT = `01 01000000 ${ONE} ${TWO}`

describe('[LT7] well-known text', () => {
  test.each([
    [POINT, 'POINT (1 2)'],
    ['00 00000001 3ff0000000000000 4000000000000000', 'POINT (1 2)'],
    [`01 01000000 ${NAN} ${NAN}`, 'POINT EMPTY'],
    [`01 e9030000 ${ONE} ${TWO} ${THREE}`, 'POINT Z (1 2 3)'],
    [`01 d1070000 ${ONE} ${TWO} ${THREE}`, 'POINT M (1 2 3)'],
    [`01 b90b0000 ${ONE} ${TWO} ${THREE} ${FOUR}`, 'POINT ZM (1 2 3 4)'],
    [`01 010000a0 e6100000 ${ONE} ${TWO} ${THREE}`, 'POINT Z (1 2 3)'],
    [`01 02000000 02000000 ${ONE} ${TWO} ${THREE} ${FOUR}`, 'LINESTRING (1 2, 3 4)'],
    ['01 02000000 00000000', 'LINESTRING EMPTY'],
    [`01 03000000 01000000 02000000 ${ONE} ${TWO} ${THREE} ${FOUR}`, 'POLYGON ((1 2, 3 4))'],
    [`01 04000000 02000000 ${POINT} ${POINT}`, 'MULTIPOINT ((1 2), (1 2))'],
    [
      `01 07000000 02000000 ${POINT} 00 00000002 00000000`,
      'GEOMETRYCOLLECTION (POINT (1 2), LINESTRING EMPTY)',
    ],
    ['01 01000000 9a9999999999b93f 0000000000000080', 'POINT (0.1 -0)'],
  ])('%s', (hex, text) => {
    expect(formatWkt(bytes(hex))).toBe(text)
  })

  test('bytes cut off anywhere, too many, or of no kind are no geometry', () => {
    const polygon = bytes(`01 06000000 01000000 01 03000000 01000000 02000000 ${ONE} ${TWO} ${THREE} ${FOUR}`)
    expect(formatWkt(polygon)).toBe('MULTIPOLYGON (((1 2, 3 4)))')
    for (let end = 0; end < polygon.length; end += 1)
      expect(formatWkt(polygon.subarray(0, end))).toBeUndefined()
    expect(formatWkt(bytes(`${POINT} 00`))).toBeUndefined()
    expect(formatWkt(bytes(`02 01000000 ${ONE} ${TWO}`))).toBeUndefined()
    expect(formatWkt(bytes(`01 63000000 ${ONE} ${TWO}`))).toBeUndefined()
    expect(formatWkt(bytes('01 02000000 ffffffff'))).toBeUndefined()
    expect(formatWkt(bytes(`01 05000000 01000000 ${POINT}`))).toBeUndefined()
    expect(formatWkt(bytes('01 07000000 01000000'.repeat(100)))).toBeUndefined()
  })

  test('long text is cut', () => {
    expect(formatWkt(bytes(`01 02000000 02000000 ${ONE} ${TWO} ${THREE} ${FOUR}`), 13)).toBe('LINESTRING (1')
  })
})
