// What a reviewer would otherwise have to notice: import directions, sizes, banned calls, documents that have drifted
// from the code, rules without a test, and dependencies that nobody chose.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { API_PREFIX, ROUTES } from './packages/core/src/api/contract.ts'
import { ERROR_CODES } from './packages/core/src/errors.ts'
import { VARIABLES } from './apps/server/src/config/reader.ts'

const ROOT = import.meta.dirname
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const sources = globSync('{apps,packages}/*/{src,test}/**/*.{ts,tsx}', { cwd: ROOT })
  .concat(globSync('{e2e,bench,scripts}/**/*.{ts,mjs}', { cwd: ROOT }), globSync('*.ts', { cwd: ROOT }))
  .filter((path) => !path.includes('node_modules'))
const isTest = (path: string): boolean => /\.(test|spec)\.tsx?$|\/test\//.test(path)
const documents = globSync(['*.md', 'docs/**/*.md', '{apps,packages}/*/*.md'], { cwd: ROOT })

/** Relative and workspace imports of a file, as paths from the root; other packages as they are written. */
function importsOf(path: string): string[] {
  const specifiers = [...read(path).matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(
    (match) => match[1] ?? '',
  )
  return specifiers.map((specifier) => {
    if (specifier.startsWith('.')) return relative(ROOT, resolve(ROOT, dirname(path), specifier))
    const workspace = /^@lake\/([a-z-]+)\/(.*)$/.exec(specifier)
    if (!workspace) return specifier
    return `${workspace[1] === 'core' ? 'packages' : 'apps'}/${workspace[1]}/src/${workspace[2]}`
  })
}

/** Server folders from the outside in; a file imports from its own folder and from later groups only. */
const SERVER_LAYERS: readonly (readonly string[])[] = [
  ['main.ts'],
  ['server.ts'],
  ['replicas'],
  ['http'],
  ['flight', 'statements'],
  ['export'],
  ['queries'],
  ['avro'],
  ['sql', 'access', 'catalog', 'metadata', 'parquet', 'engine'],
  ['storage'],
  ['sealing'],
  ['config.ts'],
  ['config'],
  ['concurrency', 'observability'],
  ['limits.ts'],
]
/** Neighbours in one layer, and the one step outwards, that are allowed by name. */
const SERVER_EXCEPTIONS = new Set([
  'sql>engine',
  'engine>parquet',
  'observability/audit-log.ts>concurrency/clock.ts',
  'config.ts>catalog/secrets.ts',
  'config/reader.ts>catalog/secrets.ts',
  'config/access.ts>catalog/secrets.ts',
  'access/oidc-client.ts>catalog/secrets.ts',
  'access/open-access.ts>catalog/secrets.ts',
  'config/state.ts>catalog/secrets.ts',
])

function serverViolations(path: string): string[] {
  const inside = path.slice('apps/server/src/'.length)
  const folder = inside.split('/')[0] ?? ''
  const layerOf = (name: string): number => SERVER_LAYERS.findIndex((layer) => layer.includes(name))
  return importsOf(path)
    .filter((target) => target.startsWith('apps/server/src/'))
    .map((target) => target.slice('apps/server/src/'.length))
    .filter((target) => {
      const other = target.split('/')[0] ?? ''
      if (
        other === folder ||
        SERVER_EXCEPTIONS.has(`${folder}>${other}`) ||
        SERVER_EXCEPTIONS.has(`${inside}>${target}`)
      )
        return false
      return layerOf(other) <= layerOf(folder)
    })
    .map((target) => `${path} imports ${target}`)
}

describe('import directions', () => {
  it('gives every server folder a layer', () => {
    const folders = new Set(
      sources.filter((path) => path.startsWith('apps/server/src/')).map((path) => path.split('/')[3] ?? ''),
    )
    const known = new Set([...SERVER_LAYERS.flat(), 'config.test.ts'])
    expect([...folders].filter((folder) => !known.has(folder))).toEqual([])
  })

  it('points inwards in the server', () => {
    const code = sources.filter((path) => path.startsWith('apps/server/src/') && !isTest(path))
    expect(code.flatMap(serverViolations)).toEqual([])
  })

  it('keeps the workspaces apart', () => {
    const allowed: Record<string, string[]> = {
      'packages/core': ['packages/core'],
      'apps/server': ['apps/server', 'packages/core'],
      'apps/local-lake': ['apps/local-lake', 'packages/core'],
      'apps/web': ['apps/web', 'packages/core'],
    }
    const workspaceOf = (path: string): string => path.split('/').slice(0, 2).join('/')
    const violations = sources
      .filter((path) => workspaceOf(path) in allowed && !isTest(path))
      .flatMap((path) =>
        importsOf(path)
          .filter((target) => /^(apps|packages)\//.test(target) && !target.includes('/package.json'))
          .filter((target) => !allowed[workspaceOf(path)]?.includes(workspaceOf(target)))
          .map((target) => `${path} imports ${target}`),
      )
    expect(violations).toEqual([])
  })

  it('keeps web features from each other', () => {
    const featureOf = (path: string): string | undefined =>
      /^apps\/web\/src\/features\/([^/]+)\//.exec(path)?.[1]
    const violations = sources.flatMap((path) => {
      const feature = featureOf(path)
      return feature === undefined
        ? []
        : importsOf(path)
            .filter((target) => ![undefined, feature].includes(featureOf(target)))
            .map((target) => `${path} imports ${target}`)
    })
    expect(violations).toEqual([])
  })

  it.each([
    ['@duckdb', /^@duckdb\//, /^apps\/(server\/src\/engine|local-lake)\//],
    ['@aws-sdk', /^@aws-sdk\//, /^apps\/server\/src\/(storage\/|catalog\/aws-secrets\.ts$)/],
    ['express', /^express$/, /^apps\/(server\/src\/http|local-lake)\//],
  ])('keeps %s in its place', (_name, specifier, place) => {
    const violations = sources
      .filter((path) => /^(apps|packages)\//.test(path) && !isTest(path) && !place.test(path))
      .filter((path) => importsOf(path).some((target) => specifier.test(target)))
    expect(violations).toEqual([])
  })
})

describe('code', () => {
  it('stays within 400 lines a file', () => {
    expect(sources.filter((path) => read(path).split('\n').length > 401)).toEqual([])
  })

  it('opens every file with what it is for', () => {
    const code = sources.filter(
      (path) => !isTest(path) && !path.startsWith('e2e/') && !path.endsWith('.d.ts'),
    )
    expect(code.filter((path) => !/^(#!.*\n)?\/\//.test(read(path)))).toEqual([])
  })

  it.each([
    ['a left-over mark', /\b(FIXME|TODO|XXX)\b/, /^tidy\.test\.ts$/],
    ['a focused test', /\b(it|test|describe)\.only\(/, /^tidy\.test\.ts$/],
    [
      'the environment outside its one reader',
      /process\.env\b/,
      /^(apps\/server\/src\/config\.ts|tidy\.test\.ts|scripts\/|e2e\/|bench\/|.*\.test\.ts$|.*\/test\/)/,
    ],
    [
      'the wall clock outside clock.ts',
      /\bDate\.now\(\)|new Date\(\)/,
      /^(apps\/server\/src\/(concurrency\/clock|storage\/s3-object-store)\.ts|apps\/(web|local-lake)\/|tidy\.test\.ts|scripts\/|e2e\/|bench\/|.*\.test\.ts$|.*\/test\/)/,
    ],
    ['chance without a seed', /Math\.random\(/, /^(tidy\.test\.ts|apps\/web\/)/],
    [
      'a cipher outside the sealer',
      /\bcreate(Dec|C)ipheriv\b/,
      /^(tidy\.test\.ts|apps\/server\/src\/sealing\/sealer\.ts)/,
    ],
    [
      'a wait of its own length, which a busy machine exceeds',
      /\bvi\.waitFor\(|\.poll\([^\n]*, \{ timeout:/,
      /^(tidy\.test\.ts|e2e\/)/,
    ],
    [
      'a test of the time something takes',
      /(performance|Date)\.now\(\) - \w+\)\.toBeLess|[eE]lapsedMs\)\.toBeLess/,
      /^tidy\.test\.ts$/,
    ],
    ['re-exports of everything', /^export \*/m, /^tidy\.test\.ts$/],
  ])('has no %s', (_name, pattern, except) => {
    expect(sources.filter((path) => !except.test(path) && pattern.test(read(path)))).toEqual([])
  })

  it('has no barrels', () => {
    expect(
      sources.filter(
        (path) => /\/(index|utils|types)\.tsx?$/.test(path) && path !== 'packages/core/src/iceberg/types.ts',
      ),
    ).toEqual([])
  })
})

describe('documents', () => {
  const words = (path: string, pattern: RegExp): string[] =>
    [...new Set([...read(path).matchAll(pattern)].map((match) => match[1] ?? ''))].sort()

  it('describe every error code, and none that does not exist', () => {
    expect(words('docs/errors.md', /^### `([A-Z_]+)`/gm)).toEqual(Object.keys(ERROR_CODES).sort())
    for (const [code, { status, isRetryable }] of Object.entries(ERROR_CODES)) {
      expect(read('docs/errors.md')).toContain(
        `### \`${code}\`\n\nHTTP ${status}, ${isRetryable ? 'retryable' : 'not retryable'}.`,
      )
    }
  })

  it('describe every variable, and none that does not exist', () => {
    expect(words('docs/configuration.md', /^\| `(LAKE_[A-Z0-9_]+)`/gm)).toEqual([...VARIABLES].sort())
  })

  it('describe every route, and none that does not exist', () => {
    const routes = Object.values(ROUTES).map(({ method, path }) => `${method} ${API_PREFIX}${path}`)
    const probes = ['GET /livez', 'GET /readyz', 'GET /metrics']
    expect(words('docs/http-api.md', /^## `((?:GET|POST|DELETE) [^`]+)`/gm)).toEqual(
      [...routes, ...probes].sort(),
    )
  })

  it('link to files that exist', () => {
    const broken = documents.flatMap((path) =>
      [...read(path).matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)]
        .map((match) => match[1] ?? '')
        .filter((target) => !existsSync(join(ROOT, dirname(path), target)))
        .map((target) => `${path}: ${target}`),
    )
    expect(broken).toEqual([])
  })

  it('name no machine and no registry', () => {
    const texts = [...documents, ...sources].filter((path) => path !== 'tidy.test.ts')
    expect(
      texts.filter((path) => /\/work\/|\/root\/|registry\.npmjs|localhost:4873/.test(read(path))),
    ).toEqual([])
  })
})

describe('rules', () => {
  it.each(globSync('{apps,packages}/*/SPEC.md', { cwd: ROOT }))(
    'of %s are each cited by a test, and no test cites another',
    (path) => {
      const workspace = dirname(path)
      const rules = new Set(
        [...read(path).matchAll(/^- \*\*([A-Z]{2}\d+)\*\* /gm)].map((match) => match[1] ?? ''),
      )
      const prefixes = new Set([...rules].map((rule) => rule.slice(0, 2)))
      const tests = sources.filter(
        (source) => isTest(source) && (source.startsWith(`${workspace}/`) || source.startsWith('e2e/')),
      )
      const cited = new Set(
        tests
          .flatMap((test) => [...read(test).matchAll(/\[([A-Z]{2}\d+)\]/g)].map((match) => match[1] ?? ''))
          .filter((rule) => prefixes.has(rule.slice(0, 2))),
      )
      expect([...cited].filter((rule) => !rules.has(rule))).toEqual([])
      expect([...rules].filter((rule) => !cited.has(rule))).toEqual([])
    },
  )
})

describe('hazards', () => {
  const HAZARD = /\[([HB]\d+[a-d]?)\]/g
  /** Of reading Iceberg, and those seen in public bug reports. */
  const HAZARD_IDS = [
    ...Array.from({ length: 97 }, (_, index) => `H${index + 1}`),
    'H58b',
    'H58c',
    'H58d',
    ...Array.from({ length: 32 }, (_, index) => `B${index + 1}`),
  ]
  const list = read('docs/hazards.md')
  const rows = new Map(
    list
      .split(/^- (?=\*\*)/m)
      .slice(1)
      .map((row) => [/^\*\*(\w+)\*\*/.exec(row)?.[1] ?? '', row.split(/\n\n/)[0] ?? '']),
  )
  const citing = Map.groupBy(
    sources
      .filter((path) => isTest(path) && path !== 'tidy.test.ts')
      .flatMap((path) => [...new Set(read(path).match(HAZARD))].map((id) => ({ id: id.slice(1, -1), path }))),
    ({ id }) => id,
  )

  it('are all listed, each once', () => {
    expect([...rows.keys()].sort()).toEqual(HAZARD_IDS.toSorted())
    expect(list.match(/^- /gm)).toHaveLength(HAZARD_IDS.length)
    expect([...citing.keys()].filter((id) => !rows.has(id))).toEqual([])
  })

  it.each(HAZARD_IDS)('%s names the tests that cite it, or why it cannot occur', (id) => {
    const row = rows.get(id) ?? ''
    const named = [...row.matchAll(/`([\w./-]+\.ts)`/g)].map((match) => match[1] ?? '')
    const paths = (citing.get(id) ?? []).map(({ path }) => path)
    expect(paths.filter((path) => !named.some((name) => path.endsWith(`/${name}`)))).toEqual([])
    expect(named.filter((name) => !paths.some((path) => path.endsWith(`/${name}`)))).toEqual([])
    expect(named.length === 0, 'no test').toBe(row.includes('Cannot occur: '))
  })
})

describe('dependencies', () => {
  const manifests = ['package.json', ...globSync('{apps,packages}/*/package.json', { cwd: ROOT })]
  const versionsOf = (path: string): [string, string][] => {
    const { dependencies = {}, devDependencies = {} } = JSON.parse(read(path)) as Record<
      string,
      Record<string, string>
    >
    return Object.entries({ ...dependencies, ...devDependencies })
  }

  it('are pinned exactly', () => {
    const loose = manifests.flatMap((path) =>
      versionsOf(path).filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)),
    )
    expect(loose).toEqual([])
  })

  it('are those that were chosen', () => {
    const chosen = read('docs/dependencies.md')
    const unlisted = manifests
      .flatMap((path) => versionsOf(path).map(([name]) => name))
      .filter((name) => !name.startsWith('@lake/') && !chosen.includes(`\`${name}\``))
    expect([...new Set(unlisted)]).toEqual([])
  })
})
