// Red when a change declares a major version that nobody decided on. A major is forced on everyone who depends on the package, so it needs a page
// that says what was weighed. It never judges whether the change is a break.

import { majorFindings } from './changeset-no-major/majors.js';
import { selfTest } from './changeset-no-major/self-test.js';
import { preReleaseOf, touchedChangesets, unreadableFindings } from './changesets/changesets.js';
import { decisionsOf } from './changesets/decisions.js';
import { packagesOf } from './changesets/packages.js';
import type { Gate } from './framework/gate.js';

export const gate: Gate = {
  name: 'changeset-no-major',
  about: 'a changeset adds a major bump, outside of pre-release mode, that no page in docs/adr allows.',
  watches: [/^\.changeset\//, /^scripts\/gates\/changesets\//],
  measure(context) {
    const diff = context.diff();
    const touched = touchedChangesets(diff);
    const unreadable = unreadableFindings(touched);
    const looked = `${touched.length} changesets touched`;
    if (preReleaseOf(diff.head).active) return { findings: unreadable, summary: `${looked}, in pre-release mode` };
    const decisions = decisionsOf(diff.head);
    return {
      findings: [...unreadable, ...majorFindings(touched, packagesOf(diff.head), decisions)],
      summary: `${looked}, ${decisions.length} decisions read`,
    };
  },
  selfTest,
};
