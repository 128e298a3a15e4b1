import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['dist/', 'node_modules/', '.cache/', 'coverage/', 'test/.out/', 'data/'] },
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      eqeqeq: ['error', 'always'],
      'no-console': 'error',
      'no-warning-comments': ['error', { terms: ['todo', 'fixme', 'xxx', 'hack'] }],
      'max-lines': ['error', { max: 250 }],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true }],
      // A method of a port is async whatever its adapter does.
      '@typescript-eslint/require-await': 'off',
      // The fact types are generated from schemas; an empty object type never stands for "anything" here.
      '@typescript-eslint/no-empty-object-type': 'off',
    },
  },
  {
    files: ['**/*.spec.ts', '**/*.contract.ts', '**/testing/**/*.ts', 'test/**/*.ts'],
    rules: {
      'no-console': 'off',
      'max-lines': ['error', { max: 400 }],
      // Matchers such as expect.objectContaining() are `any`, and a body under test is what it is.
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  { files: ['bench/**/*.ts', 'scripts/**/*.ts', 'apps/cli/**/*.ts', '**/main.ts'], rules: { 'no-console': 'off' } },
);
