/**
 * Eight projects. `unit` needs only Node. `stack` runs against the real PostgreSQL, Temporal and anvil that
 * test/support/global-setup.js starts once per run. So do `liars`, which compares times and thus runs alone, `generators`,
 * which also needs Java, Go and Python, `clients`, which also needs Go, `monitoring`, which also needs Prometheus, `faults`, which needs it
 * too, and `upgrade`, which also needs the history of the repository.
 */
const base = {
  runtime: '<rootDir>/test/support/native-runtime.ts',
  testEnvironment: '<rootDir>/test/support/native-environment.ts',
  transform: {},
  modulePathIgnorePatterns: ['<rootDir>/.carat/', '<rootDir>/contracts/out/', '<rootDir>/contracts/cache/'],
};

/** Folders whose tests need no services. */
const unit = ['<rootDir>/test/domain/', '<rootDir>/test/unit/', '<rootDir>/test/widget/'];
const generators = '<rootDir>/test/generators/';
const clients = '<rootDir>/test/clients/';
const liars = '<rootDir>/test/liars/';
const monitoring = '<rootDir>/test/monitoring/';
const faults = '<rootDir>/test/faults/';
const upgrade = '<rootDir>/test/upgrade/';

/** Setup of projects that need services. */
const withServices = {
  globalSetup: '<rootDir>/test/support/global-setup.js',
  globalTeardown: '<rootDir>/test/support/global-teardown.js',
  setupFilesAfterEnv: ['<rootDir>/test/support/each-file.ts'],
};

export default {
  testSequencer: '<rootDir>/test/support/longest-first.js',
  // Twice the cores, which idle while long tests wait for blocks.
  maxWorkers: 4,
  // Modules of finished tests stay in memory, and beyond a gigabyte the collector slows down all other tests.
  workerIdleMemoryLimit: '700MB',
  testTimeout: 60_000,
  projects: [
    { ...base, displayName: 'unit', testMatch: unit.map((folder) => `${folder}**/*.test.ts`) },
    {
      ...base,
      displayName: 'stack',
      testMatch: ['<rootDir>/test/**/*.test.ts'],
      testPathIgnorePatterns: ['/node_modules/', ...unit, generators, clients, liars, monitoring, faults, upgrade],
      ...withServices,
    },
    { ...base, displayName: 'generators', testMatch: [`${generators}**/*.test.ts`], ...withServices },
    { ...base, displayName: 'liars', testMatch: [`${liars}**/*.test.ts`], ...withServices },
    { ...base, displayName: 'monitoring', testMatch: [`${monitoring}**/*.test.ts`], ...withServices },
    { ...base, displayName: 'faults', testMatch: [`${faults}**/*.test.ts`], ...withServices },
    { ...base, displayName: 'upgrade', testMatch: [`${upgrade}**/*.test.ts`], ...withServices },
    { ...base, displayName: 'clients', testMatch: [`${clients}**/*.test.ts`], ...withServices },
  ],
};
