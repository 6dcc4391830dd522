// Checks on demand whether this deployment can read the table's files, step by step, the way that queries do.
import { useMutation } from '@tanstack/react-query'
import type { StorageCheck } from '@lake/core/api/contract.ts'
import { postVerifyStorageAccess } from '../../api/client.ts'
import { toApiError } from '../../api/api-error.ts'
import type { TableName } from '../../api/table-name.ts'
import { ErrorNotice } from '../../ui/ErrorNotice.tsx'
import { durationText } from '../../ui/format-quantity.ts'

const STEP_WORDS: Record<StorageCheck['step'], string> = {
  catalog: 'load the table from the catalog',
  'manifest-list': 'read the manifest list',
  manifest: 'read a manifest',
  'data-file': 'read the end of a data file',
}

function CheckRow({ check }: { check: StorageCheck }) {
  return (
    <tr>
      <td>{STEP_WORDS[check.step]}</td>
      <td>
        <span className={check.code === null ? 'added' : 'deleted'}>{check.code ?? 'ok'}</span>
      </td>
      <td className="numeric">{durationText(check.elapsedMs)}</td>
      <td className="break">{check.message ?? <span className="mono">{check.path}</span>}</td>
    </tr>
  )
}

export function StorageAccess({ name }: { name: TableName }) {
  const verify = useMutation({
    mutationFn: async () =>
      await postVerifyStorageAccess(name.namespace, name.table, new AbortController().signal),
  })
  const checks = verify.data?.checks ?? []
  return (
    <section aria-labelledby="storage-title">
      <h2 id="storage-title">Storage access</h2>
      <button
        type="button"
        className="button"
        disabled={verify.isPending}
        onClick={() => {
          verify.mutate()
        }}
      >
        {verify.isPending ? 'Verifying…' : 'Verify storage access'}
      </button>
      {verify.isError && <ErrorNotice error={toApiError(verify.error)} />}
      {checks.length > 0 && (
        <div className="data-table-frame" aria-live="polite">
          <table className="data-table">
            <thead>
              <tr>
                <th scope="col">step</th>
                <th scope="col">outcome</th>
                <th scope="col" className="numeric">
                  time
                </th>
                <th scope="col">file or reason</th>
              </tr>
            </thead>
            <tbody>
              {checks.map((check) => (
                <CheckRow key={check.step} check={check} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}
