// `npm run keys`: makes a ticket key and prints the value for LAKE_TICKET_KEYS: the new key first, so that it seals, and
// after it those that the variable has now, so that what they sealed still opens. `-- --keep N` drops older ones.
import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import { parseTicketKeys, processEnvironment } from '../apps/server/src/config.ts'

const KEPT = '1'

const { values } = parseArgs({ options: { keep: { type: 'string', default: KEPT } } })
const keep = Number(values.keep)
const setting = processEnvironment()['LAKE_TICKET_KEYS'] ?? ''
const known = setting === '' ? [] : parseTicketKeys(setting)
if (known === undefined || !Number.isInteger(keep) || keep < 0) {
  process.stderr.write('LAKE_TICKET_KEYS must be id:key pairs, and --keep a whole number\n')
  process.exitCode = 1
} else {
  // An id tells when the key was made, and never repeats.
  const id = `k${new Date().toISOString().slice(0, 10).replaceAll('-', '')}-${randomBytes(3).toString('hex')}`
  const made = `${id}:${randomBytes(32).toString('base64')}`
  const kept = known.slice(0, keep).map(({ id: knownId, key }) => `${knownId}:${key.reveal()}`)
  process.stdout.write(`${[made, ...kept].join(',')}\n`)
}
