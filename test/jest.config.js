import path from 'node:path';
import leftOut from './left-out.json' with { type: 'json' };

/**
 * A project for each part of the tests (tools/check/test.ts). `unit` needs only Node. `stack` runs against the real PostgreSQL, Temporal
 * and anvil that test/support/global-setup.js starts once per run. So do the others, which `npm test` omits: `left` has the single
 * files of test/left-out.json, `again` the randomised tests with more cases, and each further one is a folder.
 */
/** The folder of the repository. */
const rootDir = path.dirname(import.meta.dirname);

const base = {
  rootDir,
  runtime: '<rootDir>/test/support/native-runtime.ts',
  testEnvironment: '<rootDir>/test/support/native-environment.ts',
  transform: {},
  modulePathIgnorePatterns: ['<rootDir>/.carat/', '<rootDir>/contracts/out/', '<rootDir>/contracts/cache/'],
};

/** Folders whose tests need no services. */
const unit = ['<rootDir>/test/domain/', '<rootDir>/test/unit/', '<rootDir>/test/widget/'];

/** Projects that are folders of their own, with services. */
const ownFolders = [...leftOut.folders, ...leftOut.separate];
const folderOf = (name) => `<rootDir>/test/${name}/`;
const leftFiles = Object.keys(leftOut.files).map((file) => `<rootDir>/${file}`);

/** Setup of projects that need services. */
const withServices = {
  globalSetup: '<rootDir>/test/support/global-setup.js',
  globalTeardown: '<rootDir>/test/support/global-teardown.js',
  setupFilesAfterEnv: ['<rootDir>/test/support/each-file.ts'],
};

export default {
  rootDir,
  testSequencer: '<rootDir>/test/support/longest-first.js',
  // Twice the cores, which idle while long tests wait for blocks.
  maxWorkers: 4,
  // Modules of finished test files stay in memory, and beyond a gigabyte the collector slows down all other tests.
  workerIdleMemoryLimit: '700MB',
  // The one deadline of tests and hooks. It only ends those that hang, on slow machines too.
  testTimeout: 900_000,
  projects: [
    { ...base, displayName: 'unit', testMatch: unit.map((folder) => `${folder}**/*.test.ts`) },
    {
      ...base,
      displayName: 'stack',
      testMatch: ['<rootDir>/test/**/*.test.ts'],
      testPathIgnorePatterns: ['/node_modules/', ...unit, ...ownFolders.map(folderOf), ...leftFiles],
      ...withServices,
    },
    { ...base, displayName: 'left', testMatch: leftFiles, ...withServices },
    { ...base, displayName: 'again', testMatch: leftOut.again.map((file) => `<rootDir>/${file}`), ...withServices },
    ...ownFolders.map((name) => ({
      ...base,
      displayName: name,
      testMatch: [`${folderOf(name)}**/*.test.ts`],
      ...withServices,
    })),
  ],
};
