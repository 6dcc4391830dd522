// `npm run test:deploy`: what is in deploy/, tried as far as a machine without a container engine allows. The image is built
// from its file by buildah and run read-only as its user; the unit is verified and rated; the compose file is read. Opt-in: root,
// Debian's buildah, debootstrap, systemd and docker-compose, and the network (docs/testing.md). Says what it skipped.
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildImage, whyNoBuild } from './deploy/build-image.ts'
import { hasCommand, run, say, show } from './interop/commands.ts'
import { ROOT } from './programs.ts'

/** Of `systemd-analyze security`, in tenths: 0 is confined, 100 is not. */
const EXPOSURE_MAX = 20

const folder = await mkdtemp(join(tmpdir(), 'lake-deploy-'))
try {
  await checkUnit()
  await checkCompose()
  await checkImage()
} catch (error) {
  say(String(error))
  process.exitCode = 1
} finally {
  await rm(folder, { recursive: true, force: true })
}

async function checkUnit(): Promise<void> {
  if (!hasCommand('systemd-analyze')) {
    say('skipped: the unit (no systemd-analyze)')
    return
  }
  // The program is not installed in /opt here, so a program that is there stands in for it.
  const unit = join(folder, 'lake-workbench.service')
  const text = await readFile(join(ROOT, 'deploy/lake-workbench.service'), 'utf8')
  await writeFile(unit, text.replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`))
  await run('systemd-analyze', ['verify', '--man=no', unit])
  await run('systemd-analyze', ['security', '--offline=true', `--threshold=${EXPOSURE_MAX}`, unit])
  say(
    `yes  the unit is verified, its exposure at most ${EXPOSURE_MAX / 10} of 10; it was not started (no systemd runs here)`,
  )
}

async function checkCompose(): Promise<void> {
  if (!hasCommand('docker-compose')) {
    say('skipped: the compose file (no docker-compose)')
    return
  }
  const copy = join(folder, 'compose')
  await mkdir(join(copy, 'secrets'), { recursive: true })
  await copyFile(join(ROOT, 'deploy/compose.yaml'), join(copy, 'compose.yaml'))
  await writeFile(join(copy, 'secrets/ticket-keys.env'), 'LAKE_TICKET_KEYS=k:…\n')
  await run('docker-compose', ['-f', join(copy, 'compose.yaml'), 'config', '--quiet'])
  say('yes  the compose file is read; its services were not started (no container engine)')
}

async function checkImage(): Promise<void> {
  const reason = whyNoBuild()
  if (reason !== undefined) {
    say(`skipped: the image (${reason})`)
    return
  }
  await using image = await buildImage(folder)
  say(`yes  the image builds: user ${image.config.User}, ${image.config.Cmd.join(' ')}`)
  const spaces = ['--mount', '--net', '--pid', '--fork', '--kill-child', '--mount-proc']
  const program = [process.execPath, join(ROOT, 'scripts/deploy/rehearse.ts')]
  const isRight = await show(
    'unshare',
    [...spaces, ...program, image.rootFolder, JSON.stringify(image.config), join(folder, 'lake')],
    {},
  )
  if (!isRight) process.exitCode = 1
}
