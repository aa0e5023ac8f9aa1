/** Vitest's global setup: offers tests one throw-away Postgres server per run, which starts only if a test asks for it. */
import type { TestProject } from 'vitest/node';
import { startPostgresCoordinator } from './postgres/postgres-coordinator.js';
import { POSTGRES_COORDINATOR } from './postgres/postgres-coordinator-key.js';

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const coordinator = await startPostgresCoordinator();
  project.provide(POSTGRES_COORDINATOR, coordinator.address);
  return () => coordinator.close();
}
