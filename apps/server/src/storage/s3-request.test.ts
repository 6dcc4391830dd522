import { expect, test } from 'vitest'
import { createS3Addressing } from './s3-request.ts'

const urlOf = (service: Parameters<typeof createS3Addressing>[0], bucket: string, key = 'a/b c'): string => {
  const { origin, path } = createS3Addressing(service)({ bucket, key })
  return origin + path
}

test.each([
  ['eu-north-1', 'https://bucket.s3.eu-north-1.amazonaws.com/a/b%20c'],
  ['cn-north-1', 'https://bucket.s3.cn-north-1.amazonaws.com.cn/a/b%20c'],
])('without an endpoint, region %s is AWS', (region, url) => {
  expect(urlOf({ region, isPathStyle: false }, 'bucket')).toBe(url)
})

test.each([
  ['https://store.example', false, 'bucket', 'https://bucket.store.example/a/b%20c'],
  ['https://store.example/base/', false, 'bucket', 'https://bucket.store.example/base/a/b%20c'],
  ['https://store.example:8443', true, 'bucket', 'https://store.example:8443/bucket/a/b%20c'],
  // A dot would not fit the certificate, capitals no host name, and an address has no subdomains.
  ['https://store.example', false, 'my.bucket', 'https://store.example/my.bucket/a/b%20c'],
  ['https://store.example', false, 'Old_Bucket', 'https://store.example/Old_Bucket/a/b%20c'],
  ['http://127.0.0.1:9000', false, 'bucket', 'http://127.0.0.1:9000/bucket/a/b%20c'],
  ['http://[::1]:9000', false, 'bucket', 'http://[::1]:9000/bucket/a/b%20c'],
])('endpoint %s, path style %s, bucket %s', (endpoint, isPathStyle, bucket, url) => {
  expect(urlOf({ endpoint, region: 'us-east-1', isPathStyle }, bucket)).toBe(url)
})
