import { describe, expect, it } from 'vitest'
import { cleanMessage, engineError } from './engine-errors.ts'
import { nameEnd, tokenEnd, utf16Offset } from './text-offsets.ts'

describe('engineError', () => {
  it.each([
    ['Parser', 'SQL_SYNTAX'],
    ['Binder', 'SQL_BINDING'],
    ['Catalog', 'SQL_BINDING'],
    ['Conversion', 'SQL_EXECUTION'],
    ['Out of Range', 'SQL_EXECUTION'],
    ['Invalid Input', 'SQL_EXECUTION'],
    ['Out of Memory', 'SQL_EXECUTION'],
    ['Permission', 'SQL_UNSUPPORTED'],
    ['Not implemented', 'SQL_UNSUPPORTED'],
    ['INTERNAL', 'ENGINE_FAILED'],
    ['Interrupt', 'CANCELLED'],
    ['Too Large', 'RESULT_TOO_LARGE'],
    ['Something New', 'SQL_EXECUTION'],
  ])('%s is %s', (type, code) => {
    expect(engineError({ type, message: 'm', position: undefined }, 'SELECT 1').code).toBe(code)
  })

  it.each([
    ['TProtocolException: Invalid data', 'TABLE_CORRUPT'],
    ['Failed to read file "/x/y.parquet": Snappy decompression failure', 'TABLE_CORRUPT'],
    [
      'Could not read enough bytes from file "/x/y": attempted to read 12740 bytes from location 292',
      'TABLE_CORRUPT',
    ],
    ['DELTA_BYTE_ARRAY - prefix is out of range - corrupt file?', 'TABLE_CORRUPT'],
    ['Could not parse the number', 'SQL_EXECUTION'],
  ])('[FZ1] %s is %s', (message, code) => {
    const failure = engineError({ type: 'Invalid Input', message, position: undefined }, 'SELECT 1')
    expect(failure.code).toBe(code)
    expect(failure.message).not.toContain('/x/y')
    // What a value says is no word of the engine.
    expect(engineError({ type: 'Conversion', message, position: undefined }, 'SELECT 1').code).toBe(
      'SQL_EXECUTION',
    )
  })

  it('counts bytes, except in the grammar, which counts code points', () => {
    const sql = "SELECT 'é😀',\r\n  nope FROM x"
    const start = sql.indexOf('nope')
    const bytes = Buffer.byteLength(sql.slice(0, start))
    // One character of the text takes two units.
    const codePoints = start - 1
    const expected = { startOffset: start, endOffset: start + 4 }
    expect(engineError({ type: 'Binder', message: 'm', position: bytes }, sql).details).toEqual(expected)
    expect(engineError({ type: 'Parser', message: 'm', position: codePoints }, sql).details).toEqual(expected)
  })

  it('has no position beyond the text, which then is that of a view', () => {
    expect(
      engineError({ type: 'Conversion', message: 'm', position: 99 }, 'SELECT 1').details,
    ).toBeUndefined()
  })
})

it('messages lose drawings and folders of the server', () => {
  expect(cleanMessage('Bad thing\n\nLINE 1: SELECT x\n         ^')).toBe('Bad thing')
  expect(cleanMessage('Cannot read "/var/scratch/engine-1/a.parquet": broken')).toBe(
    'Cannot read "(a file)": broken',
  )
  expect(cleanMessage('1/2 and a/b/c stay')).toBe('1/2 and a/b/c stay')
})

it('offsets of tokens and names', () => {
  expect(utf16Offset('é😀x', 2)).toBe(1)
  expect(utf16Offset('é😀x', 4)).toBe(1)
  expect(utf16Offset('é😀x', 6)).toBe(3)
  expect(utf16Offset('x', 50)).toBe(1)
  expect(tokenEnd('a "b""c" d', 2)).toBe(8)
  expect(tokenEnd('x', 1)).toBe(1)
  expect(nameEnd('iceberg . -- c\n "a.b".t AS o', 0)).toBe(23)
})
