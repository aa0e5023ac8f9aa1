// Red when a changeset declares a break and does not register it: where it was decided, or why there is nothing to migrate. It never judges
// whether a change that declares none is one.
import { registrationFindings } from './changeset-break-registration/registrations.js';
import { selfTest } from './changeset-break-registration/self-test.js';
import { touchedChangesets, unreadableFindings } from './changesets/changesets.js';
import { decisionsOf } from './changesets/decisions.js';
import { packagesOf } from './changesets/packages.js';
import type { Gate } from './framework/gate.js';

export const gate: Gate = {
  name: 'changeset-break-registration',
  about: 'a changeset declares a break without exactly one registration marker, or a marker says what is not so.',
  watches: [/^\.changeset\//, /^scripts\/gates\/changesets\//],
  measure(context) {
    const diff = context.diff();
    const touched = touchedChangesets(diff);
    const head = { tree: diff.head, packages: packagesOf(diff.head), decisions: decisionsOf(diff.head) };
    return {
      findings: [...unreadableFindings(touched), ...registrationFindings(touched, head)],
      summary: `${touched.length} changesets touched, ${head.decisions.length} decisions read`,
    };
  },
  selfTest,
};
