import { describe, expect, it } from 'vitest'
import { isAppError } from '@lake/core/errors.ts'
import {
  catalogUrl,
  DEFAULT_NAMESPACE_SEPARATOR,
  encodeNamespace,
  encodePrefix,
  encodeSegment,
  encodeSeparator,
} from './paths.ts'

const BASE = new URL('https://catalog.example/api/catalog/')

describe('encodeSegment', () => {
  it.each(['', '.', '..', 'a\ud800'])('[RC1] refuses %j', (name) => {
    expect(() => encodeSegment(name)).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST' }))
  })

  it.each([
    ['a/b', 'a%2Fb'],
    ['a b', 'a%20b'],
    ['a+b', 'a%2Bb'],
    ['é', '%C3%A9'],
    ['100%', '100%25'],
    ['%2e%2e', '%252e%252e'],
    ["it's(*)!", 'it%27s%28%2A%29%21'],
    ['tab\there', 'tab%09here'],
  ])('[RC1] encodes %j as one segment', (name, encoded) => {
    expect(encodeSegment(name)).toBe(encoded)
    expect(
      decodeURIComponent(
        catalogUrl(BASE, `/v1/${encodeSegment(name)}`)
          .pathname.split('/')
          .at(-1) ?? '',
      ),
    ).toBe(name)
  })
})

describe('catalogUrl', () => {
  it('[RC1] proves that the parser left the path alone', () => {
    expect(() => catalogUrl(BASE, '/v1/namespaces/%2e%2e/tables')).toThrow(
      expect.objectContaining({ code: 'INVALID_REQUEST' }),
    )
    expect(() => catalogUrl(BASE, '/v1/a\tb')).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST' }))
  })

  it('joins base, path and query', () => {
    expect(catalogUrl(BASE, '/v1/config', { warehouse: 'a b/c' }).href).toBe(
      'https://catalog.example/api/catalog/v1/config?warehouse=a%20b%2Fc',
    )
  })

  it('[RC1] never leaves the base for any two names', () => {
    const names = [
      '..',
      '.',
      '%2e',
      '..%2f',
      '/',
      '//',
      '\\',
      'a',
      '?',
      '#',
      '\u001f',
      '\r\n',
      ' ',
      '%',
      '@',
      ':',
    ]
    for (const first of names) {
      for (const second of names) {
        try {
          const url = catalogUrl(
            BASE,
            `/v1/p/namespaces/${encodeSegment(first)}/tables/${encodeSegment(second)}`,
          )
          expect(url.pathname.startsWith('/api/catalog/v1/p/namespaces/')).toBe(true)
          expect(url.pathname.split('/')).toHaveLength(9)
          expect(url.search + url.hash).toBe('')
        } catch (error) {
          expect(isAppError(error, 'INVALID_REQUEST')).toBe(true)
        }
      }
    }
  })
})

describe('encodePrefix', () => {
  it.each([
    ['catalogs/main', 'catalogs/main'],
    ['projects/1/catalogs/x', 'projects/1/catalogs/x'],
    ['arn%3Aaws%3As3tables%3Abucket%2Fb', 'arn%3Aaws%3As3tables%3Abucket%2Fb'],
    ['main%7Cwh', 'main%7Cwh'],
    ['main|wh', 'main%7Cwh'],
    ['a b', 'a%20b'],
    ['100%', '100%25'],
    ['/x/', 'x'],
    ['', ''],
  ])('[RC2] keeps %j as %j', (prefix, encoded) => {
    expect(encodePrefix(prefix)).toBe(encoded)
  })
})

describe('encodeSeparator', () => {
  it.each([
    ['%1F', '%1F'],
    ['%2E', '%2E'],
    ['.', '.'],
    ['\u001f', '%1F'],
    ['%', '%25'],
    ['|', '%7C'],
    ['', '%1F'],
  ])('[RC3] keeps %j as %j', (separator, encoded) => {
    expect(encodeSeparator(separator)).toBe(encoded)
    expect(encodeNamespace(['a', 'b'], encodeSeparator(separator))).toBe(`a${encoded}b`)
  })

  it('[RC3] refuses what is no text', () => {
    expect(() => encodeSeparator('%FF')).toThrow(expect.objectContaining({ code: 'CATALOG_UNAVAILABLE' }))
  })
})

describe('encodeNamespace', () => {
  it('[RC3] [H19] joins levels by the separator as given', () => {
    expect(encodeNamespace(['a', 'b.c'], DEFAULT_NAMESPACE_SEPARATOR)).toBe('a%1Fb.c')
    expect(encodeNamespace(['a', 'b'], '%2E')).toBe('a%2Eb')
    expect(() => encodeNamespace(['a', 'b.c'], '%2E')).toThrow(
      expect.objectContaining({ code: 'INVALID_REQUEST' }),
    )
  })
})
