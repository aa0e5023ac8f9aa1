// Which gates there are, the quick ones first: as one runs them by hand. `check`, which runs several at a time, starts with the last.
import type { Gate } from './gate.js';

export const GATE_NAMES = [
  'changeset-no-major',
  'changeset-not-empty',
  'changeset-break-registration',
  'layers',
  'tenant-audit-census',
  'api-report',
  'docs-drift',
  'statement-plans',
] as const;

export type GateName = (typeof GATE_NAMES)[number];

export function isGateName(name: string): name is GateName {
  return (GATE_NAMES as readonly string[]).includes(name);
}

export async function loadGate(name: GateName): Promise<Gate> {
  const { gate } = (await import(`../${name}.js`)) as { gate: Gate };
  if (gate.name !== name) throw new Error(`scripts/gates/${name}.ts exports a gate that is named ${gate.name}.`);
  return gate;
}
