/** Jest 30 on Node 20 cannot require() ES modules, so swc turns the ESM-only packages into CommonJS too. */
const esmOnly = ['@nestjs', 'canonicalize', 'jose', 'oauth4webapi', 'openid-client', 'uuid'];
export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/apps', '<rootDir>/libs', '<rootDir>/bench', '<rootDir>/test'],
  testRegex: '\\.spec\\.ts$',
  transform: {
    '^.+\\.m?[tj]s$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2022',
          keepClassNames: true,
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
        },
        module: { type: 'commonjs' },
      },
    ],
  },
  transformIgnorePatterns: [`/node_modules/(?!(${esmOnly.join('|')})/)`],
  moduleNameMapper: {
    '^@doorledger/([^/]+)$': '<rootDir>/libs/$1/src/index.ts',
    '^@doorledger/([^/]+)/([^/]+)$': '<rootDir>/libs/$1/src/$2/index.ts',
    '^canonicalize$': '<rootDir>/node_modules/canonicalize/lib/canonicalize.js', // its exports map has no "require"
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  moduleFileExtensions: ['ts', 'js', 'mjs', 'cjs', 'json', 'node'],
  globalSetup: '<rootDir>/test/global-setup.mjs',
  globalTeardown: '<rootDir>/test/global-teardown.mjs',
  testSequencer: '<rootDir>/scripts/longest-first.cjs',
  maxWorkers: 2,
  testTimeout: 60_000, // A whole process is started in many a test, and the machine may be busy.
  workerIdleMemoryLimit: '512MB',
};
