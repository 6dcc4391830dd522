// `npm test`: installs what is missing (a Chromium too), then runs every check and test.
import { installChromium, installDependencies, runProgram } from './install.mjs'

installDependencies()
process.exitCode = await runProgram('scripts/test.ts', process.argv.slice(2), {
  CHROMIUM_PATH: installChromium(),
})
