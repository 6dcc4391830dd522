import { expect, test } from 'vitest'
import { parseS3Uri } from './object-uri.ts'
import { createTablePaths } from './table-paths.ts'

const paths = createTablePaths(
  new Map([
    ['/warehouse/', 's3://lake/wh/'],
    ['/warehouse/a/', 's3://other/a/'],
    ['hdfs://host:8020/', 's3://lake/'],
  ]),
)

test.each([
  ['s3://b/k', 's3://b/k'],
  ['s3a://b/k', 's3://b/k'],
  ['s3n://b/k', 's3://b/k'],
  ['s3://b/a%20b/c=%3D//x/../y', 's3://b/a%20b/c=%3D//x/../y'],
  ['/warehouse/t/f', 's3://lake/wh/t/f'],
  ['/warehouse/a/f', 's3://other/a/f'],
  ['hdfs://host:8020/x', 's3://lake/x'],
  ['gs://b/a%20b//x', 'gs://b/a%20b//x'],
  ['abfss://c@acct.dfs.core.windows.net/a b/x', 'abfss://c@acct.dfs.core.windows.net/a b/x'],
  ['abfs://c@acct.dfs.core.windows.net/x', 'abfss://c@acct.dfs.core.windows.net/x'],
  ['wasbs://c@acct.blob.core.windows.net//x', 'abfss://c@acct.dfs.core.windows.net//x'],
  ['wasb://$web@Acct.Blob.core.windows.net/x', 'abfss://$web@acct.dfs.core.windows.net/x'],
  ['abfss://c@acct.z01.dfs.storage.azure.net/x', 'abfss://c@acct.z01.dfs.storage.azure.net/x'],
  ['abfss://Ws 1@onelake.dfs.fabric.microsoft.com/l', 'abfss://Ws 1@onelake.dfs.fabric.microsoft.com/l'],
  ['abfss://c@acct.dfs.core.chinacloudapi.cn/x', 'abfss://c@acct.dfs.core.chinacloudapi.cn/x'],
])('[H17] %s is %s', (path, uri) => {
  expect(paths.canonicalUri(path)).toBe(uri)
})

test.each([
  ['oss://b/k', 'storage scheme oss'],
  ['abfss://c/k', 'storage scheme abfss'],
  ['abfss://c@evil.example/k', 'storage host that is not one of Azure'],
  ['abfss://c@acct.dfs.core.windows.net.evil.example/k', 'storage host that is not one of Azure'],
  ['abfss://c@evil.example#.dfs.core.windows.net/k', 'storage host that is not one of Azure'],
  ['wasbs://c@acct.dfs.core.windows.net:444/k', 'storage host that is not one of Azure'],
  ['file:///etc/passwd', 'storage scheme file'],
  ['/etc/passwd', 'storage path without a scheme'],
  ['S3://b/k', 'storage scheme s3'],
])('%s is refused, naming the scheme', (path, feature) => {
  expect(() => paths.canonicalUri(path)).toThrow(
    expect.objectContaining({ code: 'TABLE_UNSUPPORTED', details: { feature } }),
  )
})

test.each([
  's3://',
  's3://b',
  's3://b/',
  's3:///k',
  's3://b@c/k',
  's3://b:80/k',
  's3://b?x/k',
  's3://b/\ud800',
  'gs://b',
  'gs:///k',
  'abfss://c@acct.dfs.core.windows.net/',
  'abfss://c@acct.dfs.core.windows.net',
  'abfss://@acct.dfs.core.windows.net/k',
])('%s names no object', (path) => {
  expect(() => paths.canonicalUri(path)).toThrow(expect.objectContaining({ code: 'TABLE_CORRUPT' }))
})

test.each([
  ['oss://b/k', 'Alibaba Cloud OSS (oss:)'],
  ['hdfs://n:8020/k', 'HDFS (hdfs:)'],
  ['abfs://c/k', 'Azure Data Lake Storage (abfs:)'],
  ['ABFSS://c@h.dfs.core.windows.net/k', 'Azure Data Lake Storage (abfss:)'],
  ['constructor://h/k', 'storage scheme constructor'],
])('[CR8] %s is refused in words: %s', (path, words) => {
  expect(() => paths.canonicalUri(path)).toThrow(words)
})

test('[H17] a key is everything after the bucket, unchanged', () => {
  expect(parseS3Uri('s3://b//a/../b%2F c')).toEqual({ bucket: 'b', key: '/a/../b%2F c' })
})

test('[B12] a scheme is a part of the prefix: a store that is reached by https: is read where it is mapped', () => {
  const mapped = createTablePaths(new Map([['https://storage.example/b/', 's3://b/']]))
  expect(mapped.canonicalUri('https://storage.example/b/t/x%20y?z')).toBe('s3://b/t/x%20y?z')
  expect(() => paths.canonicalUri('https://storage.example/b/t/x')).toThrow(
    expect.objectContaining({ code: 'TABLE_UNSUPPORTED', details: { feature: 'storage scheme https' } }),
  )
})

test('a mapped prefix without a scheme fits paths of a file system with one, but not those of buckets', () => {
  const mapped = createTablePaths(new Map([['/warehouse/t/', 's3://b/t/']]))
  for (const path of [
    '/warehouse/t/x',
    'hdfs://namenode:8020/warehouse/t/x',
    'file:/warehouse/t/x',
    'file:///warehouse/t/x',
  ]) {
    expect(mapped.canonicalUri(path)).toBe('s3://b/t/x')
  }
  expect(mapped.canonicalUri('s3a://other/warehouse/t/x')).toBe('s3://other/warehouse/t/x')
  expect(() => mapped.canonicalUri('hdfs://namenode:8020/else/x')).toThrowError(
    expect.objectContaining({ code: 'TABLE_UNSUPPORTED' }),
  )
})
