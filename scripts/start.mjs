// `npm start`: installs what is missing, then runs the workbench.
import { installDependencies, runProgram } from './install.mjs'

installDependencies()
process.exitCode = await runProgram('scripts/start.ts', process.argv.slice(2))
