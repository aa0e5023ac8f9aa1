// What vitest's JSON report leaves out: errors outside of any test, errors of hooks and of loading, and what a failure was: of a timeout that
// report holds a stack and not the message.
// Written beside that report, as `evidence.json`. Loaded by vitest.

import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Reporter, SerializedError, TestModule, Vitest } from 'vitest/node';
import type { EvidenceReport } from './evidence.js';

export default class EvidenceReporter implements Reporter {
  #folder = '';

  onInit(vitest: Vitest): void {
    const { outputFile } = vitest.config;
    const report = typeof outputFile === 'object' ? outputFile.json : undefined;
    if (!report) throw new Error('This reporter writes beside the report of --reporter=json: give --outputFile.json, too.');
    this.#folder = dirname(report);
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[], reason: string): void {
    const report: EvidenceReport = {
      reason,
      unhandled: unhandled.map(text),
      suites: modules.flatMap((module) => [
        ...module.errors().map((error) => ({ file: module.moduleId, name: '', error: text(error) })),
        ...[...module.children.allSuites()].flatMap((suite) =>
          suite.errors().map((error) => ({ file: module.moduleId, name: suite.fullName, error: text(error) })),
        ),
      ]),
      failures: modules.flatMap((module) =>
        [...module.children.allTests()]
          .filter((test) => test.result().state === 'failed')
          .map((test) => ({ file: module.moduleId, name: test.fullName, errors: (test.result().errors ?? []).map(text) })),
      ),
      retried: modules.flatMap((module) =>
        [...module.children.allTests()].filter((test) => (test.diagnostic()?.retryCount ?? 0) > 0).map((test) => test.fullName),
      ),
    };
    writeFileSync(join(this.#folder, 'evidence.json'), JSON.stringify(report));
  }
}

function text(error: { name?: string; message: string }): string {
  return `${error.name ?? 'Error'}: ${error.message}`;
}
