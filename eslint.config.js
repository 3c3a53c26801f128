import js from '@eslint/js';
import importX, { createNodeResolver } from 'eslint-plugin-import-x';
import tseslint from 'typescript-eslint';

const limits = {
  complexity: ['error', 8],
  'max-depth': ['error', 3],
  'max-params': ['error', 4],
  'max-lines-per-function': ['error', { max: 40, skipBlankLines: true, skipComments: true }],
  'max-lines': ['error', { max: 300 }],
};

// Words that stand for a standard term elsewhere (event reported, chunk, consistency probe, retry, limit).
const dialect = (
  'told tell tells untold witness waitingRoom looks piece pieces knowledge goBehindCalls patiently upToDate atHand seat spool ' +
  'janitor'
).split(' ');
const capitalised = dialect.map((word) => word[0].toUpperCase() + word.slice(1));
const plainNames = `^(?!_?(?:${dialect.join('|')})(?![a-z])|.*(?:${capitalised.join('|')})(?![a-z])).*$`;
const dialectInComments = (
  'told,untold,witness,waiting room,piece,pieces,knowledge,patiently,at hand,so many,so long,so often,whoever,stands behind,' +
  'collector of garbage'
).split(',');

// To `t.match`, an empty array, object or Map is a pattern that any fits.
const empty =
  ':matches(ArrayExpression[elements.length=0], ObjectExpression[properties.length=0], ' +
  'NewExpression[callee.name=/^(Map|Set)$/][arguments.length=0])';
const pattern = "CallExpression[callee.property.name='match'] > ";
const emptyPattern = {
  selector: `${pattern}${empty}:nth-child(2), ${pattern}:nth-child(2) ${empty}`,
  message: 'Any array or object fits: { length: 0 }, or strictSame.',
};
// To `t.match`, an array is a pattern of the first entries.
const within = ":matches(CallExpression[callee.name='exactly'], ArrowFunctionExpression) *";
const listPattern = {
  selector: `${pattern}ArrayExpression:nth-child(2), ${pattern}:nth-child(2) ArrayExpression:not(${within})`,
  message: 'More entries fit: exactly([...]) of employee-lists/testing, or { 0: first } where they may.',
};

export default tseslint.config(
  {
    ignores: [
      '**/dist/**',
      'release/**',
      '**/node_modules/**',
      'data/**',
      '.tap/**',
      'clients/typescript/src/schema.ts',
    ],
  },
  js.configs.recommended,
  {
    // A source names what it imports as it is called once built.
    files: ['**/*.ts'],
    plugins: { 'import-x': importX },
    settings: {
      'import-x/extensions': ['.ts'],
      'import-x/parsers': { '@typescript-eslint/parser': ['.ts'] },
      'import-x/resolver-next': [
        createNodeResolver({ extensions: ['.ts', '.js'], extensionAlias: { '.js': ['.ts', '.js'] } }),
      ],
    },
    rules: { 'import-x/no-cycle': ['error', { ignoreExternal: true }] },
  },
  {
    files: ['**/*.js'],
    languageOptions: { globals: { process: 'readonly', console: 'readonly', URL: 'readonly' } },
  },
  {
    files: ['**/*.ts'],
    ignores: ['employee-lists/reader/**'],
    extends: [...tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      ...limits,
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/no-confusing-void-expression': 'off',
      '@typescript-eslint/no-unnecessary-condition': ['error', { allowConstantLoopConditions: true }],
    },
  },
  {
    // AssemblyScript: its compiler checks the types. Numbers have 64 bits there, what stands together in four lanes is passed as
    // such (an object would be allocated), and a byte is told from the others where it was read.
    files: ['employee-lists/reader/**/*.ts'],
    extends: [...tseslint.configs.strict],
    rules: {
      ...limits,
      complexity: ['error', 11],
      'max-params': ['error', 5],
      'no-loss-of-precision': 'off',
      'no-useless-assignment': 'off',
      'prefer-const': 'off',
    },
  },
  {
    files: ['*/src/**/*.ts'],
    ignores: ['**/*.{spec,testing}.ts'],
    rules: {
      'id-match': ['error', plainNames, { properties: false, classFields: true }],
      'no-warning-comments': ['error', { terms: dialectInComments, location: 'anywhere' }],
    },
  },
  {
    // A given/when/then file is one list of sentences: its outer function is long by nature.
    files: ['**/*.spec.ts', 'test/**/*.ts'],
    rules: {
      'max-lines-per-function': 'off',
      '@typescript-eslint/no-floating-promises': 'off',
      '@typescript-eslint/require-await': 'off',
      'no-restricted-syntax': ['error', emptyPattern, listPattern],
    },
  },
);
