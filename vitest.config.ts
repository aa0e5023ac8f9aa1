import { defineConfig } from 'vitest/config';

const conditions = ['bellhop-source'];

export default defineConfig({
  resolve: { conditions },
  // Node-side imports resolve through the SSR conditions: without them tests would run the built `dist`, or fail where there is none.
  ssr: { resolve: { conditions } },
  // The global setup runs in an environment of its own.
  environments: { __vitest__: { resolve: { conditions } } },
  // As in tsconfig.base.json, which the transformer does not find for test files: each package's tsconfig excludes them.
  oxc: { decorator: { legacy: true } },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'scripts/**/*.test.{ts,mjs}'],
    // All cores: much of the suite waits for databases and child processes.
    maxWorkers: '100%',
    // Files share the processes they run in: to load the modules anew for each took 170 s of them. What a test changes beyond itself it puts back, and
    // none mocks a module, which would reach only files that are loaded after it.
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    globalSetup: ['packages/testing/src/vitest-global-setup.ts'],
  },
});
