// The gate of the layering: which package imports which, and through which door. What may import what is in layers/layer-table.ts.
// It looks at the whole tree, not at a change: an import that is wrong today was wrong yesterday, too.
import type { Gate } from './framework/gate.js';
import { EXCEPTED_IMPORTS } from './layers/excepted-imports.js';
import { judgeCycles } from './layers/import-cycles.js';
import { judgeImports, judgePackages } from './layers/judge-imports.js';
import { LAYERING } from './layers/layering.js';
import { layersSelfTest } from './layers/self-test-cases.js';
import { readWorkspace } from './layers/workspace.js';

export const gate: Gate = {
  name: 'layers',
  about:
    'an import goes up or sideways against the layers, leaves its package, reaches into another, is not declared, cannot be read, or closes a circle of files.',
  watches: [/\.[cm]?[jt]sx?$/, /^(packages\/[^/]+\/)?package\.json$/],
  measure({ repository }) {
    const workspace = readWorkspace(repository.files(), (path) => repository.read(path)!);
    const findings = [
      ...judgePackages(workspace, LAYERING),
      ...judgeImports(workspace, LAYERING, EXCEPTED_IMPORTS),
      ...judgeCycles(workspace),
    ];
    const imports = workspace.sources.reduce((sum, { imports }) => sum + imports.length, 0);
    return {
      findings,
      summary: `${imports} imports of ${workspace.sources.length} files in ${workspace.packages.length} packages and the scripts`,
    };
  },
  selfTest: layersSelfTest,
};
