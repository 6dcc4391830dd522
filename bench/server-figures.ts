// What a running server holds, as the kernel and its own metrics tell.
import { readdir, readFile } from 'node:fs/promises'
import type { Program } from '../scripts/programs.ts'

export type LoadedServer = Program<{ url: string; metricsUrl: string }>

export interface ServerFigures {
  readonly rssMib: number
  readonly heapMib: number
  /** Sockets, timers, pipes and the like that keep the event loop alive. */
  readonly handles: number
  readonly openFiles: number
  readonly engines: number
  readonly enginesRssMib: number
}

export async function readFigures(server: LoadedServer): Promise<ServerFigures> {
  const pid = server.process.pid ?? 0
  const metrics = await (await fetch(`${server.ready.metricsUrl}/metrics`)).text()
  const gauge = (name: string): number => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)?.[1])
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
  const engines = children.split(' ').filter((id) => id !== '')
  const enginesRss = await Promise.all(engines.map(rssMibOf))
  return {
    rssMib: await rssMibOf(pid),
    heapMib: gauge('lake_heap_used_bytes') / 1_048_576,
    handles: gauge('lake_event_loop_handles'),
    openFiles: (await readdir(`/proc/${pid}/fd`)).length,
    engines: engines.length,
    enginesRssMib: enginesRss.reduce((sum, rss) => sum + rss, 0),
  }
}

async function rssMibOf(pid: number | string): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1_024
}

export function formatFigures(figures: ServerFigures): string {
  const { rssMib, heapMib, handles, openFiles, engines, enginesRssMib } = figures
  return [
    `rss ${rssMib.toFixed(0)} MiB`.padStart(14),
    `heap ${heapMib.toFixed(0)} MiB`.padStart(14),
    `handles ${handles}`.padStart(14),
    `files ${openFiles}`.padStart(12),
    `${engines} engines ${enginesRssMib.toFixed(0)} MiB`.padStart(20),
  ].join('')
}
