// What a deployment's administrator does at an S3 server, for the commands that start one: a bucket, and keys of a session.
import { Sha256 } from '@aws-crypto/sha256-js'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { HttpRequest } from '@smithy/protocol-http'
import { SignatureV4 } from '@smithy/signature-v4'
import type { S3Keys } from '../contracts/s3-contract.ts'

const REGION = 'us-east-1'

interface S3At {
  readonly endpoint: string
  readonly keys: S3Keys
}

export async function createBucket({ endpoint, keys }: S3At, bucket: string): Promise<void> {
  const { accessKeyId, secretAccessKey } = keys
  const client = new S3Client({
    endpoint,
    region: REGION,
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey },
  })
  await client.send(new CreateBucketCommand({ Bucket: bucket }))
  client.destroy()
}

/** Keys for a quarter of an hour, by the server's token service. */
export async function assumeRole({ endpoint, keys }: S3At, roleArn: string): Promise<S3Keys> {
  const { accessKeyId, secretAccessKey } = keys
  const signer = new SignatureV4({
    credentials: { accessKeyId, secretAccessKey },
    region: REGION,
    service: 'sts',
    sha256: Sha256,
  })
  const body = new URLSearchParams({
    Action: 'AssumeRole',
    Version: '2011-06-15',
    RoleArn: roleArn,
    RoleSessionName: 'workbench',
    DurationSeconds: '900',
  }).toString()
  const { host } = new URL(endpoint)
  const headers = { host, 'content-type': 'application/x-www-form-urlencoded' }
  const signed = await signer.sign(
    new HttpRequest({ method: 'POST', path: '/', headers, hostname: host, body }),
  )
  const { host: _host, ...sent } = signed.headers
  const response = await fetch(endpoint, { method: 'POST', headers: sent, body })
  const text = await response.text()
  const valueOf = (name: string): string => {
    const value = new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1]
    if (value === undefined)
      throw new Error(`the token service answered ${response.status}: ${text.slice(0, 300)}`)
    return value
  }
  return {
    accessKeyId: valueOf('AccessKeyId'),
    secretAccessKey: valueOf('SecretAccessKey'),
    sessionToken: valueOf('SessionToken'),
  }
}
